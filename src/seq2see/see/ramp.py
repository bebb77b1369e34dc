"""One sequential colour ramp, for paper and for a dark screen.

The stops are equal steps of lightness in OKLCH, hue turning slowly through blue, so that a
larger weight is always the stronger mark: darker on paper, brighter in the dark.
"""

from __future__ import annotations

from typing import NamedTuple

LIGHT = (
    (0xF0, 0xF7, 0xF9),
    (0xBC, 0xE2, 0xF0),
    (0x8A, 0xCA, 0xE9),
    (0x5D, 0xB0, 0xE1),
    (0x37, 0x94, 0xD7),
    (0x1E, 0x76, 0xC8),
    (0x19, 0x59, 0xB3),
    (0x1D, 0x3B, 0x99),
    (0x1E, 0x20, 0x79),
)
DARK = (
    (0x1A, 0x1E, 0x27),
    (0x24, 0x33, 0x50),
    (0x24, 0x4C, 0x79),
    (0x10, 0x68, 0x9E),
    (0x00, 0x87, 0xBC),
    (0x00, 0xA8, 0xD0),
    (0x00, 0xC8, 0xDC),
    (0x61, 0xE5, 0xE3),
    (0xA6, 0xFE, 0xEC),
)
# Where ink on a cell has to change sides to stay readable (contrast of about 4.5 to 1).
DARK_TURN, LIGHT_TURN = 0.45, 0.56


class Colour(NamedTuple):
    """One colour, each part in 0..255."""

    red: int
    green: int
    blue: int

    def __str__(self) -> str:
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"


def colour(weight: float, stops: tuple[tuple[int, int, int], ...] = LIGHT) -> Colour:
    """The colour of a weight; what lies outside 0..1 takes the colour of the nearer end."""
    place = min(max(weight, 0.0), 1.0) * (len(stops) - 1)
    low = min(int(place), len(stops) - 2)
    rest = place - low
    return Colour(
        *(round(a + (b - a) * rest) for a, b in zip(stops[low], stops[low + 1], strict=True))
    )
