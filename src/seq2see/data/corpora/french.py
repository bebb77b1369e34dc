"""Says a tree in French."""

from __future__ import annotations

from typing import NamedTuple

from seq2see.data.corpora.french_verbs import conjugate, participle, with_etre
from seq2see.data.corpora.lexicon import Adjective
from seq2see.data.corpora.tree import (
    Clause,
    Phrase,
    Sentence,
    Unit,
    Word,
    comma,
    finish,
    fuse,
    key,
    say,
)

_SUBJECTS = ("je", "tu", "il", "nous", "ils")
_OBJECTS = ("me", "te", "le", "nous", "les")
_MODES = {"want": "vouloir", "can": "pouvoir", "must": "devoir", "like": "aimer"}
_JOINTS = {"and": "et", "but": "mais", "when": "quand", "if": "si"}
_ASKED = {"what": "qu'", "where": "où", "when": "quand", "why": "pourquoi"}
_RELATIONS = {
    "on": "sur",
    "under": "sous",
    "beside": "à côté de",
    "behind": "derrière",
    "before": "devant",
    "near": "près de",
}
_ELIDED = {"je", "me", "te", "le", "la", "ne", "de", "que"}
_CONTRACTED = {"de le": "du", "de les": "des", "à le": "au", "à les": "aux"}


def sentence(tree: Sentence) -> list[Word]:
    """Says a sentence."""
    words: list[Word] = []
    for i, unit in enumerate(tree.units):
        if i:
            joint = tree.joints[i - 1]
            words = comma(words) if joint == "but" else words
            words += say(_JOINTS[joint], key(unit, "joint"))
        words += _unit(unit)
    asked = tree.units[0].main.question != ""
    return finish(_elide(words), "", "?" if asked else ".")


def vowel(word: str) -> bool:
    """Whether a word asks for elision before it: a vowel or a mute h."""
    return word[0].lower() in "aeiouyhàâéèêîôûœ" and not word.startswith(("huit", "onze"))


def _elide(words: list[Word]) -> list[Word]:
    """Joins "de le" to "du" and "je aime" to "j'aime"."""
    contracted: list[Word] = []
    for i, word in enumerate(words):
        text = word.text
        article = text == "les" or (text == "le" and not vowel(words[i + 1].text))
        if article and contracted and contracted[-1].text in ("de", "à"):
            pair = f"{contracted[-1].text} {text}"
            contracted[-1] = fuse(contracted[-1], word, _CONTRACTED[pair])
        else:
            contracted.append(word)
    out: list[Word] = []
    for word in contracted:
        last, text = out[-1].text if out else "", word.text
        if last in _ELIDED and vowel(text):
            out[-1] = fuse(out[-1], word, f"{last[:-1]}'{text}")
        elif last.endswith("'"):
            out[-1] = fuse(out[-1], word, last + text)
        elif last == "si" and text in ("il", "ils"):
            out[-1] = fuse(out[-1], word, f"s'{text}")
        else:
            out.append(word)
    return out


def _unit(unit: Unit) -> list[Word]:
    words: list[Word] = []
    if unit.opening is not None:
        words = say(_JOINTS[unit.opener], key(unit, "opener")) + comma(_clause(unit.opening))
    words += _clause(unit.main)
    if unit.reason is not None:
        words += say("parce que", key(unit, "because")) + _clause(unit.reason)
    return words


def _clause(c: Clause, shared: bool = False) -> list[Word]:
    verb = key(c, "verb")
    time = [] if c.when is None else say(c.when.french, key(c, "when"))
    mid = time if c.when is not None and c.when.mid else []
    words: list[Word] = []
    if c.question in _ASKED:
        wh = say(_ASKED[c.question], key(c, "wh"))
        words += wh + say("est-ce que", key(c, "aux"), under=verb)
    elif c.question == "yes":
        words += say("est-ce que", key(c, "aux"), under=verb)
    if c.front and not mid:
        words += comma(time)
    words += _subject(c, shared)
    words += _predicate(c, mid)
    words += _complements(c)
    if time and not mid and not c.front and c.question != "when":
        words += time
    if c.content is not None:
        words += say("que", key(c.content, "that"), under=verb) + _clause(c.content)
    if c.then is not None:
        words += say("et", key(c.then, "and")) + _clause(c.then, shared=True)
    return words


def _subject(c: Clause, shared: bool) -> list[Word]:
    if c.kind == "weather":
        return say("il", key(c, "it"), under=key(c, "verb"))
    if c.kind == "exist":
        return say("il", key(c, "there"), under=key(c, "verb"))
    if c.question == "who":
        return say("qui", key(c, "wh"))
    return [] if shared or c.gap == "subject" else _phrase(c.agent, c)


def _predicate(c: Clause, mid: list[Word]) -> list[Word]:
    """The finite verb between its clitics and negation, and what it governs."""
    group = _group(c)
    clitics = _clitics(c)
    words = say("ne", key(c, "neg")) if c.negative else []
    if c.kind == "exist":
        words += say("y", key(c, "there"), under=key(c, "verb"))
    words += [] if group.infinitive else clitics
    words += group.finite
    words += say("pas", key(c, "neg")) if c.negative else []
    words += mid
    return words + group.rest + (clitics if group.infinitive else []) + group.infinitive


def _clitics(c: Clause) -> list[Word]:
    words: list[Word] = []
    if c.recipient is not None and c.recipient.noun is None:
        words += say(_OBJECTS[c.recipient.slot], key(c.recipient, "head"))
    p = c.object
    if p is not None and p.noun is None and c.kind == "verb":
        words += say("la" if p.slot == 2 and p.feminine else _OBJECTS[p.slot], key(p, "head"))
    return words


class Group(NamedTuple):
    """The verbs of a clause: il [veut] [] [voir], il [a] [vu] [], il [est] [en train de] [voir].

    Attributes:
        finite: What agrees with the subject.
        rest: What follows it.
        infinitive: What takes the clitics, if there is one.
    """

    finite: list[Word]
    rest: list[Word]
    infinitive: list[Word]


def _group(c: Clause) -> Group:
    verb, aux, mode = key(c, "verb"), key(c, "aux"), key(c, "mode")
    slot = 2 if c.kind in ("weather", "exist") or c.question == "who" else c.agent.slot
    tense, said = c.tense, [verb]
    if c.verb is None:
        name = {"exist": "avoir", "age": "avoir"}.get(c.kind, "être")
        if c.adjective is not None:
            first, _, noun = c.adjective.french.partition(" ")
            if noun or c.kind == "weather":
                name = first
            if not noun and c.kind == "weather":
                said.append(key(c, "adjective"))
        state = len(said) == 1
    else:
        name = c.verb.french
        state = "state" in c.verb.marks or c.mode != ""
    if c.mode == "going":
        now = say(conjugate("être", "present", slot), aux, under=verb)
        return Group(now, say("en train de", aux, under=verb), say(name, verb))
    if c.mode:
        tense = "imperfect" if tense == "past" else tense
        return Group(say(conjugate(_MODES[c.mode], tense, slot), mode), [], say(name, verb))
    under = key(c, "adjective") if c.verb is None else None
    if tense == "past" and not state:
        helper = "être" if with_etre(name) else "avoir"
        told = say(_agreeing(participle(name), name, c), *said)
        return Group(say(conjugate(helper, "present", slot), aux, under=verb), told, [])
    tense = "imperfect" if tense == "past" else tense
    return Group(say(conjugate(name, tense, slot), *said, under=under), [], [])


def _agreeing(form: str, name: str, c: Clause) -> str:
    """A past participle agrees with the subject of être, or an object said before avoir."""
    if c.kind == "weather" or c.question == "who":
        return form
    p = c.agent if with_etre(name) else c.object
    if p is None or not (with_etre(name) or p.noun is None or c.gap == "object"):
        return form
    form += "e" if feminine(p) else ""
    return form + "s" if p.many and not form.endswith("s") else form


def _complements(c: Clause) -> list[Word]:
    words: list[Word] = []
    if c.kind == "exist":
        words += _phrase(c.agent, c)
    if c.adjective is not None and c.kind != "more":
        noun = c.adjective.french.partition(" ")[2]
        if noun:
            words += say(noun, key(c, "adjective"))
        elif c.kind == "be":
            words += say(_agree(c.adjective, c.agent), key(c, "adjective"))
    if c.kind == "more" and c.adjective is not None and c.object is not None:
        words += say("plus", key(c, "more"), under=key(c, "adjective"))
        words += say(_agree(c.adjective, c.agent), key(c, "adjective"))
        words += say("que", key(c, "than")) + _phrase(c.object, c)
    if c.years is not None:
        words += say(c.years.french, key(c, "years")) + say("ans", key(c, "year"))
    p = c.object
    if (
        p is not None
        and p.noun is not None
        and c.kind in ("verb", "job")
        and c.gap != "object"
        and c.question != "what"
    ):
        if c.verb is not None and c.verb.french == "jouer":
            name = "à" if "sport" in p.noun.classes else "de"
            words += say(name, key(p, "to"), under=key(p, "head"))
        words += _phrase(p, c)
    if c.recipient is not None and c.recipient.noun is not None:
        words += say("à", key(c.recipient, "prep"), under=key(c.recipient, "head"))
        words += _phrase(c.recipient, c)
    if c.company is not None:
        words += say("avec", key(c.company, "prep")) + _phrase(c.company, c)
    if c.place is not None and c.question != "where":
        words += say(_place(c, c.place), key(c.place, "prep"), under=key(c.place, "head"))
        words += _phrase(c.place, c)
    return words


def _place(c: Clause, place: Phrase) -> str:
    if c.relation:
        return _RELATIONS[c.relation]
    moving = c.verb is not None and c.verb.kind == "m"
    inside = place.noun is not None and "dans" in place.noun.classes
    return "dans" if inside and not moving else "à"


def feminine(p: Phrase) -> bool:
    """Whether words that agree with a phrase take the feminine."""
    return all(
        part.feminine if part.noun is None or part.noun.human else part.noun.french.feminine
        for part in p.parts()
    )


def _agree(adjective: Adjective, p: Phrase) -> str:
    return agree(adjective, feminine(p), p.many)


def agree(adjective: Adjective, woman: bool, many: bool) -> str:
    """Gives an adjective the gender and number of its noun."""
    form = adjective.french_feminine if woman else adjective.french
    if not many or form[-1] in "sx":
        return form
    return form + ("x" if form.endswith("eau") else "s")


def _phrase(p: Phrase, c: Clause) -> list[Word]:
    words = _single(p, c)
    if p.also is not None:
        words += say("et", key(p, "and")) + _single(p.also, c)
    return words


def _single(p: Phrase, c: Clause) -> list[Word]:
    head = key(p, "head")
    if p.noun is None:
        third = "elle" if p.feminine else "il"
        return say(third if p.slot == 2 else _SUBJECTS[p.slot], head, under=key(c, "verb"))
    form = p.noun.french.plural if p.plural else p.noun.french.singular
    if c.kind == "job" and p.feminine and p is c.object:
        form = p.noun.french.woman + ("s" if p.plural else "")
    words = say(form, head)
    if p.adjective is not None:
        woman = feminine(Phrase(p.noun, feminine=p.feminine))
        quality = agree(p.adjective, woman, p.plural)
        if not woman and not p.plural and p.adjective.before and vowel(form):
            quality = p.adjective.french_vowel
        said = say(quality, key(p, "adjective"))
        words = said + words if p.adjective.before else words + said
    words = _determiner(p, c, words[0].text) + words
    if p.relative is not None and c is not p.relative:
        that = "qui" if p.relative.gap == "subject" else "que"
        words += say(that, key(p.relative, "that"), under=key(p.relative, "verb"))
        words += _clause(p.relative)
    return words


def _determiner(p: Phrase, c: Clause, following: str) -> list[Word]:
    assert p.noun is not None
    if p.count is not None:
        return say(p.count.french, key(p, "count"))
    woman, word = p.noun.french.feminine, p.determiner
    the = "les" if p.plural else "la" if woman else "le"
    spoken = c.verb is not None and c.verb.french == "parler"
    if word == "field":
        word = "" if spoken else the
    elif word in ("the", "any"):
        word = the
    elif word == "a":
        before = p.adjective is not None and p.adjective.before
        word = ("de" if before else "des") if p.plural else "une" if woman else "un"
        word = "" if c.kind == "job" else word
    elif word == "no":
        word = "de"
    elif word == "bare":
        word = "de" if c.negative else f"de {the}"
    elif word == "this":
        word = "ces" if p.plural else "cette" if woman else "cet" if vowel(following) else "ce"
    elif word in ("my", "your", "our", "own"):
        slot = {"my": 0, "your": 1, "our": 3, "own": c.agent.slot}[word]
        word = _owned(slot, woman and not vowel(following), p.plural)
    return say(word, key(p, "determiner"), under=key(p, "head"))


def _owned(slot: int, woman: bool, many: bool) -> str:
    if slot >= 3:
        single, several = (("notre", "nos"), ("leur", "leurs"))[slot - 3]
        return several if many else single
    return "mts"[slot] + ("es" if many else "a" if woman else "on")
