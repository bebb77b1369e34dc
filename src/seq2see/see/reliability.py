"""Confidence against accuracy as a picture: a reliability diagram."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from seq2see.see.labels import visible
from seq2see.see.lengths import COLOURS
from seq2see.see.svg import document, extent, words

if TYPE_CHECKING:
    from seq2see.evaluate import Calibration

_LEFT, _TOP, _SIDE = 52.0, 44.0, 260.0
_SOFT = ' class="soft small"'


def reliability_svg(curves: Mapping[str, Calibration]) -> str:
    """Draws how often what was said with some confidence was right, one SVG document.

    Dots on the diagonal keep their word; those below are too sure. Large ones stand for many.

    Args:
        curves: What was calibrated, by name; up to as many as there are colours.

    Returns:
        The ``<svg>`` element with all it needs.
    """
    bottom, right = _TOP + _SIDE, _LEFT + _SIDE
    parts = [words(12, 22, "Right, by confidence", "start", ' class="head"')]
    for i in range(6):
        tick, x, y = f"{i / 5:g}", _LEFT + _SIDE * i / 5, bottom - _SIDE * i / 5
        parts.append(
            f'<path class="rule" stroke="#d9dde4" d="M{_LEFT:.1f} {y:.1f}H{right:.1f}"/>'
            + words(_LEFT - 14, y + 4, tick, "end", _SOFT)
            + words(x, bottom + 20, tick, "middle", _SOFT)
        )
    parts.append(
        f'<path class="even" stroke="#5b6270" stroke-dasharray="4 4" '
        f'd="M{_LEFT:.1f} {bottom:.1f}L{right:.1f} {_TOP:.1f}"/>'
    )
    names = [f"{visible(name)} (error {found.error:.3f})" for name, found in curves.items()]
    for number, (label, (name, found)) in enumerate(zip(names, curves.items(), strict=True)):
        tone = f'class="c{number}" fill="{COLOURS[number]}"'
        y = bottom + 46 + 22 * number
        parts.append(_drawn(name, found, number))
        parts.append(f'<circle {tone} cx="{_LEFT + 6:.1f}" cy="{y - 5:.1f}" r="5"/>')
        parts.append(words(_LEFT + 20, y, label))
    width = max(right + 24, _LEFT + 32 + max(map(extent, names), default=0.0))
    told = "; ".join(
        f"{name}: "
        + ", ".join(f"{b.confidence:.2f} {b.accuracy:.2f}" for b in found.bins if b.count)
        for name, found in curves.items()
    )
    height = bottom + 40 + 22 * len(curves)
    title = "How often outputs are right, by confidence"
    return document(width, height, "reliability", title, told, "".join(parts), True)


def _drawn(name: str, found: Calibration, number: int) -> str:
    """One curve: a dot for each range of confidence that holds something, joined by lines."""
    total = sum(b.count for b in found.bins)
    dots, places = "", []
    for b in found.bins:
        if not b.count:
            continue
        x, y = _LEFT + _SIDE * b.confidence, _TOP + _SIDE * (1 - b.accuracy)
        places.append(f"{x:.1f} {y:.1f}")
        told = (
            f"{visible(name)}, confidence {b.low:g}–{b.high:g}: "
            f"{100 * b.accuracy:.1f} % of {b.count:,} are right"
        )
        dots += (
            f'<circle class="c{number}" fill="{COLOURS[number]}" cx="{x:.1f}" cy="{y:.1f}" '
            f'r="{3 + 6 * (b.count / total) ** 0.5:.1f}"><title>{escape(told)}</title></circle>'
        )
    line = (
        f'<path class="c{number}" fill="none" stroke="{COLOURS[number]}" stroke-width="1.5" '
        f'd="M{"L".join(places)}"/>'
    )
    return (line if places else "") + dots
