"""Samples clauses: who can do what to whom, where and when."""

from __future__ import annotations

from seq2see.data.corpora import lexicon
from seq2see.data.corpora.lexicon import Verb
from seq2see.data.corpora.noun_phrases import OPEN_AIR, NounPhrases, kind_of, name_of
from seq2see.data.corpora.tree import Clause, Phrase

_KINDS = {"t": 46, "i": 12, "m": 8, "d": 7, "l": 8, "r": 5, "x": 4}
_EVENTS = {"t": 50, "i": 25, "m": 15}
# What is worth saying alone, what goes on in a story, what is a reason, what sets a scene.
_SHAPES = {
    "alone": {
        "verb": 100,
        "be": 18,
        "job": 6,
        "at": 5,
        "exist": 5,
        "age": 3,
        "more": 4,
        "weather": 5,
    },
    "story": {"verb": 100, "be": 14, "at": 4, "exist": 4, "job": 3, "weather": 4},
    "reason": {"verb": 60, "be": 30, "weather": 14},
    "scene": {"verb": 60, "be": 14, "at": 12, "weather": 14},
}
_PLACED = ("eat", "drink", "buy", "sell", "read", "see", "look for", "find", "wait for", "forget")


class Clauses(NounPhrases):
    """Draws statements that make sense by themselves."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._verbs: dict[str, list[Verb]] = {}
        for verb in lexicon.verbs():
            self._verbs.setdefault(verb.kind, []).append(verb)

    def tense(self) -> str:
        """Draws a tense."""
        return self.weighted({"present": 45, "past": 35, "future": 20})

    def clause(self, tense: str, rich: float = 0.0, role: str = "alone") -> Clause:
        """Draws a statement for a role in a sentence."""
        shape = self.weighted(_SHAPES[role])
        if shape == "verb":
            return self._doing(tense, rich, role)
        if shape == "more":
            return self._more("past" if tense == "past" else "present")
        draws = {
            "be": self._be,
            "job": self._job,
            "at": self._at,
            "exist": self._exist,
            "age": self._age,
            "weather": self._weather,
        }
        if shape == "be" and (role in ("reason", "scene") or tense == "future"):
            return self._deny(self._feel(tense))
        return self._deny(draws[shape](tense))

    def _doing(self, tense: str, rich: float, role: str) -> Clause:
        if role == "scene":
            return self.event(tense, rich)
        kind = self.weighted(_KINDS)
        if kind == "r" and role in ("alone", "story") and tense != "future":
            return self._report(tense, rich)
        if kind == "l" and tense != "future":
            return self._liking(tense)
        if kind == "x":
            return self._having(tense)
        return self._action(kind if kind in "timd" else "t", tense, rich)

    def event(self, tense: str, rich: float) -> Clause:
        """Draws something that happens."""
        return self._action(self.weighted(_EVENTS), tense, rich)

    def _deny(self, c: Clause, often: float = 0.15) -> Clause:
        allowed = c.kind in ("be", "job", "at", "weather", "verb") and c.mode != "must"
        c.negative = allowed and c.when is None and self.chance(often)
        return c

    def _action(self, kind: str, tense: str, rich: float, extras: bool = True) -> Clause:
        """Draws a clause around a verb that does something."""
        verb = self.pick(self._verbs[kind])
        animal = verb.subjects == ("animal",) or (
            "animal" in verb.subjects and kind == "i" and self.chance(0.3)
        )
        c = Clause("verb", tense, self.creature() if animal else self.human(rich), verb)
        if extras:
            self._mode(c, animal)
        self._deny(c)
        if kind in "td":
            c.object = self.patient(c, rich if kind == "t" else 0.0)
            relative = c.object.relative
            if relative is not None and relative.verb is verb:
                c.object.relative = None
        if kind == "d":
            c.recipient = self.recipient(c)
        heavy = c.object is not None and c.object.relative is not None
        self._where(c, heavy)
        if kind == "i" and not animal and c.place is None and self.chance(0.3):
            c.company = self.other(c)
        self._time(c, heavy)
        if c.mode == "like" and not _habit(c):
            c.mode = ""
            self._time(c, heavy)
        light = not heavy and not c.mode and (c.when is None or c.when.mid)
        if extras and light and not c.negative and self.chance(rich * 0.5):
            c.then = self._second(c)
        return c

    def _mode(self, c: Clause, animal: bool) -> None:
        marks = c.action.marks
        state = "state" in marks and "city" not in marks
        if animal or state or c.tense == "future" or "mishap" in marks:
            return
        if self.chance(0.25):
            mode = self.weighted({"want": 30, "can": 30, "must": 14, "like": 30, "going": 22})
            past = c.tense == "past" and mode in ("must", "going")
            lasting = marks & {"state", "state-ing"} or c.action.kind == "m"
            c.mode = "" if past or (lasting and mode == "going") else mode

    def _second(self, c: Clause) -> Clause:
        """A second predicate for the same subject."""
        while True:
            verb = self.pick(self._verbs[self.pick("tti")])
            if kind_of(c.agent) in verb.subjects and verb is not c.verb:
                break
        other = Clause("verb", c.tense, c.agent, verb)
        if verb.kind == "t":
            other.object = self.patient(other)
        self._where(other, False)
        if needs_time(other):
            self._time(other, False)
        return other

    def _where(self, c: Clause, heavy: bool) -> None:
        verb, animal = c.action, kind_of(c.agent) == "animal"
        if verb.kind == "m":
            c.place = self.the("place", "city")
            while name_of(c.place) in ("street", "forest"):  # not where one goes to
                c.place = self.the("place", "city")
        elif "city" in verb.marks:
            c.place = self.the("city")
        elif "nowhere" in verb.marks or heavy:
            return
        elif verb.kind == "i" and self.chance(0.4):
            c.place = self._somewhere(animal or "outdoors" in verb.marks)
        elif verb.english in _PLACED and not animal and self.chance(0.2):
            c.place = None if name_of(c.object) in _PLACES else self.the("place")

    def _somewhere(self, outside: bool) -> Phrase:
        place = self.the("place")
        while outside and name_of(place) not in OPEN_AIR:
            place = self.the("place")
        return place

    def _time(self, c: Clause, heavy: bool) -> None:
        state = "state" in c.action.marks
        if needs_time(c):
            if heavy:
                c.tense = "present"
            else:
                c.when = self._adverb("past")
        elif heavy or state:
            return
        elif c.mode == "going":
            c.when = self._adverb("now") if self.chance(0.3) else None
        elif not c.mode and c.recipient is None and not c.negative and self.chance(0.3):
            c.when = self._adverb(c.tense, mid=True)

    def _adverb(self, tense: str, mid: bool = False) -> lexicon.Adverb:
        return self.pick(lexicon.adverbs_of(tense, mid))

    def _report(self, tense: str, rich: float) -> Clause:
        c = Clause("verb", tense, self.human(), self.pick(self._verbs["r"]))
        told = "past" if tense == "past" else self.tense()
        c.content = self.clause(told, rich * 0.4, "story")
        while c.content.content is not None or (tense == "past" and not _lasting(c.content)):
            c.content = self.clause(told, rich * 0.4, "story")
        return c

    def _liking(self, tense: str) -> Clause:
        c = Clause("verb", tense, self.human(), self.pick(self._verbs["l"]))
        noun = self.pick(lexicon.nouns_of((self.pick(c.action.objects),)))
        many = not noun.classes.isdisjoint({"animal", "food"})
        c.object = Phrase(noun, plural=many, determiner="any")
        return self._deny(c)

    def _having(self, tense: str) -> Clause:
        c = self._deny(Clause("verb", tense, self.human(), self._verbs["x"][0]), 0.25)
        fits = lexicon.nouns_of((self.pick(c.action.objects),))
        noun = self.pick([n for n in fits if "animal" not in n.classes or n.classes & {"pet"}])
        c.object = Phrase(noun, determiner="no") if c.negative else self.some(noun)
        return c

    def _be(self, tense: str) -> Clause:
        adjective = self.pick(_QUALITIES)
        kind = self.pick(sorted(adjective.classes - {"after"}))
        human = kind in ("human", "being", "person", "name")
        return Clause(
            "be", tense, self.human() if human else self.matter(kind), adjective=adjective
        )

    def _feel(self, tense: str) -> Clause:
        c = Clause("be", tense, self.human(), adjective=self.pick(_FEELINGS))
        if self.chance(0.25):
            mids = [a for a in lexicon.adverbs() if a.mid]
            c.when = self.pick(mids) if tense == "present" else self._adverb(tense)
        return c

    def _job(self, tense: str) -> Clause:
        subject = self.human()
        while subject.also is not None or (subject.noun and "person" in subject.noun.classes):
            subject = self.human()
        noun = self.pick(lexicon.nouns_of(("job",)))
        job = Phrase(noun, plural=subject.plural, feminine=subject.feminine, determiner="a")
        return Clause("job", tense, subject, object=job)

    def _at(self, tense: str) -> Clause:
        if self.chance(0.5):
            return Clause("at", tense, self.human(), place=self.the("place", "city"))
        subject = self.matter(self.pick(("small", "pet", "clothes", "text")))
        return self._lying(Clause("at", tense, subject))

    def _exist(self, tense: str) -> Clause:
        if self.chance(0.5):
            noun = self.pick(lexicon.nouns_of((self.pick(("person", "animal", "vehicle")),)))
            place = self._somewhere("person" not in noun.classes)
            return Clause("exist", tense, self.some(noun), place=place)
        noun = self.pick(lexicon.nouns_of((self.pick(("small", "food", "text")),)))
        return self._lying(Clause("exist", tense, self.some(noun)))

    def _lying(self, c: Clause) -> Clause:
        c.relation = self.pick(("on", "on", "under", "beside", "behind", "before", "near"))
        flat = c.relation in ("on", "under")
        c.place = self.the("furniture") if flat else self.the("furniture", "door", "house")
        return c

    def _age(self, tense: str) -> Clause:
        subject = self.human()
        while subject.many:
            subject = self.human()
        years = self.pick([n for n in lexicon.numbers() if n.value > 4])
        return Clause("age", tense, subject, years=years)

    def _more(self, tense: str) -> Clause:
        adjective = self.pick([a for a in _QUALITIES if a.comparative])
        kind = self.pick(sorted(adjective.classes - {"after"}))
        if kind in ("human", "person", "name"):
            c = Clause("more", tense, self.human(), adjective=adjective)
            c.object = self.other(c)
            return c
        subject, than = self.matter(kind), self.matter(kind)
        while than.noun is subject.noun:
            than = self.matter(kind)
        return Clause("more", tense, subject, adjective=adjective, object=than)

    def _weather(self, tense: str) -> Clause:
        c = Clause("weather", tense, adjective=self.pick(_WEATHERS))
        if tense != "present" or self.chance(0.3):
            c.when = self._adverb(tense)
        elif self.chance(0.6):
            c.place = self.the("city")
        return c

    def relative(self, p: Phrase) -> Clause:
        """Draws the clause that says which one: of subjects, or of objects."""
        assert p.noun is not None
        tense = "past" if self.chance(0.5) else "present"
        if p.noun.human and self.chance(0.6):
            while True:
                c = self._action(self.pick("tti"), tense, 0.0, extras=False)
                if "human" in c.action.subjects and not _mentions(c, p):
                    break
            c.subject, c.gap, c.negative = p, "subject", False
            if c.object is not None:
                c.object = self.patient(c)
            return c
        classes = p.noun.classes | ({"human"} if p.noun.human else set())
        fits = [v for v in self._verbs["t"] if classes & set(v.objects) and "human" in v.subjects]
        subject = self.human()
        while subject.slot == 3 or subject.noun is p.noun:
            subject = self.human()
        c = Clause("verb", tense, subject, self.pick(fits), object=p, gap="object")
        c.tense = "present" if needs_time(c) else tense
        return c


_PLACES = frozenset(n.english.singular for n in lexicon.nouns_of(("place", "city")))
_QUALITIES = [a for a in lexicon.adjectives() if not a.classes & {"weather", "before"}]
_WEATHERS = [a for a in lexicon.adjectives() if "weather" in a.classes]
_FEELINGS = [
    a for a in _QUALITIES if a.with_verb in ("estar", "tener") and a.classes & {"human", "being"}
]


def _mentions(c: Clause, p: Phrase) -> bool:
    phrases = [q for q in (c.object, c.company, c.place) if q is not None]
    return any(part.noun is p.noun for q in phrases for part in q.parts())


def pronoun_of(c: Clause) -> str:
    """The subject's name if it is a pronoun."""
    return name_of(c.subject) if c.subject is not None and c.subject.noun is None else ""


def _lasting(c: Clause) -> bool:
    """Whether a past is told in the imperfect, as what somebody said or thought then must be."""
    if c.then is not None or c.verb is None:
        return c.then is None and c.kind != "weather"
    return c.mode != "" or "state" in c.verb.marks


def _habit(c: Clause) -> bool:
    """Whether one can like to do it: nothing definite, no day."""
    if c.when is not None or c.place is not None or c.company is not None:
        return False
    return c.object is None or c.object.determiner in ("bare", "field")


def needs_time(c: Clause) -> bool:
    """Whether its past must be told by a day: "we speak" in Spanish, "read" in English."""
    if c.tense != "past" or c.mode or c.verb is None or c.verb.kind in "lrx":
        return False
    event = "state" not in c.verb.marks
    return event and (c.agent.slot == 3 or c.verb.english == "read")
