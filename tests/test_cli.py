"""What a person meets on the command line: every command, and a clear word for every mistake."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import PAIRS, QUICK, TINY, trained, write_pairs
from seq2see.cli import COMMANDS, main
from seq2see.cli.translate import one_line
from seq2see.config import Config, load_config, to_mapping
from seq2see.training.trainer import Stopped
from seq2see.translation import Translation
from seq2see.translator import Translator

FAST = ["--beam", "2", "--max-extra", "3", "--max-ratio", "1"]


def typed(monkeypatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def fails(capsys, *words: object, code: int = 1) -> str:
    """Runs a command that must fail, and returns what it says."""
    capsys.readouterr()
    assert main([str(word) for word in words]) == code
    told = capsys.readouterr().err
    assert "Traceback" not in told
    return " ".join(told.replace("│", " ").split())


class TestDispatch:
    def test_help_names_every_command(self, capsys):
        assert main(["--help"]) == 0
        told = capsys.readouterr().out
        assert all(f"  {name} " in told for name in COMMANDS)

    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_command_has_help(self, command, capsys):
        assert main([command, "--help"]) == 0
        assert f"usage: seq2see {command}" in capsys.readouterr().out

    def test_nothing_to_do_is_a_wrong_command_line(self, capsys):
        assert main([]) == 2

    def test_an_unknown_command_names_the_nearest(self, capsys):
        assert "Did you mean 'train'?" in fails(capsys, "trian", code=2)

    @pytest.mark.parametrize(
        "words",
        [["--help"], ["--version"], ["corpora"], ["train", "--help"], ["translate", "--help"]],
    )
    def test_torch_is_imported_only_when_needed(self, words):
        heavy = "torch", "matplotlib", "sacrebleu", "onnxruntime", "rich"
        code = (
            f"import sys; from seq2see.cli import main; main({words!r}); import seq2see; "
            f"sys.exit(' '.join(set({heavy!r}) & set(sys.modules)) or 0)"
        )
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)

    def test_a_fault_of_ours_is_told_in_two_lines(self, capsys, monkeypatch):
        monkeypatch.setattr("seq2see.cli.corpora.main", lambda _: 1 / 0)
        assert "SEQ2SEE_DEBUG=1" in fails(capsys, "corpora")
        monkeypatch.setenv("SEQ2SEE_DEBUG", "1")
        with pytest.raises(ZeroDivisionError):
            main(["corpora"])

    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (KeyboardInterrupt(), 130),
            (Stopped("Stopped; nothing is lost.", signal.SIGTERM), 143),
            (OSError(28, "No space left on device", "model"), 1),
            (ModuleNotFoundError("No module named 'torch'", name="torch"), 1),
        ],
    )
    def test_what_stops_a_command_is_in_its_exit_code(self, error, code, capsys, monkeypatch):
        def stop(_):
            raise error

        monkeypatch.setattr("seq2see.cli.corpora.main", stop)
        told = fails(capsys, "corpora", code=code)
        expected = {130: "", 143: "nothing is lost", 1: ("No space left", "pip install")}[code]
        assert any(part in told for part in ([expected] if isinstance(expected, str) else expected))

    def test_a_reader_that_has_seen_enough_is_no_error(self):
        command = f"{sys.executable} -m seq2see corpora dates | head -1"
        done = subprocess.run(command, shell=True, capture_output=True, check=True)
        assert done.stdout.count(b"\n") == 1
        assert done.stderr == b""


class TestTrain:
    def test_flags_go_before_the_file_of_settings(self, tmp_path, dates, capsys):
        file = tmp_path / "run.toml"
        file.write_text(
            f'[data]\ntrain = "{dates}"\n[model]\nhidden = 24\nwiring = "bahdanau"\n'
            "[training]\nupdates = 2\n"
        )
        out = tmp_path / "out"
        assert main(["train", str(file), "--out", str(out), "--model.hidden", "8", *QUICK]) == 0
        assert capsys.readouterr().out.strip() == str(out)
        config = load_config(out / "config.toml")
        assert (config.model.hidden, config.model.wiring) == (8, "bahdanau")

    def test_a_dry_run_tells_and_writes_nothing(self, tmp_path, dates, capsys):
        out = tmp_path / "out"
        assert main(["train", "--data.train", str(dates), "--out", str(out), "--dry-run"]) == 0
        assert "parameters" in capsys.readouterr().err
        assert not out.exists()

    def test_a_run_goes_on_with_its_settings_and_what_is_given_anew(self, tmp_path, dates):
        out = tmp_path / "out"
        words = ["train", "--out", str(out), *QUICK, "--training.updates"]
        assert main([*words, "2", "--data.train", str(dates), "--model.hidden", "8"]) == 0
        assert main([*words, "4", "--resume"]) == 0
        config = load_config(out / "config.toml")
        assert (config.training.updates, config.model.hidden) == (4, 8)

    def test_every_setting_is_a_flag(self, capsys):
        def names(values, where=""):
            for key, value in values.items():
                if isinstance(value, dict):
                    yield from names(value, f"{where}{key}.")
                else:
                    yield where + key

        main(["train", "--help"])
        told = capsys.readouterr().out
        for name in names(to_mapping(Config())):
            assert f"--{name.replace('_', '-')}" in told

    def test_a_used_folder_is_refused(self, model, dates, capsys):
        told = fails(capsys, "train", "--data.train", dates, "--out", model)
        assert "already holds a run" in told
        assert "--resume" in told

    def test_a_folder_of_other_things_is_refused(self, tmp_path, dates, capsys):
        (tmp_path / "thesis.tex").touch()
        told = fails(capsys, "train", "--data.train", dates, "--out", tmp_path)
        assert "not an empty folder" in told

    def test_an_unknown_flag_names_the_nearest(self, capsys):
        told = fails(capsys, "train", "--out", "x", "--model.atention.score", "dot", code=2)
        assert "--model.attention.score" in told

    def test_an_unknown_value_names_those_there_are(self, capsys):
        told = fails(capsys, "train", "--out", "x", "--model.wiring", "luon", code=2)
        assert "bahdanau" in told

    def test_an_unknown_key_names_file_key_and_the_nearest(self, tmp_path, capsys):
        file = tmp_path / "run.toml"
        file.write_text("[model]\nhiden = 3\n")
        told = fails(capsys, "train", file, "--out", tmp_path / "out")
        assert "run.toml" in told
        assert "'model.hiden'" in told
        assert "'hidden'" in told

    def test_nothing_to_learn_from(self, tmp_path, capsys):
        assert "--data.train" in fails(capsys, "train", "--out", tmp_path / "out")

    def test_nothing_to_resume(self, tmp_path, capsys):
        assert "no run to resume" in fails(capsys, "train", "--out", tmp_path / "x", "--resume")


class TestBadData:
    """Each says what is wrong and where."""

    def told(self, capsys, tmp_path, data: object, *more: object) -> str:
        told = fails(capsys, "train", "--data.train", data, "--out", tmp_path / "out", *more)
        assert not (tmp_path / "out").exists()
        return told

    def test_files_of_unequal_length(self, tmp_path, capsys):
        (tmp_path / "t.en").write_text("a\nb\nc\n")
        (tmp_path / "t.de").write_text("a\nb\n")
        told = self.told(capsys, tmp_path, f"{tmp_path}/t.{{en,de}}")
        assert "3 lines" in told
        assert "has 2" in told

    def test_a_line_without_a_tab(self, tmp_path, capsys):
        (tmp_path / "t.tsv").write_text("a\tb\nc d\n")
        assert "line 2" in self.told(capsys, tmp_path, tmp_path / "t.tsv")

    def test_invalid_utf8(self, tmp_path, capsys):
        (tmp_path / "t.tsv").write_bytes(b"a\tb\nc\t\xffd\n" * 4)
        told = self.told(capsys, tmp_path, tmp_path / "t.tsv")
        assert "line 2" in told
        assert "byte 6" in told
        assert "--errors replace (in training: --data.errors replace)" in told
        words = ["train", "--data.train", str(tmp_path / "t.tsv"), "--out", str(tmp_path / "out")]
        assert main([*words, *TINY, "--data.errors", "replace"]) == 0

    def test_an_empty_file(self, tmp_path, capsys):
        (tmp_path / "t.tsv").touch()
        assert "is empty" in self.told(capsys, tmp_path, tmp_path / "t.tsv")

    def test_all_lines_filtered(self, tmp_path, dates, capsys):
        told = self.told(capsys, tmp_path, dates, "--data.max-length", "1")
        assert "data.max_length = 1" in told

    def test_a_missing_file_names_the_nearest(self, tmp_path, dates, capsys):
        assert f"'{dates}'" in self.told(capsys, tmp_path, str(dates).replace("dates", "dats"))

    def test_a_corpus_that_is_not_built_in(self, tmp_path, capsys):
        assert "phrases:en-es" in self.told(capsys, tmp_path, "phrases:en-se")


class TestDamagedModel:
    """The file that is damaged is named."""

    @pytest.fixture
    def copy(self, model, tmp_path):
        for file in model.iterdir():
            if file.is_file():
                (tmp_path / file.name).write_bytes(file.read_bytes())
        return tmp_path

    def told(self, capsys, monkeypatch, copy) -> str:
        typed(monkeypatch, b"1\n")
        return fails(capsys, "translate", copy)

    def test_weights_cut_short(self, copy, capsys, monkeypatch):
        file = copy / "weights.safetensors"
        file.write_bytes(file.read_bytes()[:-100])
        assert f"{file} is damaged" in self.told(capsys, monkeypatch, copy)

    @pytest.mark.parametrize("name", ["weights.safetensors", "target.json", "config.toml"])
    def test_a_missing_file(self, copy, name, capsys, monkeypatch):
        (copy / name).unlink()
        assert name in self.told(capsys, monkeypatch, copy)

    def test_settings_cut_short(self, copy, capsys, monkeypatch):
        file = copy / "config.toml"
        file.write_text(file.read_text().partition("[model]")[0])
        told = self.told(capsys, monkeypatch, copy)
        assert f"{file} does not say model." in told

    def test_settings_that_are_no_toml(self, copy, capsys, monkeypatch):
        (copy / "config.toml").write_text("[model\n")
        assert "config.toml is not valid TOML" in self.told(capsys, monkeypatch, copy)

    def test_a_tokenizer_that_is_no_json(self, copy, capsys, monkeypatch):
        (copy / "source.json").write_text("{")
        assert "source.json" in self.told(capsys, monkeypatch, copy)

    def test_settings_of_another_model(self, copy, capsys, monkeypatch):
        file = copy / "config.toml"
        file.write_text(file.read_text().replace("embedding = 16", "embedding = 24"))
        assert "does not fit" in self.told(capsys, monkeypatch, copy)

    def test_no_folder(self, tmp_path, capsys, monkeypatch):
        assert "no model folder" in self.told(capsys, monkeypatch, tmp_path / "nope")

    def test_no_model_named(self, capsys):
        assert "MODEL" in fails(capsys, "translate")


class TestTranslate:
    @given(st.text(alphabet="ab \n\r\x0b\x1c\u2028", max_size=20))
    def test_an_output_is_one_line_whatever_bytes_were_written(self, text):
        assert len((one_line(text) + "\n").splitlines()) == 1

    def test_lines_in_lines_out_in_their_order(self, model, tmp_path, capsys):
        texts = ["1 May 2001", "", "3/4/1999", "   ", "12 December 2012"]
        file = tmp_path / "in.txt"
        file.write_text("\n".join(texts) + "\n")
        assert main(["translate", str(model), str(file), *FAST]) == 0
        lines = capsys.readouterr().out.splitlines()
        wanted = [
            t.text
            for t in Translator.load(model).translate(texts, beam=2, max_extra=3, max_ratio=1.0)
        ]
        assert lines == wanted
        assert lines[1] == ""

    def test_standard_input_as_it_comes(self, model, capsys, monkeypatch):
        typed(monkeypatch, b"1 May 2001\n\n2 May 2001\n")
        assert main(["translate", str(model), *FAST]) == 0
        assert capsys.readouterr().out.count("\n") == 3

    def test_what_is_done_comes_out_before_the_input_ends(self, model):
        command = [sys.executable, "-m", "seq2see", "translate", str(model), *FAST]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        ) as process:
            assert process.stdin
            assert process.stdout
            for text in ("1 May 2001", "2 May 2001"):
                print(text, file=process.stdin, flush=True)
                assert process.stdout.readline().endswith("\n")
            process.stdin.close()
            assert process.stdout.read() == ""

    def test_n_best_with_line_numbers_and_scores(self, model, capsys, monkeypatch):
        typed(monkeypatch, b"1 May 2001\n\n2 May 2001\n")
        assert main(["translate", str(model), "--n-best", "2", *FAST]) == 0
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        assert [row[0] for row in rows] == ["1", "1", "2", "3", "3"]
        assert float(rows[0][1]) <= 0

    def test_jsonl_attention_and_alignment(self, word_model, tmp_path, capsys, monkeypatch):
        typed(monkeypatch, b"I see a dog\n\nyou eat bread\n")
        files = tmp_path / "attention.jsonl", tmp_path / "links.txt"
        more = ["--format", "jsonl", "--attention", str(files[0]), "--alignment", str(files[1])]
        assert main(["translate", str(word_model), *more, *FAST]) == 0
        told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        seen = [json.loads(line) for line in files[0].read_text().splitlines()]
        assert [t["source"] for t in told] == ["I see a dog", "", "you eat bread"]
        assert "attention" not in told[0]
        for one in (seen[0], seen[2]):
            shape = (len(one["target_tokens"]), len(one["source_tokens"]))
            assert np.shape(one["attention"]) == shape
            np.testing.assert_allclose(np.sum(one["attention"], axis=1), 1, atol=1e-4)
        assert len(files[1].read_text().splitlines()) == 3

    def test_several_models_work_together(self, model, capsys, monkeypatch):
        typed(monkeypatch, b"1 May 2001\n")
        assert main(["translate", str(model), *FAST]) == 0
        alone = capsys.readouterr().out
        typed(monkeypatch, b"1 May 2001\n")
        assert main(["translate", str(model), str(model), *FAST]) == 0
        assert capsys.readouterr().out == alone

    def test_models_with_other_tokens_do_not(self, model, word_model, capsys):
        assert "cannot work together" in fails(capsys, "translate", model, word_model)

    def test_invalid_utf8_names_the_line(self, model, capsys, monkeypatch):
        typed(monkeypatch, b"1 May\n\xff\n")
        assert "line 2" in fails(capsys, "translate", model, *FAST)

    def test_settings_of_the_search_are_checked(self, model, capsys):
        assert "raise beam" in fails(capsys, "translate", model, "--n-best", "9")

    def test_a_text_too_long_for_the_model_is_named(self, tmp_path, words, capsys, monkeypatch):
        out = tmp_path / "location"
        score = ["--model.attention.score", "location", "--model.max-source", "12"]
        kind = ["--text.source.kind", "words"]
        assert (
            main(["train", "--data.train", str(words), "--out", str(out), *TINY, *score, *kind])
            == 0
        )
        typed(monkeypatch, b"I see a dog\nI" + b" see" * 40 + b"\n")
        told = fails(capsys, "translate", out, *FAST)
        assert "standard input: Text 2 has 42 tokens" in told
        assert "12 positions" in told


class TestShow:
    def test_in_the_terminal(self, word_model, capsys):
        assert main(["show", str(word_model), "I see a dog", *FAST]) == 0
        told = capsys.readouterr().out
        assert "see" in told
        assert "</s>" in told

    @pytest.mark.parametrize("kind", ["html", "svg", "json"])
    def test_as_a_picture(self, word_model, kind, tmp_path, capsys):
        out = tmp_path / f"x.{kind}"
        assert main(["show", str(word_model), "I see a dog", "--out", str(out), *FAST]) == 0
        assert "dog" in out.read_text(encoding="utf-8")

    def test_along_a_given_target(self, word_model, capsys):
        assert main(["show", str(word_model), "I see a dog", "--target", "veo un perro"]) == 0
        assert "perro" in capsys.readouterr().out

    def test_an_unknown_kind_of_picture(self, word_model, capsys):
        assert "Known: html" in fails(capsys, "show", word_model, "I see", "--out", "x.gif")

    def test_a_model_without_attention_says_so(self, tmp_path, words, capsys):
        out = tmp_path / "vanilla"
        command = ["train", "--data.train", str(words), "--out", str(out), *TINY]
        assert main([*command, "--model.wiring", "none"]) == 0
        assert main(["show", str(out), "I see a dog", *FAST]) == 0
        assert "no attention" in capsys.readouterr().out


class TestMeasure:
    @pytest.fixture
    def pairs(self, tmp_path):
        (tmp_path / "links").write_text("".join("0-0\n" for _ in PAIRS))
        return write_pairs(tmp_path / "pairs.tsv", PAIRS)

    def test_score_tells_each_pair_and_the_total(self, word_model, pairs, capsys):
        assert main(["score", str(word_model), str(pairs)]) == 0
        told = capsys.readouterr()
        rows = [line.split("\t") for line in told.out.splitlines()]
        assert [tuple(row[1:]) for row in rows] == PAIRS
        assert f"{len(PAIRS)} pairs" in told.err

    def test_evaluate_tells_everything(self, word_model, pairs, tmp_path, capsys):
        report = tmp_path / "report.html"
        command = ["evaluate", str(word_model), str(pairs), "--links", str(tmp_path / "links")]
        assert main([*command, "--report", str(report), "--worst", "2", *FAST]) == 0
        told = capsys.readouterr().out
        for part in (
            "BLEU",
            "version:",
            "by source length in words",
            "error rate",
            "Faults",
            "entropy",
            "Target words by how often they stand in",
            "10–99",
            "expected error",
            "Warning: 6 of 6 held-out sources (100.0 %) stand in the training data",
        ):
            assert part in told
        page = report.read_text(encoding="utf-8")
        assert page.startswith("<!doctype html>")
        assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
        for part in ("BLEU", "error rate", "Furthest", "<svg", "times in training", "reliability"):
            assert part in page
        assert page.count("<figure>") == 2  # the attention of the worst

    def test_rare_words_need_the_training_pairs(self, tmp_path, pairs, words, capsys):
        known = write_pairs(tmp_path / "known.tsv", PAIRS * 2)
        model = trained(tmp_path / "model", known)
        command = ["evaluate", str(model), str(pairs), *FAST]
        capsys.readouterr()
        assert main(command) == 0
        assert f"stand in {known}" in capsys.readouterr().out
        known.unlink()
        assert main(command) == 0
        told = capsys.readouterr()
        assert "times in training" not in told.out
        assert "Rare words are not told apart" in told.err
        assert str(known) in told.err
        assert "--train" in told.err
        assert main([*command, "--train", str(words)]) == 0
        assert f"stand in {words}" in capsys.readouterr().out
        assert "gone.tsv does not exist" in fails(capsys, *command, "--train", "gone.tsv")

    def test_metrics_suit_the_targets(self, model, dates, tmp_path, capsys):
        few = tmp_path / "few.tsv"
        few.write_text("".join(dates.read_text().splitlines(keepends=True)[:10]))
        assert main(["evaluate", str(model), str(few), *FAST]) == 0
        told = capsys.readouterr().out
        assert "exact match" in told
        assert "CER" in told
        assert "BLEU" not in told

    def test_a_difference_is_tested(self, word_model, pairs, tmp_path, capsys):
        best = tmp_path / "best.txt"
        best.write_text("".join(f"{t}\n" for _, t in PAIRS))
        command = [
            "evaluate",
            str(word_model),
            str(pairs),
            "--metrics",
            "exact,cer,ter,bleu",
            *FAST,
        ]
        report = tmp_path / "report.html"
        command += ["--report", str(report)]
        assert main([*command, "--baseline", str(best), "--compare", str(word_model)]) == 0
        told, page = capsys.readouterr().out, report.read_text(encoding="utf-8")
        assert re.search(r"exact match +100\.00 ", told)
        assert told.count("cannot be resampled") == page.count("cannot be resampled") == 2  # TER
        for rival in (best, word_model):
            assert f"Against {rival} (paired bootstrap)" in told
            assert f"Against {rival} (paired bootstrap)" in page
        assert page.count("<td>100.00</td>") >= 2

    def test_examples_of_faults_are_marked(self, word_model, pairs, tmp_path, monkeypatch):
        def loops(self, texts, options=None):
            given = self.score(texts, ["veo un perro"] * len(texts))
            return [replace(one, text="I see see <b> <b>") for one in given]

        monkeypatch.setattr(Translator, "translate", loops)
        report = tmp_path / "report.html"
        assert main(["evaluate", str(word_model), str(pairs), "--report", str(report)]) == 0
        page = report.read_text(encoding="utf-8")
        assert "repeated, 1<" in page
        assert "I see <mark>see</mark> &lt;b&gt; <mark>&lt;b&gt;</mark>" in page
        assert "copied, 1<" in page
        assert "<mark>I</mark> <mark>see</mark> <mark>see</mark>" in page

    def test_unknown_metrics_stop_before_the_work(self, word_model, pairs, capsys):
        told = fails(capsys, "evaluate", word_model, pairs, "--metrics", "blue")
        assert "Did you mean 'bleu'?" in told

    def test_a_baseline_must_pair_up(self, word_model, pairs, tmp_path, capsys):
        (tmp_path / "one.txt").write_text("x\n")
        told = fails(capsys, "evaluate", word_model, pairs, "--baseline", tmp_path / "one.txt")
        assert "1 lines" in told

    def test_compare_shows_systems_side_by_side_and_goes_on(self, words, tmp_path, capsys):
        out = tmp_path / "out"
        command = ["compare", "--data.train", str(words), "--wirings", "none,luong+feeding"]
        command += ["--out", str(out), *TINY, *FAST]
        assert main(command) == 0
        told = capsys.readouterr().out
        assert "none" in told
        assert "luong+feeding" in told
        assert "by source length" in told
        assert "<svg" in (out / "compare.html").read_text(encoding="utf-8")
        assert (out / "compare.svg").read_text(encoding="utf-8").startswith("<svg")
        written = (out / "none" / "weights.safetensors").stat().st_mtime_ns
        assert main(command) == 0
        assert (out / "none" / "weights.safetensors").stat().st_mtime_ns == written
        told = fails(capsys, *command, "--model.hidden", "20")
        assert "model.hidden = 16, not 20" in told

    def test_compare_names_the_nearest_wiring(self, words, capsys):
        told = fails(capsys, "compare", "--data.train", words, "--wirings", "bahdanu")
        assert "'bahdanau'" in told


class TestDoctor:
    def test_the_machine(self, capsys):
        assert main(["doctor"]) == 0
        assert "cores" in capsys.readouterr().out

    def test_padding_never_shows(self, model, capsys):
        assert main(["doctor", str(model)]) == 0
        assert "Padding never shows." in capsys.readouterr().out

    def test_padding_that_shows_is_found(self, model, capsys, monkeypatch):
        honest = Translator.translate

        def leaky(self, texts, options=None, **settings):
            found = honest(self, texts, options, **settings)
            if options.batch_size == 7:
                found = [Translation(**{**vars(t), "score": t.score + 0.01}) for t in found]
            return found

        monkeypatch.setattr(Translator, "translate", leaky)
        assert main(["doctor", str(model)]) == 1
        assert "Padding shows" in capsys.readouterr().out

    def test_an_exported_model_agrees(self, word_model, capsys):
        assert main(["export", str(word_model)]) == 0
        assert "outputs have torch's tokens" in capsys.readouterr().out
        assert main(["doctor", str(word_model), "--engine", "onnx"]) == 0


class TestCorpora:
    def test_they_are_listed(self, capsys):
        assert main(["corpora"]) == 0
        assert "phrases:en-es" in capsys.readouterr().out

    def test_one_is_written(self, tmp_path, capsys):
        out = tmp_path / "dates.tsv"
        assert main(["corpora", "dates", "--split", "test", "--out", str(out)]) == 0
        assert all(line.count("\t") == 1 for line in out.read_text(encoding="utf-8").splitlines())

    def test_links_where_there_are_none(self, tmp_path, capsys):
        told = fails(capsys, "corpora", "dates", "--links", tmp_path / "links")
        assert "no word links" in told


class TestDemo:
    def test_the_way_of_a_newcomer(self, tmp_path, capsys, monkeypatch):
        import seq2see.demo

        small = {"data.train": "dates", "updates": 5, "hidden": 16, "embedding": 16, "threads": 1}
        monkeypatch.setattr(seq2see.demo, "DATA", "dates")
        monkeypatch.setattr(seq2see.demo, "SETTINGS", small)
        out = tmp_path / "demo"
        assert main(["demo", "--out", str(out)]) == 0
        told = capsys.readouterr().out
        for part in ("exact match", "Go on with", "seq2see translate"):
            assert part in told
        assert (out / "attention.html").is_file()
        assert main(["demo", "--out", str(out)]) == 0
        assert "used as it is" in capsys.readouterr().err
        assert main(["demo", "--out", str(out), "--fresh"]) == 0
        assert "used as it is" not in capsys.readouterr().err

    def test_a_folder_of_other_things_is_left_alone(self, tmp_path, capsys):
        (tmp_path / "thesis.tex").touch()
        assert "not an empty folder" in fails(capsys, "demo", "--out", tmp_path, "--fresh")
        assert (tmp_path / "thesis.tex").exists()
