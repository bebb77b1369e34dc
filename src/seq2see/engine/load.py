"""Which engine runs a model folder."""

from __future__ import annotations

from collections.abc import Sequence

from seq2see.engine.engine import Engine
from seq2see.folder import ModelFolder


def load_engine(
    folders: Sequence[ModelFolder],
    *,
    device: str = "auto",
    threads: int | None = None,
    precision: str = "float32",
) -> Engine:
    """An engine for one model, or an ensemble for several.

    Args:
        folders: The models.
        device: auto, cpu or cuda.
        threads: CPU threads; all cores if not given.
        precision: float32, bfloat16 or auto.
    """
    from seq2see import machine
    from seq2see.engine.torch_engine import TorchEngine

    machine.use_threads(threads)
    on = machine.device(device)
    engines = [
        TorchEngine(folder.network(), str(on), machine.precision(precision, on))
        for folder in folders
    ]
    return engines[0]
