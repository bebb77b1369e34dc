"""Says a tree in Korean, in the plain style: the verb comes last, particles mark who does what."""

from __future__ import annotations

from seq2see.data.corpora import hangul
from seq2see.data.corpora.tree import (
    Clause,
    Key,
    Phrase,
    Sentence,
    Unit,
    Word,
    finish,
    key,
    say,
)

_OWN = {"my": "내", "your": "네", "our": "우리", "own": "자기", "this": "이"}
_ASKED = {"when": "언제", "why": "왜"}
_RELATIONS = {
    "on": "위에",
    "under": "아래에",
    "beside": "옆에",
    "behind": "뒤에",
    "before": "앞에",
    "near": "근처에",
}
_TELLING = {"say": "말하", "think": "생각하", "believe": "믿", "know": "알"}


class Chain:
    """A growing predicate: finished words, then an open stem that waits for its ending.

    Attributes:
        done: The words before the stem.
        stem: The stem.
        kind: verb, quality (an adjective), being (있다, 없다) or is (이다).
        keys: What the stem says.
        past: Whether the stem is a past stem, and then
        bare: what it was before.
        future: Whether the stem is the 것이 of the future.
    """

    def __init__(self, stem: str, kind: str, keys: tuple[Key, ...]) -> None:
        *before, self.stem = stem.split(" ")
        self.done = [Word(word, keys) for word in before]
        self.kind = kind
        self.keys = keys
        self.under: Key | None = None
        self.past = False
        self.bare = self.stem
        self.future = False

    def extend(self, closed: str, stem: str, kind: str, keys: tuple[Key, ...]) -> None:
        """Closes the stem with its ending and opens a new one."""
        self.done.append(Word(closed, self.keys, self.under))
        self.stem, self.kind, self.keys, self.under = stem, kind, keys, None

    def end(self, ending: str) -> list[Word]:
        """Closes the chain with a whole form."""
        return [*self.done, Word(ending, self.keys, self.under)]


def sentence(tree: Sentence) -> list[Word]:
    """Says a sentence."""
    words: list[Word] = []
    for i, unit in enumerate(tree.units):
        last = i + 1 == len(tree.units)
        ending, joint = ("plain", None)
        if not last:
            ending = tree.joints[i]
            joint = key(tree.units[i + 1], "joint")
        words += _unit(unit, ending, joint)
    asked = tree.units[0].main.question != ""
    return finish(words, "", "?" if asked else ".")


def _unit(unit: Unit, ending: str, joint: Key | None) -> list[Word]:
    words: list[Word] = []
    if unit.opening is not None:
        words += _clause(unit.opening, unit.opener, key(unit, "opener"))
    if unit.reason is not None:
        words += _clause(unit.reason, "because", key(unit, "because"))
    mood = "ask" if unit.main.question else ending
    return words + _clause(unit.main, mood, joint, topic=True)


def _clause(
    c: Clause, mood: str, joint: Key | None = None, topic: bool = False, shared: bool = False
) -> list[Word]:
    """Says a clause whose verb takes the ending of a mood.

    Args:
        c: The clause.
        mood: plain, ask, and, but, when, if, because, quote, fact or noun (before a noun).
        joint: What the ending says.
        topic: Whether the subject is marked as what the sentence is about.
        shared: Whether the subject was said before.
    """
    time = [] if c.when is None else say(c.when.korean, key(c, "when"))
    words: list[Word] = []
    if c.front:
        words += time
    silent = shared or c.kind in ("weather", "exist") or c.gap == "subject"
    if c.question == "who":
        words += say("누가", key(c, "wh"))
    elif not silent:
        words += _phrase(c.agent, c, "은" if topic else "이")
    if not c.front and c.question != "when":
        words += time
    if c.question in ("when", "why"):
        words += say(_ASKED[c.question], key(c, "wh"))
    words += _complements(c, topic)
    chain = _chain(c)
    if c.then is not None:
        words += _ended(chain, c, "and", key(c.then, "and"))
        return words + _clause(c.then, mood, joint, shared=True)
    return words + _ended(chain, c, mood, joint)


def _complements(c: Clause, topic: bool) -> list[Word]:
    words: list[Word] = []
    if c.content is not None:
        fact = c.action.english == "know"
        words += _clause(c.content, "fact" if fact else "quote", key(c.content, "that"))
    if c.company is not None:
        words += _phrase(c.company, c, "과", key(c.company, "prep"))
    if c.question == "where":
        words += say("어디" + _where(c), key(c, "wh"))
    elif c.place is not None:
        words += _place(c, c.place, topic)
    if c.kind == "exist":
        words += _phrase(c.agent, c, "이")
    if c.kind == "more" and c.object is not None:
        words += _phrase(c.object, c, "보다", key(c.object, "than"))
        words += say("더", key(c, "more"), under=key(c, "adjective"))
    if c.years is not None:
        words += say(c.years.korean, key(c, "years"))
    if c.recipient is not None:
        words += _phrase(c.recipient, c, "에게", key(c.recipient, "prep"))
    if c.question == "what":
        words += say("무엇을", key(c, "wh"))
    elif c.verb is not None and c.verb.korean == "듣" and _speaks(c.object, c):
        assert c.object is not None
        words += _phrase(c.object, c, "의")  # one listens to somebody's words
        words += say("말을", key(c.object, "words"), under=key(c.object, "head"))
    elif c.object is not None and c.kind == "verb" and c.gap != "object":
        words += _phrase(c.object, c, "이" if c.action.korean == "있" else "을")
    return words


def _speaks(p: Phrase | None, c: Clause) -> bool:
    return p is not None and c.gap != "object" and (p.noun is None or p.noun.human)


def _place(c: Clause, place: Phrase, topic: bool) -> list[Word]:
    part = key(place, "prep")
    if c.relation:
        words = _phrase(place, c, "")
        return words + say(_RELATIONS[c.relation], part)
    if c.adjective is not None and " " not in c.adjective.korean:  # a city is cold
        return _phrase(place, c, "은" if topic else "이", part)
    return _phrase(place, c, "으로" if _where(c) == "로" else _where(c), part)


def _where(c: Clause) -> str:
    """The particle of a place: one returns to it (로), is or goes there (에), acts there (에서)."""
    if c.verb is not None and c.verb.korean == "돌아가":
        return "로"
    return "에" if c.verb is None or c.verb.kind == "m" or "city" in c.verb.marks else "에서"


def _chain(c: Clause) -> Chain:
    """The predicate up to the stem that takes the ending of the mood."""
    verb, mode = (key(c, "verb"),), (key(c, "mode"),)
    negative = c.negative
    if c.kind == "job":
        assert c.object is not None
        assert c.object.noun is not None
        noun, said = c.object.noun.korean, (*verb, key(c.object, "head"))
        if c.tense == "future":  # one becomes what one will be
            chain = Chain("되", "verb", verb)
            chain.done = [Word(hangul.particle(noun, "이"), (key(c.object, "head"),))]
        elif negative:
            chain = Chain("아니", "quality", (*verb, key(c, "neg")))
            chain.done = [Word(hangul.particle(noun, "이"), (key(c.object, "head"),))]
            negative = False
        else:
            chain = Chain(noun + "이", "is", said)
    elif c.kind == "age":
        chain = Chain("살이", "is", (*verb, key(c, "year")))
    elif c.adjective is not None:
        stem = c.adjective.korean
        kind = "verb" if stem.endswith(" 오") else "quality"
        kind = "being" if stem.endswith("있") else kind
        chain = Chain(stem, kind, (key(c, "adjective"),))
        if kind == "verb" and c.kind == "weather":
            chain.keys += verb
            chain.done = [word._replace(keys=chain.keys) for word in chain.done]
    elif c.verb is None or c.verb.korean == "있":
        chain = Chain("없" if negative else "있", "being", verb)
        if negative:
            chain.keys += (key(c, "neg"),)
        negative = False
    elif c.verb.kind == "r":
        chain = Chain(_TELLING[c.verb.english], "verb", verb)
    else:
        chain = Chain(c.verb.korean, "verb", verb)
    stem = chain.stem
    if c.mode == "going":
        chain.extend(stem + "고", "있", "being", (key(c, "aux"),))
        chain.under = key(c, "verb")
    elif c.mode == "want":
        first = c.question != "who" and c.agent.slot in (0, 1, 3)
        if first:
            chain.extend(stem + "고", "싶", "quality", mode)
        else:
            chain.extend(stem + "고", "하", "verb", mode)
            chain.done.append(Word("싶어", mode))
    elif c.mode == "can":
        keys = (*mode, key(c, "neg")) if negative else mode
        chain.extend(hangul.linked(stem, "ㄹ"), "없" if negative else "있", "being", keys)
        chain.done.append(Word("수", mode))
        negative = False
    elif c.mode == "must":
        chain.extend(hangul.infinitive(stem) + "야", "하", "verb", mode)
    elif c.mode == "like":
        chain.extend(hangul.soft(stem, "는"), "좋아하", "verb", mode)
        chain.done.append(Word("것을", (key(c, "to"),), key(c, "verb")))
    if negative:
        unable = chain.stem == "알"  # one fails to know
        kind = "verb" if chain.kind == "verb" else "quality"
        chain.extend(chain.stem + "지", "못하" if unable else "않", kind, (key(c, "neg"),))
    if c.tense == "past":
        chain.bare, chain.stem, chain.past = chain.stem, _past(chain), True
    return chain


def _past(chain: Chain) -> str:
    if chain.kind == "is":  # 의사이다, 의사였다; 학생이다, 학생이었다
        noun = chain.stem[:-1]
        return noun + ("이었" if hangul.final(noun) else "였")
    if chain.stem == "아니":
        return "아니었"
    return hangul.past(chain.stem)


def _ended(chain: Chain, c: Clause, mood: str, joint: Key | None) -> list[Word]:
    """Closes the predicate with the ending of a mood."""
    if mood == "noun":
        return chain.end(_before_noun(chain))
    if c.tense == "future":
        aux = (key(c, "aux"),)
        chain.extend(hangul.linked(chain.stem, "ㄹ"), "것이", "is", aux)
        chain.under, chain.future = key(c, "verb"), True
    added = () if joint is None else (joint,)
    stem, present = chain.stem, chain.kind == "verb" and not chain.past
    if mood == "ask":
        return chain.end("거니" if chain.future else hangul.soft(stem, "니"))
    plain = hangul.plain(stem) if present else stem + "다"
    if mood == "plain":
        return chain.end(plain)
    if mood == "quote":
        quoted = stem + "라고" if chain.kind == "is" and not chain.past else plain + "고"
        return _marked(chain, quoted, added)
    if mood == "fact":
        known = stem + "라는" if chain.kind == "is" and not chain.past else plain + "는"
        return [*chain.end(known), Word("것을", added)]
    if mood in ("and", "but"):
        return _marked(chain, stem + ("고" if mood == "and" else "지만"), added)
    if mood == "if":
        return _marked(chain, hangul.linked(stem, "면"), added)
    if mood == "when":
        return [*chain.end(hangul.linked(stem, "ㄹ")), Word("때", added)]
    return [*_marked(chain, stem + "기", added), Word("때문에", added)]


def _marked(chain: Chain, form: str, added: tuple[Key, ...]) -> list[Word]:
    chain.keys += added
    return chain.end(form)


def _before_noun(chain: Chain) -> str:
    """Present 는, past ㄴ for actions; present ㄴ, past 던 for qualities."""
    if chain.past and chain.kind == "verb":
        return hangul.linked(chain.bare, "ㄴ")
    if chain.past:
        return chain.stem + "던"
    if chain.kind in ("verb", "being"):
        return hangul.soft(chain.stem, "는")
    return hangul.linked(chain.stem, "ㄴ")


def _phrase(p: Phrase, c: Clause, particle: str, part: Key | None = None) -> list[Word]:
    """Says a noun phrase with its particle, which may itself say a part of the tree."""
    words = _single(p, c)
    if p.also is not None:
        last = words[-1]
        joined = hangul.particle(last.text, "과")
        words[-1] = last._replace(text=joined, keys=(*last.keys, key(p, "and")))
        words += _single(p.also, c)
    last = words[-1]
    irregular = {"나이": "내가", "너이": "네가"}
    if last.text + particle in irregular:
        text = irregular[last.text + particle]
    elif particle in ("은", "이", "을", "과", "으로"):
        text = hangul.particle(last.text, particle)
    else:
        text = last.text + particle
    keys = last.keys if part is None else (*last.keys, part)
    return [*words[:-1], last._replace(text=text, keys=keys)]


def _single(p: Phrase, c: Clause) -> list[Word]:
    head = key(p, "head")
    if p.noun is None:
        third = "그녀" if p.feminine else "그"
        form = ("나", "너", third, "우리", "그들")[p.slot]
        return say(form, head, under=key(c, "verb"))
    words: list[Word] = []
    if p.relative is not None and c is not p.relative:
        words += _clause(p.relative, "noun")
    if p.determiner in _OWN:
        words += say(_OWN[p.determiner], key(p, "determiner"), under=head)
    if p.adjective is not None:
        quality = Chain(p.adjective.korean, "quality", (key(p, "adjective"),))
        if p.adjective.korean.endswith("있"):
            quality.kind = "being"
        words += quality.end(_before_noun(quality))
    counted = p.count is not None or (p.determiner == "a" and c.kind != "job")
    several = p.plural and not counted and p.determiner != "any"
    words += say(p.noun.korean + ("들" if several else ""), head)
    if counted:
        some = "몇" if p.plural else "한"
        if p.count is not None:
            words += say(p.count.korean, key(p, "count"))
        else:
            words += say(some, key(p, "determiner"), under=head)
        words += say(p.noun.counter, key(p, "counter"), under=head)
    return words
