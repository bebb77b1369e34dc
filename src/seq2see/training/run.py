"""A training run from a configuration to a model folder."""

from __future__ import annotations

import sys
from pathlib import Path

from seq2see.config import Config, flat
from seq2see.data.corpus import Corpus
from seq2see.errors import ConfigError
from seq2see.folder import CARD, CONFIG, ModelFolder
from seq2see.training.card import write_card
from seq2see.training.checkpoint import FOLDER, latest
from seq2see.training.prepare import prepare
from seq2see.training.progress import Progress, Report
from seq2see.training.teacher import with_lessons
from seq2see.training.trainer import Trainer
from seq2see.training.warnings import data_warnings


def train(
    config: Config,
    out: str | Path,
    *,
    resume: bool = False,
    dry_run: bool = False,
    quiet: bool = False,
    pairs: Corpus | None = None,
) -> Path:
    """Trains a model.

    Args:
        config: Settings; those left open are chosen from the data.
        out: The folder the model is left in.
        resume: Go on with the run in that folder.
        dry_run: Say what would be done, and stop.
        quiet: Report nothing.
        pairs: Training pairs to use instead of those that ``config.data.train`` names.

    Returns:
        The model folder.

    Raises:
        ConfigError: The folder holds another run, or a setting is wrong.
        Stopped: A signal asked training to stop; everything is saved.
    """
    out = Path(out)
    start = latest(out) if resume else None
    if resume and start is None:
        raise ConfigError(f"There is no run to resume in '{out}': it holds no checkpoint.")
    if not resume:
        _refuse_used(out)
    known = ModelFolder.open(out) if start is not None else None
    prepared = with_lessons(prepare(config, out, known, pairs))
    progress = (
        Progress() if quiet or dry_run else Report(out, start.position.update if start else 0)
    )
    trainer = Trainer(prepared, progress, start)
    plan = trainer.plan()
    if not quiet:
        print(plan.describe(prepared), file=sys.stderr)
        for warning in data_warnings(prepared):
            print(f"Warning: {warning}", file=sys.stderr)
    if dry_run:
        return out
    if start is not None and start.position.done and trainer.position.update >= trainer.updates:
        progress.note("This run is complete; raise training.updates or training.epochs to go on.")
        return out
    trainer.train()
    write_card(prepared, trainer.position, plan)
    return out


def train_once(config: Config, out: str | Path) -> Path:
    """Trains a model unless it is there; an interrupted run goes on.

    Args:
        config: Settings.
        out: The folder of the run; new, empty, or of a run with these settings.

    Raises:
        ConfigError: The folder holds a run with other settings, or something else.
    """
    out = Path(out)
    begun = latest(out) is not None
    if begun:
        known, wanted = (flat(c) for c in (ModelFolder.open(out).config, config))
        odd = [name for name, value in wanted.items() if known.get(name) != value]
        if odd:
            raise ConfigError(
                f"'{out}' holds a run with {odd[0]} = {known.get(odd[0])!r}, not "
                f"{wanted[odd[0]]!r}. Choose another folder, or delete this one."
            )
    if begun and (out / CARD).is_file():
        print(f"{out} holds this model already; it is used as it is.", file=sys.stderr)
        return out
    return train(config, out, resume=begun)


def _refuse_used(out: Path) -> None:
    """Never writes into a folder that holds something."""
    if (out / CONFIG).exists() or (out / FOLDER).exists():
        raise ConfigError(
            f"'{out}' already holds a run. Go on with --resume, or choose another --out."
        )
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"'{out}' is not an empty folder. Choose another --out.")
