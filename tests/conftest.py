"""Small models, trained once."""

from __future__ import annotations

import pytest

from seq2see.cli import main
from seq2see.data.corpora import built_in

# Few shapes, one thread: the work is so small that all else would take longer.
QUICK = ["--training.precision", "float32", "--training.threads", "1"]
QUICK += ["--training.validate-every", "20"]
TINY = ["--model.hidden", "16", "--model.embedding", "16", "--training.updates", "20", *QUICK]
PAIRS = [
    ("I see a dog", "veo un perro"),
    ("I see a cat", "veo un gato"),
    ("you see a dog", "ves un perro"),
    ("you see a red cat", "ves un gato rojo"),
    ("I eat bread", "como pan"),
    ("you eat red bread", "comes pan rojo"),
]


def write_pairs(path, pairs):
    path.write_text("".join(f"{s}\t{t}\n" for s, t in pairs), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def dates(tmp_path_factory):
    """200 dates as a TSV file."""
    corpus = built_in("dates")
    path = tmp_path_factory.mktemp("data") / "dates.tsv"
    return write_pairs(path, zip(corpus.sources[:200], corpus.targets[:200], strict=True))


@pytest.fixture(scope="session")
def words(tmp_path_factory):
    """A few sentences, ten times each."""
    return write_pairs(tmp_path_factory.mktemp("data") / "words.tsv", PAIRS * 10)


def trained(out, data, *more):
    assert main(["train", "--data.train", str(data), "--out", str(out), *TINY, *more]) == 0
    return out


@pytest.fixture(scope="session")
def model(tmp_path_factory, dates):
    """Dates, letter by letter; hardly trained."""
    return trained(tmp_path_factory.mktemp("models") / "dates", dates)


@pytest.fixture(scope="session")
def word_model(tmp_path_factory, words):
    """Sentences, word by word; hardly trained."""
    kinds = ["--text.source.kind", "words", "--text.target.kind", "words"]
    return trained(tmp_path_factory.mktemp("models") / "words", words, *kinds)
