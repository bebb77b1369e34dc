"""Samples noun phrases: somebody, something, somewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod

from seq2see.data.corpora import lexicon
from seq2see.data.corpora.draw import Draw
from seq2see.data.corpora.lexicon import Noun
from seq2see.data.corpora.tree import Clause, Phrase

_PRONOUNS = (
    (1, False, False),
    (1, False, False),
    (2, False, False),
    (3, False, False),
    (3, False, True),
    (3, False, True),
    (1, True, False),
    (3, True, False),
)
OPEN_AIR = ("park", "garden", "forest", "street", "village")


class NounPhrases(Draw, ABC):
    """Draws noun phrases that fit their clause."""

    @abstractmethod
    def relative(self, p: Phrase) -> Clause:
        """Draws the clause that says which one."""

    def human(self, rich: float = 0.0) -> Phrase:
        """Draws somebody."""
        kind = self.weighted({"pronoun": 42, "name": 18, "person": 22, "kin": 12, "two": 6})
        if kind == "pronoun":
            person, plural, feminine = self.pick(_PRONOUNS)
            return Phrase(None, person, plural, feminine)
        if kind == "two":
            first, second = self._named("name"), self._named(self.pick(("name", "kin")))
            while second.noun is first.noun:
                second = self._named("name")
            first.also = second
            return first
        p = self._named(kind)
        if kind == "person":
            p.determiner = "the" if self.chance(0.9) else "this"
            p.plural = self.chance(0.15)
            self._describe(p, 0.12)
            if p.determiner == "the" and self.chance(rich * 0.35):
                p.relative = self.relative(p)
        return p

    def _named(self, kind: str) -> Phrase:
        noun = self.pick(lexicon.nouns_of((kind,)))
        possessed = self.pick(("my", "my", "your", "our")) if kind == "kin" else ""
        return Phrase(noun, feminine="she" in noun.classes, determiner=possessed)

    def creature(self) -> Phrase:
        """Draws an animal that does something."""
        p = Phrase(self.pick(lexicon.nouns_of(("animal",))), determiner="the")
        if _tame(p):
            p.determiner = self.pick(("the", "the", "the", "this", "my", "our"))
        p.plural = self.chance(0.2)
        self._describe(p, 0.12)
        return p

    def matter(self, kind: str) -> Phrase:
        """Draws what a quality is said of."""
        noun = self.pick(lexicon.nouns_of((kind,)))
        if noun.classes & {"field", "tongue"}:
            return Phrase(noun, determiner="any")
        p = Phrase(noun, determiner="the")
        if not noun.classes & {"meal", "drink", "place"}:
            if _tame(p):
                p.determiner = self.pick(("the", "the", "this", "my", "your", "our"))
            p.plural = self.chance(0.25)
        return p

    def the(self, *classes: str) -> Phrase:
        """Draws a known place or thing."""
        noun = self.pick(lexicon.nouns_of(classes))
        return Phrase(noun, determiner="" if noun.proper else "the")

    def some(self, noun: Noun) -> Phrase:
        """A noun that was not spoken of before, or a few of them."""
        p = Phrase(noun, determiner="a", feminine="she" in noun.classes)
        self.count(p)
        self._describe(p, 0.2)
        return p

    def count(self, p: Phrase) -> None:
        """Makes several of one, now and then."""
        if self.chance(0.35):
            p.plural = True
            if self.chance(0.7):
                p.count = self.pick(lexicon.numbers()[:7])

    def _describe(self, p: Phrase, often: float) -> None:
        if p.noun is not None and self.chance(often):
            fits = [a for a in lexicon.adjectives_for(p.noun) if "after" not in a.classes]
            p.adjective = self.pick(fits) if fits else None

    def other(self, c: Clause) -> Phrase:
        """Somebody else than the subject, by name or kind."""
        p = self._named(self.pick(("name", "person", "kin")))
        while p.noun in [part.noun for part in c.agent.parts()]:
            p = self._named(self.pick(("name", "person", "kin")))
        if p.noun is not None and "person" in p.noun.classes:
            p.determiner = "the"
        elif p.determiner and kind_of(c.agent) == "human" and c.agent.person == 3:
            p.determiner = "own" if self.chance(0.4) else p.determiner
        return p

    def recipient(self, c: Clause) -> Phrase:
        """Whom something is given to."""
        person, plural = self.pick(((1, False), (2, False), (1, True)))
        if c.agent.person != person and self.chance(0.5):
            return Phrase(None, person, plural)
        return self.other(c)

    def patient(self, c: Clause, rich: float = 0.0) -> Phrase:
        """What the verb of a clause is done to."""
        kind = self.pick(c.action.objects)
        if kind == "human":
            return self._somebody(c, rich)
        fits = lexicon.nouns_of((kind,))
        noun = self.pick(fits)
        while any(noun is part.noun for part in c.agent.parts()):
            noun = self.pick(fits)
        p = Phrase(noun)
        if noun.proper:
            return p
        if noun.classes & {"meal", "drink"} or kind == "heard":
            p.determiner = "bare"
        elif noun.classes & {"field", "tongue", "sport"}:
            p.determiner = "field"
        elif noun.classes & {"place", "ride", "instrument", "door"}:
            p.determiner = "the"
        else:
            self._determine(p, c)
            self._describe(p, 0.2)
            if p.determiner == "the" and self.chance(rich * 0.4):
                p.relative = self.relative(p)
            elif not p.plural and p.adjective is None and p.determiner != "own":
                also = self.pick(fits)
                if also is not noun and self.chance(0.05):
                    p.also = Phrase(also, determiner=p.determiner)
        return p

    def _determine(self, p: Phrase, c: Clause) -> None:
        own = {0: "my", 1: "your", 2: "own", 3: "our", 4: "own"}[c.agent.slot]
        weights = {"the": 32, "this": 8}
        if kind_of(c.agent) == "human" and _tame(p):
            weights[own] = 16
        if not c.negative:
            weights["a"] = 44
        p.determiner = self.weighted(weights)
        if p.determiner == "a":
            self.count(p)
        else:
            p.plural = self.chance(0.2)

    def _somebody(self, c: Clause, rich: float) -> Phrase:
        # French "l'" would hide whether it is him or her.
        clear = c.action.french[0] not in "aeiouhéê" and c.mode not in ("going", "like")
        if clear and self.chance(0.35):
            person, plural, feminine = self.pick(_PRONOUNS)
            if person == 3 or person != c.agent.person:
                return Phrase(None, person, plural, feminine)
        p = self.other(c)
        if p.determiner == "the":
            p.plural = self.chance(0.15)
            if self.chance(rich * 0.4):
                p.relative = self.relative(p)
        return p


def kind_of(p: Phrase) -> str:
    """Whether it is human, an animal or a thing."""
    if p.noun is None or p.noun.human:
        return "human"
    return "animal" if "animal" in p.noun.classes else "thing"


def name_of(p: Phrase | None) -> str:
    """A name for who or what it is, the same in all numbers and with all articles."""
    if p is None:
        return ""
    if p.noun is None:
        return f"{p.person}{'p' if p.plural else 's'}{'f' if p.feminine else ''}"
    return p.noun.english.singular


def _tame(p: Phrase) -> bool:
    """Whether it can be somebody's."""
    assert p.noun is not None
    return "animal" not in p.noun.classes or bool(p.noun.classes & {"pet", "farm"})
