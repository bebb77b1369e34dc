"""The second view: the sentence above, its translation below, attention as lines between."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from seq2see.see.heatmap import END, HeatMap
from seq2see.see.labels import shorten, visible
from seq2see.see.svg import document, extent, words

_FAINTEST = 0.05  # thinner lines than this are only fog
_GAP, _HIGH, _EDGE = 18.0, 190.0, 16.0


def bipartite(heatmap: HeatMap, style: bool = True) -> str:
    """Draws the labels in two lines with a curve for every weight of at least 0.05.

    Args:
        heatmap: What to draw.
        style: Whether the picture brings its own rules (a page has them already).

    Returns:
        The ``<svg>`` element.
    """
    source = [shorten(visible(label), 30) for label in heatmap.source]
    target = [shorten(visible(label), 30) for label in heatmap.target]
    inner = max(_natural(source), _natural(target), 160.0)
    above, below = _places(source, inner), _places(target, inner)
    top, bottom = 44.0, 44.0 + _HIGH
    middle = (top + bottom) / 2
    curves = []
    # The strongest come last, on top of the others.
    for index in heatmap.weights.argsort(axis=None, kind="stable"):
        t, s = divmod(int(index), len(source))
        weight = float(heatmap.weights[t, s])
        if weight < _FAINTEST:
            continue
        told = f"{visible(heatmap.target[t])} ← {visible(heatmap.source[s])}  {weight:.3f}"
        curves.append(
            f'<path class="link" fill="none" stroke="#1e76c8" '
            f'd="M{above[s]:.1f} {top:.1f}C{above[s]:.1f} {middle:.1f} {below[t]:.1f} '
            f'{middle:.1f} {below[t]:.1f} {bottom:.1f}" stroke-width="{0.6 + 7 * weight:.2f}" '
            f'stroke-opacity="{0.12 + 0.8 * weight:.2f}" data-target="{t}" data-source="{s}" '
            f'data-weight="{weight:.3f}"><title>{escape(told)}</title></path>'
        )
    heads = [_word(above[s], top - 14, label, "source", s) for s, label in enumerate(source)]
    feet = [_word(below[t], bottom + 24, label, "target", t) for t, label in enumerate(target)]
    body = f'<g class="links">{"".join(curves)}</g>{"".join(heads)}{"".join(feet)}'
    name = f"Attention as lines: {heatmap.title}" if heatmap.title else "Attention as lines"
    size = inner + 2 * _EDGE, bottom + 44
    return document(*size, "bipartite", name, heatmap.summary(), body, style)


def _word(x: float, y: float, label: str, side: str, index: int) -> str:
    tone = ' class="soft"' if label == END else ""
    return words(x, y, label, "middle", f' data-{side}="{index}"{tone}')


def _natural(labels: Sequence[str]) -> float:
    return sum(map(extent, labels)) + _GAP * max(0, len(labels) - 1)


def _places(labels: Sequence[str], width: float) -> list[float]:
    """The middle of each label when the line is spread over the whole width."""
    spare = (width - _natural(labels)) / max(1, len(labels))
    places, x = [], _EDGE
    for label in labels:
        wide = extent(label) + spare
        places.append(x + wide / 2)
        x += wide + _GAP
    return places
