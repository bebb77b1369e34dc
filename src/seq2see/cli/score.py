"""``seq2see score``: log-probabilities of given targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import tyro

from seq2see.cli.options import Runtime, parse, split_models
from seq2see.errors import ConfigError


@dataclass(frozen=True)
class Score:
    """Writes log-probability, source and target of each pair, and a summary at the end."""

    inputs: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="MODEL... PAIRS")
    ]
    """A model folder (several are an ensemble), then file.tsv, prefix.{en,de} or phrases:en-es."""
    errors: Literal["strict", "replace"] = "strict"
    """What to do with invalid UTF-8: stop, or put U+FFFD in its place."""
    runtime: Annotated[Runtime, tyro.conf.arg(name="")] = field(default_factory=Runtime)


def main(arguments: Sequence[str]) -> None:
    """Runs the command."""
    given = parse(Score, "score", arguments)
    models, others = split_models(given.inputs, "score")
    if len(others) != 1:
        raise ConfigError("Which pairs? seq2see score MODEL PAIRS")

    import math
    import sys

    from seq2see.data.readers import read_pairs

    corpus = read_pairs(others[0], given.errors)
    total, tokens = 0.0, 0
    for scored in given.runtime.load(models).score(corpus.sources, corpus.targets):
        print(f"{scored.score:.4f}\t{scored.source}\t{scored.text}")
        total, tokens = total + scored.score, tokens + len(scored.token_scores)
    print(
        f"{len(corpus):,} pairs, {tokens:,} target tokens: log-probability {total:.2f}, "
        f"{total / tokens:.4f} a token (perplexity {math.exp(-total / tokens):.3f})",
        file=sys.stderr,
    )
