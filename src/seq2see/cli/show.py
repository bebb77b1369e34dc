"""``seq2see show``: what the model looks at, in the terminal or as a picture."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro

from seq2see.cli.options import Runtime, parse, split_models
from seq2see.data.readers import read_lines
from seq2see.errors import ConfigError
from seq2see.search import SearchConfig


@dataclass(frozen=True)
class Show:
    """Translates sentences and draws the attention."""

    inputs: Annotated[
        tuple[str, ...],
        tyro.conf.Positional,
        tyro.conf.arg(metavar='MODEL... ["SENTENCE"...]'),
    ]
    """A model folder (several are an ensemble), then sentences; without any, standard input."""
    out: Path | None = None
    """Write the picture here instead: .html, .svg, .png, .pdf or .json."""
    words: bool = False
    """Merge the pieces of words."""
    target: str | None = None
    """Show the attention while this is written, instead of what the model would write."""
    search: Annotated[SearchConfig, tyro.conf.arg(name="")] = field(default_factory=SearchConfig)
    runtime: Annotated[Runtime, tyro.conf.arg(name="")] = field(default_factory=Runtime)


def main(arguments: Sequence[str]) -> None:
    """Runs the command."""
    given = parse(Show, "show", arguments)
    models, sentences = split_models(given.inputs, "show")
    model = given.runtime.load(models)
    texts = list(sentences or read_lines("-"))
    if given.target is not None:
        if len(texts) != 1:
            raise ConfigError(f"--target goes with one sentence, not {len(texts)}.")
        found = model.score(texts, [given.target])
    else:
        found = model.translate(texts, given.search)
    shown = [one for first in found for one in (first, *first.alternatives)]

    from seq2see.see import HeatMap, render, save

    maps = [HeatMap.of(one, given.words) for one in shown]
    if given.out:
        save(maps, given.out)
        print(given.out)
        return
    for one, heatmap in zip(shown, maps, strict=True):
        print(f"{one.source}\n{one.text}   ({one.score:.2f})\n")
        if one.attention.any():
            print(render(heatmap) + "\n")
        else:
            print("This model has no attention to show.\n")
    sys.stdout.flush()
