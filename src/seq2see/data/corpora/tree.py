"""What a sentence says before any language says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from seq2see.data.corpora.lexicon import Adjective, Adverb, Noun, Number, Verb
from seq2see.data.corpus import Link, Links


@dataclass(eq=False)
class Phrase:
    """A noun phrase; without a noun, a pronoun.

    Attributes:
        noun: Its head.
        person: 1, 2 or 3.
        plural: Its number.
        feminine: Its natural gender.
        determiner: the, a, this, my, your, our, own (the subject's), no, bare (some of a mass),
            field (a subject or a tongue), any (all of a kind) or "" (names).
        count: How many, in place of the article.
        adjective: What it is like.
        relative: The clause that says which one.
        also: The second half of "X and Y".
    """

    noun: Noun | None = None
    person: int = 3
    plural: bool = False
    feminine: bool = False
    determiner: str = ""
    count: Number | None = None
    adjective: Adjective | None = None
    relative: Clause | None = None
    also: Phrase | None = None

    @property
    def many(self) -> bool:
        """Whether it takes a verb in the plural."""
        return self.plural or self.also is not None

    @property
    def slot(self) -> int:
        """The place of its person in a conjugation: I, you, he or she, we, they."""
        return self.person - 1 if not self.many else (3 if self.person == 1 else 4)

    def parts(self) -> list[Phrase]:
        """Itself, and the second half of "X and Y"."""
        return [self] if self.also is None else [self, self.also]


@dataclass(eq=False)
class Clause:
    """One predication.

    Attributes:
        kind: verb (and what follows it), be (an adjective), job, at (somewhere), exist, age, more
            (a comparison) or weather.
        tense: present, past or future.
        subject: Who does it; what there is.
        verb: What is done.
        object: To what.
        recipient: To whom.
        adjective: What the subject is like.
        place: Where, or whereto for verbs of motion.
        relation: on, under, ...: how the subject lies to the place.
        company: With whom.
        when: At what time.
        front: Whether the time opens the sentence.
        mode: want, can, must, like (to do it) or going (on right now).
        negative: Whether it is denied.
        question: yes, who, what, where, when, why, or "" for a statement.
        gap: The part that a relative clause leaves out: subject or object.
        content: What is said or thought.
        then: A second predicate of the same subject.
        years: How old the subject is.
    """

    kind: str
    tense: str = "present"
    subject: Phrase | None = None
    verb: Verb | None = None
    object: Phrase | None = None
    recipient: Phrase | None = None
    adjective: Adjective | None = None
    place: Phrase | None = None
    relation: str = ""
    company: Phrase | None = None
    when: Adverb | None = None
    front: bool = False
    mode: str = ""
    negative: bool = False
    question: str = ""
    gap: str = ""
    content: Clause | None = None
    then: Clause | None = None
    years: Number | None = None

    def clauses(self) -> Iterator[Clause]:
        """This clause and every clause inside it."""
        yield self
        for phrase in (self.subject, self.object):
            if phrase is not None and phrase.relative is not None and not self.gap_is(phrase):
                yield from phrase.relative.clauses()
        for clause in (self.content, self.then):
            if clause is not None:
                yield from clause.clauses()

    def gap_is(self, phrase: Phrase) -> bool:
        """Whether a phrase is the one this relative clause is about."""
        return (self.gap == "subject" and phrase is self.subject) or (
            self.gap == "object" and phrase is self.object
        )

    @property
    def agent(self) -> Phrase:
        """The subject, where there must be one."""
        assert self.subject is not None
        return self.subject

    @property
    def action(self) -> Verb:
        """The verb, where there must be one."""
        assert self.verb is not None
        return self.verb


@dataclass(eq=False)
class Unit:
    """A main clause with the clauses that hang on it: "when A, B because C"."""

    main: Clause
    opener: str = ""  # when or if
    opening: Clause | None = None
    reason: Clause | None = None

    def clauses(self) -> Iterator[Clause]:
        """Every clause inside."""
        for clause in (self.opening, self.main, self.reason):
            if clause is not None:
                yield from clause.clauses()


@dataclass(eq=False)
class Sentence:
    """Units in a row, joined by "and" or "but"."""

    units: list[Unit]
    joints: list[str]

    def clauses(self) -> Iterator[Clause]:
        """Every clause inside."""
        for unit in self.units:
            yield from unit.clauses()


Key = tuple[int, str]
"""A part of the tree that words may stand for: a node (by identity) and its part."""


class Word(NamedTuple):
    """A written word, the parts of the tree it says, and whom it serves if nobody answers."""

    text: str
    keys: tuple[Key, ...]
    under: Key | None = None


def key(node: object, part: str) -> Key:
    """Names a part of a node."""
    return id(node), part


def say(text: str, *keys: Key, under: Key | None = None) -> list[Word]:
    """Writes the words, if any, that say the same part of the tree."""
    if " " in text:
        return [Word(word, keys, under) for word in text.split()]
    return [Word(text, keys, under)] if text else []


def fuse(first: Word, second: Word, text: str) -> Word:
    """Joins two words into one that says what both said."""
    new = tuple(part for part in second.keys if part not in first.keys)
    return Word(text, first.keys + new, second.under or first.under)


def links(source: Sequence[Word], target: Sequence[Word]) -> Links:
    """Aligns two sentences that say the same tree.

    Words that say the same part are surely linked, unless a part takes several words on both
    sides; a word that only one side writes may be linked to the word that it serves.

    Args:
        source: The words of one language.
        target: The words of the other.

    Returns:
        The links, sorted.
    """
    source_at, target_at = _places(source), _places(target)
    found: dict[tuple[int, int], bool] = {}
    for part, left in source_at.items():
        right = target_at.get(part, ())
        sure = len(left) == 1 or len(right) == 1
        for i in left:
            for j in right:
                found[i, j] = sure or found.get((i, j), False)
    for i, j in _served(source, target_at):
        found.setdefault((i, j), False)
    for j, i in _served(target, source_at):
        found.setdefault((i, j), False)
    return tuple(Link(i, j, sure) for (i, j), sure in sorted(found.items()))


def _places(words: Sequence[Word]) -> dict[Key, list[int]]:
    places: dict[Key, list[int]] = {}
    for i, word in enumerate(words):
        for part in word.keys:
            places.setdefault(part, []).append(i)
    return places


def _served(words: Sequence[Word], other: dict[Key, list[int]]) -> Iterator[tuple[int, int]]:
    """The words whose parts the other side does not say, with those of the word they serve."""
    for i, word in enumerate(words):
        if word.under in other and not any(part in other for part in word.keys):
            for j in other[word.under]:
                yield i, j


def finish(words: list[Word], opening: str, closing: str) -> list[Word]:
    """Capitalises the first word and sets the marks around the sentence."""
    first = words[0]
    words[0] = first._replace(text=opening + first.text[0].upper() + first.text[1:])
    words[-1] = words[-1]._replace(text=words[-1].text + closing)
    return words


def comma(words: list[Word]) -> list[Word]:
    """Sets a comma after the last word."""
    return [*words[:-1], words[-1]._replace(text=words[-1].text + ",")]
