"""How many threads one sentence is worth, measured when a model is loaded.

A step's products are small: a second thread may shorten the wait for a sentence, or lengthen it
many times, as all threads wait for the slowest. That depends on the model, the machine, and on
what else runs there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from seq2see.engine.engine import Engine
from seq2see.text.vocabulary import BOS, EOS, UNK

TOKENS, ROWS, STEPS, ROUNDS = 12, 5, 4, 3
"""What is timed: a source of so many tokens, a beam of so many rows for some steps, repeatedly."""
WORTH = 0.8
"""Share of the time with one thread that several must stay below: less is within chance."""

TWICE = 12 * 2**20
"""Bytes of a step that may be in memory twice while it is timed; larger ones get one thread."""


class Choice(NamedTuple):
    """What serves single sentences.

    Attributes:
        engine: The faster one.
        why: What was chosen and why, told to a person.
    """

    engine: Engine
    why: str


def choose_threads(one: Engine, on_threads: Callable[[int], Engine], cores: int) -> Choice:
    """Times one thread against all.

    Args:
        one: The engine on a single thread.
        on_threads: Gives the engine on several.
        cores: Threads there may be.
    """
    if cores == 1:
        return Choice(one, "one thread, as there is one core")
    several = on_threads(cores)
    alone, together = (1000 * _seconds(engine) for engine in (one, several))
    measured = f"measured: {alone / STEPS:.2g} ms a step on 1 thread, {together / STEPS:.2g}"
    if together < WORTH * alone:
        return Choice(several, f"{cores} threads ({measured} on {cores})")
    return Choice(one, f"one thread ({measured} on {cores})")


def _seconds(engine: Engine) -> float:
    """The fastest of several rounds, after one that warms up."""
    times = []
    for _ in range(ROUNDS + 1):
        state = engine.start([[UNK] * TOKENS + [EOS]]).select(np.zeros(ROWS, np.int64))
        tokens = np.full(ROWS, BOS, np.int64)
        started = time.perf_counter()
        for _ in range(STEPS):
            proposal = engine.step(state, tokens, 1)
            state, tokens = proposal.state, proposal.tokens[:, 0]
        times.append(time.perf_counter() - started)
    return min(times[1:])
