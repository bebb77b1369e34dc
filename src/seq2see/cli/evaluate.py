"""``seq2see evaluate``: how good a model is, and where it fails."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from seq2see.cli.options import Runtime, parse, split_models
from seq2see.errors import ConfigError, DataError
from seq2see.search import SearchConfig

if TYPE_CHECKING:
    from seq2see.data.corpus import Corpus


@dataclass(frozen=True)
class Evaluate:
    """Measures a model on sequence pairs: metrics with their signatures, score by length
    and by how rare words are, alignment error where there are gold links, calibration, faults, and
    the worst outputs."""  # noqa: D205, D209

    inputs: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="MODEL... PAIRS")
    ]
    """A model folder (several are an ensemble), then file.tsv, prefix.{en,de} or
    phrases:en-es/test."""
    metrics: str | None = None
    """bleu, chrf, ter, exact, sequence_error, wer, per, cer, with commas between; the first is
    also shown by length. Chosen by the target's tokens if not set."""
    links: Path | None = None
    """Gold word links of the pairs, one Pharaoh line a pair."""
    report: Path | None = None
    """Also write a page with everything and the attention of the worst outputs."""
    train: str | None = None
    """Pairs the model learned from, to tell rare words from common ones; what the model's settings
    name if not set."""
    compare: Path | None = None
    """Another model: is the difference more than chance? (paired bootstrap)"""
    baseline: Path | None = None
    """The same for outputs in a file, a line a pair."""
    worst: int = 5
    """How many of the worst outputs are shown."""
    errors: Literal["strict", "replace"] = "strict"
    """What to do with invalid UTF-8: stop, or put U+FFFD in its place."""
    search: Annotated[SearchConfig, tyro.conf.arg(name="")] = field(default_factory=SearchConfig)
    runtime: Annotated[Runtime, tyro.conf.arg(name="")] = field(default_factory=Runtime)


def main(arguments: Sequence[str]) -> None:
    """Runs the command."""
    given = parse(Evaluate, "evaluate", arguments)
    models, others = split_models(given.inputs, "evaluate")
    if len(others) != 1:
        raise ConfigError("Which pairs? seq2see evaluate MODEL PAIRS")
    if given.report and given.report.suffix.lower() not in (".html", ".htm"):
        raise ConfigError(f"--report writes a page: call it {given.report.with_suffix('.html')}.")

    from dataclasses import replace

    from seq2see.assessment import assess, compete
    from seq2see.data.readers import read_links, read_pairs
    from seq2see.see.report import describe, to_report

    corpus = read_pairs(others[0], given.errors)
    if given.links:
        corpus = replace(corpus, links=read_links(given.links, len(corpus)))
    metrics = given.metrics.split(",") if given.metrics else None
    model, train = given.runtime.load(models), _learned(given, models[0])
    found = assess(model, corpus, given.search, metrics, train)
    contests = [compete(found, name, texts) for name, texts in _rivals(given, corpus.sources)]
    if given.report:  # first: who reads only the head of the text wants the page all the same
        from seq2see.files import write_text

        title = f"{' + '.join(models)} on {corpus.name}"
        write_text(given.report, to_report(found, title, given.worst, contests))
        print(f"Report: {given.report}", file=sys.stderr)
    print(describe(found, given.worst, contests))


def _learned(given: Evaluate, model: str) -> Corpus | None:
    """The pairs the model learned from, where they can still be read."""
    from seq2see.data.readers import read_pairs
    from seq2see.folder import ModelFolder
    from seq2see.training.prepare import learned_pairs

    if given.train:
        return read_pairs(given.train, given.errors)
    try:
        return learned_pairs(ModelFolder.open(model).config)
    except DataError as error:
        print(
            f"Rare words are not told apart, since the training pairs cannot be read. {error} "
            "Name them with --train.",
            file=sys.stderr,
        )
        return None


def _rivals(given: Evaluate, sources: Sequence[str]) -> list[tuple[str, list[str]]]:
    """What this model is compared with: names and outputs."""
    rivals = []
    if given.compare:
        other = given.runtime.load([given.compare])
        rivals.append(
            (str(given.compare), [t.text for t in other.translate(sources, given.search)])
        )
    if given.baseline:
        from seq2see.data.readers import read_lines

        outputs = list(read_lines(given.baseline, given.errors))
        if len(outputs) != len(sources):
            raise ConfigError(
                f"{given.baseline} has {len(outputs)} lines, but there are {len(sources)} pairs."
            )
        rivals.append((str(given.baseline), outputs))
    return rivals
