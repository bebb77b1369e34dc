"""A model's weights as arrays, looked up by the names of its modules."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from seq2see.export.graph import Array


class Weights:
    """The weights of one module.

    Args:
        arrays: Of the whole model, by full name.
        prefix: The module's name, with a dot at its end.
    """

    def __init__(self, arrays: Mapping[str, Array], prefix: str = "") -> None:
        self._arrays, self._prefix = arrays, prefix

    def __truediv__(self, name: str | int) -> Weights:
        """The weights of a module inside this one."""
        return Weights(self._arrays, f"{self._prefix}{name}.")

    def __getitem__(self, name: str) -> Array:
        return np.asarray(self._arrays[self._prefix + name], dtype=np.float32)

    def __contains__(self, name: str) -> bool:
        return self._prefix + name in self._arrays

    def vectors(self, name: str) -> Array:
        """A table of token vectors as the cells read them: √E times what is stored."""
        rows = self[f"{name}.weight"]
        return rows * np.float32(rows.shape[1] ** 0.5)

    def matrix(self, name: str) -> Array:
        """A linear layer's factor as x W needs it: input units times outputs."""
        return self[f"{name}.weight"].T
