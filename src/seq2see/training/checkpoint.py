"""Everything a run needs to go on as if it had never stopped, in one file.

A checkpoint is a safetensors file: tensors (weights, averages, optimiser moments, the state of
the random generator) and, in its header, the numbers of ``Position`` as JSON. It is written
beside its place and moved there when whole, so there is always a good one.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from seq2see.errors import ModelError
from seq2see.files import write_atomically

FOLDER = "checkpoints"


@dataclass
class Position:
    """How far a run has come.

    Attributes:
        update: Updates done.
        epoch: The epoch under way, from 0.
        batch: Batches of that epoch already used.
        best: Best validation score so far (higher is better).
        best_update: The update it was reached at.
        stale: Validations since.
        factor: What the plateau schedule multiplies the rate by.
        tokens: Target tokens trained on.
        seconds: Time spent training.
        kept: Updates whose checkpoints wait to be averaged.
        fingerprint: Digest of the data and settings that decide the run's course.
        done: Whether training ended by itself.
    """

    update: int = 0
    epoch: int = 0
    batch: int = 0
    best: float | None = None
    best_update: int = 0
    stale: int = 0
    factor: float = 1.0
    tokens: int = 0
    seconds: float = 0.0
    kept: list[int] = field(default_factory=list)
    fingerprint: str = ""
    done: bool = False


@dataclass
class Checkpoint:
    """A position and the tensors that go with it, named by group: ``weights/…``, ``moments/…``."""

    position: Position
    tensors: dict[str, Tensor]

    def group(self, name: str) -> dict[str, Tensor]:
        """The tensors of one group, without its prefix."""
        prefix = name + "/"
        return {k[len(prefix) :]: v for k, v in self.tensors.items() if k.startswith(prefix)}

    def write(self, path: Path) -> None:
        """Writes the checkpoint, or leaves what was there if that fails."""
        tensors = {k: v.detach().contiguous().cpu() for k, v in self.tensors.items()}
        metadata = {"position": json.dumps(asdict(self.position))}
        write_atomically(path, lambda part: save_file(tensors, part, metadata))

    @classmethod
    def read(cls, path: Path) -> Checkpoint:
        """Reads a checkpoint.

        Raises:
            ModelError: The file is damaged.
        """
        try:
            with safe_open(path, framework="pt") as file:
                position = Position(**json.loads(file.metadata()["position"]))
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
            raise ModelError(f"The checkpoint {path} is damaged: {error}.") from None
        return cls(position, tensors)


def checkpoints(run: Path) -> list[Path]:
    """The checkpoints of a run, oldest first."""
    return sorted((run / FOLDER).glob("update-*.safetensors"))


def checkpoint_path(run: Path, update: int) -> Path:
    """Where the checkpoint of an update lies."""
    return run / FOLDER / f"update-{update:08d}.safetensors"


def latest(run: Path) -> Checkpoint | None:
    """The newest checkpoint that can be read, or None if the run has none.

    Raises:
        ModelError: There are checkpoints, and none can be read.
    """
    damage = None
    for path in reversed(checkpoints(run)):
        try:
            return Checkpoint.read(path)
        except ModelError as error:
            damage = error
    if damage is not None:
        raise damage
    return None


def average(paths: list[Path], group: str) -> dict[str, Tensor]:
    """The mean of one group's tensors over several checkpoints."""
    total: dict[str, Tensor] = {}
    for path in paths:
        for name, tensor in Checkpoint.read(path).group(group).items():
            total[name] = tensor.double() + total[name] if name in total else tensor.double()
    return {name: (tensor / len(paths)).to(torch.float32) for name, tensor in total.items()}
