"""How the score holds up as sentences grow longer: several systems in one picture."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from seq2see.errors import Seq2SeeError
from seq2see.see.labels import cells, shorten, visible
from seq2see.see.svg import document, extent, words

if TYPE_CHECKING:
    from seq2see.evaluate.by_length import LengthTable

# Told apart by people who do not see red and green alike, on paper and in the dark.
COLOURS = ("#1e76c8", "#c2410c", "#0f8a6d", "#8250c4", "#a0730a", "#c22f78")
_MARKS = "●▲■◆▼○"


@dataclass(frozen=True)
class LengthCurve:
    """The score of one system by length of the source.

    Attributes:
        name: The system.
        buckets: Ranges of length as labels, short to long ("1-5", "6-10") [N].
        scores: The score in each range, nan where no sentence fell [N].
        counts: How many sentences each range holds [N].
    """

    name: str
    buckets: Sequence[str]
    scores: Sequence[float]
    counts: Sequence[int]

    def __post_init__(self) -> None:
        if not len(self.buckets) == len(self.scores) == len(self.counts):
            raise Seq2SeeError(
                f"{self.name}: {len(self.buckets)} ranges of length, {len(self.scores)} scores "
                f"and {len(self.counts)} counts; they must be as many."
            )

    @classmethod
    def of(cls, name: str, table: LengthTable) -> LengthCurve:
        """Takes the curve of one system out of its table."""
        buckets = table.buckets
        scores = [math.nan if bucket.score is None else bucket.score.value for bucket in buckets]
        return cls(name, [b.label for b in buckets], scores, [b.count for b in buckets])


def render_lengths(curves: Sequence[LengthCurve], metric: str = "score", height: int = 12) -> str:
    """Draws curves as plain text: a mark for each score, dots between, the legend below.

    Args:
        curves: Systems measured on the same ranges of length.
        metric: What the scores are, as in "BLEU".
        height: Lines between the lowest and the highest tick.

    Returns:
        The picture, one line after another.
    """
    first = _alike(curves)
    ticks = _ticks(curves)
    labels = [shorten(visible(bucket), 12) for bucket in first.buckets]
    column = max([8, *(cells(label) + 2 for label in labels)])
    grid = [[" "] * (column * len(labels)) for _ in range(height + 1)]

    def row(score: float) -> int:
        return round((ticks[-1] - score) / (ticks[-1] - ticks[0]) * height)

    for curve in curves:
        for x, y in _dots(curve, column, row):
            grid[y][x] = "·"
    for number, curve in enumerate(curves):
        for i, score in enumerate(curve.scores):
            if math.isfinite(score):
                x = i * column + column // 2
                # Marks that would fall on one place stand side by side.
                while grid[row(score)][x] in _MARKS and x < (i + 1) * column - 1:
                    x += 1
                grid[row(score)][x] = _mark(number)

    names = {row(tick): f"{tick:g}" for tick in ticks}
    side = max(map(len, names.values()))
    lines = [
        f"{names.get(y, ''):>{side}} {'┤' if y in names else '│'}{''.join(line)}"
        for y, line in enumerate(grid)
    ]
    lines.append(f"{'':{side}} └{'─' * (column * len(labels))}")
    counts = [f"n={count}" for count in first.counts]
    for texts in (labels, counts):
        lines.append(" " * (side + 2) + "".join(_centre(text, column) for text in texts))
    legend = [f"{_mark(i)} {visible(curve.name)}" for i, curve in enumerate(curves)]
    lines.append(" " * (side + 2) + "   ".join(legend))
    return "\n".join([f"{metric} by source length", *(line.rstrip() for line in lines)])


def lengths_svg(curves: Sequence[LengthCurve], metric: str = "score") -> str:
    """Draws curves as one SVG document, each named at its end.

    Args:
        curves: Systems measured on the same ranges of length.
        metric: What the scores are, as in "BLEU".

    Returns:
        The ``<svg>`` element with all it needs.
    """
    first = _alike(curves)
    ticks = _ticks(curves)
    names = [shorten(visible(curve.name), 30) for curve in curves]
    step = max([72.0, *(extent(visible(bucket)) + 16 for bucket in first.buckets)])
    left, top, high = extent(max((f"{tick:g}" for tick in ticks), key=len)) + 24, 48.0, 260.0
    right = left + step * len(first.buckets)
    width = right + max(map(extent, names)) + 12

    def place(i: int) -> float:
        return left + (i + 0.5) * step

    def level(score: float) -> float:
        return top + (ticks[-1] - score) / (ticks[-1] - ticks[0]) * high

    parts = [words(16, 24, f"{metric} by source length", "start", ' class="head"')]
    for tick in ticks:
        y = level(tick)
        parts.append(
            f'<path class="rule" stroke="#d9dde4" d="M{left:.1f} {y:.1f}H{right - step / 4:.1f}"/>'
        )
        parts.append(words(left - 8, y + 5, f"{tick:g}", "end", _SOFT))
    for i, (bucket, count) in enumerate(zip(first.buckets, first.counts, strict=True)):
        parts.append(words(place(i), top + high + 24, bucket, "middle"))
        parts.append(words(place(i), top + high + 42, f"n={count}", "middle", _SOFT))
    for number, curve in enumerate(curves):
        parts.append(_drawn(curve, number, place, level))
    ends = [next((s for s in reversed(c.scores) if math.isfinite(s)), ticks[0]) for c in curves]
    for number, y in enumerate(_apart([level(end) for end in ends])):
        tone = f' class="c{number % len(COLOURS)}" fill="{_colour(number)}"'
        parts.append(words(right - step / 4 + 8, y + 5, names[number], "start", tone))
    told = "; ".join(
        f"{curve.name}: "
        + ", ".join(f"{b} {s:.3g}" for b, s in zip(curve.buckets, curve.scores, strict=True))
        for curve in curves
    )
    title = f"{metric} by source length"
    return document(width, top + high + 64, "lengths", title, told, "".join(parts), True)


_SOFT = ' class="soft small"'


def _alike(curves: Sequence[LengthCurve]) -> LengthCurve:
    """The first curve, once it is known that the others share its ranges."""
    if not curves:
        raise Seq2SeeError("A picture of scores by length needs at least one system.")
    for curve in curves:
        if list(curve.buckets) != list(curves[0].buckets):
            raise Seq2SeeError(
                f"{curve.name} and {curves[0].name} were measured on different ranges of length; "
                "measure both on the same."
            )
    return curves[0]


def _ticks(curves: Sequence[LengthCurve]) -> list[float]:
    """Round numbers that take in every score, four to eight of them.

    The axis starts at 0 unless that would press the curves into its upper half.
    """
    scores = [score for curve in curves for score in curve.scores if math.isfinite(score)]
    low, high = min(scores, default=0.0), max(scores, default=1.0)
    if 0 <= low < high / 2 or low == high:
        low, high = min(low, 0.0), max(high, 0.0)
    span = high - low
    if span < sys.float_info.min:  # nothing to tell apart
        span = 1.0
    unit = 10.0 ** math.floor(math.log10(span / 4))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if span / (unit * factor) <= 6)
    first, last = math.floor(low / step), math.ceil((low + span) / step)
    return [float(f"{i * step:.10g}") for i in range(first, last + 1)]


def _dots(curve: LengthCurve, column: int, row: Callable[[float], int]) -> list[tuple[int, int]]:
    """Places (column, line) between the marks of neighbouring ranges."""
    found = []
    for i, (one, two) in enumerate(pairwise(curve.scores)):
        if math.isfinite(one) and math.isfinite(two):
            for x in range(0, column + 1, 2):
                found.append((i * column + column // 2 + x, row(one + (two - one) * x / column)))
    return found


def _drawn(
    curve: LengthCurve, number: int, place: Callable[[int], float], level: Callable[[float], float]
) -> str:
    """One curve with its marks; a range without sentences breaks the line."""
    path, dots, pen = "", "", "M"
    tone = f'class="c{number % len(COLOURS)}"'
    dash = ' stroke-dasharray="6 4"' if number >= len(COLOURS) else ""
    for i, (bucket, score, count) in enumerate(
        zip(curve.buckets, curve.scores, curve.counts, strict=True)
    ):
        if not math.isfinite(score):
            pen = "M"
            continue
        path += f"{pen}{place(i):.1f} {level(score):.1f}"
        pen = "L"
        told = escape(f"{visible(curve.name)}, {visible(bucket)}: {score:.4g} (n={count})")
        dots += (
            f'<circle {tone} fill="{_colour(number)}" cx="{place(i):.1f}" cy="{level(score):.1f}" '
            f'r="4"><title>{told}</title></circle>'
        )
    line = (
        f'<path {tone} fill="none" stroke="{_colour(number)}"{dash} stroke-width="2" d="{path}"/>'
    )
    return (line if path else "") + dots


def _apart(heights: Sequence[float], gap: float = 18.0) -> list[float]:
    """Moves names that would lie on each other apart, keeping their order."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed = list(heights)
    for above, below in pairwise(order):
        placed[below] = max(placed[below], placed[above] + gap)
    # The pile has grown downwards only: lift it so that its middle is where it was.
    lift = sum(p - h for p, h in zip(placed, heights, strict=True)) / max(1, len(placed))
    return [place - lift for place in placed]


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _mark(number: int) -> str:
    return _MARKS[number % len(_MARKS)]


def _centre(text: str, width: int) -> str:
    before = (width - cells(text)) // 2
    return " " * before + text + " " * (width - cells(text) - before)
