"""The words of the phrase corpora: one table of concepts, four languages wide."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import NamedTuple


def read_table(name: str) -> list[list[str]]:
    """Reads a table of this package: columns between bars, comments after ``#``.

    Args:
        name: The file's name.

    Returns:
        The stripped cells of every row.
    """
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    rows = (line.strip() for line in text.splitlines())
    return [[cell.strip() for cell in row.split("|")] for row in rows if row and row[0] != "#"]


class Form(NamedTuple):
    """A noun in one language: both numbers, the women's form, the grammatical gender."""

    singular: str
    plural: str
    woman: str = ""
    feminine: bool = False
    takes_el: bool = False  # el agua: feminine, but the article is "el"


@dataclass(frozen=True, eq=False)
class Noun:
    """One thing, animal or person, with a word for it in every language."""

    classes: frozenset[str]
    english: Form
    spanish: Form
    french: Form
    korean: str
    counter: str

    @cached_property
    def proper(self) -> bool:
        """Whether it is a name, which takes no article."""
        return not self.classes.isdisjoint({"name", "city"})

    @cached_property
    def human(self) -> bool:
        """Whether it is a person."""
        return not self.classes.isdisjoint({"person", "kin", "name"})


@dataclass(frozen=True, eq=False)
class Verb:
    """One action or state, what does it, and what it is done to."""

    kind: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    english: str
    past: str
    gerund: str
    spanish: str
    french: str
    korean: str
    marks: frozenset[str]


@dataclass(frozen=True, eq=False)
class Adjective:
    """One quality. ``with_verb`` is what Spanish says it with: ser, estar, tener or hacer."""

    classes: frozenset[str]
    english: str
    comparative: str
    with_verb: str
    spanish: str
    french: str
    french_feminine: str
    french_vowel: str
    before: bool
    korean: str


class Adverb(NamedTuple):
    """One answer to "when?"."""

    tenses: frozenset[str]
    mid: bool
    english: str
    spanish: str
    french: str
    korean: str


class Number(NamedTuple):
    """A number in words."""

    value: int
    english: str
    spanish: str
    french: str
    korean: str


def _english_noun(cell: str) -> Form:
    base, _, woman = cell.partition(":")
    singular, _, plural = base.partition("/")
    if not plural:
        plural = singular + "s"
    if singular.endswith("y") and singular[-2] not in "aeiou":
        plural = singular[:-1] + "ies"
    return Form(singular, plural, woman or singular)


def _spanish_plural(word: str) -> str:
    if word.endswith("z"):
        return word[:-1] + "ces"
    if word[-1] in "aeiouáéó" or word.endswith("as"):
        return word if word.endswith("as") else word + "s"
    accented = {"ón": "on", "ín": "in", "és": "es", "ús": "us", "án": "an"}
    return word[:-2] + accented.get(word[-2:], word[-2:]) + "es"


def _french_plural(word: str) -> str:
    return word if word[-1] in "sxz" else word + "s"


def _romance_noun(cell: str, french: bool) -> Form:
    words, gender = cell.rsplit(" ", 1)
    words, _, woman = words.partition("~")
    singular, _, plural = words.partition("/")
    plural = plural or (_french_plural if french else _spanish_plural)(singular)
    return Form(singular, plural, woman, gender[0] == "f", gender == "f*")


def _past(base: str) -> str:
    head, _, rest = base.partition("_")
    if head.endswith("e"):
        head += "d"
    elif head.endswith("y") and head[-2] not in "aeiou":
        head = head[:-1] + "ied"
    else:
        head += "ed"
    return f"{head} {rest}".strip()


def _gerund(base: str) -> str:
    head, _, rest = base.partition("_")
    head = head[:-1] if head.endswith("e") and not head.endswith("ee") else head
    return f"{head}ing {rest}".strip()


@cache
def nouns() -> tuple[Noun, ...]:
    """All nouns, in the order of the table."""
    rows = []
    for classes, english, spanish, french, korean in read_table("nouns.txt"):
        word, counter = korean.rsplit(" ", 1)
        rows.append(
            Noun(
                frozenset(classes.split(",")),
                _english_noun(english),
                _romance_noun(spanish, french=False),
                _romance_noun(french, french=True),
                word,
                counter,
            )
        )
    return tuple(rows)


@cache
def verbs() -> tuple[Verb, ...]:
    """All verbs, in the order of the table."""
    rows = []
    for kind, subjects, objects, english, spanish, french, korean, marks in read_table("verbs.txt"):
        base, past, gerund, *_ = [*english.split("/"), "", ""]
        rows.append(
            Verb(
                kind,
                tuple(subjects.split(",")),
                tuple(objects.split(",")),
                base.replace("_", " "),
                past or _past(base),
                gerund or _gerund(base),
                spanish,
                french,
                korean.removesuffix("다"),
                frozenset(marks.split()),
            )
        )
    return tuple(rows)


@cache
def adjectives() -> tuple[Adjective, ...]:
    """All adjectives, and the states and weathers that some languages say with a noun."""
    rows = []
    for classes, english, spanish, french, korean in read_table("adjectives.txt"):
        base, _, comparative = english.partition("/")
        masculine, feminine, vowel, *_ = [*french.removesuffix(" <").split("/"), "", ""]
        with_verb, _, word = spanish.partition(" ")
        rows.append(
            Adjective(
                frozenset(classes.split(",")),
                base.replace("_", " "),
                f"more {base}" if comparative == "*" else comparative,
                with_verb,
                word,
                masculine,
                feminine or (masculine if masculine.endswith("e") else masculine + "e"),
                vowel or masculine,
                french.endswith("<"),
                korean.replace("_", " ").removesuffix("다"),
            )
        )
    return tuple(rows)


@cache
def adverbs() -> tuple[Adverb, ...]:
    """All answers to "when?"."""
    return tuple(
        Adverb(frozenset(tenses.split(",")), place == "mid", *words)
        for tenses, place, *words in read_table("adverbs.txt")
    )


@cache
def adverbs_of(tense: str, mid: bool) -> tuple[Adverb, ...]:
    """The adverbs of a tense, with or without those inside the verb (always, often)."""
    return tuple(a for a in adverbs() if tense in a.tenses and (mid or not a.mid))


@cache
def numbers() -> tuple[Number, ...]:
    """All numbers, ascending."""
    return tuple(Number(int(value), *words) for value, *words in read_table("numbers.txt"))


@cache
def nouns_of(classes: tuple[str, ...]) -> tuple[Noun, ...]:
    """The nouns of any of some classes; "human" means person, kin and name."""
    wanted = {c for name in classes for c in (_HUMAN if name == "human" else (name,))}
    return tuple(noun for noun in nouns() if not noun.classes.isdisjoint(wanted))


@cache
def adjectives_for(noun: Noun) -> tuple[Adjective, ...]:
    """The adjectives that can be said of a noun."""
    classes = noun.classes | ({"human"} if noun.human else set())
    return tuple(a for a in adjectives() if not a.classes.isdisjoint(classes))


_HUMAN = ("person", "kin", "name")
