"""Attention as a page: one file that works without a network, on paper white and in the dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from seq2see.see.bipartite import bipartite
from seq2see.see.heatmap import HeatMap
from seq2see.see.labels import visible
from seq2see.see.svg import matrix, style


def to_html(heatmaps: HeatMap | Sequence[HeatMap], title: str = "Attention", lead: str = "") -> str:
    """Writes one self-contained page with every heat map in two views and as a table.

    Args:
        heatmaps: One or several, in the order of the page.
        title: The page's name.
        lead: What stands before them, as HTML.

    Returns:
        The whole document.
    """
    maps = [heatmaps] if isinstance(heatmaps, HeatMap) else heatmaps
    folder = files("seq2see.see")
    page, script = ((folder / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    name = escape(visible(title))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<style>
{style()}{page}</style>
</head>
<body>
<header>
<h1 dir="auto">{name}</h1>
{_VIEWS if maps else ""}
</header>
<main>
{lead}{"".join(map(_figure, maps))}</main>
<script>
{script}</script>
</body>
</html>
"""


_VIEWS = """<fieldset>
<legend>View</legend>
<label><input type="radio" name="view" value="matrix" checked><span>Matrix</span></label>
<label><input type="radio" name="view" value="bipartite"><span>Lines</span></label>
</fieldset>"""


def _figure(heatmap: HeatMap) -> str:
    name = escape(visible(heatmap.title or "Attention"))
    keys = "Arrow keys move from weight to weight."
    return f"""<figure>
{_caption(heatmap)}<output>Point at a word or a weight, or use the arrow keys.</output>
<div class="scroll matrix" tabindex="0" role="group" aria-label="Matrix: {name}. {keys}">
{matrix(heatmap, style=False)}
</div>
<div class="scroll bipartite" tabindex="0" role="group" aria-label="Lines: {name}. {keys}">
{bipartite(heatmap, style=False)}
</div>
<details><summary>Numbers</summary>
<div class="scroll" tabindex="0">{_table(heatmap)}</div>
</details>
</figure>
"""


def _caption(heatmap: HeatMap) -> str:
    sides = [
        f'<bdi dir="auto">{escape(visible(side))}</bdi>'
        for side in (heatmap.title, heatmap.text)
        if side
    ]
    parts = ['<span class="to">→</span>'.join(sides)] if sides else []
    if heatmap.score is not None:
        score = f"{heatmap.score:.2f}".replace("-", "−")
        parts.append(f'<span class="score">log-probability {score}</span>')
    return f"<figcaption>{' '.join(parts)}</figcaption>\n" if parts else ""


def _table(heatmap: HeatMap) -> str:
    heads = "".join(_head("col", "source", s, label) for s, label in enumerate(heatmap.source))
    rows = []
    for t, (label, row) in enumerate(zip(heatmap.target, heatmap.weights, strict=True)):
        numbers = "".join(f'<td class="{_tone(weight)}">{weight:.3f}</td>' for weight in row)
        rows.append(f"<tr>{_head('row', 'target', t, label)}{numbers}</tr>")
    return f"<table><thead><tr><td></td>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _tone(weight: float) -> str:
    return "low" if weight < 0.05 else "high"


def _head(scope: str, side: str, index: int, label: str) -> str:
    return f'<th scope="{scope}" data-{side}="{index}" dir="auto">{escape(visible(label))}</th>'
