"""What stands on an axis: tokens made readable, and how wide they are."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
# Marks that turn the text around them; a label is isolated by the picture, not by its own text.
_DIRECTIONS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "")
# Neither XML nor a terminal may see these; U+2400... draws the control characters.
_CONTROLS = (
    {code: chr(0x2400 + code) for code in range(0x20)}
    | {0x7F: "\u2421", 0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}
    | dict.fromkeys(range(0x80, 0xA0), "\ufffd")
    | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    | dict.fromkeys((0x2028, 0x2029), " ")
)
_UNSAFE = str.maketrans(_CONTROLS | _DIRECTIONS)


def token_label(token: str) -> str:
    """Writes a token as a person reads it.

    Args:
        token: A raw token: "▁" means a space before it, ``<0xEA>`` is a byte.

    Returns:
        The token without its marker; a space as "␣", a byte outside ASCII as "xEA".
    """
    byte = _BYTE.fullmatch(token)
    if byte:
        code = int(byte[1], 16)
        return f"x{code:02X}" if code >= 0x80 else token_label(chr(code))
    label = token.removeprefix("▁").replace("▁", "␣")
    return visible(label) if label.strip(" ") else "␣" * max(1, len(label))


def visible(text: str) -> str:
    """Gives every character a shape and takes the dangerous ones away.

    Control characters become their pictures, a lone mark gets a circle to sit on, and a lone
    medial or final jamo, which most fonts do not draw, becomes the letter of the same name.
    """
    text = text.translate(_UNSAFE)
    if any("\u1100" <= c <= "\u11ff" for c in text):
        text = "".join(map(_letter, unicodedata.normalize("NFC", text)))
    if text and unicodedata.category(text[0]).startswith("M"):
        text = "◌" + text
    return text or "∅"


def _letter(jamo: str) -> str:
    """The stand-alone letter of a conjoining jamo; other characters stay."""
    if not "\u1100" <= jamo <= "\u11ff":
        return jamo
    name = unicodedata.name(jamo).split(" ", 2)[2]
    try:
        return unicodedata.lookup(f"HANGUL LETTER {name}")
    except KeyError:  # letters no longer written have no stand-alone form
        return jamo


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cells(text: str) -> int:
    """How many terminal cells a text fills: Hangul and Han 2 a character, marks 0."""
    return sum(map(_cells, text))


def clusters(text: str) -> list[str]:
    """Splits a text into characters with the marks that sit on them."""
    found: list[str] = []
    for char in text:
        if found and (_cells(char) == 0 or unicodedata.category(char) == "Mc"):
            found[-1] += char
        else:
            found.append(char)
    return found


def shorten(text: str, width: int) -> str:
    """Cuts a text to at most ``width`` (>= 1) cells, with "…" where something is missing."""
    if cells(text) <= width:
        return text
    kept, used = "", 0
    for cluster in clusters(text):
        used += cells(cluster)
        if used > width - 1:
            break
        kept += cluster
    return kept + "…"


def right_to_left(text: str) -> bool:
    """Whether the first letter with a direction is written from right to left."""
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
