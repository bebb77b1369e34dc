"""The one picture everything here draws: who looked at what, and how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seq2see.alignment import merge_words
from seq2see.errors import Seq2SeeError
from seq2see.see.labels import token_label, visible
from seq2see.translation import Translation

END = "</s>"


@dataclass(frozen=True)
class HeatMap:
    """Attention weights with a label for every row and column.

    Attributes:
        source: Labels of the columns, what was looked at [S].
        target: Labels of the rows, what was written [T].
        weights: Row t tells how much each source label counted when t was written [T, S].
        title: The source as one line, "" if there is none.
        text: The output as one line, "" if there is none.
        score: Log-probability of the output, if known.
    """

    source: Sequence[str]
    target: Sequence[str]
    weights: NDArray[np.floating]
    title: str = ""
    text: str = ""
    score: float | None = None

    def __post_init__(self) -> None:
        if self.weights.shape != (len(self.target), len(self.source)):
            raise Seq2SeeError(
                f"A heat map of {len(self.target)} target and {len(self.source)} source labels "
                f"needs weights of shape ({len(self.target)}, {len(self.source)}), "
                f"not {self.weights.shape}."
            )
        if not np.isfinite(self.weights).all():
            raise Seq2SeeError("A heat map needs weights that are numbers; some are not finite.")

    @classmethod
    def of(cls, translation: Translation, words: bool = False) -> HeatMap:
        """Takes the attention out of a translation.

        Args:
            translation: What a model gave.
            words: Whether pieces of a word share one row or column (weights towards the pieces
                of a source word are summed, those from a target word's pieces averaged).

        Returns:
            The heat map, end marks included.
        """
        source = [token_label(token) for token in translation.source_tokens]
        target = [token_label(token) for token in translation.target_tokens]
        weights = translation.attention
        if words:
            weights = _merge(translation)
            source = _words(translation.source, translation.source_words)
            target = _words(translation.text, translation.target_words)
        return cls(source, target, weights, translation.source, translation.text, translation.score)

    def summary(self) -> str:
        """Says in one sentence what each target label looked at most."""
        if not self.source or not self.target:
            return "No attention: one side is empty."
        best = self.weights.argmax(axis=1)
        parts = (
            f"{visible(label)} at {visible(self.source[s])} ({self.weights[t, s]:.2f})"
            for t, (label, s) in enumerate(zip(self.target, best, strict=True))
        )
        return "Each word looked most: " + ", ".join(parts) + "."


def _merge(translation: Translation) -> NDArray[np.float32]:
    """Attention between whole words, the end marks last where there are any."""
    source, target = translation.source_words, translation.target_words
    merged = merge_words(translation.attention, source, target)
    ends = np.flatnonzero(np.asarray(target) < 0)
    if len(ends):
        last = merge_words(translation.attention[ends], source, [0] * len(ends))
        merged = np.concatenate([merged, last])
    return merged if -1 in source else merged[:, :-1]


def _words(text: str, words: Sequence[int]) -> list[str]:
    """Labels of the words that tokens belong to, and the end mark's."""
    pieces = text.split()
    labels = [
        visible(pieces[word]) if word < len(pieces) else "␣"
        for word in range(max(words, default=-1) + 1)
    ]
    return labels + [END] * (-1 in words)
