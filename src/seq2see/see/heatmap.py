"""The one picture everything here draws: who looked at what, and how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
            from seq2see.alignment import merge_words

            weights = merge_words(weights, translation.source_words, translation.target_words)
            source = _words(source, translation.source_words, translation.source)
            target = _words(target, translation.target_words, translation.text)
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


def _words(labels: Sequence[str], words: Sequence[int], text: str) -> list[str]:
    """Labels of whole words in order of appearance; index -1 keeps the end mark's own label."""
    pieces = text.split()
    merged: dict[int, str] = {}
    for label, word in zip(labels, words, strict=True):
        merged[word] = merged.get(word, "") + label
    return [
        visible(pieces[word]) if 0 <= word < len(pieces) else label
        for word, label in merged.items()
    ]
