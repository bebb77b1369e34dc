"""Which engine runs a model folder."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from seq2see import machine
from seq2see.engine.engine import Engine
from seq2see.engine.ensemble import EnsembleEngine
from seq2see.errors import ConfigError, ModelError, nearest
from seq2see.folder import ModelFolder

ENGINES = ("auto", "torch", "onnx")
PRECISIONS = ("auto", "float32", "bfloat16", "int8")


def load_engine(
    folders: Sequence[ModelFolder],
    *,
    engine: str = "auto",
    device: str = "auto",
    threads: int | None = None,
    precision: str = "float32",
) -> Engine:
    """An engine for one model, or an ensemble for several.

    Args:
        folders: The models.
        engine: torch, or onnx for exported models; auto takes onnx where torch is not installed.
        device: auto, cpu or cuda; for torch.
        threads: CPU threads; all cores if not given.
        precision: float32, or bfloat16 or auto (torch), or int8 (onnx).

    Raises:
        ConfigError: There is no such engine or precision, or they do not go together.
        ModelError: A model is damaged or not exported, or several do not fit each other.
    """
    for name, value, known in (("engine", engine, ENGINES), ("precision", precision, PRECISIONS)):
        if value not in known:
            raise ConfigError(f"{name} = '{value}'.{nearest(value, known)}")
    _agree(folders)
    if engine == "auto":
        engine = "torch" if find_spec("torch") and precision != "int8" else "onnx"
    if engine == "onnx":
        engines = [_onnx(folder.path, threads, precision) for folder in folders]
    else:
        engines = _torch(folders, device, threads, precision)
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


def _onnx(path: Path, threads: int | None, precision: str) -> Engine:
    from seq2see.engine.onnx_engine import OnnxEngine, Precision

    if precision == "bfloat16":
        raise ConfigError("precision = 'bfloat16' is torch's; exported models have int8.")
    kind: Precision = "int8" if precision == "int8" else "float"
    return cast(Engine, OnnxEngine(path, threads or machine.cores(), kind))


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
