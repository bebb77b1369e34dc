"""How probable is a given output, and what does the model look at while writing it?"""

from __future__ import annotations

from collections.abc import Sequence

from seq2see.engine.engine import Engine, FloatArray
from seq2see.errors import ConfigError
from seq2see.search.batch import batches, restore
from seq2see.search.greedy import greedy_search
from seq2see.search.hypothesis import Hypothesis
from seq2see.search.options import SearchConfig
from seq2see.text.vocabulary import EOS


def score_targets(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    config: SearchConfig | None = None,
    *,
    attention: Sequence[FloatArray | None] | None = None,
) -> list[Hypothesis]:
    """Scores targets under the model (forced decoding).

    Args:
        engine: The network.
        sources: Token ids, end mark included.
        targets: Token ids of one output a source; the end mark is added where it is missing.
        config: Penalties for the rank score, and the batch size.
        attention: Weights to use at the first steps of a sentence instead of the model's own.

    Returns:
        One finished hypothesis a source, in their order.
    """
    if len(sources) != len(targets):
        raise ConfigError(f"search: {len(sources)} sources but {len(targets)} targets to score.")
    config = config or SearchConfig()
    whole = [(*target,) if target and target[-1] == EOS else (*target, EOS) for target in targets]
    lengths = [len(target) for target in whole]
    size = config.batch_size or max(1, engine.rows // 2)
    parts = batches(sources, config, whole, attention, by=lengths, size=size)
    # A prefix that holds the end mark leaves greedy search no choice at all.
    found = restore(parts, [greedy_search(engine, part, config) for part in parts])
    return [lines[0] for lines in found]
