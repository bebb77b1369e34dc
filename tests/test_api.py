"""The Python interface as the README shows it."""

from __future__ import annotations

import json
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import seq2see
from conftest import PAIRS
from seq2see.config import load_config
from seq2see.errors import ConfigError, DataError

SMALL = {"updates": 5, "hidden": 16, "embedding": 16, "threads": 1, "precision": "float32"}


def test_importing_the_package_is_quick_and_needs_nothing():
    code = (
        "import sys; import seq2see; seq2see.Config; seq2see.__version__;"
        "sys.exit(' '.join({'torch', 'numpy', 'matplotlib'} & set(sys.modules)) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_is_there():
    for name in (*seq2see.__all__, "__version__"):
        assert getattr(seq2see, name)
        assert name in dir(seq2see)
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        seq2see.lode  # noqa: B018


class TestFit:
    def test_pairs_in_a_model_out(self, tmp_path):
        out = tmp_path / "tiny"
        model = seq2see.fit(PAIRS * 5, out, quiet=True, wiring="bahdanau", **SMALL)
        assert model.translate("I see a dog", beam=1).target_tokens
        assert load_config(out / "config.toml").model.wiring == "bahdanau"
        assert {path.name for path in tmp_path.iterdir()} == {"tiny"}

    def test_a_name_of_data_will_do(self, dates, tmp_path):
        model = seq2see.fit(str(dates), tmp_path / "x", quiet=True, **SMALL)
        assert model.translate(["1 May 2001"], max_extra=2, max_ratio=1.0)

    def test_a_run_goes_on(self, tmp_path):
        seq2see.fit(PAIRS * 5, tmp_path / "x", quiet=True, **SMALL)
        seq2see.fit(PAIRS * 5, tmp_path / "x", quiet=True, resume=True, updates=8)
        config = load_config(tmp_path / "x" / "config.toml")
        assert (config.training.updates, config.model.hidden) == (8, 16)

    def test_settings_by_their_full_name(self, tmp_path):
        kinds = {"text.source.kind": "chars", "text.target.kind": "words"}
        model = seq2see.fit(PAIRS * 5, tmp_path / "x", quiet=True, **SMALL, **kinds)
        assert (model.source.kind, model.target.kind) == ("chars", "words")

    @pytest.mark.parametrize(
        ("settings", "told"),
        [
            ({"epoch": 3}, "'training.epochs'"),
            ({"kind": "chars"}, "text.source.kind or text.target.kind"),
            ({"updates": "many"}, "must be int"),
            ({"wiring": "luon"}, "'luong'"),
        ],
    )
    def test_wrong_settings_are_refused(self, settings, told, tmp_path):
        with pytest.raises(ConfigError, match=told):
            seq2see.fit(PAIRS, tmp_path / "x", quiet=True, **settings)

    @pytest.mark.parametrize("pairs", [[], [("a", "")], [("a", "b", "c")], ["ab"], [("a", 1)]])
    def test_what_is_no_pair_is_refused(self, pairs, tmp_path):
        with pytest.raises(DataError):
            seq2see.fit(pairs, tmp_path / "x", quiet=True)


class TestTranslation:
    @pytest.fixture
    def translation(self, word_model):
        return seq2see.load(word_model).translate("I see a dog", n_best=3)

    def test_a_text_in_one_out_a_list_in_a_list_out(self, word_model):
        model = seq2see.load(word_model)
        found = model.translate(["I see a dog", "", "you eat bread"], beam=2)
        assert [t.source for t in found] == ["I see a dog", "", "you eat bread"]
        assert found[1].text == ""
        assert found[0].text == model.translate("I see a dog", beam=2).text

    def test_attention_is_a_row_for_each_target_token(self, translation):
        assert translation.attention.shape == (
            len(translation.target_tokens),
            len(translation.source_tokens),
        )
        np.testing.assert_allclose(translation.attention.sum(axis=1), 1, atol=1e-5)
        assert len(translation.alternatives) <= 2

    def test_pictures(self, translation):
        assert translation.to_html().startswith("<!doctype html>")
        for svg in (
            translation.to_svg(),
            translation.to_svg(words=True),
            translation._repr_html_(),
        ):
            ElementTree.fromstring(svg)
        assert list(translation.words().source)[:2] == ["I", "see"]

    def test_plain_values(self, translation):
        told = json.loads(translation.to_json())
        assert told["source_tokens"] == list(translation.source_tokens)
        np.testing.assert_allclose(told["attention"], translation.attention, atol=1e-6)
        assert len(told["alternatives"]) == len(translation.alternatives)
        assert "attention" not in translation.to_dict(attention=False)

    def test_links_join_words_that_there_are(self, translation):
        for link in translation.alignment():
            assert link.source < 4
            assert link.target < len(translation.text.split())

    def test_settings_of_the_search_are_checked(self, word_model):
        with pytest.raises(ConfigError, match="'beam'"):
            seq2see.load(word_model).translate("I", bem=2)


class TestLoad:
    @pytest.mark.parametrize("settings", [{"engine": "torc"}, {"precision": "float3"}])
    def test_unknown_engines_are_refused(self, word_model, settings):
        with pytest.raises(ConfigError, match="Did you mean"):
            seq2see.load(word_model, **settings)

    def test_precisions_belong_to_engines(self, word_model):
        with pytest.raises(ConfigError, match="int8"):
            seq2see.load(word_model, engine="torch", precision="int8")
        with pytest.raises(ConfigError, match="bfloat16"):
            seq2see.load(word_model, engine="onnx", precision="bfloat16")

    def test_which_model(self):
        with pytest.raises(seq2see.Seq2SeeError, match="Which model"):
            seq2see.load()
