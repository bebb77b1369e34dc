"""Attention as text: a compact matrix for the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from seq2see.see.heatmap import HeatMap
from seq2see.see.labels import cells, clusters, right_to_left, shorten, visible
from seq2see.see.ramp import DARK, DARK_TURN, colour

_WIDEST, _TALLEST = 10, 12  # cells of a level head, letters of an upright one
Paint = Callable[[float, str], str]


def render(heatmap: HeatMap, width: int | None = None, color: bool | None = None) -> str:
    """Draws a heat map with target labels as rows and source labels as columns.

    Heads lie level with the weights in percent below them where the line has room; otherwise
    they stand upright over two-cell blocks. What is still too wide goes on in further panels.

    Args:
        heatmap: What to draw.
        width: Cells of a line; the terminal's by default.
        color: Whether to use colours; by default if the terminal shows them and NO_COLOR
            is not set. Without colours, shades of "█" tell the weight.

    Returns:
        Lines of equal width.
    """
    width = shutil.get_terminal_size().columns if width is None else width
    paint = _painter() if (colors() if color is None else color) else _shade
    source = [visible(label) for label in heatmap.source]
    target = [visible(label) for label in heatmap.target]
    side = min(max(map(cells, target), default=0), max(6, width // 3))
    room = max(width - side - 1, 5)

    widths = [max(5, min(cells(label), _WIDEST) + 1) for label in source]
    # Letters of a script that joins them cannot stand one above the other.
    level = sum(widths) <= room or any(map(right_to_left, source))
    if not level:
        widths = [2] * len(source)
    blocks = []
    for panel in _panels(widths, min(room, sum(widths))):
        head = _level(source, panel, widths) if level else _upright(source, panel)
        lines = [" " * (side + 1) + line for line in head]
        for label, row in zip(target, heatmap.weights, strict=True):
            body = "".join(paint(row[s], _figure(row[s], widths[s])) for s in panel)
            lines.append(f"{_pad(label, side, right=True)} {body}")
        filled = sum(widths[s] for s in panel)
        rest = " " * (min(room, sum(widths)) - filled)
        blocks.append("\n".join(line + rest for line in lines))
    return "\n\n".join(blocks)


def colors() -> bool:
    """Whether standard output is a terminal that shows 256 colours and may."""
    env = os.environ
    if env.get("NO_COLOR") or not sys.stdout.isatty():
        return False
    return _true_colour() or "256" in env.get("TERM", "") or "WT_SESSION" in env


def _true_colour() -> bool:
    return os.environ.get("COLORTERM") in ("truecolor", "24bit")


def _panels(widths: list[int], room: int) -> Iterator[range]:
    """Cuts the columns into runs that fit into ``room`` cells."""
    start, used = 0, 0
    for s, wide in enumerate(widths):
        if used + wide > room and s > start:
            yield range(start, s)
            start, used = s, 0
        used += wide
    if start < len(widths):
        yield range(start, len(widths))


def _level(labels: list[str], panel: range, widths: list[int]) -> list[str]:
    return ["".join(_pad(labels[s], widths[s] - 1, centre=True) + " " for s in panel)]


def _upright(labels: list[str], panel: range) -> list[str]:
    """Heads letter under letter, the last letters on one line."""
    heads = []
    for s in panel:
        letters = clusters(labels[s])
        heads.append(letters if len(letters) <= _TALLEST else [*letters[: _TALLEST - 1], "⋮"])
    tallest = max(map(len, heads))
    filled = [[""] * (tallest - len(head)) + head for head in heads]
    return ["".join(_pad(head[i], 2) for head in filled) for i in range(tallest)]


def _pad(text: str, width: int, right: bool = False, centre: bool = False) -> str:
    text = shorten(text, width) if width else ""
    gap = width - cells(text)
    before = gap if right else gap // 2 if centre else 0
    # A mark that has no width keeps what follows a right-to-left label in its place.
    mark = "\u200e" if right_to_left(text) else ""
    return " " * before + text + mark + " " * (gap - before)


def _figure(weight: float, width: int) -> str:
    """What is written in a cell: the weight in percent if there is room."""
    if width < 5:
        return " " * width
    percent = round(100 * min(max(float(weight), 0.0), 1.0))
    return f"{percent or '·':^{width}}"


def _shade(weight: float, figure: str) -> str:
    """A cell without colours."""
    level = int(np.searchsorted((0.05, 0.2, 0.4, 0.7), weight, side="right"))
    if not figure.strip():
        return ("·" if level == 0 else "░▒▓█"[level - 1] * len(figure)).ljust(len(figure))
    return f"{' ░▒▓█'[level]}{figure.strip():>3}".center(len(figure) - 1) + " "


def _painter() -> Paint:
    """A cell in colours: the ramp for dark screens, with its own ground on any other."""
    code = _direct if _true_colour() else _nearest

    def paint(weight: float, figure: str) -> str:
        ground = np.array(colour(float(weight), DARK))
        ink = np.array(DARK[0] if weight >= DARK_TURN else (0xE4, 0xE8, 0xEF))
        return f"\x1b[48;{code(ground)};38;{code(ink)}m{figure}\x1b[0m"

    return paint


def _direct(rgb: NDArray[np.int_]) -> str:
    return f"2;{rgb[0]};{rgb[1]};{rgb[2]}"


# The 216 colours and 24 greys of a 256-colour terminal, which start at number 16.
_LEVELS = (0, 95, 135, 175, 215, 255)
_PALETTE = np.array(
    [(r, g, b) for r in _LEVELS for g in _LEVELS for b in _LEVELS]
    + [(grey, grey, grey) for grey in range(8, 248, 10)]
)


def _nearest(rgb: NDArray[np.int_]) -> str:
    return f"5;{16 + int(((_PALETTE - rgb) ** 2).sum(axis=1).argmin())}"
