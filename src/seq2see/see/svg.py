"""Attention as a picture: a self-contained SVG, for paper and for a dark screen."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files

from seq2see.see.heatmap import END, HeatMap
from seq2see.see.labels import cells, right_to_left, shorten, visible
from seq2see.see.ramp import DARK, DARK_TURN, LIGHT_TURN, colour

_LEVELS = 50  # steps of the ramp; finer ones cannot be told apart
_LETTER = 7.9  # pixels a terminal cell of text takes at 14 px, on the generous side
_LONGEST = 22  # cells of a label; the whole of it is in the cell's title
_SLANT = 0.71  # sin 45° = cos 45°


def to_svg(heatmap: HeatMap) -> str:
    """Draws a heat map as one SVG document that needs nothing else.

    Every cell carries its weight as a title, which viewers show on hover.
    """
    return matrix(heatmap, style=True)


@cache
def style() -> str:
    """The rules the pictures share: type, colours by light and dark, the dark ramp."""
    rules = (files("seq2see.see") / "picture.css").read_text(encoding="utf-8")
    dark = "".join(f".s2s .w{i}{{fill:{colour(i / _LEVELS, DARK)}}}" for i in range(_LEVELS + 1))
    return f"{rules}@media (prefers-color-scheme: dark) {{{dark}}}\n"


def extent(text: str) -> float:
    """About how many pixels a text takes at 14 px."""
    return cells(text) * _LETTER


def words(x: float, y: float, text: str, anchor: str = "start", more: str = "") -> str:
    """A text element whose own direction is that of its first letter.

    In text that runs from right to left the anchors change sides.
    """
    text = visible(text)
    if right_to_left(text):
        anchor = {"start": "end", "end": "start"}.get(anchor, anchor)
        more += ' direction="rtl"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def document(
    width: float, height: float, kind: str, title: str, summary: str, body: str, styled: bool
) -> str:
    """Wraps a picture with its size, its name for who cannot see it, and its paper."""
    name, told = escape(visible(title)), escape(visible(summary))
    rules = f"<style>{style()}</style>" if styled else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s2s {kind}" role="img" '
        f'aria-label="{name}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}"><title>{name}</title><desc>{told}</desc>{rules}'
        f'<rect class="paper" width="100%" height="100%" fill="#ffffff"/>{body}</svg>'
    )


def matrix(heatmap: HeatMap, style: bool) -> str:
    """The matrix with source labels above and target labels at the left.

    Args:
        heatmap: What to draw.
        style: Whether the picture brings its own rules (a page has them already).

    Returns:
        The ``<svg>`` element.
    """
    source = [shorten(visible(label), _LONGEST) for label in heatmap.source]
    target = [shorten(visible(label), _LONGEST) for label in heatmap.target]
    roomy = len(source) <= 16
    wide, high = (46.0, 34.0) if roomy else (26.0, 26.0)
    longest = max(map(extent, source), default=0.0)
    level = longest <= wide - 4
    left = max(map(extent, target), default=0.0) + 20
    top = 36.0 if level else longest * _SLANT + 34
    # A slanted head leans over the columns to its right, the last ones over the edge.
    lean = (
        0.0
        if level
        else max(
            (extent(label) * _SLANT + 20 - (len(source) - s - 0.5) * wide)
            for s, label in enumerate(source)
        )
    )
    width = left + max(wide * len(source) + max(lean, 12.0), 190.0)
    height = top + high * len(target) + 48

    heads = []
    for s, label in enumerate(source):
        x, y = left + (s + 0.5) * wide, top - 10
        more = f' data-source="{s}"{_soft(label)}'
        if level:
            heads.append(words(x, y, label, "middle", more))
        else:
            turn = f' transform="rotate(-45 {x + 4:.1f} {y:.1f})"'
            heads.append(words(x + 4, y, label, "start", more + turn))
    rows = [
        words(
            left - 10, top + (t + 0.5) * high + 5, label, "end", f' data-target="{t}"{_soft(label)}'
        )
        for t, label in enumerate(target)
    ]
    squares = [
        _cell(heatmap, t, s, left + s * wide, top + t * high, wide, high, roomy)
        for t in range(len(target))
        for s in range(len(source))
    ]
    body = (
        f'<g class="heads">{"".join(heads)}</g><g class="cells">{"".join(squares)}</g>'
        f'<g class="rows"><rect class="paper" fill="#ffffff" width="{left - 1:.1f}" '
        f'height="{top + high * len(target):.1f}"/>{"".join(rows)}</g>'
        + _legend(left, top + high * len(target) + 14)
    )
    name = f"Attention: {heatmap.title}" if heatmap.title else "Attention"
    return document(width, height, "matrix", name, heatmap.summary(), body, style)


def _soft(label: str) -> str:
    """The end mark stands back behind the words."""
    return ' class="soft"' if label == END else ""


def _cell(
    heatmap: HeatMap, t: int, s: int, x: float, y: float, wide: float, high: float, roomy: bool
) -> str:
    weight = float(heatmap.weights[t, s])
    level = round(min(max(weight, 0.0), 1.0) * _LEVELS)
    told = f"{visible(heatmap.target[t])} ← {visible(heatmap.source[s])}  {weight:.3f}"
    square = (
        f'<rect class="w{level}" fill="{colour(level / _LEVELS)}" x="{x:.1f}" y="{y:.1f}" '
        f'width="{wide - 1:.1f}" height="{high - 1:.1f}" data-target="{t}" data-source="{s}" '
        f'data-weight="{weight:.3f}"><title>{escape(told)}</title></rect>'
    )
    if not roomy or weight < 0.005:
        return square
    tone = "strong" if weight >= LIGHT_TURN else "middle" if weight >= DARK_TURN else "weak"
    return square + (
        f'<text class="number {tone}" x="{x + wide / 2:.1f}" y="{y + high / 2 + 4:.1f}">'
        f"{weight:.2f}</text>"
    )


def _legend(x: float, y: float) -> str:
    """A strip of the ramp with its ends named."""
    strip = "".join(
        f'<rect class="w{i}" fill="{colour(i / _LEVELS)}" x="{x + 2 * i:.1f}" y="{y:.1f}" '
        'width="2.5" height="8"/>'
        for i in range(_LEVELS + 1)
    )
    ticks = "".join(
        words(x + 100 * at, y + 22, str(at), "middle" if at else "start", ' class="soft small"')
        for at in (0, 0.5, 1)
    )
    return f'<g class="legend">{strip}{ticks}{words(x + 112, y + 9, "weight", "start", _SMALL)}</g>'


_SMALL = ' class="soft small"'
