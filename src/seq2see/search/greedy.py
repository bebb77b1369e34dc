"""One hypothesis a row, never two: the best token at every step, or any other single choice.

Letters: R rows, k proposals a row, S source positions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from seq2see.engine.engine import Engine, FloatArray, IntArray
from seq2see.search.batch import Batch
from seq2see.search.hypothesis import Ends, Hypothesis, Trace
from seq2see.search.options import SearchConfig
from seq2see.search.ranking import Ranking
from seq2see.text.vocabulary import BOS, EOS

Choose = Callable[[FloatArray, int, IntArray], IntArray]
"""From the scores of the proposals [R, k], the step, and the line of each row [R]: the proposal
each row takes [R]. Lines number the rows at the start, and keep their number."""


def greedy_search(engine: Engine, batch: Batch, config: SearchConfig) -> list[list[Hypothesis]]:
    """Takes the most probable token at every step."""
    return follow(
        engine,
        batch,
        config,
        k=1 + (config.min_ratio > 0),
        choose=lambda scores, t, line: scores.argmax(axis=1),
    )


def follow(
    engine: Engine,
    batch: Batch,
    config: SearchConfig,
    *,
    k: int,
    choose: Choose,
    copies: int = 1,
) -> list[list[Hypothesis]]:
    """Decodes each sentence in one or more independent lines.

    Args:
        engine: The network.
        batch: Sentences.
        config: For the ranking.
        k: Proposals a row.
        choose: Which proposal each row takes.
        copies: Lines a sentence.

    Returns:
        For each sentence its lines, best first; finished ones before those cut off.
    """
    ranking, trace = Ranking(config), Trace()
    sentence = np.repeat(np.arange(len(batch)), copies)  # of each row [R]
    line = np.arange(len(sentence))
    state = engine.start(batch.sources)
    if copies > 1:
        state = state.select(sentence)
    tokens = np.full(len(sentence), BOS, dtype=np.int64)
    score = np.zeros(len(sentence))
    coverage: FloatArray | None = None
    t = 0
    while len(sentence):
        proposal = batch.propose(engine, state, tokens, k, t, sentence)
        rows = np.arange(len(sentence))
        column = choose(proposal.scores, t, line)
        tokens, step_score = proposal.tokens[rows, column], proposal.scores[rows, column]
        score = score + step_score
        if ranking.covers:
            coverage = proposal.attention if coverage is None else coverage + proposal.attention

        t += 1
        over = (tokens == EOS) | (t >= batch.longest[sentence])
        ended, kept = np.flatnonzero(over), np.flatnonzero(~over)
        rank = ranking.rank(
            score[ended],
            t,
            None if coverage is None else coverage[ended],
            batch.lengths[sentence[ended]],
        )
        ends = Ends(sentence[ended], ended, score[ended], rank)
        trace.add(tokens, step_score, rows, proposal.attention, kept, ends)

        state = proposal.state
        if len(ended):
            tokens, score, sentence, line = tokens[kept], score[kept], sentence[kept], line[kept]
            coverage = None if coverage is None else coverage[kept]
            if len(kept):
                state = state.select(kept)
    return trace.best(batch.lengths, copies, cut_off=True)
