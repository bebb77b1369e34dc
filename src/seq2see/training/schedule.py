"""How the learning rate moves over the updates."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class Schedule:
    """The learning rate of each update.

    Attributes:
        name: constant, inverse_root, cosine or plateau.
        peak: The rate after the warm-up.
        warmup: Updates over which it rises from 0.
        total: Updates of the whole run (cosine reaches 0 there).
        factor: What plateau has multiplied the rate by so far.
    """

    name: str
    peak: float
    warmup: int
    total: int
    factor: float = 1.0

    def rate(self, update: int) -> float:
        """The rate of the update with this number, counted from 1."""
        if update <= self.warmup:
            return self.peak * update / max(self.warmup, 1)
        if self.name == "inverse_root":
            return self.peak * math.sqrt(max(self.warmup, 1) / update)
        if self.name == "cosine":
            progress = (update - self.warmup) / max(self.total - self.warmup, 1)
            return self.peak * 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
        return self.peak * self.factor
