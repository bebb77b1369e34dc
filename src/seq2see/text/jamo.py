"""Characters as tokens, with Hangul syllables taken apart into their letters (jamo).

A syllable is laid out by arithmetic (The Unicode Standard, section 3.12):
code = 0xAC00 + (lead · 21 + vowel) · 28 + tail, where tail 0 is no tail.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

from seq2see.text.characters import ESCAPE, character_token, token_character
from seq2see.text.table import TableTokenizer
from seq2see.text.tokenizer import CONTROLS

SYLLABLE, LEAD, VOWEL, TAIL = 0xAC00, 0x1100, 0x1161, 0x11A7
LEADS, VOWELS, TAILS = 19, 21, 28
SYLLABLES = LEADS * VOWELS * TAILS


def _is_lead(token: str) -> bool:
    return len(token) == 1 and LEAD <= ord(token) < LEAD + LEADS


def _is_vowel(token: str) -> bool:
    return len(token) == 1 and VOWEL <= ord(token) < VOWEL + VOWELS


def _is_tail(token: str) -> bool:
    return len(token) == 1 and TAIL < ord(token) < TAIL + TAILS


def is_syllable(character: str) -> bool:
    """Whether a character is one of the 11,172 Hangul syllables."""
    return SYLLABLE <= ord(character) < SYLLABLE + SYLLABLES


def take_apart(syllable: str) -> list[str]:
    """Two or three jamo of one Hangul syllable.

    Examples:
        >>> [unicodedata.name(jamo) for jamo in take_apart("한")]
        ['HANGUL CHOSEONG HIEUH', 'HANGUL JUNGSEONG A', 'HANGUL JONGSEONG NIEUN']
    """
    rest, tail = divmod(ord(syllable) - SYLLABLE, TAILS)
    lead, vowel = divmod(rest, VOWELS)
    jamo = [chr(LEAD + lead), chr(VOWEL + vowel)]
    return [*jamo, chr(TAIL + tail)] if tail else jamo


def put_together(lead: str, vowel: str, tail: str = "") -> str:
    """The Hangul syllable of its two or three jamo."""
    code = (ord(lead) - LEAD) * VOWELS + ord(vowel) - VOWEL
    return chr(SYLLABLE + code * TAILS + (ord(tail) - TAIL if tail else 0))


@cache
def _letter(jamo: str) -> str:
    """The letter as it stands alone: a jamo meant for combining is drawn badly by itself."""
    return unicodedata.lookup(f"HANGUL LETTER {unicodedata.name(jamo).split(maxsplit=2)[2]}")


class Jamo(TableTokenizer):
    """One token a character, and a Hangul syllable as its two or three jamo; lossless.

    Jamo that stand in the text by themselves are not to melt into syllables when joined: the
    combining ones are escaped, and the compatibility ones ("ㅋㅋㅋ") are characters like others.
    """

    kind = "jamo"

    def split(self, text: str) -> list[str]:  # noqa: D102
        tokens: list[str] = []
        for character in text:
            if is_syllable(character):
                tokens += take_apart(character)
            elif _is_lead(character) or _is_vowel(character) or _is_tail(character):
                tokens.append(ESCAPE + character)
            else:
                tokens.append(character_token(character))
        return tokens

    def surface(self, token: str) -> str:  # noqa: D102
        return token_character(token)

    def join(self, tokens: Sequence[str]) -> str:  # noqa: D102
        tokens = [token for token in tokens if token not in CONTROLS]
        pieces: list[str] = []
        at = 0
        while at < len(tokens):
            lead, vowel, tail = (*tokens[at : at + 3], "", "")[:3]
            if not (_is_lead(lead) and _is_vowel(vowel)):
                pieces.append(self.surface(lead))
                at += 1
            elif _is_tail(tail):
                pieces.append(put_together(lead, vowel, tail))
                at += 3
            else:
                pieces.append(put_together(lead, vowel))
                at += 2
        return "".join(pieces)

    def labels(self, tokens: Sequence[str]) -> list[str]:  # noqa: D102
        return [
            _letter(label) if _is_lead(label) or _is_vowel(label) or _is_tail(label) else label
            for label in super().labels(tokens)
        ]
