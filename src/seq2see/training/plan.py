"""What a run will be, said before it begins."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import torch

from seq2see.config import to_mapping
from seq2see.machine import peak_memory
from seq2see.training.prepare import Prepared


@dataclass(frozen=True)
class Plan:
    """A run before its first step.

    Attributes:
        pairs: Training pairs used.
        left_out: Training pairs that are too long or have an empty side.
        target_tokens: Target tokens an epoch.
        vocabularies: Entries of the source and target vocabulary.
        parameters: Trainable numbers.
        updates: Updates of the whole run.
        updates_per_epoch: Updates an epoch.
        validate_every: Updates between validations.
        seconds: Expected duration.
        memory: Expected peak memory in bytes.
        device: Where it runs.
        precision: Number format of products.
        threads: CPU threads.
    """

    pairs: int
    left_out: int
    target_tokens: int
    vocabularies: tuple[int, int]
    parameters: int
    updates: int
    updates_per_epoch: int
    validate_every: int
    seconds: float
    memory: int
    device: str
    precision: str
    threads: int

    def describe(self, prepared: Prepared) -> str:
        """The plan and every setting it rests on, for a person."""
        config = prepared.config
        text, model, training = config.text, config.model, config.training
        source, target = self.vocabularies
        joint = ", shared" if text.joint else ""
        batch = (
            f"{training.batch_tokens:,} tokens"
            if training.batch_tokens
            else f"{training.batch_pairs} pairs"
        )
        left_out = f", {self.left_out:,} left out" if self.left_out else ""
        feeding = " with input feeding" if model.input_feeding else ""
        attention = "" if model.wiring == "none" else f" / {model.attention.score}"
        lines = [
            ("data", f"{self.pairs:,} pairs{left_out}; {len(prepared.valid):,} for validation"),
            (
                "tokens",
                f"{text.source.kind} → {text.target.kind}, vocabulary {source:,} → "
                f"{target:,}{joint}; {self.target_tokens:,} target tokens an epoch",
            ),
            (
                "model",
                f"{model.wiring}{feeding}{attention}, {_stack(model.encoder_layers or 1)}"
                f"{model.encoder_cell} {model.memory} → {_stack(model.decoder_layers)}"
                f"{model.decoder_cell} {model.hidden}, embeddings {model.embedding}; "
                f"{self.parameters:,} parameters",
            ),
            (
                "training",
                f"{self.updates:,} updates of {batch} ({self.updates_per_epoch:,} an epoch), "
                f"{training.optimizer} {training.learning_rate:g} {training.schedule}, "
                f"dropout {model.dropout:g}, validation every {self.validate_every:,}",
            ),
            ("machine", f"{self.device}, {self.precision}, {self.threads} threads"),
            ("expected", f"about {duration(self.seconds)}, {self.memory / 2**20:,.0f} MB"),
        ]
        return "\n".join(f"  {name:<9} {value}" for name, value in lines)


def _stack(layers: int) -> str:
    return f"{layers} × " if layers > 1 else ""


def settings(prepared: Prepared) -> dict[str, object]:
    """Every setting as plain values."""
    return to_mapping(prepared.config)


def duration(seconds: float) -> str:
    """Seconds as a person says them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


@dataclass(frozen=True)
class Probe:
    """How fast and how large a step is, from a few real ones."""

    seconds_per_token: float
    memory: int


def probe(step: object, prepared: Prepared) -> Probe:
    """Times some batches of the first epoch without learning from them.

    Args:
        step: Called with a batch; computes the gradients.
        prepared: The run's data.
    """
    assert callable(step)
    state = torch.get_rng_state()
    corpus = prepared.train_tokens
    plan = prepared.batches(corpus, 0)
    # The largest batch sets the memory; it also warms the machine up.
    largest = max(plan, key=lambda rows: int(corpus.source.lengths[rows].max()) * len(rows))
    step(corpus.batch(largest))
    picked = [plan[i] for i in np.linspace(0, len(plan) - 1, min(4, len(plan))).astype(int)]
    started, tokens = time.perf_counter(), 0
    for rows in picked:
        step(corpus.batch(rows))
        tokens += int(corpus.target.lengths[rows].sum())
    seconds = time.perf_counter() - started
    torch.set_rng_state(state)
    return Probe(seconds / tokens, peak_memory())
