"""Words and punctuation marks as tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from seq2see.text.characters import ESCAPE
from seq2see.text.table import TableTokenizer
from seq2see.text.tokenizer import MARKER
from seq2see.text.vocabulary import SPECIALS, UNK

# With every punctuation mark written as "." by _shape: an apostrophe (written "'") between two
# letters stays in its word; a run of one and the same mark ("...") is one piece.
_PIECES = re.compile(r"[^.']+(?:'[^.']+)*|([.'])")


@cache
def _shape(character: str) -> str:
    """Tells letters, digits and their accents (x) from apostrophes (') and marks (.)."""
    if character in "'’":
        return "'"
    return "." if unicodedata.category(character)[0] in "PS" else "x"


def pieces(word: str) -> list[str]:
    """Splits the punctuation off a word.

    Examples:
        >>> pieces("(don't...)")
        ['(', "don't", '...', ')']
    """
    if word.isalnum():
        return [word]
    found: list[str] = []
    for match in _PIECES.finditer("".join(map(_shape, word))):
        piece = word[match.start() : match.end()]
        if match[1] and found and found[-1][0] == piece:
            found[-1] += piece
        else:
            found.append(piece)
    return found


class Words(TableTokenizer):
    """One token a word, and one a punctuation mark; those after a space carry "▁".

    Lossless but for white space: each run of it becomes one space, and none is left at the ends.
    """

    kind = "words"

    def split(self, text: str) -> list[str]:  # noqa: D102
        tokens: list[str] = []
        for word in text.split():
            first, *others = (self._escaped(piece) for piece in pieces(word))
            tokens += [MARKER + first, *others]
        return tokens

    @staticmethod
    def _escaped(piece: str) -> str:
        return ESCAPE + piece if piece[0] == MARKER else piece

    def surface(self, token: str) -> str:  # noqa: D102
        if token == SPECIALS[UNK]:  # which does not tell; a word is likelier than a mark
            return f" {token}"
        space = " " if token.startswith(MARKER) else ""
        rest = token.removeprefix(MARKER)
        return space + (rest[1:] if rest.startswith(ESCAPE + MARKER) else rest)

    def join(self, tokens: Sequence[str]) -> str:  # noqa: D102
        return super().join(tokens).removeprefix(" ")
