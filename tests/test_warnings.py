"""What a run warns of, what it does not, and that it is said once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2see.config import Config, from_mapping, with_settings
from seq2see.data.batching import Side, TokenCorpus
from seq2see.data.corpus import Corpus
from seq2see.training import warnings
from seq2see.training.prepare import prepare
from seq2see.training.progress import Progress
from seq2see.training.run import train
from seq2see.training.trainer import Trainer
from seq2see.training.validation import Sample, Validation
from seq2see.training.warnings import Watch, data_warnings, unigram_loss

SETTINGS = {
    "text": {"source": {"kind": "words"}, "target": {"kind": "words"}, "joint": False},
    "model": {"hidden": 8, "embedding": 8},
    "training": {"threads": 1, "batch_pairs": 8, "updates": 10, "validate_every": 2},
}
CLEAN = Corpus("clean", [f"a{i} b" for i in range(60)], [f"x{i} y" for i in range(60)])


def prepared(tmp_path, pairs=CLEAN, **settings):
    config = with_settings(from_mapping(Config, SETTINGS), settings)
    return prepare(config, tmp_path / "run", pairs=pairs)


class TestData:
    def test_clean_pairs_are_not_blamed(self, tmp_path):
        assert data_warnings(prepared(tmp_path)) == []

    def test_a_large_vocabulary(self, tmp_path, monkeypatch):
        monkeypatch.setattr(warnings, "LARGE", 60)
        told = data_warnings(prepared(tmp_path))
        assert [text.split(" has ")[0] for text in told] == [
            "The source vocabulary",
            "The target vocabulary",
        ]
        assert "--text.source.kind subwords --text.source.size 16000" in told[0]
        (told,) = data_warnings(prepared(tmp_path, **{"text.joint": True}))
        assert "The shared vocabulary" in told
        assert "--text.source.kind subwords" in told
        assert "--text.target.kind subwords" in told

    def test_a_vocabulary_is_large_from_50_000_entries_on(self):
        assert warnings.LARGE == 50_000

    def test_validation_pairs_that_are_trained_on(self, tmp_path):
        double = Corpus("double", [*CLEAN.sources] * 2, [*CLEAN.targets] * 2)
        (told,) = data_warnings(prepared(tmp_path, double))
        assert "held-out sources" in told
        assert "stand in the training data" in told

    @pytest.mark.parametrize(("share", "blamed"), [(0.05, False), (0.3, True)])
    def test_sources_equal_to_their_targets(self, tmp_path, share, blamed):
        same = round(share * len(CLEAN))
        targets = [*CLEAN.sources[:same], *CLEAN.targets[same:]]
        told = data_warnings(prepared(tmp_path, Corpus("same", CLEAN.sources, targets)))
        assert [("target equal to their source" in text) for text in told] == [True] * blamed


class TestUnigram:
    @given(st.lists(st.integers(3, 9), min_size=1, max_size=40))
    def test_no_guess_by_frequency_beats_the_entropy(self, ids):
        def corpus(flat):
            side = Side(np.array(flat, np.int32), np.array([0, len(flat)]))
            return TokenCorpus(side, side)

        # The more often the same is seen, the less the one added to each count weighs.
        found = unigram_loss(corpus(ids * 2000), corpus(ids), 10)
        share = np.bincount(ids) / len(ids)
        entropy = -sum(p * np.log(p) for p in share if p)
        assert entropy - 1e-9 <= found == pytest.approx(entropy, abs=0.01)


class TestWatch:
    SAMPLES = tuple(Sample(s, t, t) for s, t in zip(CLEAN.sources, CLEAN.targets, strict=True))
    SAME = tuple(Sample(s, t, "x y") for s, t in zip(CLEAN.sources, CLEAN.targets, strict=True))

    @pytest.fixture
    def watch(self, tmp_path):
        return Watch(prepared(tmp_path), updates=100)

    def test_a_loss_above_that_of_guessing_by_frequency_is_told_once(self, watch):
        lost = Validation(watch.unigram + 0.1, "loss", 1.0, self.SAMPLES)
        assert watch(19, lost) == []  # too early to tell
        (told,) = watch(20, lost)
        assert f"{lost.loss:.3f}, is not below {watch.unigram:.3f}" in told
        assert watch(40, lost) == []

    def test_a_loss_that_is_no_number_is_told(self, watch):
        (told,) = watch(50, Validation(float("nan"), "loss", 1.0, self.SAMPLES))
        assert "no number" in told

    def test_a_loss_below_it_is_not_blamed(self, watch):
        assert watch(90, Validation(watch.unigram - 0.1, "loss", 1.0, self.SAMPLES)) == []

    def test_outputs_that_are_all_the_same_are_told_once(self, watch):
        same = Validation(0.0, "loss", 1.0, self.SAME)
        assert watch(19, same) == []
        (told,) = watch(20, same)
        assert "60 of 60 different sources give the same output ('x y')" in told
        assert watch(40, same) == []

    def test_it_sees_all_that_a_validation_decodes(self, tmp_path):
        settings = {"metric": "exact", "validate_every": 100, "held_out": 0.2}
        validate = Trainer(prepared(tmp_path, **settings), Progress()).validator
        found = validate()
        assert len(found.samples) == len(validate.rows) == 12
        assert {one.source for one in found.samples} == set(validate.prepared.valid.sources)


class TestRun:
    @pytest.fixture
    def copies(self):
        """Nothing but copies, with a rate at which nothing is learned."""
        corpus = Corpus("copies", CLEAN.sources, CLEAN.sources)
        return with_settings(from_mapping(Config, SETTINGS), {"learning_rate": 1e-9}), corpus

    def test_each_is_said_once(self, tmp_path, copies, capsys):
        config, pairs = copies
        train(config, tmp_path / "run", pairs=pairs)
        told = " ".join(capsys.readouterr().err.split())
        assert told.count("have a target equal to their source") == 1
        assert told.count("is not below") == 1
        assert told.index("equal to their source") < told.index("update 2 ")

    def test_a_dry_run_says_what_the_data_tell(self, tmp_path, copies, capsys):
        train(copies[0], tmp_path / "run", pairs=copies[1], dry_run=True)
        assert "equal to their source" in capsys.readouterr().err

    def test_quiet_is_quiet(self, tmp_path, copies, capsys):
        train(copies[0], tmp_path / "run", pairs=copies[1], quiet=True)
        assert capsys.readouterr() == ("", "")
