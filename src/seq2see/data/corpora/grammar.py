"""Samples sentence trees: who can do what to whom, and how clauses join."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar
from zlib import crc32

from seq2see.data.corpora import lexicon
from seq2see.data.corpora.lexicon import Adjective, Noun, Verb
from seq2see.data.corpora.tree import Clause, Phrase, Sentence, Unit

T = TypeVar("T")

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
_KINDS = {"t": 46, "i": 12, "m": 8, "d": 7, "l": 8, "r": 5, "x": 4}
_SHAPES = {
    "verb": 100,
    "be": 18,
    "job": 6,
    "at": 5,
    "exist": 5,
    "age": 3,
    "more": 4,
    "weather": 5,
}
_SURFACES = ("table", "chair", "bed")
_OPEN_AIR = ("park", "garden", "forest", "street", "village")
_PLACED = ("eat", "drink", "buy", "sell", "read", "see", "look for", "find", "wait for", "forget")
_LONG = ("say", "think", "believe", "know")


class Grammar:
    """A seeded source of sentences.

    Only ``random()`` is drawn from, the one method whose values Python promises to keep.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random
        self._verbs: dict[str, list[Verb]] = {}
        for verb in lexicon.verbs():
            self._verbs.setdefault(verb.kind, []).append(verb)

    def _chance(self, p: float) -> bool:
        return self._random() < p

    def _pick(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]

    def _weighted(self, weights: dict[str, int]) -> str:
        left = self._random() * sum(weights.values())
        for name, weight in weights.items():
            left -= weight
            if left < 0:
                break
        return name

    # Sentences

    def sentence(self) -> Sentence:
        """Draws a sentence: mostly one clause, now and then a dozen."""
        level = self._random()
        if level < 0.6:
            if self._chance(0.16):
                return Sentence([Unit(self._question())], [])
            return Sentence([self._unit(0.0)], [])
        if level < 0.86:
            return self._chain(1 if self._chance(0.6) else 2, 0.25)
        count = 2
        while count < 9 and self._chance(0.72):
            count += 1
        return self._chain(count, 0.3)

    def _chain(self, count: int, rich: float) -> Sentence:
        units = [self._unit(rich)]
        while len(units) < count:
            unit = self._unit(rich)
            said = {_pronoun(c) for c in units[-1].clauses()}
            if _pronoun(unit.main) == "" or _pronoun(unit.main) not in said:
                units.append(unit)
        joints = ["and" if self._chance(0.65) else "but" for _ in units[1:]]
        return Sentence(units, joints)

    def _unit(self, rich: float) -> Unit:
        if self._chance(rich * 0.7):
            opener = "when" if self._chance(0.6) else "if"
            tense = "past" if self._chance(0.5) else "present"
            tense = tense if opener == "when" else "present"
            opening = self._clause(tense, rich * 0.3, plain=True)
            main = self._clause("future" if opener == "if" else tense, rich * 0.5, plain=True)
            return Unit(main, opener, opening)
        main = self._clause(self._tense(), rich)
        self._front(main)
        if self._chance(rich) and main.content is None:
            tense = "present" if main.tense == "future" or self._chance(0.3) else main.tense
            tense = "past" if main.tense == "past" else tense
            return Unit(main, reason=self._clause(tense, rich * 0.4, plain=True))
        return Unit(main)

    def _front(self, c: Clause) -> None:
        ends = c.when is not None and not c.when.mid
        c.front = ends and c.then is None and self._chance(0.35)

    def _tense(self) -> str:
        return self._weighted({"present": 45, "past": 35, "future": 20})

    # Clauses

    def _clause(self, tense: str, rich: float, plain: bool = False) -> Clause:
        """Draws a statement; ``plain`` ones report nothing."""
        shape = self._weighted(_SHAPES)
        if shape != "verb":
            c: Clause = getattr(self, f"_{shape}")(tense)
            self._deny(c, 0.15)
            return c
        kind = self._weighted(_KINDS)
        if kind == "r":
            return self._report(tense, rich) if not plain else self._action("t", tense, rich)
        if kind == "l":
            return self._liking(tense)
        if kind == "x":
            return self._having(tense)
        return self._action(kind, tense, rich)

    def _deny(self, c: Clause, p: float) -> None:
        allowed = c.kind in ("be", "job", "at", "weather", "verb") and c.mode != "must"
        mid = c.when is not None and c.when.mid
        c.negative = allowed and not mid and self._chance(p)

    def _action(self, kind: str, tense: str, rich: float, extras: bool = True) -> Clause:
        """Draws a clause around a verb that does something."""
        verb = self._pick(self._verbs[kind])
        animal = verb.subjects == ("animal",) or (
            "animal" in verb.subjects and kind == "i" and self._chance(0.3)
        )
        subject = self._creature() if animal else self._human(rich)
        c = Clause("verb", tense, subject, verb)
        if not animal and extras:
            self._mode(c)
        self._deny(c, 0.15)
        if kind in "td":
            c.object = self._object(c, rich)
        if kind == "d":
            c.recipient = self._recipient(c)
        heavy = c.object is not None and c.object.relative is not None
        self._where(c, heavy)
        if kind == "i" and not animal and c.place is None and self._chance(0.3):
            c.company = self._other(c)
        self._time(c, heavy)
        if c.mode == "like" and not _habit(c):
            c.mode = ""
        light = not heavy and not c.mode and (c.when is None or c.when.mid)
        if extras and light and not c.negative and self._chance(rich * 0.5):
            c.then = self._second(c)
        return c

    def _mode(self, c: Clause) -> None:
        verb = c.action
        if c.tense == "future" or ("state" in verb.marks and "city" not in verb.marks):
            return
        if self._chance(0.25):
            mode = self._weighted({"want": 30, "can": 30, "must": 14, "like": 30, "going": 22})
            past = c.tense == "past" and mode in ("must", "going")
            lasting = mode == "going" and verb.marks & {"state", "state-ing"}
            c.mode = "" if past or lasting else mode

    def _second(self, c: Clause) -> Clause:
        """A second predicate for the same subject."""
        other = self._action(self._pick("tti"), c.tense, 0.0, extras=False)
        while _kind_of(c.agent) not in other.action.subjects or other.verb is c.verb:
            other = self._action(self._pick("tti"), c.tense, 0.0, extras=False)
        other.subject, other.when, other.negative = c.agent, None, False
        if other.object is not None:
            other.object = self._object(other, 0.0)
        if _needs_time(other):
            self._time(other, False)
        return other

    def _where(self, c: Clause, heavy: bool) -> None:
        verb = c.action
        if verb.kind == "m":
            c.place = self._the(("place", "city"))
        elif "city" in verb.marks:
            c.place = self._the(("city",))
        elif "nowhere" in verb.marks or heavy:
            return
        elif verb.kind == "i" and self._chance(0.4):
            c.place = self._the(("place",))
            while _kind_of(c.agent) == "animal" and _name(c.place) not in _OPEN_AIR:
                c.place = self._the(("place",))
        elif verb.english in _PLACED and _kind_of(c.agent) == "human" and self._chance(0.2):
            named = c.object is not None and c.object.noun is not None
            if not (named and c.object is not None and _name(c.object) in _PLACES):
                c.place = self._the(("place",))

    def _time(self, c: Clause, heavy: bool) -> None:
        verb = c.verb
        state = verb is not None and "state" in verb.marks and "city" not in verb.marks
        if _needs_time(c) and not heavy:
            c.when = self._adverb("past", mid=False)
        elif heavy:
            if _needs_time(c):
                c.tense = "present"
        elif c.mode == "going":
            c.when = self._adverb("now", mid=False) if self._chance(0.3) else None
        elif not state and not c.mode and c.recipient is None and self._chance(0.3):
            c.when = self._adverb(c.tense, mid=not c.negative)

    def _adverb(self, tense: str, mid: bool) -> lexicon.Adverb:
        fits = [a for a in lexicon.adverbs() if tense in a.tenses and (mid or not a.mid)]
        return self._pick(fits)

    def _report(self, tense: str, rich: float) -> Clause:
        tense = "present" if tense == "future" else tense
        c = Clause("verb", tense, self._human(0.0), self._pick(self._verbs["r"]))
        c.content = self._clause("past" if tense == "past" else self._tense(), rich * 0.4, True)
        return c

    def _liking(self, tense: str) -> Clause:
        tense = "present" if tense == "future" else tense
        c = Clause("verb", tense, self._human(0.0), self._pick(self._verbs["l"]))
        noun = self._pick(lexicon.nouns_of((self._pick(c.action.objects),)))
        many = not noun.classes.isdisjoint({"animal", "food"})
        c.object = Phrase(noun, plural=many, determiner="any")
        self._deny(c, 0.15)
        return c

    def _having(self, tense: str) -> Clause:
        c = Clause("verb", tense, self._human(0.0), self._verbs["x"][0])
        self._deny(c, 0.25)
        noun = self._pick(lexicon.nouns_of((self._pick(c.action.objects),)))
        c.object = Phrase(noun, determiner="no" if c.negative else "a")
        if not c.negative:
            self._count(c.object)
            self._describe(c.object, 0.25)
        return c

    def _be(self, tense: str) -> Clause:
        fits = [a for a in lexicon.adjectives() if not a.classes & {"weather", "before"}]
        adjective = self._pick(fits)
        kind = self._pick(sorted(adjective.classes - {"after"}))
        if kind in ("human", "being", "person", "name"):
            subject = self._human(0.0)
        else:
            subject = self._matter(kind)
        c = Clause("be", tense, subject, adjective=adjective)
        passing = adjective.with_verb in ("estar", "tener") and _kind_of(subject) == "human"
        if passing and self._chance(0.25) and tense != "present":
            c.when = self._adverb(tense, mid=False)
        elif passing and self._chance(0.2) and tense == "present":
            c.when = self._pick([a for a in lexicon.adverbs() if a.mid])
        return c

    def _job(self, tense: str) -> Clause:
        subject = self._human(0.0)
        while subject.also is not None or (subject.noun and "person" in subject.noun.classes):
            subject = self._human(0.0)
        noun = self._pick(list(lexicon.nouns_of(("job",))))
        job = Phrase(noun, plural=subject.plural, feminine=subject.feminine, determiner="a")
        return Clause("job", tense, subject, object=job)

    def _at(self, tense: str) -> Clause:
        if self._chance(0.5):
            return Clause("at", tense, self._human(0.0), place=self._the(("place", "city")))
        subject = self._matter(self._pick(("small", "animal", "clothes", "text")))
        return self._lying(Clause("at", tense, subject))

    def _exist(self, tense: str) -> Clause:
        if self._chance(0.5):
            noun = self._pick(lexicon.nouns_of((self._pick(("person", "animal", "vehicle")),)))
            c = Clause("exist", tense, self._a(noun), place=self._the(("place",)))
            while "animal" in noun.classes and _name(c.place) not in _OPEN_AIR:
                c.place = self._the(("place",))
            return c
        noun = self._pick(lexicon.nouns_of((self._pick(("small", "food", "text")),)))
        return self._lying(Clause("exist", tense, self._a(noun)))

    def _lying(self, c: Clause) -> Clause:
        c.relation = self._pick(("on", "on", "under", "beside", "behind", "before", "near"))
        flat = c.relation in ("on", "under")
        near = self._the(("furniture",) if flat else ("furniture", "door", "house"))
        while near.noun is c.agent.noun or (flat and _name(near) not in _SURFACES):
            near = self._the(("furniture",) if flat else ("furniture", "door", "house"))
        c.place = near
        return c

    def _age(self, tense: str) -> Clause:
        subject = self._human(0.0)
        while subject.many:
            subject = self._human(0.0)
        years = self._pick([n for n in lexicon.numbers() if n.value > 4])
        return Clause("age", tense, subject, years=years)

    def _more(self, tense: str) -> Clause:
        fits = [a for a in lexicon.adjectives() if a.comparative and not a.classes & {"before"}]
        adjective = self._pick(fits)
        kind = self._pick(sorted(adjective.classes - {"after"}))
        if kind in ("human", "person", "name"):
            subject = self._human(0.0)
            c = Clause("more", tense, subject, adjective=adjective)
            c.object = self._other(c)
            return c
        subject, than = self._matter(kind), self._matter(kind)
        while than.noun is subject.noun:
            than = self._matter(kind)
        return Clause("more", tense, subject, adjective=adjective, object=than)

    def _weather(self, tense: str) -> Clause:
        fits = [a for a in lexicon.adjectives() if "weather" in a.classes]
        c = Clause("weather", tense, adjective=self._pick(fits))
        if tense != "present" or self._chance(0.3):
            c.when = self._adverb(tense, mid=False)
        elif self._chance(0.6):
            c.place = self._the(("city",))
        return c

    # Questions

    def _question(self) -> Clause:
        while True:
            c = self._clause(self._tense(), 0.0, plain=True)
            if c.kind not in ("verb", "be", "job", "at", "exist") or c.negative or _needs_time(c):
                continue
            c.question = self._asked(c)
            if c.question == "who":
                c.subject = Phrase()
            return c

    def _asked(self, c: Clause) -> str:
        fits = ["yes"]
        likes = c.mode == "like" or (c.verb is not None and c.verb.kind == "l")
        own = c.object is not None and c.object.determiner == "own"
        personal = c.kind in ("verb", "be") and not likes
        if personal and not own and c.subject is not None and _kind_of(c.subject) == "human":
            fits.append("who")
        if c.kind == "verb" and c.verb is not None and c.verb.kind == "t" and not c.negative:
            things = not set(c.verb.objects) & {"human", "city", "place"}
            fits += ["what"] if things and c.mode != "like" and c.place is None else []
        if personal and c.verb is not None and c.place is not None:
            fits.append("where")
        if personal and c.verb is not None and c.verb.kind in "tmi" and "state" not in c.verb.marks:
            fits += ["when"] if not c.mode and c.when is None else []
        if personal and c.subject is not None:
            fits.append("why")
        return self._pick(fits)

    # Noun phrases

    def _human(self, rich: float) -> Phrase:
        """Draws somebody."""
        kind = self._weighted({"pronoun": 42, "name": 18, "person": 22, "kin": 12, "two": 6})
        if kind == "pronoun":
            person, plural, feminine = self._pick(_PRONOUNS)
            return Phrase(None, person, plural, feminine)
        if kind == "two":
            first, second = self._named("name"), self._named(self._pick(("name", "kin")))
            while second.noun is first.noun:
                second = self._named("name")
            first.also = second
            return first
        p = self._named(kind)
        if kind == "person":
            p.determiner = "the" if self._chance(0.9) else "this"
            p.plural = self._chance(0.15)
            self._describe(p, 0.12)
            if p.determiner == "the" and self._chance(rich * 0.35):
                p.relative = self._relative(p)
        return p

    def _named(self, kind: str) -> Phrase:
        noun = self._pick(lexicon.nouns_of((kind,)))
        possessed = self._pick(("my", "my", "your", "our")) if kind == "kin" else ""
        return Phrase(noun, feminine="she" in noun.classes, determiner=possessed)

    def _creature(self) -> Phrase:
        p = Phrase(self._pick(lexicon.nouns_of(("animal",))))
        p.determiner = self._pick(("the", "the", "the", "this", "my", "our"))
        p.plural = self._chance(0.2)
        self._describe(p, 0.12)
        return p

    def _matter(self, kind: str) -> Phrase:
        """Draws a thing that something is said about."""
        noun = self._pick(list(lexicon.nouns_of((kind,))))
        if noun.classes & {"field", "tongue"}:
            return Phrase(noun, determiner="any")
        if noun.human:
            return self._human(0.0)
        owned = not noun.classes & {"meal", "drink", "place"}
        p = Phrase(noun, determiner=self._pick(("the", "the", "this", "my", "your", "our")))
        p.determiner = p.determiner if owned else "the"
        p.plural = owned and self._chance(0.25)
        return p

    def _the(self, classes: tuple[str, ...]) -> Phrase:
        noun = self._pick(lexicon.nouns_of(classes))
        return Phrase(noun, determiner="" if noun.proper else "the")

    def _a(self, noun: Noun) -> Phrase:
        p = Phrase(noun, determiner="a", feminine="she" in noun.classes)
        self._count(p)
        self._describe(p, 0.2)
        return p

    def _count(self, p: Phrase) -> None:
        if self._chance(0.35):
            p.plural = True
            if self._chance(0.7):
                p.count = self._pick(lexicon.numbers()[:11])

    def _describe(self, p: Phrase, p_adjective: float) -> None:
        if p.noun is not None and self._chance(p_adjective):
            fits: list[Adjective] = [
                a for a in lexicon.adjectives_for(p.noun) if "after" not in a.classes
            ]
            p.adjective = self._pick(fits) if fits else None

    def _other(self, c: Clause) -> Phrase:
        """Somebody else than the subject, by name or kind."""
        p = self._named(self._pick(("name", "person", "kin")))
        while p.noun in [part.noun for part in c.agent.parts()]:
            p = self._named(self._pick(("name", "person", "kin")))
        if p.noun is not None and "person" in p.noun.classes:
            p.determiner = "the"
        elif p.determiner and c.agent.person == 3 and self._chance(0.4):
            p.determiner = "own"
        return p

    def _recipient(self, c: Clause) -> Phrase:
        person, plural = self._pick(((1, False), (2, False), (1, True)))
        if c.agent.person != person and self._chance(0.5):
            return Phrase(None, person, plural)
        return self._other(c)

    def _object(self, c: Clause, rich: float) -> Phrase:
        verb = c.action
        kind = self._pick(verb.objects)
        if kind == "human":
            return self._somebody(c, rich)
        noun = self._pick(lexicon.nouns_of((kind,)))
        while noun in [part.noun for part in c.agent.parts()]:
            noun = self._pick(lexicon.nouns_of((kind,)))
        p = Phrase(noun)
        if noun.proper:
            return p
        if noun.classes & {"meal", "drink", "heard"} and verb.english not in ("study", "teach"):
            p.determiner = "bare"
        elif noun.classes & {"field", "tongue", "sport"}:
            p.determiner = "field"
        elif noun.classes & {"place", "ride", "instrument", "door"}:
            p.determiner = "the"
        else:
            self._determine(p, c)
            self._describe(p, 0.2)
            if p.determiner == "the" and self._chance(rich * 0.4):
                p.relative = self._relative(p)
            elif self._chance(0.05) and p.adjective is None:
                p.also = Phrase(self._pick(lexicon.nouns_of((kind,))), determiner=p.determiner)
                if p.also.noun is noun or p.plural or p.determiner == "own":
                    p.also = None
        return p

    def _determine(self, p: Phrase, c: Clause) -> None:
        own = {0: "my", 1: "your", 2: "own", 3: "our", 4: "own"}[c.agent.slot]
        weights = {"the": 32, "this": 8, own: 16}
        if not c.negative:
            weights["a"] = 44
        p.determiner = self._weighted(weights)
        if p.determiner == "a":
            self._count(p)
        else:
            p.plural = self._chance(0.2)

    def _somebody(self, c: Clause, rich: float) -> Phrase:
        clear = c.action.french[0] not in "aeiouhéê" and c.mode != "going" and c.mode != "like"
        if clear and self._chance(0.35):
            person, plural, feminine = self._pick(_PRONOUNS)
            if person == 3 or person != c.agent.person:
                return Phrase(None, person, plural, feminine)
        p = self._other(c)
        if p.determiner == "the":
            p.plural = self._chance(0.15)
            if self._chance(rich * 0.4):
                p.relative = self._relative(p)
        return p

    def _relative(self, p: Phrase) -> Clause:
        assert p.noun is not None
        tense = "past" if self._chance(0.5) else "present"
        if p.noun.human and self._chance(0.6):
            while True:
                c = self._action(self._pick("tti"), tense, 0.0, extras=False)
                if "human" in c.action.subjects and not _same(c, p):
                    break
            c.subject, c.gap, c.negative, c.front = p, "subject", False, False
            if c.object is not None:
                c.object = self._object(c, 0.0)
            return c
        classes = p.noun.classes | ({"human"} if p.noun.human else set())
        fits = [v for v in self._verbs["t"] if classes & set(v.objects) and "human" in v.subjects]
        subject = self._human(0.0)
        while subject.slot == 3 or subject.noun is p.noun or (subject.noun and subject.plural):
            subject = self._human(0.0)
        c = Clause("verb", tense, subject, self._pick(fits), object=p, gap="object")
        if _needs_time(c):
            c.tense = "present"
        return c


_PLACES = frozenset(n.english.singular for n in lexicon.nouns_of(("place", "city")))


def _same(c: Clause, p: Phrase) -> bool:
    phrases = [q for q in (c.object, c.company, c.place) if q is not None]
    return any(part.noun is p.noun for q in phrases for part in q.parts())


def _kind_of(p: Phrase) -> str:
    if p.noun is None or p.noun.human:
        return "human"
    return "animal" if "animal" in p.noun.classes else "thing"


def _name(p: Phrase | None) -> str:
    if p is None:
        return ""
    if p.noun is None:
        return f"{p.person}{'p' if p.plural else 's'}{'f' if p.feminine else ''}"
    return p.noun.english.singular


def _pronoun(c: Clause) -> str:
    return _name(c.subject) if c.subject is not None and c.subject.noun is None else ""


def _habit(c: Clause) -> bool:
    """Whether one can like to do it: nothing definite, no day."""
    if c.when is not None or c.place is not None or c.company is not None:
        return False
    return c.object is None or c.object.determiner in ("bare", "field")


def _needs_time(c: Clause) -> bool:
    """Whether its past must be told by a day: "we speak" in Spanish, "read" in English."""
    if c.tense != "past" or c.mode or c.verb is None or c.verb.kind in "lrx":
        return False
    event = "state" not in c.verb.marks
    return event and (c.agent.slot == 3 or c.verb.english == "read")


def combinations(tree: Sentence) -> list[str]:
    """Names what each clause combines: who, what, whom."""
    named = []
    for c in tree.clauses():
        verb = c.verb.english if c.verb is not None else c.kind
        quality = c.adjective.english if c.adjective is not None else ""
        when = c.when.english if c.kind == "weather" and c.when is not None else ""
        what = _name(c.object) or _name(c.place)
        named.append("|".join((_name(c.subject), verb, quality, what, when)))
    return named


def split_of(tree: Sentence) -> str:
    """The split of a sentence: a combination that was put aside is never trained on."""
    buckets = [crc32(name.encode()) % 100 for name in combinations(tree)]
    held_out = any(name in _TESTED for name in combinations(tree))
    if held_out or any(bucket < 4 for bucket in buckets):
        return "test"
    return "valid" if any(bucket < 6 for bucket in buckets) else "train"


_TESTED = ("1s|like||soccer|", "1s|job||student|")


def named_sentences() -> list[Sentence]:
    """The two sentences that every test split opens with."""
    lexical = {noun.english.singular: noun for noun in lexicon.nouns()}
    like = next(verb for verb in lexicon.verbs() if verb.english == "like")
    i = Phrase(person=1)
    soccer = Phrase(lexical["soccer"], determiner="any")
    student = Phrase(lexical["student"], determiner="a")
    clauses = (
        Clause("verb", subject=i, verb=like, object=soccer),
        Clause("job", subject=i, object=student),
    )
    return [Sentence([Unit(clause)], []) for clause in clauses]
