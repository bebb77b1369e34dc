"""Space-separated symbols, such as phones, as tokens."""

from __future__ import annotations

from collections.abc import Sequence

from seq2see.text.characters import ESCAPE
from seq2see.text.table import TableTokenizer
from seq2see.text.vocabulary import SPECIALS


class Symbols(TableTokenizer):
    r"""One token a whitespace-separated symbol, which is a word of its own.

    Lossless but for white space: each run of it becomes one space, and none is left at the ends.
    No symbol is marked, since each follows a space. Those written like a special token ("<s>")
    are escaped ("\<s>"), lest text be taken for the end of text.
    """

    kind = "symbols"

    def split(self, text: str) -> list[str]:  # noqa: D102
        return [
            ESCAPE + symbol if symbol.lstrip(ESCAPE) in SPECIALS else symbol
            for symbol in text.split()
        ]

    def surface(self, token: str) -> str:  # noqa: D102
        escaped = token.startswith(ESCAPE) and token.lstrip(ESCAPE) in SPECIALS
        return f" {token[1:] if escaped else token}"

    def join(self, tokens: Sequence[str]) -> str:  # noqa: D102
        return super().join(tokens).removeprefix(" ")
