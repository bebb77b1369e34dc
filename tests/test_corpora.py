"""The built-in corpora: what a learner may count on."""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
from collections import Counter

import pytest

from seq2see.data.corpora import (
    CORPORA,
    built_in,
    english,
    french,
    french_verbs,
    hangul,
    is_built_in,
    korean,
    lexicon,
    spanish,
    spanish_verbs,
)
from seq2see.data.corpora.grammar import Grammar
from seq2see.data.corpus import Link
from seq2see.errors import DataError

PAIRS = ("phrases:en-es", "phrases:en-fr", "phrases:en-ko")
SPLITS = ("train", "valid", "test")
NAMED = [
    ("phrases:en-es", "I like soccer.", "Me gusta el fútbol."),
    ("phrases:en-es", "I am a student.", "Soy estudiante."),
    ("phrases:en-fr", "I like soccer.", "J'aime le football."),
    ("phrases:en-fr", "I am a student.", "Je suis étudiant."),
    ("phrases:en-ko", "I like soccer.", "나는 축구를 좋아한다."),
    ("phrases:en-ko", "I am a student.", "나는 학생이다."),
]


def words(text: str) -> list[str]:
    return re.sub(r"[¿?.,]", "", text).lower().split()


@pytest.mark.parametrize("name", [*PAIRS, "dates"])
def test_sizes(name: str) -> None:
    sizes = [len(built_in(f"{name}/{split}")) for split in SPLITS]
    assert sizes == [10_000 if name == "dates" else 60_000, 500, 1000]


@pytest.mark.parametrize("name", sorted(CORPORA))
def test_no_source_has_two_targets_or_two_splits(name: str) -> None:
    sources = [source for split in SPLITS for source in built_in(f"{name}/{split}").sources]
    assert len(sources) == len(set(sources))


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_tested_is_new_but_made_of_known_words(name: str) -> None:
    train = built_in(name)
    for side in ("sources", "targets"):
        counts = Counter(word for text in getattr(train, side) for word in set(text.split()))
        for split in ("valid", "test"):
            for text in getattr(built_in(f"{name}/{split}"), side):
                assert all(counts[word] >= 3 for word in text.split()), text


@pytest.mark.parametrize(("name", "source", "target"), NAMED)
def test_the_named_sentences_are_held_out(name: str, source: str, target: str) -> None:
    test = built_in(f"{name}/test")
    assert (source, target) in zip(test.sources, test.targets, strict=True)
    assert source not in built_in(name).sources


def test_the_combination_is_held_out_in_long_sentences_too() -> None:
    for text in built_in("phrases:en-fr").sources:
        assert not re.search(r"\bI (do not |did not )?liked? soccer\b", text)


@pytest.mark.parametrize("name", PAIRS)
def test_links_point_at_words_and_reach_most_of_them(name: str) -> None:
    linked = total = 0
    for source, target, links in built_in(f"{name}/test"):
        assert links is not None
        left, right = len(source.split()), len(target.split())
        assert all(0 <= i < left and 0 <= j < right for i, j, _ in links)
        assert len({link[:2] for link in links}) == len(links)
        linked += len({i for i, _, _ in links}) + len({j for _, j, _ in links})
        total += left + right
    assert linked / total > 0.97


def test_links_of_the_named_sentences() -> None:
    spanish_test, french_test = built_in("phrases:en-es/test"), built_in("phrases:en-fr/test")
    assert spanish_test.links is not None
    assert french_test.links is not None
    at = spanish_test.sources.index("I like soccer.")
    assert spanish_test.links[at] == (Link(0, 0), Link(1, 1), Link(2, 2, False), Link(2, 3))
    at = french_test.sources.index("I am a student.")
    assert french_test.links[at] == (Link(0, 0), Link(1, 1), Link(2, 2, False), Link(3, 2))


@pytest.mark.parametrize("code", ["es", "fr", "ko"])
def test_the_reverse_direction_is_the_mirror(code: str) -> None:
    there, back = built_in(f"phrases:en-{code}/valid"), built_in(f"phrases:{code}-en/valid")
    assert there.sources == back.targets
    assert there.targets == back.sources
    assert there.links is not None
    assert back.links is not None
    for one, other in zip(there.links, back.links, strict=True):
        assert {(i, j, sure) for i, j, sure in one} == {(j, i, sure) for i, j, sure in other}


@pytest.mark.parametrize("name", PAIRS)
def test_lengths_run_from_three_to_over_sixty(name: str) -> None:
    for split in ("train", "test"):
        lengths = [len(text.split()) for text in built_in(f"{name}/{split}").sources]
        tens = Counter(length // 10 for length in lengths)
        assert min(lengths) <= 3
        assert max(lengths) > 60
        assert all(tens[ten] >= 5 for ten in range(7))
    short = sum(len(text.split()) < 10 for text in built_in(name).sources)
    assert 0.55 < short / 60_000 < 0.68


def test_spanish_articles_agree_with_their_nouns() -> None:
    genders = {}
    for noun in lexicon.nouns():
        form = noun.spanish
        el = "la" if form.feminine and not form.takes_el else "el"
        genders[form.singular.lower()] = (el, "una" if form.feminine else "un")
        if form.plural != form.singular:
            genders[form.plural.lower()] = ("las", "unas") if form.feminine else ("los", "unos")
    seen = 0
    for text in built_in("phrases:en-es").targets[:8000]:
        for article, noun in re.findall(r"\b(el|la|los|las|un|una|unos|unas) (\w+)", text.lower()):
            if noun in genders and noun != "paraguas":
                assert article in genders[noun], text
                seen += 1
    assert seen > 3000


def test_french_elides_and_contracts() -> None:
    vowel = r"[aeiouyàâéèêîôœ]"
    wrong = re.compile(rf"\b(je|me|te|ne|de|que|la|ce|ma|ta|sa) {vowel}|\ble {vowel}|\bsi ils?\b")
    uncontracted = re.compile(r"\b(de|à) les?\b")
    for text in built_in("phrases:en-fr").targets:
        assert not wrong.search(text.lower()), text
        assert not uncontracted.search(text.lower()), text


def test_french_articles_agree_with_their_nouns() -> None:
    women = {n.french.singular: n.french.feminine for n in lexicon.nouns()}
    both = {"artiste", "journaliste", "dentiste", "touriste"}
    for text in built_in("phrases:en-fr").targets[:8000]:
        for article, noun in re.findall(r"\b(le|la|un|une|cette|ce|du) (\w+)", text.lower()):
            if noun in women and noun not in both:
                assert women[noun] == (article in ("la", "une", "cette")), text


def said(name: str) -> dict[str, str]:
    corpus = built_in(name)
    return dict(zip(corpus.sources, corpus.targets, strict=True))


def test_french_pronouns_stand_before_the_verb_that_governs_them() -> None:
    french_of = said("phrases:en-fr")
    assert french_of["Lucas is giving us a strawberry."] == (
        "Lucas est en train de nous donner une fraise."
    )
    stray = re.compile(r"\b(nous|les?|la|[mt]e|[mt]') ?en train")
    assert not [text for text in french_of.values() if stray.search(text)]


def test_korean_negation_follows_the_kind_of_verb() -> None:
    korean_of = said("phrases:en-ko")
    assert korean_of["Mina is not calling our brother."] == "미나는 우리 남동생을 부르고 있지 않다."
    assert korean_of["We do not know London."] == "우리는 런던을 알지 못한다."
    assert not [text for text in korean_of.values() if re.search("있지 않는|알지 않", text)]


def test_korean_asks_where_with_the_particle_of_the_answer() -> None:
    korean_of = said("phrases:en-ko")
    assert korean_of["Where does the boy live?"] == "소년은 어디에 사니?"
    assert korean_of["Where did Emma return last year?"] == "에마는 작년에 어디로 돌아갔니?"


def test_korean_particles_follow_the_final_consonant() -> None:
    pairs = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"))
    forms: dict[str, str] = {}
    for noun in lexicon.nouns():
        for closed, opened in pairs:
            final = hangul.final(noun.korean)
            forms[noun.korean + (opened if final else closed)] = noun.korean
    real = {noun.korean for noun in lexicon.nouns()}
    for text in built_in("phrases:en-ko").targets:
        for word in words(text):
            assert word not in forms or word in real, (word, text)


@pytest.mark.parametrize(
    ("stem", "infinitive", "adnominal"),
    [
        ("먹", "먹어", "먹은"),
        ("가", "가", "간"),
        ("돕", "도와", "도운"),
        ("듣", "들어", "들은"),
        ("짓", "지어", "지은"),
        ("부르", "불러", "부른"),
        ("고르", "골라", "고른"),
        ("살", "살아", "산"),
        ("빨갛", "빨개", "빨간"),
        ("바쁘", "바빠", "바쁜"),
        ("쓰", "써", "쓴"),
        ("마시", "마셔", "마신"),
        ("입", "입어", "입은"),
        ("어렵", "어려워", "어려운"),
    ],
)
def test_korean_stems(stem: str, infinitive: str, adnominal: str) -> None:
    assert hangul.infinitive(stem) == infinitive
    assert hangul.linked(stem, "ㄴ") == adnominal


@pytest.mark.parametrize(
    ("infinitive", "tense", "slot", "form"),
    [
        ("jugar", "present", 2, "juega"),
        ("buscar", "preterite", 0, "busqué"),
        ("tener", "future", 3, "tendremos"),
        ("cerrar", "present", 3, "cerramos"),
        ("dormir", "preterite", 4, "durmieron"),
    ],
)
def test_spanish_verbs(infinitive: str, tense: str, slot: int, form: str) -> None:
    assert spanish_verbs.conjugate(infinitive, tense, slot) == form


@pytest.mark.parametrize(
    ("infinitive", "tense", "slot", "form"),
    [
        ("manger", "present", 3, "mangeons"),
        ("acheter", "future", 0, "achèterai"),
        ("être", "imperfect", 1, "étais"),
        ("vendre", "present", 2, "vend"),
        ("choisir", "present", 4, "choisissent"),
    ],
)
def test_french_verbs(infinitive: str, tense: str, slot: int, form: str) -> None:
    assert french_verbs.conjugate(infinitive, tense, slot) == form


_SAMPLE = """
from seq2see.data.corpora import english, french, korean, spanish
from seq2see.data.corpora.grammar import Grammar
grammar = Grammar(7)
for tree in [grammar.sentence() for _ in range(300)]:
    for language in (english, french, korean, spanish):
        print(*(word.text for word in language.sentence(tree)))
"""


def test_every_process_says_the_same() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", _SAMPLE],
            env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert len(runs[0].splitlines()) == 1200


def test_no_sentence_can_be_taken_two_ways() -> None:
    grammar = Grammar(11)
    said: dict[tuple[str, str, str], str] = {}
    for tree in (grammar.sentence() for _ in range(5000)):
        left = " ".join(word.text for word in english.sentence(tree))
        for name, language in (("es", spanish), ("fr", french), ("ko", korean)):
            right = " ".join(word.text for word in language.sentence(tree))
            assert said.setdefault(("en", name, left), right) == right
            assert said.setdefault((name, "en", right), left) == left


def test_dates_name_real_days_and_no_day_is_in_two_splits() -> None:
    days = [set(built_in(f"dates/{split}").targets) for split in SPLITS]
    assert not days[0] & days[1]
    assert not days[0] & days[2]
    assert not days[1] & days[2]
    for source, target, links in built_in("dates/test"):
        day = datetime.date.fromisoformat(target)
        assert str(day.day) in source
        assert f"{day.year % 100:02}" in source
        assert links is None


def test_dates_are_written_in_many_ways() -> None:
    shapes = {re.sub(r"\d", "9", re.sub(r"[^\W\d]+", "a", s)) for s in built_in("dates").sources}
    assert len(shapes) > 25


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    assert is_built_in("phrases:en-es/valid")
    assert not is_built_in("pairs.tsv")
    with pytest.raises(DataError, match=r"Did you mean 'phrases:en-es'"):
        built_in("phrases:en-se")
    with pytest.raises(DataError, match=r"no split 'tset'.*'test'"):
        built_in("dates/tset")
