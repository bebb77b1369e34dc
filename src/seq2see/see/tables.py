"""Tables that are told twice: in a terminal and on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from seq2see.see.labels import visible

Row = tuple[str, ...]
Kind = Literal["facts", "numbers", "texts"]


class Markup(str):
    """A cell that is HTML already."""

    __slots__ = ()


@dataclass(frozen=True)
class Table:
    """Rows under a title.

    Attributes:
        title: What they are about.
        rows: The cells.
        kind: facts are a name, a value and what it means. The first row of numbers and of texts
            names the columns.
    """

    title: str
    rows: Sequence[Row]
    kind: Kind = "facts"

    def text(self) -> str:
        """The table for a terminal (facts and numbers)."""
        if self.kind == "facts":
            lines = [f"  {name:<16}{value:>8}  {told}".rstrip() for name, value, told in self.rows]
        else:
            lines = [f"  {line}" for line in aligned(self.rows)]
        return "\n".join([self.title, *lines] if self.title else lines)

    def html(self) -> str:
        """The table as a section of a page."""
        rows = list(self.rows)
        head = ""
        if self.kind != "facts" and rows:
            cells = "".join(f'<th scope="col">{escape(name)}</th>' for name in rows.pop(0))
            head = f"<thead><tr>{cells}</tr></thead>"
        body = "".join(f"<tr>{''.join(map(self._cell, row, range(len(row))))}</tr>" for row in rows)
        return section(
            self.title, f'<table class="{self.kind}">{head}<tbody>{body}</tbody></table>'
        )

    def _cell(self, text: str, column: int) -> str:
        shown = text if isinstance(text, Markup) else escape(visible(text)) if text else ""
        if column == 0:
            return f'<th scope="row" dir="auto">{shown}</th>'
        number = self.kind == "numbers" or (self.kind == "facts" and column == 1)
        if number:
            return f"<td>{shown}</td>"
        # On a narrow screen, where cells stand below each other, each bears its column's name.
        name = f' data-name="{escape(self.rows[0][column])}"' if self.kind == "texts" else ""
        return f'<td class="text" dir="auto"{name}>{shown}</td>'


def aligned(rows: Sequence[Row]) -> list[str]:
    """Lines whose columns stand under each other: names on the left, numbers on the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def section(title: str, body: str) -> str:
    """A part of a page that scrolls by itself where it is too wide."""
    head = f"<h2>{escape(visible(title))}</h2>" if title else ""
    return f'<section>{head}<div class="scroll" tabindex="0">{body}</div></section>\n'
