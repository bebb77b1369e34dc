"""Many sentences through several engines at once: a stream in, a stream out, in its order.

A window of the stream is sorted by length and cut into batches, which the engines take in turn;
while one window's outputs are given back, the next one is under way. Two windows are all that is
ever in memory. Windows begin small, so that the first output appears soon.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from queue import SimpleQueue
from typing import NamedTuple

from seq2see.engine.engine import Engine
from seq2see.search import Hypothesis, SearchConfig, search

WINDOW = 16
"""Batches an engine gets of one window, once windows have grown."""

Sources = Sequence[Sequence[int]]
Found = list[list[Hypothesis]]


class _Place(NamedTuple):
    """Where a sentence's hypotheses will be."""

    batch: Future[Found]
    row: int


def translate_stream(
    engines: Sequence[Engine], sources: Iterable[Sequence[int]], config: SearchConfig
) -> Iterator[list[Hypothesis]]:
    """Translates a stream of sentences.

    Args:
        engines: One a worker, each best with a single thread; the same ``OnnxEngine`` may stand
            here several times, as its weights are only read.
        sources: Token ids, end mark included; read no further than needed.
        config: Which search, its settings, and the batch size.

    Yields:
        For each source up to ``n_best`` hypotheses, best first.
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

    pool = ThreadPoolExecutor(len(engines))
    stream, size = iter(sources), config.batch_size * len(engines)
    largest = size * WINDOW
    pending: deque[list[_Place]] = deque()
    try:
        while window := list(islice(stream, size)):
            pending.append(_submit(pool, work, window, config.batch_size))
            size = min(2 * size, largest)
            if len(pending) > 1:
                yield from _results(pending.popleft())
        while pending:
            yield from _results(pending.popleft())
    finally:  # also when nobody wants the rest
        pool.shutdown(cancel_futures=True)


def _submit(
    pool: ThreadPoolExecutor, work: Callable[[Sources], Found], window: Sources, batch_size: int
) -> list[_Place]:
    """Hands a window's batches to the workers, the longest sentences first."""
    order = sorted(range(len(window)), key=lambda i: len(window[i]), reverse=True)
    places: dict[int, _Place] = {}
    for at in range(0, len(order), batch_size):
        members = order[at : at + batch_size]
        batch = pool.submit(work, [window[i] for i in members])
        places.update({i: _Place(batch, row) for row, i in enumerate(members)})
    return [places[i] for i in range(len(window))]


def _results(places: list[_Place]) -> Iterator[list[Hypothesis]]:
    """Each sentence's hypotheses as soon as they are there."""
    for place in places:
        yield place.batch.result()[place.row]
