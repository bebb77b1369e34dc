"""Which spelling of the characters leaves the fewest of them unseen."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Literal

from seq2see.text.jamo import is_syllable, take_apart

Spelling = Literal["none", "jamo", "NFD"]


def _characters(texts: Iterable[str], spelling: Spelling) -> set[str]:
    seen = set().union(*texts)
    if spelling == "NFD":
        return set(unicodedata.normalize("NFD", "".join(seen)))
    if spelling == "jamo":
        return {part for c in seen for part in (take_apart(c) if is_syllable(c) else (c,))}
    return seen


def unseen_characters(training: Iterable[str], held_out: Iterable[str], spelling: Spelling) -> int:
    """Counts the different characters of held-out texts that training never shows.

    Args:
        training: Texts to learn from.
        held_out: Texts like those to come.
        spelling: Characters as they are (none), Hangul as jamo, or letters and accents apart (NFD).
    """
    return len(_characters(held_out, spelling) - _characters(training, spelling))


def choose_spelling(training: Iterable[str], held_out: Iterable[str]) -> Spelling:
    """The spelling that leaves the fewest characters unseen; of equals, the plainest.

    Characters are the plainest, then jamo (lossless), then NFD (which gives NFC back).

    Examples:
        >>> choose_spelling(["é a"], ["e a"])
        'NFD'
        >>> choose_spelling(["가 난"], ["간 나"])
        'jamo'
    """
    training, held_out = set().union(*training), set().union(*held_out)
    spellings: tuple[Spelling, ...] = ("none", "jamo", "NFD")
    return min(spellings, key=lambda s: unseen_characters(training, held_out, s))
