"""Outputs drawn from the model at random.

Letters: R rows, k proposals a row.
"""

from __future__ import annotations

import numpy as np

from seq2see.engine.engine import Engine, FloatArray, IntArray
from seq2see.search.batch import Batch
from seq2see.search.greedy import follow
from seq2see.search.hypothesis import Float64Array, Hypothesis
from seq2see.search.options import SearchConfig


def sample(engine: Engine, batch: Batch, config: SearchConfig) -> list[list[Hypothesis]]:
    """Draws ``n_best`` outputs of each sentence; the same output may be drawn twice.

    Chance depends on the seed and the source alone: a sentence draws the same in every batch.
    Scores are the model's own, whatever the temperature.
    """
    longest = batch.longest.max()
    chance = np.zeros((len(batch), config.n_best, longest))
    for i, source in enumerate(batch.sources):
        draws = np.random.default_rng([config.seed, *source])
        chance[i, :, : batch.longest[i]] = draws.random((config.n_best, batch.longest[i]))
    chance = chance.reshape(-1, longest)

    def choose(scores: FloatArray, t: int, line: IntArray) -> IntArray:
        return draw(scores, chance[line, t], config)

    # One proposal to spare where the end mark may be forbidden.
    k = config.top_k + (config.min_ratio > 0) if config.top_k else engine.target_size
    return follow(engine, batch, config, k=k, choose=choose, copies=config.n_best)


def draw(scores: FloatArray, chance: Float64Array, config: SearchConfig) -> IntArray:
    """Draws one proposal a row.

    Args:
        scores: Log-probabilities, best first; -inf where forbidden [R, k].
        chance: A uniform number from [0, 1) for each row [R].
        config: Temperature, top_k and top_p.

    Returns:
        The column drawn in each row [R].
    """
    heat = scores.astype(np.float64) / config.temperature
    share = np.exp(heat - heat.max(axis=1, keepdims=True))
    if config.top_k:
        share[np.cumsum(share > 0, axis=1) > config.top_k] = 0.0
    if config.top_p < 1:
        share /= share.sum(axis=1, keepdims=True)
        # The token that crosses top_p still belongs to the nucleus.
        share[np.cumsum(share, axis=1) - share >= config.top_p] = 0.0
    reached = np.cumsum(share, axis=1)
    drawn: IntArray = (reached <= (chance * reached[:, -1])[:, None]).sum(axis=1)
    return drawn
