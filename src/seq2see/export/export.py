"""Writes a model as ONNX graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from seq2see.engine.manifest import Manifest, load_manifest, write_files
from seq2see.engine.onnx_engine import file_name
from seq2see.engine.shortlist import FILE as SHORTLIST
from seq2see.engine.shortlist import Shortlist
from seq2see.export.decoder import step_graph
from seq2see.export.encoder import encoder_graph
from seq2see.export.graph import Precision
from seq2see.export.output import vocabulary_graph
from seq2see.export.weights import Weights

if TYPE_CHECKING:
    from seq2see.model.seq2seq import Seq2Seq

GRAPHS = ("encoder", "step", "short_step", "vocabulary")


def withdraw(folder: Path, precision: Precision) -> None:
    """Takes the graphs of a precision out of an export."""
    manifest = load_manifest(folder)
    graphs = [file_name(name, precision) for name in GRAPHS]
    kept = {name: digest for name, digest in manifest.files.items() if name not in graphs}
    replace(manifest, files=kept).save(folder)
    for name in graphs:
        (folder / name).unlink(missing_ok=True)


def export_model(
    model: Seq2Seq,
    folder: Path,
    precisions: Sequence[Precision] = ("float", "int8"),
    shortlist: Shortlist | None = None,
) -> Manifest:
    """Writes ``encoder*.onnx`` and ``step*.onnx``, and the manifest that names them.

    With a shortlist, ``short_step*.onnx`` and ``vocabulary*.onnx`` as well.

    Args:
        model: The network; all that the graphs need is copied from it.
        folder: Where to write, usually the model's own folder.
        precisions: float, int8 or both.
        shortlist: Which target words each source needs; ``learn_shortlist`` finds out.
    """
    arrays = {name: w.detach().cpu().float().numpy() for name, w in model.state_dict().items()}
    weights, config = Weights(arrays), model.config
    contents: dict[str, bytes] = {}
    for precision in precisions:
        for name, build in (("encoder", encoder_graph), ("step", step_graph)):
            graph = build(config, weights, precision)
            contents[file_name(name, precision)] = graph.SerializeToString()
        if shortlist is not None:
            graph = step_graph(config, weights, precision, shortened=True)
            contents[file_name("short_step", precision)] = graph.SerializeToString()
            graph = vocabulary_graph(weights, precision)
            contents[file_name("vocabulary", precision)] = graph.SerializeToString()
    if shortlist is not None:
        contents[SHORTLIST] = shortlist.dump()
    folder.mkdir(parents=True, exist_ok=True)
    located = config.wiring != "none" and config.attention.score == "location"
    manifest = Manifest(
        target_size=len(model.b_output),
        max_source=config.max_source if located else None,
        files=write_files(folder, contents),
    )
    manifest.save(folder)
    return manifest
