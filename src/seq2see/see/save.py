"""Pictures into files: the ending of the name says which kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from seq2see.errors import Seq2SeeError
from seq2see.files import write_text
from seq2see.see.heatmap import HeatMap
from seq2see.see.html import to_html
from seq2see.see.labels import visible
from seq2see.see.svg import to_svg

KINDS = ("html", "json", "pdf", "png", "svg")


def save(heatmaps: HeatMap | Sequence[HeatMap], path: str | Path) -> None:
    """Writes heat maps to a file.

    Args:
        heatmaps: One, or several for a page or JSON.
        path: Where to; its ending is one of ``html``, ``json``, ``pdf``, ``png``, ``svg``.

    Raises:
        Seq2SeeError: The ending is another, or the kind of file holds one picture only.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise Seq2SeeError(f"{path}: no picture is called '.{kind}'. Known: {', '.join(KINDS)}.")
    maps = [heatmaps] if isinstance(heatmaps, HeatMap) else list(heatmaps)
    if kind in ("html", "json"):
        text = to_html(maps) if kind == "html" else to_json(heatmaps)
        write_text(path, text)
        return
    if len(maps) != 1:
        raise Seq2SeeError(
            f"{path}: a .{kind} file holds one picture, not {len(maps)}. "
            "Save several as .html or .json."
        )
    if kind == "svg":
        write_text(path, to_svg(maps[0]))
    else:
        from seq2see.see.figure import save_figure

        save_figure(maps[0], path)


def to_json(heatmaps: HeatMap | Sequence[HeatMap]) -> str:
    """Labels and weights, rounded to six digits: an object for one map, a list for several."""
    data = (
        _record(heatmaps) if isinstance(heatmaps, HeatMap) else [_record(one) for one in heatmaps]
    )
    return json.dumps(data, ensure_ascii=False) + "\n"


def _record(heatmap: HeatMap) -> dict[str, object]:
    return {
        "title": visible(heatmap.title) if heatmap.title else "",
        "text": visible(heatmap.text) if heatmap.text else "",
        "score": heatmap.score,
        "source": [visible(label) for label in heatmap.source],
        "target": [visible(label) for label in heatmap.target],
        "weights": [[round(float(weight), 6) for weight in row] for row in heatmap.weights],
    }
