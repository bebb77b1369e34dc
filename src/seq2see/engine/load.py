"""Which engine runs a model folder."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seq2see import machine
from seq2see.engine.engine import Engine
from seq2see.engine.ensemble import EnsembleEngine
from seq2see.engine.threads import TWICE, Choice, choose_threads
from seq2see.errors import ConfigError, ModelError, nearest
from seq2see.folder import ModelFolder

if TYPE_CHECKING:
    from seq2see.engine.onnx_engine import OnnxEngine

ENGINES = ("auto", "torch", "onnx")
PRECISIONS = ("auto", "float32", "bfloat16", "int8")


class Loaded(NamedTuple):
    """What runs a model, and how it uses the machine.

    Attributes:
        engine: One model's, or an ensemble's.
        alone: What serves a single sentence: the same, or one on several threads.
        workers: How many batches run through ``engine`` at once.
        why: What was chosen and why, told to a person.
    """

    engine: Engine
    alone: Engine
    workers: int
    why: str


def load_engine(
    folders: Sequence[ModelFolder],
    *,
    engine: str = "auto",
    device: str = "auto",
    threads: int | None = None,
    precision: str = "float32",
    shortlist: bool = False,
) -> Loaded:
    """An engine for one model, or an ensemble for several.

    An exported model gives each batch of a stream one thread, and each core a batch; what a single
    sentence gets is measured (``threads.py``). torch gives one batch all threads.

    Args:
        folders: The models.
        engine: torch, or onnx for exported models; auto takes onnx where torch is not installed.
        device: auto, cpu or cuda; for torch.
        threads: CPU threads; all cores if not given.
        precision: float32, or bfloat16 or auto (torch), or int8 (onnx).
        shortlist: Whether an exported model looks only at the target words a source may need.

    Raises:
        ConfigError: There is no such engine or precision, or they do not go together.
        ModelError: A model is damaged or not exported, or several do not fit each other.
    """
    for name, value, known in (("engine", engine, ENGINES), ("precision", precision, PRECISIONS)):
        if value not in known:
            raise ConfigError(f"{name} = '{value}'.{nearest(value, known)}")
    _agree(folders)
    if engine == "auto":
        exported = precision == "int8" or shortlist or not find_spec("torch")
        engine = "onnx" if exported else "torch"
    if engine == "onnx":
        return _exported(folders, threads, precision, shortlist)
    if shortlist:
        raise ConfigError("shortlist is for exported models: set engine = 'onnx'.")
    running = _one(_torch(folders, device, threads, precision))
    count, by = _count(threads)
    return Loaded(running, running, 1, f"torch: one batch at a time on {count} threads, {by}")


def _exported(
    folders: Sequence[ModelFolder], threads: int | None, precision: str, shortlist: bool
) -> Loaded:
    engines = [_onnx(folder.path, precision, shortlist) for folder in folders]
    running = _one(engines)
    count, by = _count(threads)
    choice = Choice(running, "one thread")
    if not threads and sum(engine.step_bytes for engine in engines) <= TWICE:
        choice = choose_threads(
            running, lambda n: _one([engine.on_threads(n) for engine in engines]), count
        )
    kind = "int8" if precision == "int8" else "float32"
    why = (
        f"ONNX Runtime, {kind}{', shortlist' if shortlist else ''}; one sentence: {choice.why}; "
        f"files: {count} workers of one thread, {by}"
    )
    return Loaded(running, choice.engine, count, why)


def _count(threads: int | None) -> tuple[int, str]:
    return (threads, "as asked") if threads else (machine.cores(), "one a core")


def _one(engines: Sequence[Engine]) -> Engine:
    return engines[0] if len(engines) == 1 else EnsembleEngine(engines)


def _torch(
    folders: Sequence[ModelFolder], device: str, threads: int | None, precision: str
) -> list[Engine]:
    from seq2see.engine.torch_engine import TorchEngine

    if precision == "int8":
        raise ConfigError("precision = 'int8' is for exported models: set engine = 'onnx'.")
    machine.use_threads(threads)
    on = machine.device(device)
    kind = machine.precision(precision, on)
    return [TorchEngine(folder.network(), str(on), kind) for folder in folders]


def _onnx(path: Path, precision: str, shortlist: bool) -> OnnxEngine:
    from seq2see.engine.onnx_engine import OnnxEngine, Precision

    if precision == "bfloat16":
        raise ConfigError("precision = 'bfloat16' is torch's; exported models have int8.")
    kind: Precision = "int8" if precision == "int8" else "float"
    return OnnxEngine(path, 1, kind, shortlist)


def _agree(folders: Sequence[ModelFolder]) -> None:
    """Averaging needs models that read and write the same tokens."""
    first = folders[0]
    for other in folders[1:]:
        for side in ("source", "target"):
            if getattr(first, side) != getattr(other, side):
                raise ModelError(
                    f"{first.path} and {other.path} cannot work together: their {side} tokenizers "
                    "differ. Train both on the same data with the same text settings."
                )
