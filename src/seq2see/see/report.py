"""What was measured about a model, as text for a terminal and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from seq2see.assessment import Assessment
from seq2see.see.heatmap import HeatMap
from seq2see.see.html import to_html
from seq2see.see.labels import visible
from seq2see.see.lengths import LengthCurve, lengths_svg

if TYPE_CHECKING:
    from seq2see.compare import Entry

Row = tuple[str, ...]


def describe(found: Assessment, worst: int = 5) -> str:
    """Writes an assessment for a terminal.

    Args:
        found: What was measured.
        worst: How many of the worst outputs to tell.
    """
    lines = [f"{found.corpus.name}: {len(found.outputs):,} pairs", ""]
    lines += _columns([(s.name, f"{s.value:.2f}", s.signature) for s in found.scores])
    lines += _columns([("perplexity", f"{found.perplexity:.3f}", "of a target token")])
    for title, rows in _tables(found):
        lines += ["", title, *_columns(rows)]
    lines += [f"\nWarning: {warning}" for warning in found.warnings]
    for i in found.worst[:worst]:
        if i == found.worst[0]:
            lines += ["", "Furthest from their targets"]
        lines += [
            f"  {i + 1:>5}  source  {found.corpus.sources[i]}",
            f"         target  {found.corpus.targets[i]}",
            f"         output  {found.outputs[i].text}",
        ]
    return "\n".join(lines)


def to_report(found: Assessment, title: str, worst: int = 5) -> str:
    """Writes an assessment as one page that needs nothing else.

    Args:
        found: What was measured.
        title: The page's name.
        worst: How many of the worst outputs to draw; if there are none, the first outputs.
    """
    scores = [(s.name, f"{s.value:.2f}", s.signature) for s in found.scores]
    scores.append(("perplexity", f"{found.perplexity:.3f}", "of a target token"))
    parts = [f'<p class="warning">{escape(w)}</p>' for w in found.warnings]
    parts.append(_section(f"Scores on {len(found.outputs):,} pairs", _table(scores)))
    curve = LengthCurve.of(found.scores[0].name, found.by_length)
    parts.append(_section("", lengths_svg([curve], found.scores[0].name)))
    parts += [_section(name, _table(rows)) for name, rows in _tables(found)]
    shown = found.worst[:worst]
    if shown:
        rows = [("", "source", "target", "output")] + [
            (str(i + 1), found.corpus.sources[i], found.corpus.targets[i], found.outputs[i].text)
            for i in shown
        ]
        parts.append(_section("Furthest from their targets", _table(rows)))
    drawn = shown or list(range(min(worst, len(found.outputs))))
    maps = [HeatMap.of(found.outputs[i]) for i in drawn] if found.attention else []
    return to_html(maps, title, "".join(parts))


def comparison_table(entries: Sequence[Entry]) -> str:
    """Writes a comparison for a terminal."""
    rows = _comparison(entries)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def comparison_page(entries: Sequence[Entry]) -> str:
    """Writes a comparison as one page that needs nothing else."""
    found = entries[0].found
    metric = found.scores[0].name
    signatures = [(score.name, "", score.signature) for score in found.scores]
    parts = [
        _section(f"On {len(found.outputs):,} pairs", _table(_comparison(entries), numbers=True)),
        _section("", lengths_svg([entry.curve for entry in entries], metric)),
        _section("How it was measured", _table(signatures)),
    ]
    return to_html([], f"Wirings on {found.corpus.name}", "".join(parts))


def _comparison(entries: Sequence[Entry]) -> list[Row]:
    names = [score.name for score in entries[0].found.scores]
    aligned = any(entry.found.alignment for entry in entries)
    head = ("wiring", *names, "perplexity", *["alignment error"] * aligned, "parameters", "seconds")
    rows: list[Row] = [head]
    for entry in entries:
        gold = entry.found.alignment
        error = [f"{gold.score.error_rate:.3f}" if gold else "–"] * aligned
        rows.append(
            (
                entry.name,
                *(f"{score.value:.2f}" for score in entry.found.scores),
                f"{entry.found.perplexity:.3f}",
                *error,
                f"{entry.parameters:,}",
                f"{entry.seconds:.0f}",
            )
        )
    return rows


def _tables(found: Assessment) -> list[tuple[str, list[Row]]]:
    """What both forms tell, table by table."""
    tables: list[tuple[str, list[Row]]] = []
    rows: list[Row] = [
        (bucket.label, f"{bucket.score.value:.2f}", f"{bucket.count:,} pairs")
        for bucket in found.by_length.buckets
        if bucket.score
    ]
    tables.append((f"{found.scores[0].name} by source length in {found.unit}", rows))
    if found.alignment:
        score, best = found.alignment.score, found.alignment.best
        rows = [
            ("error rate", f"{score.error_rate:.3f}", "attention against gold word links"),
            ("precision", f"{score.precision:.3f}", f"{score.predicted:,} links found"),
            ("recall", f"{score.recall:.3f}", f"{score.sure:,} sure links"),
        ]
        if found.alignment.best_shift:
            token = "token before" if found.alignment.best_shift < 0 else "next token"
            rows.append(
                ("shifted", f"{best.error_rate:.3f}", f"error rate if rows explain the {token}")
            )
        tables.append(("Alignment", rows))
    if found.attention:
        told = found.attention
        tables.append(
            (
                "Attention",
                [
                    ("entropy", f"{told.entropy:.2f}", "bits; 0 looks at one token only"),
                    ("sharpness", f"{told.sharpness:.2f}", "largest weight of a row, mean"),
                    ("end mark", f"{told.end_mark:.2f}", "weight on the source's end, mean"),
                    ("unread", f"{100 * told.unread:.1f} %", "source tokens hardly looked at"),
                    ("overread", f"{100 * told.overread:.1f} %", "looked at for over two steps"),
                ],
            )
        )
    faults = found.faults
    rows = [
        ("empty", f"{len(faults.empty):,}", "nothing was written"),
        ("copied", f"{len(faults.copied):,}", "source words stand untranslated"),
        ("repeated", f"{len(faults.repeated):,}", "a phrase follows itself"),
        ("runaway", f"{len(faults.runaway):,}", "far longer than the target"),
    ]
    tables.append(("Faults", rows))
    return tables


def _columns(rows: Sequence[Row]) -> list[str]:
    return [f"  {name:<16}{value:>8}  {told}" for name, value, told in rows]


def _section(name: str, body: str) -> str:
    head = f"<h2>{escape(name)}</h2>" if name else ""
    return f'<section>{head}<div class="scroll" tabindex="0">{body}</div></section>\n'


def _table(rows: Sequence[Row], numbers: bool = False) -> str:
    def cell(text: str, column: int) -> str:
        if column == 0:
            return f'<th scope="row" dir="auto">{escape(visible(text)) if text else ""}</th>'
        # Of three columns the second holds numbers; otherwise all do, or none.
        number = numbers or (column == 1 and len(rows[0]) == 3)
        kind = "" if number else ' class="text" dir="auto"'
        return f"<td{kind}>{escape(visible(text))}</td>"

    body = "".join(
        f"<tr>{''.join(cell(text, column) for column, text in enumerate(row))}</tr>" for row in rows
    )
    return f"<table>{body}</table>"
