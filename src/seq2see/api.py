"""The two verbs of the Python interface: learn a model, load a model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seq2see.config import Config, load_config, with_settings
from seq2see.data.corpus import Corpus
from seq2see.errors import DataError
from seq2see.folder import CONFIG
from seq2see.translator import Translator


def load(*paths: str | Path, **settings: Any) -> Translator:
    """Loads a model folder, or several whose predictions are averaged.

    Args:
        paths: Model folders.
        settings: How the network runs: ``engine``, ``device``, ``threads``, ``precision``
            (see ``Translator.load``).
    """
    return Translator.load(*paths, **settings)


def fit(
    pairs: str | Path | Iterable[tuple[str, str]],
    out: str | Path,
    config: Config | None = None,
    *,
    resume: bool = False,
    quiet: bool = False,
    **settings: Any,
) -> Translator:
    """Learns a model and loads it.

    Args:
        pairs: Sources with their targets, or what names them: ``file.tsv``, ``prefix.{en,de}``,
            ``phrases:en-es``.
        out: The folder for the model; new or empty, and the only place written to.
        config: Settings; what it leaves open is chosen from the data. To resume, the run's own
            if not given.
        resume: Go on with the run in ``out``.
        quiet: Report nothing.
        settings: Single settings on top: ``epochs=3, wiring="bahdanau"``; by dotted name
            (``**{"text.source.kind": "chars"}``) where the last part alone says too little.

    Returns:
        The model with its best weights.

    Raises:
        ConfigError: A setting is unknown or does not fit, or the folder holds something.
        DataError: The pairs cannot be read, or there are too few.
    """
    from seq2see.training.run import train

    if config is None:
        known = Path(out) / CONFIG
        config = load_config(known) if resume and known.is_file() else Config()
    config = with_settings(config, settings)
    corpus = None
    if isinstance(pairs, (str, Path)):
        config = with_settings(config, {"data.train": str(pairs)})
    else:
        corpus = _corpus(pairs)
    return Translator.load(train(config, out, resume=resume, quiet=quiet, pairs=corpus))


def _corpus(pairs: Iterable[tuple[str, str]]) -> Corpus:
    sources, targets, dropped = [], [], 0
    for number, pair in enumerate(pairs, start=1):
        if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(p, str) for p in pair):
            raise DataError(f"Pair {number} is not two texts, source and target: {pair!r}.")
        source, target = pair
        if source.strip() and target.strip():
            sources.append(source)
            targets.append(target)
        else:
            dropped += 1
    if not sources:
        raise DataError("There are no pairs to learn from: each needs two texts.")
    return Corpus(f"{len(sources)} pairs given in Python", sources, targets, None, dropped)
