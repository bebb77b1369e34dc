"""A stream of sentences through several engines at once: out in the order they came in.

A window of the stream is sorted by length and cut into batches, which the engines take in turn;
while one window's outputs are given back, the next one is under way. Two windows are all that is
ever in memory. Windows begin small, so that the first output appears soon.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from queue import SimpleQueue
from typing import NamedTuple

from seq2see.engine.engine import Engine
from seq2see.search.hypothesis import Hypothesis
from seq2see.search.options import SearchConfig
from seq2see.search.search import search

WINDOW = 16
"""Batches an engine gets of one window, once windows have grown."""

Sources = list[Sequence[int]]
Found = list[list[Hypothesis]]
Batch = Callable[[], Found]


class _Place(NamedTuple):
    """Where a sentence's hypotheses will be."""

    batch: Batch
    row: int


def search_stream(
    engines: Sequence[Engine], sources: Iterable[Sequence[int]], config: SearchConfig
) -> Iterator[list[Hypothesis]]:
    """Finds outputs for a stream of sources.

    Args:
        engines: One a worker, each best with a single thread; the same ``OnnxEngine`` may stand
            here several times, as its weights are only read. A single engine runs in the
            caller's thread.
        sources: Token ids, end mark included; read no further than needed. An empty one gets no
            hypotheses.
        config: Which search, its settings, and the batch size.

    Yields:
        For each source up to ``n_best`` hypotheses, best first. If reading a source fails, those
        before it come first, and then the error.
    """
    free: SimpleQueue[Engine] = SimpleQueue()
    for engine in engines:
        free.put(engine)

    def work(batch: Sources) -> Found:
        engine = free.get()
        try:
            return search(engine, batch, config)
        finally:
            free.put(engine)

    pool = ThreadPoolExecutor(len(engines))  # starts no thread before it is given work

    def submit(batch: Sources) -> Batch:
        if len(engines) == 1:
            return cache(lambda: work(batch))
        return pool.submit(work, batch).result

    pending: deque[Iterator[list[Hypothesis]]] = deque()
    try:
        size = config.side_by_side(min(engine.rows for engine in engines))
        for window in _windows(iter(sources), size * len(engines)):
            if isinstance(window, Exception):
                pending.append(_raise(window))
            else:
                pending.append(_found(_places(submit, window, size)))
            if len(pending) > 1:
                yield from pending.popleft()
        while pending:
            yield from pending.popleft()
    finally:  # also when nobody wants the rest
        pool.shutdown(cancel_futures=True)


def _windows(stream: Iterator[Sequence[int]], size: int) -> Iterator[Sources | Exception]:
    """Growing pieces of a stream, and the error that ended it, if one did."""
    largest, error = size * WINDOW, None
    while error is None:
        window: Sources = []
        try:
            for source in islice(stream, size):
                window.append(source)  # one by one: what came before a fault stays
        except Exception as fault:
            error = fault
        if window:
            yield window
        elif error is None:
            return
        size = min(2 * size, largest)
    yield error


def _places(submit: Callable[[Sources], Batch], window: Sources, size: int) -> list[_Place]:
    """Hands a window's batches out, the longest sentences first."""
    full = [i for i, source in enumerate(window) if source]
    order = sorted(full, key=lambda i: len(window[i]), reverse=True)
    places = [_Place(lambda: [[]], 0)] * len(window)
    for at in range(0, len(order), size):
        members = order[at : at + size]
        batch = submit([window[i] for i in members])
        for row, i in enumerate(members):
            places[i] = _Place(batch, row)
    return places


def _found(places: list[_Place]) -> Iterator[list[Hypothesis]]:
    """Each sentence's hypotheses as soon as they are there."""
    for place in places:
        yield place.batch()[place.row]


def _raise(error: Exception) -> Iterator[list[Hypothesis]]:
    raise error
    yield
