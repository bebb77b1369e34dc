"""What is chosen where a person chose nothing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seq2see.config import Config, DataConfig, SideConfig, TextConfig, TrainingConfig, load_config
from seq2see.data.corpus import Corpus
from seq2see.training.defaults import LARGE, MEDIUM, SMALL, choose_text, choose_training
from seq2see.training.prepare import prepare

SUBWORDS = SideConfig(kind="subwords")
OPEN = TextConfig(SUBWORDS, SUBWORDS)


def sentences(alphabet: str, n: int = 400) -> list[str]:
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list(alphabet), 5)) for _ in range(200)]
    return [" ".join(rng.choice(words, 8)) for _ in range(n)]


def chosen(source: str, target: str, text: TextConfig = OPEN) -> TextConfig:
    corpus = Corpus("pairs", sentences(source), sentences(target))
    return choose_text(text, corpus, corpus)


def test_one_vocabulary_serves_languages_of_one_script():
    found = chosen("abcdefghijklmnop", "abcdefghijklmnopß")
    assert found.joint
    assert found.source == found.target


def test_each_script_has_a_vocabulary_of_its_own():
    assert not chosen("abcdefghijklmnop", "가나다라마바사아자차카타파하").joint


def test_sizes_a_person_gave_are_kept():
    apart = TextConfig(SUBWORDS, SideConfig(kind="subwords", size=1234))
    found = chosen("abcdefgh", "abcdefgh", apart)
    assert (found.joint, found.target.size) == (False, 1234)
    both = SideConfig(kind="subwords", size=1234)
    assert chosen("abcdefgh", "abcdefgh", TextConfig(both, both)).joint


@pytest.mark.parametrize(
    ("pairs", "agreement", "epochs"),
    [(SMALL, 0.0, 60), (MEDIUM, 0.0, 30), (MEDIUM + 1, 1.0, 20), (LARGE + 1, 0.0, 30)],
)
def test_sentences_are_read_twice_where_that_pays_and_time_allows(pairs, agreement, epochs):
    found = choose_training(TrainingConfig(), OPEN, pairs, 20 * pairs)
    assert (found.agreement, found.epochs) == (agreement, epochs)


def test_without_a_recipe_pronunciation_is_learned_as_with_it(tmp_path: Path):
    pairs = tmp_path / "p.tsv"
    words = sorted({word for text in sentences("abcdef", 20) for word in text.split()})
    pairs.write_text("".join(f"{w}\t{' '.join(w.upper())}\n" for w in words), encoding="utf-8")
    recipe = load_config(Path(__file__).parent.parent / "recipes" / "g2p.toml")
    data = DataConfig(str(pairs))
    one = prepare(Config(data), tmp_path / "one").config
    assert prepare(replace(recipe, data=data), tmp_path / "two").config == one
