"""The training loop: update, validate, keep the best, stop and go on without losing anything."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seq2see import machine
from seq2see.config import TrainingConfig
from seq2see.data.batching import Batch, TokenCorpus
from seq2see.errors import Seq2SeeError
from seq2see.model.seq2seq import Seq2Seq
from seq2see.training.checkpoint import (
    Checkpoint,
    Position,
    average,
    checkpoint_path,
    checkpoints,
)
from seq2see.training.optimiser import (
    AveragedWeights,
    RunningAverage,
    clip,
    load_moments,
    make_optimiser,
    moments,
)
from seq2see.training.plan import Plan, probe
from seq2see.training.prepare import Prepared
from seq2see.training.progress import Progress
from seq2see.training.schedule import Schedule
from seq2see.training.teacher import taught
from seq2see.training.validation import Validation, Validator, on_device
from seq2see.training.warnings import Watch


class Stopped(Seq2SeeError):
    """Training was asked to stop; everything is saved.

    Attributes:
        signal: The signal that asked.
    """

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.signal = number


class Trainer:
    """One run.

    Args:
        prepared: Data, tokenizers and settings.
        progress: Who is told how it goes.
        start: A checkpoint to go on from.
    """

    def __init__(
        self, prepared: Prepared, progress: Progress, start: Checkpoint | None = None
    ) -> None:
        self.prepared, self.progress = prepared, progress
        self.config: TrainingConfig = prepared.config.training
        self.run: Path = prepared.folder.path
        machine.keep_freed_memory()
        self.threads = machine.use_threads(self.config.threads)
        self.device = machine.device(self.config.device)
        self.dtype = machine.precision(self.config.precision, self.device)
        torch.manual_seed(self.config.seed)
        folder = prepared.folder
        self.network = Seq2Seq(prepared.config.model, folder.source.size, folder.target.size)
        self.network.to(self.device).train()
        self.optimiser = make_optimiser(self.network, self.config)
        self.average = RunningAverage(self.network, self.config.ema or 0.0)
        self.position = Position(fingerprint=prepared.fingerprint)

        epoch = prepared.batches(prepared.train_tokens, 0)
        self.updates_per_epoch = -(-len(epoch) // self.config.accumulate)
        self.updates = self.config.updates or (self.config.epochs or 1) * self.updates_per_epoch
        self.tokens_per_epoch = int(prepared.train_tokens.target.lengths[prepared.rows].sum())
        # An epoch, but ten times a run at least and forty at most.
        self.validate_every = self.config.validate_every or max(
            1, -(-self.updates // 40), min(self.updates_per_epoch, self.updates // 10)
        )
        interval = self.tokens_per_epoch * self.validate_every // self.updates_per_epoch
        self.validator = Validator(prepared, self.network, self.device, self.dtype, interval)
        self.watch = Watch(prepared, self.updates)
        self.schedule = Schedule(
            self.config.schedule or "constant",
            self.config.learning_rate or 1e-3,
            self.config.warmup or 0,
            self.updates,
        )
        if start is not None:
            self._restore(start)

    def plan(self) -> Plan:
        """What the run will be; times a few batches to say how long it takes."""

        def step(batch: Batch) -> None:
            self._gradients(batch, 1.0)
            self.optimiser.zero_grad()

        measured = probe(step, self.prepared)
        left = self.updates - self.position.update
        tokens = self.tokens_per_epoch * left / self.updates_per_epoch
        weights = sum(p.numel() * p.element_size() for p in self.network.parameters())
        moments_to_come = {"sgd": 0}.get(self.config.optimizer, 2) * weights
        return Plan(
            pairs=len(self.prepared.rows),
            left_out=len(self.prepared.train)
            - len(self.prepared.rows)
            + self.prepared.train.dropped,
            target_tokens=self.tokens_per_epoch,
            vocabularies=(self.prepared.folder.source.size, self.prepared.folder.target.size),
            parameters=sum(p.numel() for p in self.network.parameters()),
            updates=self.updates,
            updates_per_epoch=self.updates_per_epoch,
            validate_every=self.validate_every,
            # Validation and the updates themselves add about a fifth to the gradients.
            seconds=1.2 * tokens * measured.seconds_per_token,
            memory=measured.memory + moments_to_come,
            device=self.device.type,
            precision=str(self.dtype).removeprefix("torch."),
            threads=self.threads,
        )

    def train(self) -> None:
        """Trains to the end, or until asked to stop.

        Raises:
            Stopped: A signal asked; the checkpoint is written.
        """
        self.prepared.folder.write()
        with _signals() as asked, self.progress.running(self.position.update, self.updates):
            for batches in self._updates():
                self._update(batches)
                finished = self.position.update >= self.updates
                if self.position.update % self.validate_every == 0 or finished:
                    finished |= self._validate()
                elif self.config.save_every and not self.position.update % self.config.save_every:
                    self._save()
                if finished:
                    break
                if asked:
                    self._save()
                    raise Stopped(
                        f"Stopped after update {self.position.update:,}; nothing is lost. "
                        f"Go on with: seq2see train --out {self.run} --resume",
                        asked[0],
                    )
        self._finish()

    def _updates(self) -> Iterator[list[Batch]]:
        """The batches of each update still to come, epoch after epoch."""
        while self.position.update < self.updates:
            corpus: TokenCorpus = self.prepared.epoch(self.position.epoch)
            order: list[NDArray[np.int64]] = self.prepared.batches(corpus, self.position.epoch)
            while self.position.batch < len(order):
                begin = self.position.batch
                part = order[begin : begin + self.config.accumulate]
                self.position.batch += len(part)
                yield [corpus.batch(rows) for rows in part]
            self.position.epoch, self.position.batch = self.position.epoch + 1, 0

    def _update(self, batches: list[Batch]) -> None:
        started = time.perf_counter()
        tokens = sum(int((batch.target[:, 1:] != 0).sum()) for batch in batches)
        loss = sum(self._gradients(batch, 1 / tokens) for batch in batches)
        if self.config.clip:
            clip(self.network, self.config.clip)
        self.position.update += 1
        for group in self.optimiser.param_groups:
            group["lr"] = self.schedule.rate(self.position.update)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.average.update(self.position.update)
        self.position.tokens += tokens
        self.position.seconds += time.perf_counter() - started
        self.progress.updated(self.position, loss / tokens)

    def _gradients(self, batch: Batch, scale: float) -> float:
        """Adds a batch's gradients; returns its summed loss."""
        with torch.autocast(
            self.device.type, dtype=self.dtype, enabled=self.dtype != torch.float32
        ):
            loss = self.network(
                *on_device(batch, self.device),
                smoothing=self.config.label_smoothing,
                teacher_forcing=self._teacher_forcing(),
                agreement=self.config.agreement or 0.0,
                taught=taught(batch, self.device),
                distillation=self.config.distillation,
            )
        total = loss.total
        guided = self.config.guided_alignment
        if guided and batch.links is not None and loss.weights is not None:
            links = torch.from_numpy(batch.links).to(self.device)
            total = total + guided * _alignment_loss(loss.weights, links)
        (total * scale).backward()
        return float(loss.plain)

    def _teacher_forcing(self) -> float:
        first, last = self.config.teacher_forcing, self.config.teacher_forcing_end
        if last is None:
            return first
        return first + (last - first) * min(1.0, self.position.update / self.updates)

    def _validate(self) -> bool:
        """Validates, saves, keeps the best; returns whether training should stop."""
        with AveragedWeights(self.network, self.average):
            result = self.validator()
        position = self.position
        improved = position.best is None or result.merit > position.best
        if improved:
            position.best, position.best_update, position.stale = result.merit, position.update, 0
            self.prepared.folder.write_weights(self.average.weights())
        else:
            position.stale += 1
            if self.config.schedule == "plateau":
                self.schedule.factor *= self.config.decay
                position.factor = self.schedule.factor
        if self.config.average > 1:
            position.kept = [*position.kept, position.update][-self.config.average :]
        self._save()
        self.progress.validated(position, result, improved)
        for warning in self.watch(position.update, result):
            self.progress.note(f"Warning: {warning}")
        return bool(self.config.patience) and position.stale >= (self.config.patience or 0)

    def _save(self) -> None:
        """Writes a checkpoint and removes those no longer needed."""
        self.position.factor = self.schedule.factor
        tensors = {
            "random": torch.get_rng_state(),
            **_prefixed("weights", dict(self.network.named_parameters())),
            **_prefixed("average", self.average.average),
            **_prefixed("moments", moments(self.optimiser)),
        }
        Checkpoint(self.position, tensors).write(checkpoint_path(self.run, self.position.update))
        waiting = {checkpoint_path(self.run, n) for n in self.position.kept}
        for old in checkpoints(self.run)[: -max(1, self.config.keep)]:
            if old not in waiting:
                old.unlink()

    def _restore(self, start: Checkpoint) -> None:
        if start.position.fingerprint != self.prepared.fingerprint:
            raise Seq2SeeError(
                f"The run in {self.run} was made from other data or settings than it finds now. "
                "Put the data back as it was, or train into a new folder."
            )
        self.position = start.position
        with torch.no_grad():
            own = dict(self.network.named_parameters())
            for name, tensor in start.group("weights").items():
                own[name].copy_(tensor)
        self.average.load(start.group("average"))
        load_moments(self.optimiser, start.group("moments"))
        self.schedule.factor = self.position.factor
        torch.set_rng_state(start.tensors["random"])

    def _finish(self) -> None:
        """Averages checkpoints if wanted, and says that the run is done."""
        if len(self.position.kept) > 1:
            paths = [checkpoint_path(self.run, n) for n in self.position.kept]
            self._keep_if_better(
                average(paths, "average" if self.average.decay else "weights"), len(paths)
            )
        self.position.done = True
        self._save()

    def _keep_if_better(self, weights: dict[str, Tensor], count: int) -> None:
        own = dict(self.network.named_parameters())
        with torch.no_grad():
            for name, tensor in weights.items():
                own[name].copy_(tensor)
        result: Validation = self.validator()
        improved = self.position.best is None or result.merit > self.position.best
        if improved:
            self.prepared.folder.write_weights(weights)
        self.progress.note(
            f"Average of {count} checkpoints: {result.metric} {result.value:.4g}"
            + (" (kept)" if improved else " (the best single one is kept)")
        )


def _alignment_loss(weights: Tensor, links: Tensor) -> Tensor:
    """−log of the attention that linked target tokens pay to their links, summed [B, T, S]."""
    linked = links.sum(-1) > 0
    mass = (weights * (links > 0)).sum(-1)[linked]
    return -mass.clamp_min(1e-6).log().sum()


def _prefixed(group: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {f"{group}/{name}": tensor for name, tensor in tensors.items()}


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Collects Ctrl-C and SIGTERM instead of dying of them; a second one gets through."""
    asked: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    kinds = (signal.SIGINT, signal.SIGTERM)
    try:
        before = [signal.signal(kind, remember) for kind in kinds]
    except ValueError:  # only the main thread may handle signals
        yield asked
        return
    try:
        yield asked
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)
