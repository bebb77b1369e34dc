"""Beam search: several hypotheses a sentence, the best of all their continuations kept.

A hypothesis that reaches its end mark keeps its place in the beam, which so grows narrower for
the others (Graves 2012; Bahdanau et al. 2015). A beam of one is therefore greedy search.

Letters: B sentences, A of them still under way, K beam, R rows fed to the engine (one for each
living hypothesis, at most A·K), k proposals a row, C candidates chosen, S source positions.
"""

from __future__ import annotations

import numpy as np

from seq2see.engine.engine import Engine, FloatArray
from seq2see.search.batch import Batch
from seq2see.search.hypothesis import Ends, Hypothesis, Trace
from seq2see.search.options import SearchConfig
from seq2see.search.ranking import Ranking
from seq2see.text.vocabulary import BOS, EOS


def beam_search(engine: Engine, batch: Batch, config: SearchConfig) -> list[list[Hypothesis]]:
    """Finds the ``n_best`` outputs of each sentence that rank highest in its beam.

    A sentence is left as soon as no living hypothesis can outrank the worst of its ``n_best``
    finished ones, and no sooner.
    """
    K, n = config.beam, config.n_best
    k = K + (config.min_ratio > 0)  # one to spare where the end mark may be forbidden
    ranking, trace = Ranking(config), Trace()

    active = np.arange(len(batch))  # sentences under way [A]
    free = np.full(len(batch), K)  # places not taken by finished hypotheses [A]
    podium = np.full((len(batch), n), -np.inf)  # ranks of the best finished ones, rising [A, n]
    owner = np.arange(len(batch))  # of each row, as an index into active [R]
    place = np.zeros(len(batch), dtype=np.int64)  # of each row in its beam [R]
    score = np.zeros(len(batch))  # [R]
    tokens = np.full(len(batch), BOS, dtype=np.int64)  # [R]
    coverage: FloatArray | None = None
    state = engine.start(batch.sources)

    t = 0
    while len(active):
        proposal = batch.propose(engine, state, tokens, k, t, active[owner])
        if ranking.covers:
            coverage = proposal.attention if coverage is None else coverage + proposal.attention
        A, R, width = len(active), len(owner), proposal.tokens.shape[1]
        t += 1

        # The continuations of a sentence side by side, and the best of them for its free places.
        pool = np.full((A * K, width), -np.inf)
        slot = owner * K + place
        pool[slot] = score[:, None] + proposal.scores
        pool = pool.reshape(A, K * width)
        order = (-pool).argsort(axis=1, kind="stable")[:, :K]
        best = np.take_along_axis(pool, order, axis=1)
        chosen = (best > -np.inf) & (np.arange(best.shape[1]) < free[:, None])
        who, place = np.nonzero(chosen)  # sentence by sentence, best first [C]
        row_at = np.empty(A * K, dtype=np.int64)
        row_at[slot] = np.arange(R)
        pick = order[who, place]
        parent, column = row_at[who * K + pick // width], pick % width
        score = best[who, place]
        tokens = proposal.tokens[parent, column]

        # Which of them end here, and how they rank.
        longest = batch.longest[active]
        complete = tokens == EOS
        over = complete | (t >= longest[who])
        ended = np.flatnonzero(over)
        sentence = active[who[ended]]
        rank = ranking.rank(
            score[ended],
            t,
            None if coverage is None else coverage[parent[ended]],
            batch.lengths[sentence],
        )
        if len(ended):
            free = free - np.bincount(who[complete], minlength=A)
            won = np.full((A, K), -np.inf)
            won[who[ended], place[ended]] = np.where(complete[ended], rank, -np.inf)
            podium = np.sort(np.concatenate([podium, won], axis=1), axis=1)[:, -n:]

        # A sentence is done when its best living hypothesis, at its best, cannot reach the podium.
        living = np.full((A, K), -np.inf)
        living[who, place] = np.where(over, -np.inf, score)
        done = ranking.bound(living.max(axis=1), longest) <= podium[:, 0]
        kept = np.flatnonzero(~(over | done[who]))
        trace.add(
            tokens,
            proposal.scores[parent, column],
            parent,
            proposal.attention,
            kept,
            Ends(sentence, ended, score[ended], rank),
        )

        if done.any():
            owner = (np.cumsum(~done) - 1)[who[kept]]
            active, free, podium = active[~done], free[~done], podium[~done]
        else:
            owner = who[kept]
        place, score, tokens = place[kept], score[kept], tokens[kept]
        coverage = None if coverage is None else coverage[parent[kept]]
        if len(kept):
            state = proposal.state.select(parent[kept])
    return trace.best(batch.lengths, n)
