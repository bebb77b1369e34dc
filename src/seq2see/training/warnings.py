"""What is likely to spoil a run, said in time: before the first step, or at a validation."""

from __future__ import annotations

import math

import numpy as np

from seq2see.data.batching import TokenCorpus
from seq2see.data.corpus import Corpus
from seq2see.data.overlap import overlap
from seq2see.evaluate import collapse_warnings
from seq2see.training.prepare import Prepared
from seq2see.training.validation import Validation

LARGE = 50_000
"""Entries of a vocabulary from which on the output layer takes most of the time."""
COPIES = 0.1
"""Share of training pairs whose source may equal their target."""
EARLY = 0.2
"""Share of a run in which a network may still write the same for every source."""


def data_warnings(prepared: Prepared) -> list[str]:
    """What looks wrong about the data before the first step, in sentences for a person."""
    warnings = _vocabulary_warnings(prepared)
    seen = overlap(prepared.train, prepared.valid)
    if seen.notable:
        warnings.append(str(seen))
    return [*warnings, *_copy_warnings(prepared.train)]


def _vocabulary_warnings(prepared: Prepared) -> list[str]:
    text, folder = prepared.config.text, prepared.folder
    sides = {"source": (text.source, folder.source), "target": (text.target, folder.target)}
    warnings = []
    for name, (side, tokenizer) in sides.items():
        if tokenizer.size <= LARGE or (text.joint and name == "source"):
            continue
        flags = [
            f"--text.{one}.size 16000"
            if side.kind == "subwords"
            else f"--text.{one}.kind subwords --text.{one}.size 16000"
            for one in (sides if text.joint else [name])
        ]
        warnings.append(
            f"The {'shared' if text.joint else name} vocabulary has {tokenizer.size:,} entries: "
            "most are too rare to be learned, and all make a step slower. Fewer subwords can "
            f"write the same texts: {' '.join(flags)}."
        )
    return warnings


def _copy_warnings(train: Corpus) -> list[str]:
    same = [s for s, t in zip(train.sources, train.targets, strict=True) if s.strip() == t.strip()]
    if len(same) <= COPIES * len(train):
        return []
    return [
        f"{len(same):,} of {len(train):,} training pairs "
        f"({100 * len(same) / len(train):.0f} %) have a target equal to their source, such as "
        f"{same[0]!r}: the model will learn to copy. If it should not, check that both sides are "
        "what they should be, and leave such pairs out."
    ]


def unigram_loss(train: TokenCorpus, valid: TokenCorpus, size: int) -> float:
    """Cross-entropy a validation token of guessing by frequency alone, in nats.

    −mean log p(y), where p(y) = (1 + count of y in training) / (tokens + size).

    Args:
        train: What the frequencies are counted in.
        valid: What is guessed.
        size: Entries of the target vocabulary.
    """
    counts = np.bincount(train.target.flat, minlength=size) + 1.0
    return -float(np.log(counts / counts.sum())[valid.target.flat].mean())


class Watch:
    """Looks at validations for signs that nothing is learned; says each kind once.

    Args:
        prepared: The run's data.
        updates: Updates of the whole run.
    """

    def __init__(self, prepared: Prepared, updates: int) -> None:
        self.unigram = unigram_loss(
            prepared.train_tokens, prepared.valid_tokens, prepared.folder.target.size
        )
        self.begin = EARLY * updates
        self._said: set[str] = set()

    def __call__(self, update: int, result: Validation) -> list[str]:
        """New warnings.

        Args:
            update: Updates done.
            result: What the validation found.
        """
        if update < self.begin:
            return []
        found = {"loss": self._loss(result), "collapse": self._collapse(result)}
        new = {kind: text for kind, text in found.items() if text and kind not in self._said}
        self._said |= set(new)
        return list(new.values())

    def _loss(self, result: Validation) -> str:
        if result.loss < self.unigram:
            return ""
        loss = f"{result.loss:.3f}" if math.isfinite(result.loss) else "no number"
        return (
            f"The validation loss, {loss}, is not below {self.unigram:.3f}, which guessing tokens "
            "by their frequency alone reaches: nothing has been learned yet. Change "
            "training.learning_rate, or check that sources and targets are paired line by line."
        )

    def _collapse(self, result: Validation) -> str:
        rows = [(one.source, one.output, one.target) for one in result.samples]
        sources, outputs, targets = zip(*rows, strict=True)
        return " ".join(collapse_warnings(sources, outputs, targets))
