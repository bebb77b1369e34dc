"""``seq2see export``: a model as ONNX, checked against torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from seq2see.cli.options import parse

if TYPE_CHECKING:
    from seq2see.engine.shortlist import Shortlist
    from seq2see.folder import ModelFolder
    from seq2see.translator import Translator


@dataclass(frozen=True)
class Export:
    """Writes a model as ONNX graphs in float and int8, into its own folder, and checks them: in
    float they must say what torch says. An exported model runs without torch, in float unless
    int8 is asked for. The exit code is 1 if a check fails."""  # noqa: D205, D209

    model: Annotated[Path, tyro.conf.Positional]
    """The model folder."""
    pairs: str | None = None
    """Pairs on which int8 and the shortlist are measured beside float (BLEU, or sequence error);
    what is worse by more than 0.3 points is refused."""
    shortlist: str | None = None
    """Pairs to learn a shortlist from, usually those of the training: which target words each
    source token needs."""
    web: Path | None = None
    """Also write a folder that translates and shows attention in the browser by itself, without a
    server of its own (needs npm)."""
    web_precision: Literal["float32", "int8"] = "int8"
    """Number format of the graphs for the browser: int8 is a quarter of the size."""


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    given = parse(Export, "export", arguments)

    from seq2see.export import export_model
    from seq2see.folder import ModelFolder
    from seq2see.translator import Translator

    folder = ModelFolder.open(given.model)
    torch = Translator.load(folder.path, engine="torch")
    shortlist = _learned(torch, given.shortlist) if given.shortlist else None
    manifest = export_model(folder.network(), folder.path, shortlist=shortlist)
    for name in manifest.files:
        print(f"{folder.path / name}  {(folder.path / name).stat().st_size / 2**20:.1f} MB")
    agrees = _agrees(torch, folder, given.pairs)
    bearable = given.pairs is None or _bearable(folder.path, given.pairs, shortlist is not None)
    if given.web:
        _web(folder, given)
    return int(not (agrees and bearable))


def _web(folder: ModelFolder, given: Export) -> None:
    """Writes the page and says how to look at it."""
    from seq2see.export.web import write_web

    assert given.web is not None
    written = write_web(folder, given.web, "int8" if given.web_precision == "int8" else "float")
    size = sum(path.stat().st_size for path in written) / 2**20
    print(f"{given.web}: {len(written)} files, {size:.1f} MB. Any web server can serve it; here:")
    print(f"  python3 -m http.server --directory {given.web} 8000")


def _learned(model: Translator, pairs: str) -> Shortlist:
    from seq2see.data.readers import read_pairs
    from seq2see.export import learn_shortlist
    from seq2see.text.vocabulary import EOS

    corpus = read_pairs(pairs)
    kept = [pair for pair in zip(corpus.sources, corpus.targets, strict=True) if all(pair)]
    sources = [[*model.source.encode(source), EOS] for source, _ in kept]
    targets = [model.target.encode(target) for _, target in kept]
    return learn_shortlist(model.engine, sources, targets, model.source.size)


def _agrees(torch: Translator, folder: ModelFolder, pairs: str | None) -> bool:
    """Whether the float graphs say what torch says."""
    from seq2see.doctor import sample_sentences
    from seq2see.export.check import parity
    from seq2see.translator import Translator

    export = Translator.load(folder.path, engine="onnx")
    found = parity(torch, export, sample_sentences(folder, pairs))
    ties = f" ({found.ties} more rank as high)" if found.ties else ""
    print(
        f"float: {found.same} of {found.sentences} outputs have torch's tokens{ties}; "
        f"log-probabilities differ by {found.score:.1g} at most"
    )
    if not found.holds:
        print("The export does not agree with torch. Please report this.")
    return found.holds


def _bearable(path: Path, pairs: str, shortlist: bool) -> bool:
    """Whether the faster ways to run the model are as good; int8 is taken back if it is not."""
    from seq2see.data.readers import read_pairs
    from seq2see.export.check import COST, cost
    from seq2see.export.export import withdraw
    from seq2see.translator import Translator

    corpus, exact = read_pairs(pairs), Translator.load(path, engine="onnx")
    ways = [("int8", "int8", False)]
    if shortlist:
        ways = [("float with shortlist", "float32", True), *ways]
        ways += [("int8 with shortlist", "int8", True)]
    bearable = True
    for name, precision, short in ways:
        faster = Translator.load(path, engine="onnx", precision=precision, shortlist=short)
        found = cost(exact, faster, corpus)
        print(f"{name}: {found.faster}; float: {found.exact.value:.2f}")
        if found.bearable:
            continue
        bearable = False
        print(f"  worse by {found.worse:.2f} points, more than {COST}: refused.", end=" ")
        if name == "int8":
            withdraw(path, "int8")
            print("The int8 graphs are removed.")
            break
        print("Do not run it so, or learn the shortlist from more pairs.")
    return bearable
