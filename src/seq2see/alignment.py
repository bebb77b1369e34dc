"""From attention over tokens to links between words.

Letters: T target tokens, S source tokens, V target words, W source words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from seq2see.data.corpus import Link, Links
from seq2see.errors import DataError
from seq2see.translation import Translation

_LINK = re.compile(r"(\d+)([-p])(\d+)")


def merge_words(
    attention: NDArray[np.floating],
    source_words: Sequence[int],
    target_words: Sequence[int],
    shift: int = 0,
) -> NDArray[np.float32]:
    """Merges attention over tokens into attention over words.

    What a token looked at in a word is the sum over the word's tokens; what a word looked at is
    the mean over its own.

    Args:
        attention: Weights [T, S].
        source_words: Word of each source token, -1 for the end mark [S].
        target_words: The same for the target tokens [T].
        shift: Row t is taken to explain token t + shift. Some wirings look at a word one step
            before or after they write it.

    Returns:
        Weights [V, W + 1], whose last column is the attention on the end mark. Rows sum to 1,
        or to 0 for a word that no row explains.
    """
    source = np.asarray(source_words, dtype=np.int64)
    target = np.asarray(target_words, dtype=np.int64)
    if attention.shape != (len(target), len(source)):
        raise ValueError(
            f"attention has shape {attention.shape}, the words {(len(target), len(source))}"
        )
    W, V = int(source.max(initial=-1)) + 1, int(target.max(initial=-1)) + 1
    explained = np.arange(len(target)) + shift
    rows = np.flatnonzero((explained >= 0) & (explained < len(target)))
    rows = rows[target[explained[rows]] >= 0]
    word = target[explained[rows]]

    columns = np.zeros((len(source), W + 1))
    columns[np.arange(len(source)), np.where(source < 0, W, source)] = 1.0
    merged = np.zeros((V, W + 1))
    np.add.at(merged, word, attention[rows] @ columns)
    merged /= np.maximum(np.bincount(word, minlength=V), 1)[:, None]
    return merged.astype(np.float32)


def strongest_links(merged: NDArray[np.floating]) -> Links:
    """Links every target word to the source word it looked at most.

    Args:
        merged: What :func:`merge_words` gives [V, W + 1].

    Returns:
        One link a target word; none where the end mark got the most, or no row explains the word.
    """
    W = merged.shape[1] - 1
    best = merged.argmax(axis=1)
    linked = (best < W) & (merged.max(axis=1) > 0)
    return tuple(Link(int(best[v]), int(v)) for v in np.flatnonzero(linked))


def align(translation: Translation, shift: int = 0) -> Links:
    """Links the words of a translation to the source words they looked at most."""
    merged = merge_words(
        translation.attention, translation.source_words, translation.target_words, shift
    )
    return strongest_links(merged)


def format_links(links: Iterable[Link]) -> str:
    """Writes links the Pharaoh way: ``0-0 2-1 3p2``, source before target, ``p`` if possible.

    >>> format_links([Link(0, 0), Link(2, 1, sure=False)])
    '0-0 2p1'
    """
    return " ".join(f"{link.source}{'-' if link.sure else 'p'}{link.target}" for link in links)


def parse_links(text: str) -> Links:
    """Reads a line of Pharaoh links.

    >>> parse_links("0-0 2p1")
    (Link(source=0, target=0, sure=True), Link(source=2, target=1, sure=False))
    """
    links = []
    for piece in text.split():
        match = _LINK.fullmatch(piece)
        if match is None:
            raise DataError(
                f"'{piece}' is not a word link; write source-target, such as 3-4, or 3p4 for a "
                "possible link (words are counted from 0)."
            )
        links.append(Link(int(match[1]), int(match[3]), match[2] == "-"))
    return tuple(links)
