"""The phrase corpora: trees from the grammar, said in two languages and split."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

from seq2see.data.corpora import english, french, korean, spanish
from seq2see.data.corpora.grammar import Grammar
from seq2see.data.corpora.splits import named_sentences, split_of
from seq2see.data.corpora.tree import Sentence, Word, links
from seq2see.data.corpus import Corpus, Link, Links

SIZES = {"train": 60_000, "valid": 500, "test": 1000}
_SEED = 20151
_LONGEST = 70  # words
_SEEN = 3  # how often a word form of valid and test must occur in train
_SAYERS: dict[str, Callable[[Sentence], list[Word]]] = {
    "es": spanish.sentence,
    "fr": french.sentence,
    "ko": korean.sentence,
}


class Said(NamedTuple):
    """A sentence in both languages, with its word links."""

    source: str
    target: str
    links: Links


def corpus(source: str, target: str, split: str) -> Corpus:
    """Builds a phrase corpus.

    Args:
        source: en, es, fr or ko.
        target: en if the source is another, else another.
        split: train, valid or test.
    """
    name = f"phrases:{source}-{target}/{split}"
    if source == "en":
        said = _splits(target)[split]
    else:
        said = [Said(t, s, _mirrored(at)) for s, t, at in _splits(source)[split]]
    sources, targets, at = zip(*said, strict=True)
    return Corpus(name, sources, targets, at)


def _mirrored(at: Links) -> Links:
    return tuple(sorted(Link(j, i, sure) for i, j, sure in at))


@cache
def _splits(language: str) -> dict[str, list[Said]]:
    """All splits between English and another language, in one pass over the grammar."""
    say = _SAYERS[language]
    grammar = Grammar(_SEED)
    splits: dict[str, list[Said]] = {name: [] for name in SIZES}
    spare = {"valid": 3 * SIZES["valid"], "test": 3 * SIZES["test"], "train": SIZES["train"]}
    sources: set[str] = set()
    targets: set[str] = set()

    def add(tree: Sentence, split: str) -> None:
        left = english.sentence(tree)
        if len(left) > _LONGEST:
            return
        right = say(tree)
        source, target = " ".join(w.text for w in left), " ".join(w.text for w in right)
        # Either language may be the source: nothing said twice on either side.
        if source not in sources and target not in targets:
            sources.add(source)
            targets.add(target)
            splits[split].append(Said(source, target, links(left, right)))

    with _no_collector():
        for tree in named_sentences():
            add(tree, "test")
        while len(splits["train"]) < spare["train"]:
            tree = grammar.sentence()
            split = split_of(tree)
            if len(splits[split]) < spare[split]:
                add(tree, split)
    seen = _frequent(splits["train"])
    for name in ("valid", "test"):
        known = [pair for pair in splits[name] if _forms(pair) <= seen]
        splits[name] = _as_long_as_train(known, splits["train"], SIZES[name])
    return splits


@contextmanager
def _no_collector() -> Iterator[None]:
    """Pauses the cyclic collector, which takes half the time while millions of words are made."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _as_long_as_train(pairs: list[Said], train: list[Said], size: int) -> list[Said]:
    """Keeps as many of each length as there are in train: the long combine more that is new."""
    lengths = Counter(_band(pair) for pair in train)
    room = {band: round(size * count / len(train)) for band, count in lengths.items()}
    room[0] += size - sum(room.values())
    kept = []
    for pair in pairs:
        band = _band(pair)
        if room.get(band, 0):
            room[band] -= 1
            kept.append(pair)
    return kept


def _band(pair: Said) -> int:
    """Length of the source, in steps of five words."""
    return pair.source.count(" ") // 5


def _forms(pair: Said) -> set[tuple[str, str]]:
    source = {("source", form) for form in pair.source.split()}
    return source | {("target", form) for form in pair.target.split()}


def _frequent(pairs: list[Said]) -> set[tuple[str, str]]:
    counts = Counter(form for pair in pairs for form in _forms(pair))
    return {form for form, n in counts.items() if n >= _SEEN}
