"""Which of two outputs is better: probability, length, and how much of the source was read."""

from __future__ import annotations

import numpy as np

from seq2see.engine.engine import FloatArray, IntArray
from seq2see.search.hypothesis import Float64Array
from seq2see.search.options import SearchConfig

# A source token nobody looked at costs log(FLOOR), not everything.
FLOOR = 1e-4


class Ranking:
    """Ranks outputs by score / length**α + β Σ_j log min(Σ_t α_tj, 1)."""

    def __init__(self, config: SearchConfig) -> None:
        self.power = config.length_penalty
        self.weight = config.coverage_penalty

    @property
    def covers(self) -> bool:
        """Whether coverage counts, and so has to be kept."""
        return self.weight > 0

    def rank(
        self,
        score: Float64Array,
        length: int,
        coverage: FloatArray | None,
        source_length: IntArray,
    ) -> Float64Array:
        """Rank scores of N outputs of the same length.

        Args:
            score: Sums of log-probabilities [N].
            length: Tokens of each.
            coverage: Attention each source position had in all [N, S], if it counts.
            source_length: Source tokens of each [N].
        """
        rank: Float64Array = score / length**self.power
        if coverage is not None and self.covers:
            real = np.arange(coverage.shape[1]) < source_length[:, None]
            read = np.log(np.clip(coverage, FLOOR, 1.0, dtype=np.float64))
            rank = rank + self.weight * np.where(real, read, 0.0).sum(axis=1)
        return rank

    def bound(self, score: Float64Array, longest: IntArray) -> Float64Array:
        """The best rank that an output may still reach.

        No step raises a score, length helps most at the limit, and coverage is at best free.
        """
        bound: Float64Array = score / longest.astype(np.float64) ** self.power
        return bound
