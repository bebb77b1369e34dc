"""Links between sequences whose order is the same on both sides."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2see.config import MONOTONE, Config, DataConfig, from_mapping
from seq2see.data.aligner import monotone_links
from seq2see.data.batching import Side
from seq2see.errors import ConfigError
from seq2see.training.prepare import prepare

ids = st.lists(st.integers(4, 9), max_size=6)


def spoken(n: int = 300, silent: int = 4) -> tuple[list[list[int]], list[list[int]], list]:
    """Words whose letter 5 is two phones, and one letter none; and which phone is whose."""
    rng = np.random.default_rng(0)
    words = [rng.integers(4, 10, rng.integers(1, 7)).tolist() for _ in range(n)]
    sounds, owners = [], []
    for word in words:
        pairs = [
            (position, phone)
            for position, letter in enumerate(word)
            for phone in ([] if letter == silent else [letter + 10, 25][: 1 + (letter == 5)])
        ]
        sounds.append([phone for _, phone in pairs])
        owners.append([(position, t) for t, (position, _) in enumerate(pairs)])
    return words, sounds, owners


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=8))
def test_every_target_token_has_one_link_that_never_goes_back(pairs):
    found = monotone_links(Side.of([x for x, _ in pairs]), Side.of([y for _, y in pairs]))
    for (x, y), links in zip(pairs, found.links, strict=True):
        assert tuple(links[-1]) == (len(x), len(y)), "end marks belong together"
        if x:
            assert links[:, 1].tolist() == list(range(len(y) + 1))
            assert (np.diff(links[:, 0]) >= 0).all()
            assert (links[:-1, 0] < len(x)).all()
        else:
            assert len(links) == 1


def test_phones_are_linked_to_the_letters_that_are_read_so():
    words, sounds, owners = spoken()
    found = monotone_links(Side.of(words), Side.of(sounds))
    right = [
        tuple(link) in own
        for links, own in zip(found.links, owners, strict=True)
        for link in links[:-1]
    ]
    assert np.mean(right) > 0.9


def test_order_is_seen_where_it_is_and_only_there():
    words, sounds, _ = spoken()
    assert monotone_links(Side.of(words), Side.of(sounds)).in_order
    backwards = [sound[::-1] for sound in sounds]
    assert not monotone_links(Side.of(words), Side.of(backwards)).in_order


def pronunciation(path: Path, step: int = 1) -> Path:
    words, _, _ = spoken(80)
    lines = ["".join("abcdefghij"[i] for i in w) for w in words]
    path.write_text("".join(f"{w}\t{' '.join(w[::step])}\n" for w in lines), encoding="utf-8")
    return path


def test_pronunciation_is_guided_by_links_of_its_own(tmp_path: Path):
    found = prepare(Config(DataConfig(str(pronunciation(tmp_path / "p.tsv")))), tmp_path / "run")
    assert found.config.data.links == MONOTONE
    assert found.config.training.guided_alignment == 1.0
    assert found.train_tokens.links is not None


@pytest.mark.parametrize(
    ("step", "settings"),
    [
        (-1, {}),
        (1, {"training": {"guided_alignment": 0.0}}),
        (1, {"model": {"wiring": "none"}}),
        (1, {"text": {"target": {"kind": "words"}}}),
        (1, {}),
    ],
    ids=["backwards", "not wanted", "no attention", "no phones", "many words"],
)
def test_nothing_else_is_guided_unasked(step, settings, tmp_path: Path, monkeypatch, request):
    if "many words" in request.node.name:
        monkeypatch.setattr("seq2see.training.prepare.SMALL", 50)
    pairs = str(pronunciation(tmp_path / "p.tsv", step))
    found = prepare(from_mapping(Config, {"data": {"train": pairs}, **settings}), tmp_path / "run")
    assert found.config.data.links is None
    assert found.config.training.guided_alignment == 0.0
    assert found.train_tokens.links is None


def test_links_of_one_split_do_not_go_with_sampled_ones(tmp_path: Path):
    config = from_mapping(
        Config,
        {
            "data": {"train": str(pronunciation(tmp_path / "p.tsv")), "links": MONOTONE},
            "text": {"sampling": 0.1},
        },
    )
    with pytest.raises(ConfigError, match=r"text\.sampling splits anew"):
        prepare(config, tmp_path / "run")
    assert prepare(replace(config, text=Config().text), tmp_path / "run").train_tokens.links
