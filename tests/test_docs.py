"""The documents keep their word: links lead somewhere, excerpts are code, commands run."""

from __future__ import annotations

import ast
import io
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

import pytest

from conftest import PAIRS, write_pairs
from seq2see.cli import COMMANDS, main

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "seq2see"
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FILE = re.compile(r"`([\w./-]+(?:\.py|\.md|/))(?::[^`]*)?`")
EXCERPT = re.compile(r"^`([\w/.]+\.py): ([\w.]+)`\n\n```python\n(.*?)^```$", re.M | re.S)


def blocks(text: str, language: str) -> list[str]:
    return [body for found, body in BLOCK.findall(text) if found == language]


def anchor(heading: str) -> str:
    """What a heading is called in a link."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class TestReferences:
    @pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
    def test_links_lead_somewhere(self, document):
        for link in LINK.findall(BLOCK.sub("", document.read_text(encoding="utf-8"))):
            if "://" in link:
                continue
            file, _, place = link.partition("#")
            target = document.parent / file if file else document
            assert target.is_file(), link
            if place:
                headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.M)
                assert place in map(anchor, headings), link

    @pytest.mark.parametrize("name", ["architecture.md", "equations.md"])
    def test_files_and_folders_that_are_named_exist(self, name):
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        for file in FILE.findall(text):
            homes = [ROOT / file, PACKAGE / file]
            # A model's card is no file of the repository.
            assert file == "card.md" or any(home.exists() for home in homes), file


class Excerpt(NamedTuple):
    file: str
    name: str
    code: str


EQUATIONS = (ROOT / "docs" / "equations.md").read_text(encoding="utf-8")
EXCERPTS = [Excerpt(*found) for found in EXCERPT.findall(EQUATIONS)]


def definition(path: Path, name: str) -> str:
    """The text of a function or class, ``Class.method`` for a method."""
    text = path.read_text(encoding="utf-8")
    node: ast.AST = ast.parse(text)
    for part in name.split("."):
        inside = {
            one.name: one
            for one in ast.iter_child_nodes(node)
            if isinstance(one, (ast.FunctionDef, ast.ClassDef))
        }
        assert part in inside, f"{path.name} has no {name}"
        node = inside[part]
    return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno]) + "\n"


class TestEquations:
    @pytest.mark.parametrize("excerpt", EXCERPTS, ids=lambda e: f"{Path(e.file).name}: {e.name}")
    def test_an_excerpt_is_the_code(self, excerpt):
        text, at = definition(ROOT / excerpt.file, excerpt.name), 0
        for part in excerpt.code.split("...\n"):
            places = [text.find(indent(part, " " * n), at) for n in range(0, 24, 4)]
            assert max(places) >= 0, f"not in {excerpt.name}, or not in this order:\n{part}"
            at = max(places)

    def test_every_block_of_code_says_where_it_stands(self):
        assert len(EXCERPTS) == len(blocks(EQUATIONS, "python")) > 0


def commands(text: str) -> list[str]:
    """The commands of ours that a document shows."""
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()]
    lines = [line.removeprefix(".venv/bin/") for line in lines]
    return [line for line in lines if line.startswith("seq2see ")]


COMMANDS_SHOWN = commands(README)
SMALL = ["--model.hidden", "8", "--model.embedding", "8", "--training.updates", "4"]
CUT = ["--beam", "1", "--max-ratio", "1", "--max-extra", "1"]
SHORTER = {
    "train": [*SMALL, "--training.threads", "1"],
    "compare": [*SMALL, "--training.threads", "1", *CUT],
    "translate": [*CUT, "--threads", "1"],
    "show": [*CUT, "--threads", "1"],
    "evaluate": [*CUT, "--threads", "1"],
}
"""Flags added to a command, so that it takes a second instead of minutes."""


@pytest.fixture
def desk(tmp_path, monkeypatch, word_model):
    """A folder that holds what the README names: pairs, and the model of ``make demo``."""
    for name in ("pairs.tsv", "test.tsv"):
        write_pairs(tmp_path / name, PAIRS * 5)
    phones = [("through", "TH R UW"), ("do", "D UW"), ("dog", "D AO G"), ("go", "G OW")]
    write_pairs(tmp_path / "lexicon.tsv", phones * 10)
    (tmp_path / "data").mkdir()
    for name in ("train", "valid"):
        for side, language in enumerate(("en", "de")):
            lines = "".join(pair[side] + "\n" for pair in PAIRS)
            (tmp_path / "data" / f"{name}.{language}").write_text(lines, encoding="utf-8")
    (tmp_path / "input.txt").write_text("I see a dog\n\nyou eat bread\n", encoding="utf-8")
    shutil.copytree(word_model, tmp_path / "runs" / "demo")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(line: str) -> int:
    """Runs a line as a shell would, with ``SHORTER`` flags; output goes where ``>`` says."""
    for word in shlex.split(line, comments=True, posix=False):
        assert "{" not in word or word.startswith("'"), f"a shell would split {word}"
    words = shlex.split(line, comments=True)[1:]
    out = words.index(">") if ">" in words else len(words)
    arguments: Sequence[str] = [*words[:out], *SHORTER.get(words[0], [])]
    said = io.StringIO()
    with redirect_stdout(said):
        code = main(arguments)
    if out < len(words):
        Path(words[out + 1]).write_text(said.getvalue(), encoding="utf-8")
    return code


class TestReadme:
    def test_its_commands_run_one_after_the_other(self, desk, monkeypatch):
        typed = io.TextIOWrapper(io.BytesIO(b"I see a cat\n"), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", typed)
        for line in COMMANDS_SHOWN:
            assert run(line) == 0, line
        assert (desk / "output.txt").read_text(encoding="utf-8").splitlines()[1] == ""
        for file in ("attention.html", "report.html", "runs/compare/compare.html"):
            assert "<svg" in (desk / file).read_text(encoding="utf-8")

    def test_it_shows_the_commands_a_newcomer_needs(self):
        shown = {shlex.split(line, comments=True)[1] for line in COMMANDS_SHOWN}
        assert set(COMMANDS) - shown == {"demo"}  # which make runs

    def test_its_make_targets_exist(self):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        targets = re.findall(r"^make (\w+)$", README, re.M)
        assert targets == ["demo"]
        assert re.search(r"^demo:.*\n\t.*seq2see demo --out runs/demo$", makefile, re.M)

    def test_its_python_runs(self, desk, capsys):
        (snippet,) = blocks(README, "python")
        exec(compile(snippet, "README.md", "exec"), {})
        assert capsys.readouterr().out
        assert "<svg" in (desk / "attention.html").read_text(encoding="utf-8")

    def test_the_flags_it_names_exist(self, capsys):
        for command in COMMANDS:
            main([command, "--help"])
        known = set(re.findall(r"--[\w.-]+", capsys.readouterr().out))
        assert set(re.findall(r"--[a-z][\w.-]+", README)) <= known


class TestEvaluation:
    TEXT = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")

    def test_its_commands_run(self, desk):
        shutil.copytree(desk / "runs" / "demo", desk / "runs" / "mine")
        outputs = [line.split("\t")[1] for line in (desk / "test.tsv").read_text().splitlines()]
        (desk / "output.txt").write_text("".join(f"{line}\n" for line in outputs))
        shown = commands(self.TEXT)
        assert len(shown) == 4
        for line in shown:
            assert run(line) == 0, line
        assert "paired bootstrap" in (desk / "report.html").read_text(encoding="utf-8")

    def test_the_limits_it_names_are_those_of_the_code(self):
        from seq2see.data.overlap import TOLERATED
        from seq2see.training.warnings import COPIES, EARLY, LARGE

        assert f"more than {LARGE:,} entries" in self.TEXT
        assert f"more than {100 * TOLERATED:.0f} %" in self.TEXT
        assert f"more than {100 * COPIES:.0f} %" in self.TEXT
        assert 1 / EARLY == 5
        assert self.TEXT.count("after a fifth of the updates") == 2
