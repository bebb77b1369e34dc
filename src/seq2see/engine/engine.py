"""What a search needs from a model: propose the next tokens, remember the state.

Letters: R rows (hypotheses) in the batch, S source positions, k proposals a row.
Engines take and return NumPy arrays only; what the state is made of is their own affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float32]


class State(Protocol):
    """The rows under way: memory, decoder state, position."""

    def select(self, rows: IntArray) -> State:
        """Keeps (and repeats) rows: row i of the result is row ``rows[i]`` of this state."""
        ...


@dataclass(frozen=True)
class Proposal:
    """One decoding step for every row.

    Attributes:
        tokens: The k best next tokens, best first [R, k].
        scores: Their log-probabilities [R, k].
        attention: Where the model looked [R, S]; rows sum to 1, padding holds 0.
        state: The rows after reading the fed token.
        given: Log-probability of the token asked for by ``score_of`` [R], or None.
    """

    tokens: IntArray
    scores: FloatArray
    attention: FloatArray
    state: State
    given: FloatArray | None = None


@dataclass(frozen=True)
class Distribution:
    """One decoding step for every row, with all of the vocabulary.

    Attributes:
        scores: Log-probabilities; -inf for tokens that are never proposed [R, V].
        attention: Where the model looked [R, S].
        state: The rows after reading the fed token.
    """

    scores: FloatArray
    attention: FloatArray
    state: State


class Engine(Protocol):
    """A network that runs: torch, ONNX Runtime, or an ensemble of either."""

    @property
    def target_size(self) -> int:
        """Size of the target vocabulary, the four specials included."""
        ...

    @property
    def rows(self) -> int:
        """Rows a step is fastest with."""
        ...

    def start(self, sources: Sequence[Sequence[int]]) -> State:
        """Encodes sentences (token ids, end mark included); row i of the state is sentence i."""
        ...

    def step(
        self,
        state: State,
        tokens: IntArray,
        k: int,
        *,
        score_of: IntArray | None = None,
        attention: FloatArray | None = None,
    ) -> Proposal:
        """Feeds each row its previous token and proposes the k best next ones.

        ``<pad>`` and ``<s>`` are never proposed, and take no part in the softmax.

        Args:
            state: Rows to advance.
            tokens: Previous token of each row [R] (``<s>`` at the start).
            k: How many proposals a row.
            score_of: Tokens whose log-probability is wanted as well [R] (forced decoding).
            attention: Weights to use instead of the model's own [R, S].
        """
        ...
