"""A guess at the tokenizer that suits one side of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from seq2see.text.jamo import is_syllable
from seq2see.text.words import pieces


def detect_kind(texts: Sequence[str]) -> str:
    """Guesses the kind of tokenizer for texts; the first rule that fits decides.

    1. **symbols**: three or more words a line, nine in ten of them of at most three characters,
       and fewer than 200 different ones: phones, notes.
    2. **chars** (**jamo** if there is a Hangul syllable): fewer than three lines in ten hold a
       space, or two in ten characters are digits: names, spellings, dates.
    3. **words**: fewer than 5,000 different words, each seen ten times on average, and at most
       one in twenty seen only once: a small closed language.
    4. **subwords**: all else, that is, sentences.

    Args:
        texts: The sequences of one side.

    Returns:
        The kind.
    """
    lines = [line for line in map(str.split, texts) if line]
    counts = Counter(word for line in lines for word in line)
    total = counts.total()
    characters = _weighted(counts)
    short = sum(n for word, n in counts.items() if len(word) <= 3)
    if total >= 3 * len(lines) > 0 and short >= 0.9 * total and len(counts) < 200:
        return "symbols"
    spaced = sum(len(line) > 1 for line in lines)
    digits = sum(n for character, n in characters.items() if character.isdigit())
    if spaced < 0.3 * len(lines) or digits >= 0.2 * characters.total():
        return "jamo" if any(map(is_syllable, characters)) else "chars"
    marked: Counter[str] = Counter()
    for word, n in counts.items():
        marked.update(dict.fromkeys(pieces(word), n))
    once = sum(n == 1 for n in marked.values())
    if len(marked) < 5000 and marked.total() >= 10 * len(marked) and once <= 0.05 * len(marked):
        return "words"
    return "subwords"


def _weighted(counts: Counter[str]) -> Counter[str]:
    characters: Counter[str] = Counter()
    for word, n in counts.items():
        for character in word:
            characters[character] += n
    return characters
