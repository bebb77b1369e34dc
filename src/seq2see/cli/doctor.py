"""``seq2see doctor``: the machine, and the promise that padding never shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from seq2see.cli.options import parse

FEW = 5
"""Differences that are told; more say no more."""


@dataclass(frozen=True)
class Doctor:
    """Tells what this machine offers. For each model named, tells how it runs here, translates
    sentences alone, in batches of several sizes and in shuffled order, and compares what comes
    out; the exit code is 1 if anything differs."""  # noqa: D205, D209

    models: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[MODEL...]")]
    """Model folders."""
    data: str | None = None
    """Pairs whose sources are translated; the model's own validation pairs if not set."""
    engine: Literal["auto", "torch", "onnx"] = "auto"
    """What runs the network."""
    threads: int | None = None
    """CPU threads; all cores if not set."""


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    given = parse(Doctor, "doctor", arguments)

    from seq2see.doctor import facts, prove_padding, sample_sentences
    from seq2see.folder import ModelFolder
    from seq2see.translator import Translator

    for fact in facts():
        print(f"  {fact.name:<14}{fact.value}")
    broken = False
    for path in given.models:
        model = Translator.load(path, engine=given.engine, threads=given.threads)
        print(f"\n{path}\n  {model.why}.", flush=True)
        proof = prove_padding(model, sample_sentences(ModelFolder.open(path), given.data))
        print(
            f"  {proof.sentences} sentences alone and in {proof.ways} other ways; scores "
            f"differ by {proof.score:.1g} at most, attention by {proof.attention:.1g}."
        )
        for difference in proof.broken[:FEW]:
            print(f"  {difference}")
        if proof.broken:
            broken = True
            print(f"  Padding shows: {len(proof.broken)} results differ. Please report this.")
        else:
            print("  Padding never shows.")
    return int(broken)
