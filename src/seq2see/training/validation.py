"""Validation bounded by work, so that it neither dominates a run nor makes it irreproducible."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from seq2see.data.batching import Batch, TokenCorpus, batches
from seq2see.engine.torch_engine import TorchEngine
from seq2see.evaluate import evaluate
from seq2see.model.seq2seq import Seq2Seq
from seq2see.search import SearchConfig, search
from seq2see.text.vocabulary import EOS
from seq2see.training.prepare import Prepared

SHARE = 0.1
"""Tokens decoded in validation, at most, as a share of the tokens trained on."""
ENOUGH = 500
"""Pairs decoded at a validation, at most."""
LOWER_IS_BETTER = ("loss", "sequence_error", "per", "cer", "ter", "wer")


@dataclass(frozen=True)
class Sample:
    """One validation pair and what the model makes of it."""

    source: str
    target: str
    output: str


@dataclass(frozen=True)
class Validation:
    """What a validation found.

    Attributes:
        loss: Cross-entropy a target token, in nats.
        metric: Name of the score that picks the best checkpoint.
        value: Its value.
        samples: The pairs that were decoded, with their outputs.
    """

    loss: float
    metric: str
    value: float
    samples: Sequence[Sample]

    @property
    def merit(self) -> float:
        """The value, turned so that higher is better."""
        return -self.value if self.metric in LOWER_IS_BETTER else self.value


class Validator:
    """Scores a network on the validation pairs.

    Args:
        prepared: The run's data.
        network: The network (whatever weights it holds when called).
        device: Where it runs.
        dtype: Format of products.
        interval: Target tokens trained on between two validations.
    """

    def __init__(
        self,
        prepared: Prepared,
        network: Seq2Seq,
        device: torch.device,
        dtype: torch.dtype,
        interval: int,
    ) -> None:
        self.prepared, self.network, self.dtype = prepared, network, dtype
        self.engine = TorchEngine(network, str(device), dtype)
        self.metric = prepared.config.training.metric or "loss"
        tokens = prepared.valid_tokens
        self.ratio = _longest_ratio(prepared.train_tokens)
        order = np.random.default_rng(prepared.config.training.seed).permutation(len(tokens))
        limits = np.ceil(tokens.source.lengths[order] * self.ratio) + EXTRA
        allowed = int((limits.cumsum() <= SHARE * interval).sum())
        wanted = ENOUGH if self.metric != "loss" else 3
        self.rows = order[: max(1, min(allowed, wanted))]

    def __call__(self) -> Validation:
        """Validates the network as it stands."""
        loss = self.loss()
        outputs = self.translate(self.rows)
        targets = [self.prepared.valid.targets[i] for i in self.rows]
        value = loss
        if self.metric != "loss":
            value = evaluate(outputs, targets, [self.metric])[0].value
        samples = [
            Sample(self.prepared.valid.sources[i], self.prepared.valid.targets[i], output)
            for i, output in zip(self.rows, outputs, strict=True)
        ]
        return Validation(loss, self.metric, value, samples)

    def loss(self) -> float:
        """Cross-entropy a target token over all validation pairs."""
        corpus = self.prepared.valid_tokens
        total, count = 0.0, 0
        everything = np.arange(len(corpus))
        with _evaluating(self.network), torch.inference_mode(), self.engine._autocast():
            for rows in batches(corpus, everything, tokens=8_000):
                loss = self.network(*on_device(corpus.batch(rows), self.engine.device))
                total, count = total + float(loss.plain), count + loss.tokens
        return total / count

    def translate(self, rows: NDArray[np.int64]) -> list[str]:
        """Greedy outputs for some validation pairs."""
        source = self.prepared.valid_tokens.source
        texts = [source.flat[source.offsets[i] : source.offsets[i + 1]].tolist() for i in rows]
        options = SearchConfig(beam=1, max_ratio=self.ratio, max_extra=EXTRA)
        with _evaluating(self.network):
            found = search(self.engine, texts, options)
        target = self.prepared.folder.target
        return [target.decode([t for t in best[0].tokens if t != EOS]) for best in found]


EXTRA = 5
"""Tokens an output may have beyond what the training pairs' lengths suggest."""


@contextmanager
def _evaluating(network: Seq2Seq) -> Iterator[None]:
    """Within ``with``, nothing is dropped out; after it, the network goes on as it was."""
    training = network.training
    network.eval()
    try:
        yield
    finally:
        network.train(training)


def _longest_ratio(corpus: TokenCorpus) -> float:
    """Target length over source length that all but a few training pairs stay under."""
    ratios = np.maximum(corpus.target.lengths - EXTRA, 1) / corpus.source.lengths
    return max(1.0, math.ceil(100 * float(np.quantile(ratios, 0.995))) / 100)


def on_device(
    batch: Batch, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """A batch's source, source lengths and target as tensors."""
    return (
        torch.from_numpy(batch.source).to(device),
        torch.from_numpy(batch.source_lengths).to(device),
        torch.from_numpy(batch.target).to(device),
    )
