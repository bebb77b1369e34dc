"""Samples sentences: how clauses join, and what is asked."""

from __future__ import annotations

from seq2see.data.corpora.clauses import Clauses, needs_time, pronoun_of
from seq2see.data.corpora.noun_phrases import kind_of
from seq2see.data.corpora.tree import Clause, Phrase, Sentence, Unit


class Grammar(Clauses):
    """A seeded source of sentences."""

    def sentence(self) -> Sentence:
        """Draws a sentence: mostly one clause, now and then a dozen."""
        length = self.weighted({"short": 52, "middle": 31, "long": 17})
        if length == "short":
            asks = self.chance(0.16)
            main = self._question() if asks else self._opened(self.clause(self.tense()))
            return Sentence([Unit(main)], [])
        if length == "middle":
            return self._chain(1, 0.5) if self.chance(0.55) else self._chain(2, 0.1)
        count = 2
        while count < 8 and self.chance(0.7):
            count += 1
        return self._chain(count, 0.3)

    def _chain(self, count: int, rich: float) -> Sentence:
        tense = self.tense()
        units = [self._unit(tense, rich)]
        while len(units) < count:
            tense = tense if self.chance(0.8) else self.tense()
            unit, said = self._unit(tense, rich), {pronoun_of(c) for c in units[-1].clauses()}
            # Spanish "como y bebo" is one subject with two verbs: never two clauses of one "I".
            if pronoun_of(unit.main) == "" or pronoun_of(unit.main) not in said:
                units.append(unit)
        joints: list[str] = []
        for _ in units[1:]:
            contrasts = joints[-1:] != ["but"] and self.chance(0.45)
            joints.append("but" if contrasts else "and")
        return Sentence(units, joints)

    def _unit(self, tense: str, rich: float) -> Unit:
        if self.chance(rich * 0.6):
            scene = "present" if tense == "future" else tense
            opening = self._untimed(self.clause(scene, rich * 0.3, "scene"))
            main = self.event(tense, rich * 0.5)
            while opening.when is not None and main.when is not None:
                main = self._untimed(self.event(tense, rich * 0.5))
            return Unit(main, "if" if tense == "future" else "when", opening)
        if self.chance(rich):
            main = self._opened(self.event(tense, rich * 0.5))
            before = "past" if tense == "past" else "present"
            return Unit(main, reason=self._untimed(self.clause(before, rich * 0.4, "reason")))
        return Unit(self._opened(self.clause(tense, rich, "story")))

    def _untimed(self, c: Clause) -> Clause:
        """Takes the time out of a clause that can do without."""
        if not needs_time(c):
            c.when = None
        return c

    def _opened(self, c: Clause) -> Clause:
        """Moves the time to the front, now and then."""
        # Korean weather has no subject to tell a time before it from one after it.
        ends = c.when is not None and not c.when.mid and c.kind != "weather"
        if c.subject is not None and c.subject.relative is not None:  # nor a relative clause
            return c
        c.front = ends and c.then is None and self.chance(0.35)
        return c

    def _question(self) -> Clause:
        while True:
            c = self.clause(self.tense())
            asked = c.kind in ("verb", "be", "job", "at", "exist") and c.content is None
            if asked and not c.negative and not needs_time(c) and pronoun_of(c) not in ("1s", "1p"):
                break
        c.question = self.pick(_askable(c))
        if c.question == "who":
            c.subject = Phrase()
        return c


# "What does she play?" would not tell a sport from an instrument, nor what from whom.
_NO_WHAT = {"human", "city", "place", "sport", "instrument"}


def _askable(c: Clause) -> list[str]:
    """The questions that fit a statement."""
    asks, verb = ["yes"], c.verb
    likes = c.mode == "like" or (verb is not None and verb.kind == "l")
    if c.kind not in ("verb", "be") or likes:
        return asks
    asks.append("why")
    owned = c.object is not None and c.object.determiner == "own"
    company = c.company is not None and c.company.determiner == "own"
    if not owned and not company and kind_of(c.agent) == "human":
        asks.append("who")
    if verb is not None:
        plain = not set(verb.objects) & _NO_WHAT and c.place is None
        if verb.kind == "t" and plain and c.mode != "like":
            asks.append("what")
        if c.place is not None and verb.english != "come":
            asks.append("where")
        if verb.kind in "tmi" and "state" not in verb.marks and not c.mode and c.when is None:
            asks.append("when")
    return asks
