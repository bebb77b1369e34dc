"""Every setting of the search; the command line takes its flags and help from here."""

from __future__ import annotations

import math
from dataclasses import dataclass

from seq2see.errors import ConfigError


@dataclass(frozen=True)
class SearchConfig:
    """How outputs are looked for."""

    beam: int = 5
    """Hypotheses kept side by side; 1 is greedy search."""

    n_best: int = 1
    """Outputs given back for each source (at most `beam` unless sampling)."""

    length_penalty: float = 1.0
    """Outputs are ranked by log-probability / length**length_penalty; 0 ranks by probability
    alone, which favours short outputs."""

    coverage_penalty: float = 0.0
    """Weight of the penalty on source tokens that were hardly looked at (Wu et al. 2016, eq. 14);
    0 turns it off."""

    min_ratio: float = 0.0
    """Shortest output, as a multiple of the source length (both in tokens)."""

    max_ratio: float = 3.0
    """Longest output, as a multiple of the source length (both in tokens)."""

    max_extra: int = 10
    """Tokens allowed on top of max_ratio, so that short sources may have long outputs."""

    sample: bool = False
    """Draw outputs at random from the model instead of searching for the best (`beam` is then
    not used)."""

    temperature: float = 1.0
    """For sampling: below 1 the draw is more careful, above 1 more adventurous."""

    top_k: int = 0
    """For sampling: draw from this many best tokens only; 0 draws from all."""

    top_p: float = 1.0
    """For sampling: draw from the fewest best tokens that together hold this much probability."""

    seed: int = 0
    """For sampling: the same seed and source give the same outputs."""

    batch_size: int | None = None
    """Sources decoded side by side; does not change the outputs. Chosen by what runs the model."""

    def __post_init__(self) -> None:
        for key in ("beam", "n_best", "batch_size"):
            if getattr(self, key) is not None:
                self._need(key, self._value(key) >= 1, "must be 1 or more")
        for key in ("length_penalty", "coverage_penalty", "min_ratio", "top_k", "seed"):
            self._need(key, 0 <= self._value(key) < math.inf, "must be 0 or more")
        self._need("max_ratio", 0 <= self.max_ratio < math.inf, "must be 0 or more")
        self._need("max_extra", self.max_extra >= 1, "must be 1 or more")
        self._need(
            "min_ratio", self.min_ratio <= self.max_ratio, f"exceeds max_ratio = {self.max_ratio}"
        )
        self._need("temperature", 0 < self.temperature < math.inf, "must be greater than 0")
        self._need("top_p", 0 < self.top_p <= 1, "must be greater than 0 and at most 1")
        if not self.sample:
            self._need(
                "n_best",
                self.n_best <= self.beam,
                f"exceeds beam = {self.beam}; raise beam or set sample = true",
            )
            for key, default in (("temperature", 1.0), ("top_k", 0), ("top_p", 1.0)):
                self._need(
                    key, self._value(key) == default, "is for sampling; set sample = true as well"
                )

    def side_by_side(self, rows: int) -> int:
        """Sources decoded at a time by an engine that is fastest with so many rows."""
        lines = self.n_best if self.sample else self.beam
        return self.batch_size or max(1, rows // max(2, lines))

    def _value(self, key: str) -> float:
        return float(getattr(self, key))

    def _need(self, key: str, holds: bool, what: str) -> None:
        if not holds:
            raise ConfigError(f"search: {key} = {getattr(self, key)} {what}.")
