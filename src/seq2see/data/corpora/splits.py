"""Splits by unseen combination: who did what to whom, never said that way in training."""

from __future__ import annotations

from zlib import crc32

from seq2see.data.corpora import lexicon
from seq2see.data.corpora.noun_phrases import name_of
from seq2see.data.corpora.tree import Clause, Phrase, Sentence, Unit

_HELD_OUT = ("1s|like||soccer|", "1s|job||student|")  # what the named sentences combine


def combinations(tree: Sentence) -> list[str]:
    """Names what each clause combines: who, does or is, what or where."""
    named = []
    for c in tree.clauses():
        verb = c.verb.english if c.verb is not None else c.kind
        quality = c.adjective.english if c.adjective is not None else ""
        when = c.when.english if c.kind == "weather" and c.when is not None else ""
        what = name_of(c.object) or name_of(c.place)
        named.append("|".join((name_of(c.subject), verb, quality, what, when)))
    return named


def split_of(tree: Sentence) -> str:
    """The split of a sentence: one combination that was put aside takes all of it there."""
    named = combinations(tree)
    buckets = [crc32(name.encode()) % 100 for name in named]
    if any(bucket < 4 for bucket in buckets) or any(name in _HELD_OUT for name in named):
        return "test"
    return "valid" if any(bucket < 6 for bucket in buckets) else "train"


def named_sentences() -> list[Sentence]:
    """The two sentences that every test split opens with: liking soccer, being a student."""
    nouns = {noun.english.singular: noun for noun in lexicon.nouns()}
    like = next(verb for verb in lexicon.verbs() if verb.english == "like")
    speaker = Phrase(person=1)
    soccer = Phrase(nouns["soccer"], determiner="any")
    student = Phrase(nouns["student"], determiner="a")
    clauses = (
        Clause("verb", subject=speaker, verb=like, object=soccer),
        Clause("job", subject=speaker, object=student),
    )
    return [Sentence([Unit(clause)], []) for clause in clauses]
