"""Several wirings side by side, as text for a terminal and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seq2see.see.html import to_html
from seq2see.see.lengths import lengths_svg
from seq2see.see.tables import Row, Table, aligned, section

if TYPE_CHECKING:
    from seq2see.compare import Entry


def comparison_table(entries: Sequence[Entry]) -> str:
    """Writes a comparison for a terminal."""
    return "\n".join(aligned(_comparison(entries)))


def comparison_page(entries: Sequence[Entry]) -> str:
    """Writes a comparison as one page that needs nothing else."""
    found = entries[0].found
    signatures = [(score.name, "", score.signature) for score in found.scores]
    parts = [
        Table(f"On {len(found.outputs):,} pairs", _comparison(entries), "numbers").html(),
        section("", lengths_svg([entry.curve for entry in entries], found.scores[0].name)),
        Table("How it was measured", signatures).html(),
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
