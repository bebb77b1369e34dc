"""What several commands have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import tyro

from seq2see.errors import ConfigError

if TYPE_CHECKING:
    from seq2see.translator import Translator

T = TypeVar("T")


@dataclass(frozen=True)
class Runtime:
    """How the network runs."""

    engine: Literal["auto", "torch", "onnx"] = "auto"
    """torch, or onnx for an exported model; auto takes onnx only where torch is not installed."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where torch runs."""
    threads: int | None = None
    """CPU threads; all cores if not set. An exported model translates that many batches at once,
    each by one thread."""
    precision: Literal["auto", "float32", "bfloat16", "int8"] = "float32"
    """Number format of products: bfloat16 is torch's, int8 is onnx's."""
    shortlist: bool = False
    """Look only at the target words that a source may need (onnx; see export --shortlist)."""

    def load(self, models: Sequence[str | Path]) -> Translator:
        """Loads one model, or several as an ensemble."""
        from seq2see.translator import Translator

        return Translator.load(
            *models,
            engine=self.engine,
            device=self.device,
            threads=self.threads,
            precision=self.precision,
            shortlist=self.shortlist,
        )


class Words(NamedTuple):
    """Leading words that name models, and the others."""

    models: tuple[str, ...]
    others: tuple[str, ...]


def parse(kind: type[T], command: str, arguments: Sequence[str], default: T | None = None) -> T:
    """Reads a command's options; exits with code 2 and a message if they are wrong."""
    words, prog = list(arguments), f"seq2see {command}"
    if default is None:
        return tyro.cli(kind, prog=prog, args=words)
    return tyro.cli(kind, prog=prog, args=words, default=default)


def split_models(words: Sequence[str], command: str) -> Words:
    """Tells models, which are folders and come first, from what follows them."""
    if not words:
        raise ConfigError(f"Which model? Name its folder: seq2see {command} MODEL ...")
    count = 1
    while count < len(words) and Path(words[count]).is_dir():
        count += 1
    return Words(tuple(words[:count]), tuple(words[count:]))
