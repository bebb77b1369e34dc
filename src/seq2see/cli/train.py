"""``seq2see train``: from a configuration to a model folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import tyro

from seq2see.cli.options import parse
from seq2see.config import Config, load_config
from seq2see.errors import ConfigError
from seq2see.folder import CONFIG


@dataclass(frozen=True)
class Train:
    """Learns a model.

    Settings come from the file; flags go before it. What neither says is chosen from the data and
    shown before the first step.
    """

    out: Path
    """Folder for the model; it must be new or empty."""
    file: Annotated[
        tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[CONFIG.toml]")
    ] = ()
    """A file of settings, with the names of the flags."""
    resume: bool = False
    """Go on with the run in --out, with its settings; what is given anew goes before them."""
    dry_run: bool = False
    """Say what would be done, how long it takes and how much memory, and stop."""
    config: Annotated[Config, tyro.conf.arg(name="")] = field(default_factory=Config)


def main(arguments: Sequence[str]) -> None:
    """Runs the command."""
    given = parse(Train, "train", arguments)
    files = list(given.file)
    if len(files) > 1:
        raise ConfigError(f"One file of settings, please, not {len(files)}.")
    if given.resume and (given.out / CONFIG).is_file():
        files.insert(0, given.out / CONFIG)
    if files:
        # Once more, now with the files' settings where no flag stands.
        given = parse(Train, "train", arguments, replace(given, config=load_config(*files)))

    from seq2see.training.run import train

    train(given.config, given.out, resume=given.resume, dry_run=given.dry_run)
    if not given.dry_run:
        print(given.out)
