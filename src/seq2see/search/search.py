"""One entrance to every search."""

from __future__ import annotations

from collections.abc import Sequence

from seq2see.engine.engine import Engine, FloatArray
from seq2see.search.batch import batches, restore
from seq2see.search.beam import beam_search
from seq2see.search.greedy import greedy_search
from seq2see.search.hypothesis import Hypothesis
from seq2see.search.options import SearchConfig
from seq2see.search.sampling import sample


def search(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    config: SearchConfig,
    *,
    prefixes: Sequence[Sequence[int] | None] | None = None,
    attention: Sequence[FloatArray | None] | None = None,
) -> list[list[Hypothesis]]:
    """Finds outputs for sources.

    Args:
        engine: The network.
        sources: Token ids, end mark included; none may be empty.
        config: Which search, and its settings.
        prefixes: Tokens an output must begin with, or None, for each source.
        attention: Weights to use at the first steps instead of the model's own [F, S], or None,
            for each source.

    Returns:
        For each source up to ``n_best`` hypotheses, best first. Hypotheses cut off at the length
        limit are given only if none finished (but every sample is given, finished ones first).
        Beam search gives distinct token
        sequences; two of them may still read the same once joined to text, so who wants n
        distinct texts asks for more (``n_best = beam``).
    """
    if config.sample:
        method = sample
    elif config.beam == 1:
        method = greedy_search
    else:
        method = beam_search
    lengths = [len(source) for source in sources]
    size = config.side_by_side(engine.rows)
    parts = batches(sources, config, prefixes, attention, by=lengths, size=size)
    return restore(parts, [method(engine, part, config) for part in parts])
