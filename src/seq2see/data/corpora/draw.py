"""Seeded choices that come out the same on every machine and every Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Draws from ``random()`` only, the one method whose values Python promises to keep."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, p: float) -> bool:
        """True with probability ``p``."""
        return self._random() < p

    def pick(self, items: Sequence[T]) -> T:
        """One of some items, all as likely."""
        return items[int(self._random() * len(items))]

    def weighted(self, weights: dict[str, int]) -> str:
        """One of some names, as likely as it weighs."""
        left = self._random() * sum(weights.values())
        for name, weight in weights.items():
            left -= weight
            if left < 0:
                return name
        return next(iter(weights))  # where rounding left nobody
