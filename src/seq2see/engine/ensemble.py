"""Several models at once: the mean of what they predict.

p(y_t | y_<t, x) = 1/N Σ_n p_n(y_t | y_<t, x); attention is the mean of the members' that attend.

Letters: R rows, V vocabulary entries, S source positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seq2see.engine.engine import Distribution, Engine, FloatArray, IntArray, Proposal, State
from seq2see.errors import ModelError


@dataclass(frozen=True)
class EnsembleState:
    """The rows of every member."""

    members: tuple[State, ...]

    def select(self, rows: IntArray) -> EnsembleState:
        """Keeps (and repeats) rows."""
        return EnsembleState(tuple(member.select(rows) for member in self.members))


class EnsembleEngine:
    """Averages the probabilities of engines that read and write the same tokens.

    Args:
        engines: The members.

    Raises:
        ModelError: Their target vocabularies differ in size.
    """

    def __init__(self, engines: Sequence[Engine]) -> None:
        sizes = [engine.target_size for engine in engines]
        if len(set(sizes)) != 1:
            raise ModelError(
                "Models whose predictions are averaged must share their target vocabulary; these "
                f"have {', '.join(map(str, sizes))} tokens."
            )
        self.engines = tuple(engines)

    @property
    def target_size(self) -> int:
        """Size of the target vocabulary."""
        return self.engines[0].target_size

    @property
    def rows(self) -> int:
        """Rows a step is fastest with."""
        return min(engine.rows for engine in self.engines)

    def start(self, sources: Sequence[Sequence[int]]) -> EnsembleState:
        """Encodes sentences (token ids, end mark included)."""
        return EnsembleState(tuple(engine.start(sources) for engine in self.engines))

    def step(
        self,
        state: State,
        tokens: IntArray,
        k: int,
        *,
        score_of: IntArray | None = None,
        attention: FloatArray | None = None,
    ) -> Proposal:
        """Feeds each row its previous token and proposes the k best next ones."""
        assert isinstance(state, EnsembleState)
        steps = [
            _distribution(engine, member, tokens, attention)
            for engine, member in zip(self.engines, state.members, strict=True)
        ]
        with np.errstate(divide="ignore"):  # log 0 of the tokens never proposed
            scores = np.log(np.mean([np.exp(s.scores, dtype=np.float64) for s in steps], axis=0))
        best = np.argpartition(-scores, k - 1, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1, kind="stable")
        best = np.take_along_axis(best, order, axis=1)
        given = None
        if score_of is not None:
            given = np.take_along_axis(scores, score_of[:, None], axis=1)[:, 0].astype(np.float32)
        return Proposal(
            tokens=best,
            scores=np.take_along_axis(scores, best, axis=1).astype(np.float32),
            attention=_mean_attention([s.attention for s in steps]),
            state=EnsembleState(tuple(s.state for s in steps)),
            given=given,
        )


def _distribution(
    engine: Engine, state: State, tokens: IntArray, attention: FloatArray | None
) -> Distribution:
    """A member's whole distribution, in one go where the engine can."""
    if hasattr(engine, "distribution"):
        whole: Distribution = engine.distribution(state, tokens, attention)
        return whole
    proposal = engine.step(state, tokens, engine.target_size - 2, attention=attention)
    scores = np.full((len(tokens), engine.target_size), -np.inf, np.float32)
    np.put_along_axis(scores, proposal.tokens, proposal.scores, axis=1)
    return Distribution(scores, proposal.attention, proposal.state)


def _mean_attention(members: Sequence[FloatArray]) -> FloatArray:
    """The mean of those that looked at something [R, S]; the vanilla model's rows are all 0."""
    looked = sum((rows.any(axis=1, keepdims=True) for rows in members), np.zeros((1, 1)))
    mean: FloatArray = (np.sum(members, axis=0) / np.maximum(looked, 1)).astype(np.float32)
    return mean
