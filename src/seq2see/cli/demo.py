"""``seq2see demo``: the main job on an embedded default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from seq2see.cli.options import parse


@dataclass(frozen=True)
class Demo:
    """Learns a built-in corpus of English and Spanish sentences in a few minutes, translates
    sentences it never saw, and draws what it looked at."""  # noqa: D205, D209

    out: Path = Path("runs/demo")
    """Folder for the model and the picture."""
    fresh: bool = False
    """Learn anew though the folder holds a finished demo."""


def main(arguments: Sequence[str]) -> None:
    """Runs the command."""
    given = parse(Demo, "demo", arguments)

    from seq2see.demo import demo

    demo(given.out, given.fresh)
