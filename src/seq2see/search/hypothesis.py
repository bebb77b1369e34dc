"""Hypotheses, and the record of a search from which they are read at the end.

Letters: R rows fed to the engine at a step, C candidates chosen there, N hypotheses,
S source positions, T target positions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seq2see.engine.engine import FloatArray, IntArray
from seq2see.text.vocabulary import EOS

BoolArray = NDArray[np.bool_]
Float64Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One output sequence in token ids.

    Attributes:
        tokens: Target tokens, the end mark included if it was reached [T].
        score: Sum of the log-probabilities of the tokens.
        token_scores: Log-probability of each token [T].
        attention: Row t holds the weights used when token t was predicted [T, S].
        finished: Whether it ended by itself rather than at the length limit.
        rank_score: What the search ranks by: the score with length and coverage penalties.
    """

    tokens: tuple[int, ...]
    score: float
    token_scores: tuple[float, ...]
    attention: FloatArray
    finished: bool
    rank_score: float


@dataclass(frozen=True)
class Ends:
    """Hypotheses that ended at one step.

    Attributes:
        sentence: The sentence of each [N].
        candidate: Which of the step's candidates is its last token [N].
        score: Sums of log-probabilities [N].
        rank: Rank scores [N].
    """

    sentence: IntArray
    candidate: IntArray
    score: Float64Array
    rank: Float64Array


@dataclass(frozen=True)
class _Step:
    tokens: IntArray  # [C]
    scores: FloatArray  # [C]
    parents: IntArray  # row each candidate continues [C]
    attention: FloatArray  # of the rows [R, S]
    kept: IntArray  # candidates that are the rows of the next step


class Trace:
    """Back-pointers, tokens, scores and attention of every step.

    Nothing is copied while the search runs: hypotheses share their history, and only the ones
    given back are ever written out.
    """

    def __init__(self) -> None:
        self._steps: list[_Step] = []
        self._ends: list[Ends] = []

    def add(
        self,
        tokens: IntArray,
        scores: FloatArray,
        parents: IntArray,
        attention: FloatArray,
        kept: IntArray,
        ends: Ends,
    ) -> None:
        """Records a step: C candidates, those that live on, and those that end here."""
        self._steps.append(_Step(tokens, scores, parents, attention, kept))
        self._ends.append(ends)

    def best(self, lengths: IntArray, n: int, *, cut_off: bool = False) -> list[list[Hypothesis]]:
        """Writes out the hypotheses to give back.

        Args:
            lengths: Source length of each sentence [B].
            n: How many a sentence at most.
            cut_off: Whether hypotheses cut off at the length limit are given even where others
                reached their end mark.

        Returns:
            For each sentence its best hypotheses, best first; finished ones before the others.
        """
        step = np.concatenate([np.full(len(e.sentence), t) for t, e in enumerate(self._ends)])
        candidate = np.concatenate([e.candidate for e in self._ends])
        sentence = np.concatenate([e.sentence for e in self._ends])
        rank = np.concatenate([e.rank for e in self._ends])
        score = np.concatenate([e.score for e in self._ends])
        finished = np.concatenate(
            [s.tokens[e.candidate] == EOS for s, e in zip(self._steps, self._ends, strict=True)]
        )

        chosen: list[list[int]] = [[] for _ in lengths]
        # Best first within a sentence, finished before unfinished; ties to the earlier one.
        for i in np.lexsort((-rank, ~finished, sentence)):
            mine = chosen[sentence[i]]
            if len(mine) < n and (cut_off or finished[i] or not mine or not finished[mine[0]]):
                mine.append(int(i))
        order = np.array([i for mine in chosen for i in mine], dtype=np.int64)
        tokens, token_scores, attention = self._walk_back(step[order], candidate[order])

        found: list[list[Hypothesis]] = []
        at = 0
        for length, mine in zip(lengths, chosen, strict=True):
            found.append([])
            for i in mine:
                T = step[i] + 1
                found[-1].append(
                    Hypothesis(
                        tokens=tuple(tokens[at, :T].tolist()),
                        score=float(score[i]),
                        token_scores=tuple(token_scores[at, :T].tolist()),
                        attention=attention[at, :T, :length].copy(),
                        finished=bool(finished[i]),
                        rank_score=float(rank[i]),
                    )
                )
                at += 1
        return found

    def _walk_back(
        self, step: IntArray, candidate: IntArray
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Follows the back-pointers of N hypotheses at once: [N, T], [N, T], [N, T, S]."""
        N, T = len(step), len(self._steps)
        tokens = np.zeros((N, T), dtype=np.int64)
        scores = np.zeros((N, T), dtype=np.float32)
        attention = np.zeros((N, T, self._steps[0].attention.shape[1]), dtype=np.float32)
        candidate = candidate.copy()
        for t in range(T - 1, -1, -1):
            past = self._steps[t]
            alive = np.flatnonzero(step >= t)
            here = candidate[alive]
            row = past.parents[here]
            tokens[alive, t] = past.tokens[here]
            scores[alive, t] = past.scores[here]
            attention[alive, t, : past.attention.shape[1]] = past.attention[row]
            if t:
                candidate[alive] = self._steps[t - 1].kept[row]
        return tokens, scores, attention
