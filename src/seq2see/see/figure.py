"""Attention as a figure for paper: PNG or PDF, drawn by matplotlib."""

from __future__ import annotations

import contextlib
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from seq2see.errors import Seq2SeeError
from seq2see.files import write_atomically
from seq2see.see.heatmap import HeatMap
from seq2see.see.labels import cells, visible
from seq2see.see.ramp import LIGHT, LIGHT_TURN

_MISSING = "\ufffd"  # every matplotlib brings a font that has this one
_BOXES = "Last Resort"  # a font that draws a box for any character


class Fonts(NamedTuple):
    """Families that together draw a text, and the characters none of them has."""

    families: tuple[str, ...]
    missing: frozenset[str]


def save_figure(heatmap: HeatMap, path: str | Path) -> None:
    """Draws a heat map to a PNG or PDF file.

    Warns, naming the script, if no installed font has some of the characters; they are drawn
    as "\N{REPLACEMENT CHARACTER}".

    Args:
        heatmap: What to draw.
        path: Where to; the ending says the format.

    Raises:
        Seq2SeeError: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.colors import LinearSegmentedColormap
        from matplotlib.figure import Figure
    except ImportError as error:
        raise Seq2SeeError(
            f"{path}: drawing PNG or PDF needs matplotlib: pip install seq2see[plot] "
            "(SVG and HTML need nothing more)."
        ) from error

    source = [visible(label) for label in heatmap.source]
    target = [visible(label) for label in heatmap.target]
    fonts = find_fonts("".join([*source, *target]))
    _warn(fonts.missing, source + target)
    clean = str.maketrans(dict.fromkeys(fonts.missing, _MISSING))

    columns, rows = max(1, len(source)), max(1, len(target))
    side, head = (0.09 * max(map(cells, labels), default=1) for labels in (target, source))
    figure = Figure(figsize=(0.42 * columns + side + 0.9, 0.36 * rows + head + 0.9), dpi=160)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    ramp = LinearSegmentedColormap.from_list("see", [[part / 255 for part in rgb] for rgb in LIGHT])
    if heatmap.weights.size:
        image = axes.imshow(heatmap.weights, cmap=ramp, vmin=0, vmax=1, aspect="auto")
        bar = figure.colorbar(image, ax=axes, ticks=[0, 0.5, 1], fraction=0.03, pad=0.03)
        bar.outline.set_visible(False)
        bar.ax.tick_params(length=0, labelsize=8)
    families = list(fonts.families)
    axes.set_xticks(range(len(source)), [label.translate(clean) for label in source])
    axes.set_yticks(range(len(target)), [label.translate(clean) for label in target])
    axes.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    for label in axes.get_xticklabels():
        label.set(rotation=45, ha="left", va="bottom", rotation_mode="anchor")
    for label in [*axes.get_xticklabels(), *axes.get_yticklabels()]:
        # A "$" in a sentence is a dollar, not the start of a formula.
        label.set(family=families, fontsize=10, parse_math=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if columns <= 16:
        _numbers(axes, heatmap)
    kind = Path(path).suffix.lower().removeprefix(".")
    write_atomically(
        Path(path),
        lambda part: figure.savefig(part, format=kind, bbox_inches="tight", facecolor="white"),
    )


def _numbers(axes: object, heatmap: HeatMap) -> None:
    for t, row in enumerate(heatmap.weights):
        for s, weight in enumerate(row):
            if weight >= 0.005:
                ink = "white" if weight >= LIGHT_TURN else "#16181d"
                axes.text(s, t, f"{weight:.2f}", ha="center", va="center", fontsize=7, color=ink)  # type: ignore[attr-defined]


def find_fonts(text: str) -> Fonts:
    """Finds installed fonts that have a glyph for every character of a text.

    matplotlib's own font comes first; others join, the one that adds the most each time.
    """
    from matplotlib import font_manager

    default = "DejaVu Sans"
    needed = frozenset(text) - {" "}
    missing = needed - _glyphs(font_manager.findfont(default), needed)
    families = [default]
    if missing:
        _learn_new_fonts()
        upright = {
            font.name: font.fname
            for font in sorted(font_manager.fontManager.ttflist, key=lambda font: font.fname)
            if font.style == "normal"
            and str(font.weight) in ("400", "normal", "regular")
            and not font.name.startswith(_BOXES)
        }
        have = {name: _glyphs(path, missing) for name, path in upright.items()}
        while missing and have:
            name = max(have, key=lambda name: len(have[name] & missing))
            if not have[name] & missing:
                break
            families.append(name)
            missing -= have[name]
    return Fonts(tuple(families), missing)


def _learn_new_fonts() -> None:
    """Adds fonts installed since matplotlib listed them; it keeps its list for good."""
    from matplotlib import font_manager

    known = {font.fname for font in font_manager.fontManager.ttflist}
    for path in sorted(set(font_manager.findSystemFonts()) - known):
        with contextlib.suppress(OSError, RuntimeError, ValueError):  # a file it cannot read
            font_manager.fontManager.addfont(path)


def _glyphs(path: str, characters: Iterable[str]) -> frozenset[str]:
    """Those of the characters that a font file maps to a glyph."""
    from matplotlib.ft2font import FT2Font

    mapped = FT2Font(path).get_charmap()
    return frozenset(char for char in characters if ord(char) in mapped)


def _warn(missing: frozenset[str], labels: Sequence[str]) -> None:
    """Says which scripts are drawn wrongly; SVG and HTML take fonts from the viewer."""
    if missing:
        shown = "".join(sorted(missing))[:20]
        warnings.warn(
            f"No installed font draws {_scripts(missing)} ({shown}). Install one, for example "
            "Noto Sans, or save as .svg or .html.",
            stacklevel=3,
        )
    import matplotlib

    joined = {char for char in "".join(labels) if unicodedata.bidirectional(char) in ("R", "AL")}
    if joined - missing and tuple(map(int, matplotlib.__version__.split(".")[:2])) < (3, 11):
        warnings.warn(
            f"matplotlib {matplotlib.__version__} draws {_scripts(joined)} letters in the wrong "
            "order; 3.11 does not. Update it, or save as .svg or .html.",
            stacklevel=3,
        )


def _scripts(characters: Iterable[str]) -> str:
    """The scripts of some characters by the first word of their Unicode names."""
    names = {unicodedata.name(char, "UNNAMED").split()[0].title() for char in characters}
    return ", ".join(sorted(names))
