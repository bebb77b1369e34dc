"""Says a tree in Spanish: subjects of the first and second person are dropped."""

from __future__ import annotations

from seq2see.data.corpora.lexicon import Adjective
from seq2see.data.corpora.spanish_verbs import conjugate, gerund
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

_CLITICS = ("me", "te", "le", "nos", "les")
_OWN = ("mi", "tu", "su", "nuestro", "su")
_MODES = {"want": "querer", "can": "poder", "must": "deber"}
_JOINTS = {"and": "y", "but": "pero", "when": "cuando", "if": "si"}
_ASKED = {
    "who": "quién",
    "what": "qué",
    "where": "dónde",
    "when": "cuándo",
    "why": "por qué",
}
_RELATIONS = {
    "on": "sobre",
    "under": "debajo de",
    "beside": "al lado de",
    "behind": "detrás de",
    "before": "delante de",
    "near": "cerca de",
}


def sentence(tree: Sentence) -> list[Word]:
    """Says a sentence."""
    words: list[Word] = []
    for i, unit in enumerate(tree.units):
        said = _unit(unit)
        if i:
            joint = tree.joints[i - 1]
            words = comma(words) if joint == "but" else words
            words += _and(said, *say(_JOINTS[joint], key(unit, "joint")))
        words += said
    asked = tree.units[0].main.question != ""
    return finish(_contract(words), "¿" if asked else "", "?" if asked else ".")


def _and(following: list[Word], joint: Word) -> list[Word]:
    """The word "y" is "e" before the same sound."""
    before_i = following[0].text.lower().startswith(("i", "hi")) and joint.text == "y"
    return [joint._replace(text="e") if before_i else joint]


def _contract(words: list[Word]) -> list[Word]:
    out: list[Word] = []
    for word in words:
        if out and word.text == "el" and out[-1].text in ("a", "de"):
            out[-1] = fuse(out[-1], word, out[-1].text + "l")
        else:
            out.append(word)
    return out


def _unit(unit: Unit) -> list[Word]:
    words: list[Word] = []
    if unit.opening is not None:
        words = say(_JOINTS[unit.opener], key(unit, "opener")) + comma(_clause(unit.opening))
    words += _clause(unit.main)
    if unit.reason is not None:
        words += say("porque", key(unit, "because")) + _clause(unit.reason)
    return words


def _clause(c: Clause, shared: bool = False) -> list[Word]:
    inverted = c.question in ("what", "where", "when", "why")
    subject = _subject(c, shared)
    denial = say("no", key(c, "neg")) if c.negative else []
    time = [] if c.when is None else say(c.when.spanish, key(c, "when"))
    mid = time if c.when is not None and c.when.mid else []
    verbs, lexical = _group(c)
    predicate = denial + mid + _clitics(c) + verbs
    words: list[Word] = time[:] if c.front and not mid else []
    if inverted:
        words += say(_ASKED[c.question], key(c, "wh")) + predicate + lexical
        # "¿Por qué aprende francés este hombre?": a bare object stays with its verb.
        bare = c.object is not None and c.object.determiner in ("bare", "field")
        close = c.kind == "be" or (bare and c.question != "what" and c.place is None)
        words += _complements(c) + subject if close else subject + _complements(c)
    else:
        words += subject + predicate + lexical + _complements(c)
    if time and not mid and not c.front and c.question != "when":
        words += time
    if c.content is not None:
        words += say("que", key(c.content, "that"), under=key(c, "verb")) + _clause(c.content)
    if c.then is not None:
        then = _clause(c.then, shared=True)
        words += _and(then, *say("y", key(c.then, "and"))) + then
    return words


def liking(c: Clause) -> bool:
    """Whether the clause turns around: what is liked is the subject."""
    return c.mode == "like" or (c.verb is not None and c.verb.spanish == "gustar")


def _tense(c: Clause) -> str:
    """States of the past are told in the imperfect, events in the preterite."""
    if c.tense != "past":
        return c.tense
    state = c.verb is None or c.mode in ("can", "want", "like") or "state" in c.verb.marks
    return "imperfect" if state or c.mode == "going" else "preterite"


def _subject(c: Clause, shared: bool) -> list[Word]:
    if c.kind in ("weather", "exist") or c.gap == "subject":
        return []
    if c.question == "who":
        return say("quién", key(c, "wh"))
    if shared:
        return []
    p = c.agent
    if liking(c):
        if p.noun is None and p.person < 3:
            return []
        said: list[Word] = []
        for part in p.parts():  # "a Ana y a Pedro les gusta"
            said += say("y", key(p, "and")) if part is p.also else []
            said += say("a", key(part, "to"), under=key(part, "head")) + _single(part, c)
        return said
    if p.noun is None and p.person < 3:
        # "tenía" is I as well as he: the pronoun tells them apart
        if p.slot == 0 and _tense(c) == "imperfect":
            return say("yo", key(p, "head"), under=key(c, "verb"))
        return []
    return _phrase(p, c)


def _clitics(c: Clause) -> list[Word]:
    words: list[Word] = []
    if liking(c):
        p = c.agent
        silent = p.noun is None and p.person < 3
        part = key(p, "head") if silent else key(p, "clitic")
        words += say(_CLITICS[p.slot], part, under=key(p, "head"))
    if c.recipient is not None:
        p = c.recipient
        part = key(p, "head") if p.noun is None else key(p, "clitic")
        words += say(_CLITICS[p.slot], part, under=key(p, "head"))
    if c.object is not None and c.object.noun is None and c.kind == "verb":
        p = c.object
        third = "la" if p.feminine else "lo"
        clitic = third if p.slot == 2 else "los" if p.slot == 4 else _CLITICS[p.slot]
        words += say(clitic, key(p, "head"))
    return words


def _group(c: Clause) -> tuple[list[Word], list[Word]]:
    """The finite verb, and an infinitive or gerund after it."""
    verb, aux, mode = key(c, "verb"), key(c, "aux"), key(c, "mode")
    slot, tense = 2 if c.kind == "weather" or c.question == "who" else c.agent.slot, _tense(c)
    if c.kind == "exist":
        form = "hay" if tense == "present" else conjugate("haber", tense, 2)
        return say(form, verb), []
    if c.kind == "weather":
        assert c.adjective is not None
        adjective = c.adjective
        name = adjective.with_verb
        if adjective.spanish:
            return say(conjugate(name, tense, 2), verb), []
        both = (verb, key(c, "adjective"))
        weather = "preterite" if tense == "imperfect" else tense
        return say(conjugate(name, weather, 2), *both), []
    if c.verb is None:
        name = {"job": "ser", "at": "estar", "age": "tener"}.get(c.kind, "")
        name = name or (c.adjective.with_verb if c.adjective is not None else "ser")
        return say(conjugate(name, tense, slot), verb, under=key(c, "adjective")), []
    name = c.verb.spanish
    if liking(c):
        if c.mode:
            return say(conjugate("gustar", tense, 2), mode), say(name, verb)
        assert c.object is not None
        return say(conjugate(name, tense, 4 if c.object.plural else 2), verb), []
    if c.mode == "going":
        return say(conjugate("estar", tense, slot), aux, under=verb), say(gerund(name), verb)
    if c.mode:
        return say(conjugate(_MODES[c.mode], tense, slot), mode), say(name, verb)
    return say(conjugate(name, tense, slot), verb), []


def _complements(c: Clause) -> list[Word]:
    words: list[Word] = []
    if c.kind == "exist":
        words += _phrase(c.agent, c)
    if c.adjective is not None and c.adjective.spanish and c.kind != "more":
        form = c.adjective.spanish
        if c.adjective.with_verb in ("ser", "estar"):
            form = agree(form, feminine(c.agent), c.agent.many)
        words += say(form, key(c, "adjective"))
    if c.kind == "more" and c.adjective is not None and c.object is not None:
        words += say("más", key(c, "more"), under=key(c, "adjective"))
        form = agree(c.adjective.spanish, feminine(c.agent), c.agent.many)
        words += say(form, key(c, "adjective")) + say("que", key(c, "than"))
        words += _phrase(c.object, c)
    if c.years is not None:
        words += say(c.years.spanish, key(c, "years")) + say("años", key(c, "year"))
    p = c.object
    if (
        p is not None
        and p.noun is not None
        and c.kind in ("verb", "job")
        and c.gap != "object"
        and c.question != "what"
    ):
        has = c.action.spanish == "tener" if c.verb is not None else True
        if (p.noun.human and not has) or _played(p):
            words += say("a", key(p, "to"), under=key(p, "head"))
        words += _phrase(p, c)
    if c.recipient is not None and c.recipient.noun is not None:
        words += say("a", key(c.recipient, "prep"), under=key(c.recipient, "head"))
        words += _phrase(c.recipient, c)
    if c.company is not None:
        words += say("con", key(c.company, "prep")) + _phrase(c.company, c)
    if c.place is not None and c.question != "where":
        moving = c.verb is not None and c.verb.kind == "m"
        name = _RELATIONS[c.relation] if c.relation else "a" if moving else "en"
        words += say(name, key(c.place, "prep"), under=key(c.place, "head"))
        words += _phrase(c.place, c)
    return words


def _played(p: Phrase) -> bool:
    """Whether it is a sport in "jugar al tenis"."""
    return p.noun is not None and "sport" in p.noun.classes and p.determiner == "field"


def feminine(p: Phrase) -> bool:
    """Whether words that agree with a phrase take the feminine."""
    return all(
        part.feminine if part.noun is None or part.noun.human else part.noun.spanish.feminine
        for part in p.parts()
    )


def agree(form: str, woman: bool, many: bool) -> str:
    """Gives an adjective the gender and number of its noun."""
    if woman and form.endswith("o"):
        form = form[:-1] + "a"
    if not many:
        return form
    if form == "joven":
        return "jóvenes"
    return form + ("s" if form[-1] in "aeiou" else "es")


def _phrase(p: Phrase, c: Clause) -> list[Word]:
    words = _single(p, c)
    if p.also is not None:
        also = _single(p.also, c)
        words += _and(also, *say("y", key(p, "and"))) + also
    return words


def _single(p: Phrase, c: Clause) -> list[Word]:
    head = key(p, "head")
    if p.noun is None:
        third = "ella" if p.feminine else "él"
        form = ("yo", "tú", third, "nosotros", "ellos")[p.slot]
        return say(form, head, under=key(c, "verb"))
    form = p.noun.spanish.plural if p.plural else p.noun.spanish.singular
    if c.kind == "job" and p.feminine and p is c.object:
        form = p.noun.spanish.woman
    words = _determiner(p, c) + say(form, head)
    if p.adjective is not None:
        words += say(_adjective(p.adjective, p), key(p, "adjective"))
    if p.relative is not None and c is not p.relative:
        words += say("que", key(p.relative, "that"), under=key(p.relative, "verb"))
        words += _clause(p.relative)
    return words


def _adjective(adjective: Adjective, p: Phrase) -> str:
    return agree(adjective.spanish, feminine(p), p.plural)


def _determiner(p: Phrase, c: Clause) -> list[Word]:
    assert p.noun is not None
    if p.count is not None:
        return say(p.count.spanish, key(p, "count"))
    woman, word = p.noun.spanish.feminine, p.determiner
    if word in ("the", "any") or _played(p):
        el = p.noun.spanish.takes_el and not p.plural
        word = ("las" if p.plural else "la") if woman and not el else "los" if p.plural else "el"
    elif word == "a":
        word = ("unas" if p.plural else "una") if woman else "unos" if p.plural else "un"
        word = "" if c.kind == "job" else word
    elif word == "this":
        word = ("estas" if p.plural else "esta") if woman else "estos" if p.plural else "este"
    elif word in ("my", "your", "our", "own"):
        slot = {"my": 0, "your": 1, "our": 3, "own": c.agent.slot}[word]
        word = agree(_OWN[slot], woman, p.plural)
    else:
        word = ""
    return say(word, key(p, "determiner"), under=key(p, "head"))
