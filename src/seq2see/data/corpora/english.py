"""Says a tree in English."""

from __future__ import annotations

from seq2see.data.corpora.tree import (
    Clause,
    Key,
    Phrase,
    Sentence,
    Unit,
    Word,
    comma,
    finish,
    key,
    say,
)

_SUBJECTS = ("I", "you", "he", "we", "they")
_OBJECTS = ("me", "you", "him", "us", "them")
_OWN = ("my", "your", "his", "our", "their")
_RELATIONS = {
    "on": "on",
    "under": "under",
    "beside": "next to",
    "behind": "behind",
    "before": "in front of",
    "near": "near",
}


def sentence(tree: Sentence) -> list[Word]:
    """Says a sentence."""
    words: list[Word] = []
    for i, unit in enumerate(tree.units):
        if i:
            joint = tree.joints[i - 1]
            words = comma(words) if joint == "but" else words
            words += say(joint, key(unit, "joint"))
        words += _unit(unit)
    asked = tree.units[0].main.question != ""
    return finish(words, "", "?" if asked else ".")


def _unit(unit: Unit) -> list[Word]:
    words: list[Word] = []
    if unit.opening is not None:
        words = say(unit.opener, key(unit, "opener")) + comma(_clause(unit.opening))
    words += _clause(unit.main)
    if unit.reason is not None:
        words += say("because", key(unit, "because")) + _clause(unit.reason)
    return words


def _clause(c: Clause, shared: bool = False) -> list[Word]:
    """Says a clause; ``shared`` leaves out a subject that was said before."""
    verb = key(c, "verb")
    if c.kind == "weather":
        subject = say("it", key(c, "it"), under=verb)
    elif c.kind == "exist":
        subject = say("there", key(c, "there"), under=verb)
    elif c.question == "who":
        subject = say("who", key(c, "wh"))
    elif shared or c.gap == "subject":
        subject = []
    else:
        subject = _phrase(c.agent, c, _SUBJECTS)
    finite, rest = _group(c)
    denial = say("not", key(c, "neg")) if c.negative else []
    if c.mode == "can" and c.negative and c.tense == "present":
        finite, denial = say("cannot", key(c, "mode"), key(c, "neg")), []
    time = [] if c.when is None else say(c.when.english, key(c, "when"))
    mid = time if c.when is not None and c.when.mid else []
    words: list[Word] = []
    if c.question in ("yes", "what", "where", "when", "why"):
        if c.question != "yes":
            words += say(c.question, key(c, "wh"))
        words += finite + subject + denial + mid + rest
    else:
        if c.front:
            words += comma(time)
        words += subject + finite + denial + mid + rest
    words += _complements(c)
    if not mid and not c.front and c.question != "when":
        words += time
    if c.content is not None:
        words += say("that", key(c.content, "that"), under=verb) + _clause(c.content)
    if c.then is not None:
        words += say("and", key(c.then, "and")) + _clause(c.then, shared=True)
    return words


def _group(c: Clause) -> tuple[list[Word], list[Word]]:
    """The word that moves to the front of a question, and the rest of the verb."""
    verb, aux, mode = key(c, "verb"), key(c, "aux"), key(c, "mode")
    slot = 2 if c.kind == "weather" or c.question == "who" else c.agent.slot
    if c.kind == "weather" and c.adjective is not None and " " not in c.adjective.english:
        base = c.adjective.english
        past, gerund = base + "ed", base + "ing"
        said: tuple[Key, ...] = (verb, key(c, "adjective"))
    elif c.verb is None:
        be = _be(c.tense, slot)
        if c.tense == "future":
            return say("will", aux, under=verb), say("be", verb, under=key(c, "adjective"))
        return say(be, verb, under=key(c, "adjective")), []
    else:
        base, past, gerund = c.verb.english, c.verb.past, c.verb.gerund
        said = (verb,)
    bare = say(base, *said)
    if c.mode == "going":
        return say(_be(c.tense, slot), aux, under=verb), say(gerund, *said)
    if c.mode in ("can", "must"):
        form = "could" if c.mode == "can" and c.tense == "past" else c.mode
        return say(form, mode), bare
    if c.mode:
        bare = [*say("to", key(c, "to"), under=verb), *bare]
        base, past, said = c.mode, {"want": "wanted", "like": "liked"}[c.mode], (mode,)
        inner = say(base, mode) + bare
    else:
        inner = bare
    tail = bare if c.mode else []
    if c.tense == "future":
        return say("will", aux, under=verb), inner
    if c.negative or c.question not in ("", "who"):
        do = "did" if c.tense == "past" else ("does" if slot == 2 else "do")
        return say(do, aux, under=mode if c.mode else verb), inner
    form = past if c.tense == "past" else (third(base) if slot == 2 else base)
    return [], say(form, *said) + tail


def _be(tense: str, slot: int) -> str:
    if tense == "past":
        return "was" if slot in (0, 2) else "were"
    return ("am", "are", "is", "are", "are")[slot]


def third(base: str) -> str:
    """The form after he, she and it: "go" to "goes", "look for" to "looks for"."""
    head, _, rest = base.partition(" ")
    if head == "have":
        head = "has"
    elif head.endswith(("ch", "sh", "s", "o")):
        head += "es"
    elif head.endswith("y") and head[-2] not in "aeiou":
        head = head[:-1] + "ies"
    else:
        head += "s"
    return f"{head} {rest}".strip()


def _complements(c: Clause) -> list[Word]:
    words: list[Word] = []
    if c.kind == "exist":
        words += _phrase(c.agent, c, _SUBJECTS)
    if c.adjective is not None and c.kind in ("be", "weather") and c.question != "what":
        quality = c.adjective.english.removeprefix("be ")
        if c.kind == "be" or quality != c.adjective.english:
            words += say(quality, key(c, "adjective"))
    if c.kind == "more" and c.adjective is not None and c.object is not None:
        more, _, long = c.adjective.comparative.partition(" ")
        if long:
            words += say(more, key(c, "more"), under=key(c, "adjective"))
            words += say(long, key(c, "adjective"))
        else:
            words += say(more, key(c, "adjective"), key(c, "more"))
        words += say("than", key(c, "than")) + _phrase(c.object, c, _OBJECTS)
    if c.years is not None:
        words += say(c.years.english, key(c, "years")) + say("years", key(c, "year"))
        words += say("old", key(c, "old"), under=key(c, "year"))
    brief = c.recipient is not None and c.recipient.noun is None
    if c.recipient is not None and brief:
        words += _phrase(c.recipient, c, _OBJECTS)
    if (
        c.object is not None
        and c.kind in ("verb", "job")
        and c.gap != "object"
        and c.question != "what"
    ):
        words += _phrase(c.object, c, _OBJECTS)
    if c.recipient is not None and not brief:
        words += say("to", key(c.recipient, "prep"), under=key(c.recipient, "head"))
        words += _phrase(c.recipient, c, _OBJECTS)
    if c.company is not None:
        words += say("with", key(c.company, "prep")) + _phrase(c.company, c, _OBJECTS)
    if c.place is not None and c.question != "where":
        words += say(_place(c, c.place), key(c.place, "prep"), under=key(c.place, "head"))
        words += _phrase(c.place, c, _OBJECTS)
    return words


def _place(c: Clause, place: Phrase) -> str:
    if c.relation:
        return _RELATIONS[c.relation]
    if c.verb is not None and c.verb.kind == "m" and c.verb.english != "arrive":
        return "to"
    return "in" if place.noun is not None and "in" in place.noun.classes else "at"


def _phrase(p: Phrase, c: Clause, pronouns: tuple[str, ...]) -> list[Word]:
    """Says a noun phrase of clause ``c``; pronouns take the case of the given row."""
    words = _single(p, c, pronouns)
    if p.also is not None:
        words += say("and", key(p, "and")) + _single(p.also, c, pronouns)
    return words


def _single(p: Phrase, c: Clause, pronouns: tuple[str, ...]) -> list[Word]:
    head = key(p, "head")
    if p.noun is None:
        return say(_pronoun(p, pronouns), head, under=key(c, "verb"))
    form = p.noun.english
    noun = form.plural if p.plural else form.woman if c.kind == "job" and p.feminine else form[0]
    after: list[Word] = say(noun, head)
    if p.adjective is not None:
        after = say(p.adjective.english, key(p, "adjective")) + after
    words = _determiner(p, c, after[0].text, head) + after
    if p.relative is not None and c is not p.relative:
        that = "who" if p.noun.human and p.relative.gap == "subject" else "that"
        words += say(that, key(p.relative, "that"), under=key(p.relative, "verb"))
        words += _clause(p.relative)
    return words


def _determiner(p: Phrase, c: Clause, following: str, head: Key) -> list[Word]:
    if p.count is not None:
        return say(p.count.english, key(p, "count"))
    word = p.determiner
    if word in ("a", "no") and p.plural:
        word = "" if c.kind == "job" else "some"
    elif word in ("a", "no"):
        word = "an" if following[0] in "aeiou" and not following.startswith("uni") else "a"
    elif word == "this" and p.plural:
        word = "these"
    elif word == "own":
        word = _pronoun(c.agent, _OWN)
    elif word in ("bare", "field", "any"):
        word = ""
    return say(word, key(p, "determiner"), under=head)


def _pronoun(p: Phrase, row: tuple[str, ...]) -> str:
    if p.slot == 2 and p.feminine:
        return "she" if row is _SUBJECTS else "her"
    return row[p.slot]
