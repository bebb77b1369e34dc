"""Several wirings learn the same pairs: what does attention bring, and where?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from seq2see.assessment import Assessment, assess
from seq2see.config import Config, with_settings
from seq2see.data.corpora import is_built_in
from seq2see.data.corpus import Corpus
from seq2see.data.readers import read_pairs
from seq2see.errors import ConfigError, nearest
from seq2see.folder import WEIGHTS, read_tensors
from seq2see.search import SearchConfig
from seq2see.see import LengthCurve
from seq2see.translator import Translator

WIRINGS: dict[str, dict[str, object]] = {
    "none": {"model.wiring": "none"},
    "bahdanau": {"model.wiring": "bahdanau"},
    "luong": {"model.wiring": "luong"},
    "luong+feeding": {"model.wiring": "luong", "model.input_feeding": True},
}
"""The systems that can be compared, and the settings that make them."""


@dataclass(frozen=True)
class Entry:
    """One system of a comparison.

    Attributes:
        name: The wiring.
        folder: Its model.
        parameters: Trainable numbers.
        seconds: Time spent training.
        found: What was measured on the test pairs.
    """

    name: str
    folder: Path
    parameters: int
    seconds: float
    found: Assessment

    @property
    def curve(self) -> LengthCurve:
        """The first metric by length of the source."""
        return LengthCurve.of(self.name, self.found.by_length)


def compare(
    config: Config,
    out: Path,
    wirings: Sequence[str] = ("none", "bahdanau", "luong"),
    test: str | None = None,
    options: SearchConfig | None = None,
    metrics: Sequence[str] | None = None,
) -> list[Entry]:
    """Trains each wiring on the same data and measures them on the same pairs.

    What is there already is used: an interrupted comparison goes on where it was.

    Args:
        config: Settings of the training; the wiring comes from ``wirings``.
        out: A folder; every system gets one inside.
        wirings: Names of ``WIRINGS``.
        test: Test pairs; the corpus's own, or the validation pairs, if not given.
        options: How to search.
        metrics: Names of ``METRICS``.
    """
    for name in wirings:
        if name not in WIRINGS:
            raise ConfigError(f"There is no wiring '{name}'.{nearest(name, WIRINGS)}")
    pairs = test_pairs(config, test)
    return [
        _entry(name, with_settings(config, WIRINGS[name]), out / name, pairs, options, metrics)
        for name in wirings
    ]


def test_pairs(config: Config, test: str | None) -> Corpus:
    """The pairs to measure on."""
    from seq2see.training.prepare import read_corpora

    train = config.data.train
    if test:
        return read_pairs(test, config.data.errors)
    if is_built_in(train) and "/" not in train:
        return read_pairs(f"{train}/test")
    return read_corpora(config)[1]


def _entry(
    name: str,
    config: Config,
    folder: Path,
    pairs: Corpus,
    options: SearchConfig | None,
    metrics: Sequence[str] | None,
) -> Entry:
    import sys

    from seq2see.training.checkpoint import latest
    from seq2see.training.run import train_once

    print(f"\n{name}", file=sys.stderr)
    train_once(config, folder)
    checkpoint = latest(folder)
    return Entry(
        name=name,
        folder=folder,
        parameters=sum(w.numel() for w in read_tensors(folder / WEIGHTS).values()),
        seconds=checkpoint.position.seconds if checkpoint else 0.0,
        found=assess(Translator.load(folder), pairs, options, metrics),
    )
