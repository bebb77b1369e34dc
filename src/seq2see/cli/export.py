"""``seq2see export``: a model as ONNX, checked against torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from seq2see.cli.options import parse


@dataclass(frozen=True)
class Export:
    """Writes a model as ONNX graphs in float and int8, into its own folder, and checks that they
    say what torch says. An exported model runs without torch."""  # noqa: D205, D209

    model: Annotated[Path, tyro.conf.Positional]
    """The model folder."""
    data: str | None = None
    """Pairs whose sources the check translates; the model's own validation pairs if not set."""


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    given = parse(Export, "export", arguments)

    from seq2see.doctor import agreement, sample_sentences
    from seq2see.export import export_model
    from seq2see.folder import ModelFolder
    from seq2see.translator import Translator

    folder = ModelFolder.open(given.model)
    manifest = export_model(folder.network(), folder.path)
    for name in manifest.files:
        print(f"{folder.path / name}  {(folder.path / name).stat().st_size / 2**20:.1f} MB")
    sentences = sample_sentences(folder, given.data)
    torch = Translator.load(folder.path, engine="torch")
    broken = False
    for told, precision in (("float", "float32"), ("int8", "int8")):
        onnx = Translator.load(folder.path, engine="onnx", precision=precision)
        found = agreement(torch, onnx, sentences)
        print(
            f"{told}: {found.same} of {found.sentences} outputs as torch's, scores differ by "
            f"{found.score:.1g} at most"
        )
        if told == "float" and not found.agrees:
            broken = True
            print("The export does not agree with torch. Please report this.")
    return int(broken)
