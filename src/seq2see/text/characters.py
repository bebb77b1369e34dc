"""Characters as tokens."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from seq2see.text.table import TableTokenizer
from seq2see.text.tokenizer import MARKER, Form
from seq2see.text.vocabulary import Vocabulary

ESCAPE = "\\"  # a two-character token "\x" is the character x itself, whatever x else means


def character_token(character: str) -> str:
    """The token of one character: a space is the marker, and the marker itself is escaped."""
    if character == " ":
        return MARKER
    return ESCAPE + MARKER if character == MARKER else character


def token_character(token: str) -> str:
    """The character of one token."""
    if token == MARKER:
        return " "
    return token[1] if len(token) == 2 and token[0] == ESCAPE else token


class Characters(TableTokenizer):
    """One token a character; lossless, runs of spaces included.

    ``form="NFD"`` splits letters and their accents into tokens of their own, so that a letter
    never seen with an accent is still read; ``join`` then gives NFC. With ``form="none"`` the
    text is taken as it is.
    """

    kind = "chars"

    def __init__(self, vocabulary: Vocabulary, form: Form = "none") -> None:
        super().__init__(vocabulary)
        if form not in ("none", "NFC", "NFD"):
            raise ValueError(f"form is none, NFC or NFD, not {form!r}")
        self.form: Form = form

    @property
    def options(self) -> dict[str, str]:  # noqa: D102
        return {"form": self.form}

    def split(self, text: str) -> list[str]:  # noqa: D102
        if self.form != "none":
            text = unicodedata.normalize(self.form, text)
        return [character_token(character) for character in text]

    def surface(self, token: str) -> str:  # noqa: D102
        return token_character(token)

    def join(self, tokens: Sequence[str]) -> str:  # noqa: D102
        text = super().join(tokens)
        return text if self.form == "none" else unicodedata.normalize("NFC", text)
