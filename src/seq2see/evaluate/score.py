"""A number with a name, and with all that is needed to compute it again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    """What a metric says about a system.

    Attributes:
        name: The metric, as a person calls it.
        value: Usually from 0 to 100.
        signature: How it was computed: unit, case, tokenizer, version.
    """

    name: str
    value: float
    signature: str

    def __str__(self) -> str:
        return f"{self.name} {self.value:.2f} ({self.signature})"
