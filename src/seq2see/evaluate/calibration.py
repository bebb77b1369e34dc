"""Does confidence mean what it says? Of what is 90 % sure, nine in ten should be right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seq2see.errors import DataError
from seq2see.translation import Translation


@dataclass(frozen=True)
class ConfidenceBin:
    """Outputs of similar confidence: how sure the model was, and how often right."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Calibration:
    """Whether confidence means what it says.

    Attributes:
        bins: Equal ranges of confidence from 0 to 1.
        error: Expected calibration error, the mean gap between confidence and accuracy.
    """

    bins: tuple[ConfidenceBin, ...]
    error: float


def calibration(
    confidence: Sequence[float], correct: Sequence[bool], bins: int = 10
) -> Calibration:
    """Compares confidence with accuracy (Guo et al. 2017).

    Args:
        confidence: Probabilities the model gave.
        correct: Whether each was right.
        bins: How many ranges to cut 0..1 into.
    """
    if len(confidence) != len(correct):
        raise DataError(f"{len(confidence)} confidences but {len(correct)} verdicts.")
    sure, right = np.asarray(confidence, np.float64), np.asarray(correct, np.float64)
    place = np.clip(np.ceil(sure * bins).astype(np.int64) - 1, 0, bins - 1)
    count = np.bincount(place, minlength=bins)
    held = np.maximum(count, 1)
    mean_sure = np.bincount(place, weights=sure, minlength=bins) / held
    mean_right = np.bincount(place, weights=right, minlength=bins) / held
    error = float((count * np.abs(mean_sure - mean_right)).sum() / max(len(sure), 1))
    rows = zip(count.tolist(), mean_sure.tolist(), mean_right.tolist(), strict=True)
    return Calibration(
        tuple(ConfidenceBin(i / bins, (i + 1) / bins, *row) for i, row in enumerate(rows)), error
    )


def output_calibration(
    translations: Sequence[Translation], references: Sequence[str], bins: int = 10
) -> Calibration:
    """Compares the probability of whole outputs with how often they equal their reference."""
    confidence = [float(np.exp(min(translation.score, 0.0))) for translation in translations]
    correct = [t.text == reference for t, reference in zip(translations, references, strict=True)]
    return calibration(confidence, correct, bins)


def token_calibration(
    translations: Sequence[Translation], references: Sequence[Sequence[str]], bins: int = 10
) -> Calibration:
    """Compares the probability of written tokens with how often the reference has them there.

    A token is right where the fewest edits that turn the output into the reference keep it. End
    marks are left out.

    Args:
        translations: Outputs.
        references: The tokens of one reference a translation.
        bins: How many ranges to cut 0..1 into.
    """
    from rapidfuzz.distance import Levenshtein

    confidence: list[float] = []
    correct: list[bool] = []
    for translation, reference in zip(translations, references, strict=True):
        written = [
            (token, score)
            for token, score, word in zip(
                translation.target_tokens,
                translation.token_scores,
                translation.target_words,
                strict=True,
            )
            if word >= 0
        ]
        kept = [False] * len(written)
        for block in Levenshtein.opcodes([token for token, _ in written], list(reference)):
            if block.tag == "equal":
                kept[block.src_start : block.src_end] = [True] * (block.src_end - block.src_start)
        confidence += [float(np.exp(min(score, 0.0))) for _, score in written]
        correct += kept
    return calibration(confidence, correct, bins)
