"""Learns a shortlist from what a model looks at while it writes known translations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seq2see.engine.engine import Engine
from seq2see.engine.shortlist import Shortlist
from seq2see.search import SearchConfig, score_targets
from seq2see.text.vocabulary import PAD

CHUNK = 1024
ALIGNED = 0.05
"""Attention below this share is no link."""


def learn_shortlist(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    source_size: int,
    words: int = 30,
    always: int = 200,
) -> Shortlist:
    """Sums up the attention between tokens of training pairs.

    Args:
        engine: The model.
        sources: Token ids, end mark included.
        targets: Token ids of their translations.
        source_size: Size of the source vocabulary.
        words: Target words kept for each source token.
        always: How many of the most frequent target words every sentence has.
    """
    size = engine.target_size
    total: dict[int, float] = {}  # by source token · size + target token
    count = np.zeros(size, np.int64)
    for at in range(0, len(sources), CHUNK):
        part = sources[at : at + CHUNK]
        found = score_targets(engine, part, targets[at : at + CHUNK], SearchConfig(beam=1))
        links, shares = [], []
        for source, hypothesis in zip(part, found, strict=True):
            tokens = np.array(hypothesis.tokens)
            pairs = np.array(source) * size + tokens[:, None]  # [T, S]
            linked = hypothesis.attention >= ALIGNED
            links.append(pairs[linked])
            shares.append(hypothesis.attention[linked])
            np.add.at(count, tokens, 1)
        link, where = np.unique(np.concatenate(links), return_inverse=True)
        sums = np.bincount(where, np.concatenate(shares))
        for key, share in zip(link.tolist(), sums.tolist(), strict=True):
            total[key] = total.get(key, 0.0) + share
    keys = np.array(list(total), np.int64)
    order = np.lexsort((-np.array(list(total.values())), keys // size))
    token, word = keys[order] // size, keys[order] % size
    rank = np.arange(len(token)) - np.searchsorted(token, token)  # among the token's words
    kept = rank < words
    table = np.full((source_size, words), PAD, np.int32)
    table[token[kept], rank[kept]] = word[kept]
    frequent = np.argsort(-count, kind="stable")[:always]
    return Shortlist(table, frequent.astype(np.int32), size)
