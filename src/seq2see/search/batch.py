"""Sentences decoded side by side, and what is asked of their outputs.

Letters: B sentences, R rows, k proposals a row, S source positions, P prefix tokens, F steps
with prescribed attention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from seq2see.engine.engine import Engine, FloatArray, IntArray, Proposal, State
from seq2see.errors import ConfigError
from seq2see.search.hypothesis import Hypothesis
from seq2see.search.options import SearchConfig
from seq2see.text.vocabulary import BOS, EOS, PAD

FREE = -1  # stands where a prefix leaves the choice to the search


@dataclass(frozen=True)
class Batch:
    """Sources, the limits on their outputs, and what the outputs must begin with.

    Attributes:
        places: Where the sentences stand among all that were asked for.
        sources: Token ids, end marks included.
        lengths: Their lengths [B].
        shortest: Tokens that must come before the end mark [B].
        longest: Tokens an output may have, end mark included [B].
        prefix: Tokens the outputs begin with, ``FREE`` afterwards [B, P].
        attention: Weights to use at the first steps instead of the model's [B, F, S].
    """

    places: Sequence[int]
    sources: Sequence[Sequence[int]]
    lengths: IntArray
    shortest: IntArray
    longest: IntArray
    prefix: IntArray
    attention: FloatArray

    def __len__(self) -> int:
        return len(self.sources)

    def propose(
        self, engine: Engine, state: State, tokens: IntArray, k: int, t: int, sentence: IntArray
    ) -> Proposal:
        """Asks the engine for the k best tokens that each row may take at step t.

        A token that may not be taken has score -inf; where a prefix prescribes the token, it is
        the first proposal and the only one with a finite score.

        Args:
            engine: The network.
            state: Rows under way.
            tokens: Previous token of each row [R].
            k: Proposals a row; at most the vocabulary without ``<pad>`` and ``<s>``.
            t: The step.
            sentence: The sentence of each row [R].
        """
        forced = self.prefix[sentence, t] if t < self.prefix.shape[1] else None
        proposal = engine.step(
            state,
            tokens,
            min(k, engine.target_size - 2),
            score_of=None if forced is None else np.where(forced == FREE, EOS, forced),
            attention=self.attention[sentence, t] if t < self.attention.shape[1] else None,
        )
        early = t < self.shortest[sentence]
        if forced is None and not early.any():
            return proposal
        proposed, scores = proposal.tokens, proposal.scores
        if early.any():
            scores = np.where(early[:, None] & (proposed == EOS), -np.inf, scores)
        if forced is not None and proposal.given is not None:
            bound = forced != FREE
            first = np.arange(proposed.shape[1]) == 0
            proposed = np.where(bound[:, None], forced[:, None], proposed)
            given = np.where(first, proposal.given[:, None], -np.inf)
            scores = np.where(bound[:, None], given, scores)
        return replace(proposal, tokens=proposed, scores=scores.astype(np.float32, copy=False))


def batches(
    sources: Sequence[Sequence[int]],
    config: SearchConfig,
    prefixes: Sequence[Sequence[int] | None] | None,
    attention: Sequence[FloatArray | None] | None,
    by: Sequence[int],
    size: int,
) -> list[Batch]:
    """Cuts sentences into batches of similar ones, the largest first.

    Sentences go together only if they prescribe attention for equally many steps, as the engine
    takes weights for all rows of a step or for none.

    Args:
        sources: Token ids, end marks included.
        config: The limits on outputs.
        prefixes: Tokens that outputs begin with.
        attention: Weights to use at the first steps [F, S].
        by: What makes a sentence large.
        size: Sentences in a batch at most.
    """
    starts = [tuple(p or ()) for p in prefixes or [None] * len(sources)]
    weights = [
        np.zeros((0, len(source)), np.float32) if rows is None else np.asarray(rows, np.float32)
        for source, rows in zip(sources, attention or [None] * len(sources), strict=True)
    ]
    _check(sources, starts, weights)
    groups: list[list[int]] = []
    for i in sorted(range(len(sources)), key=lambda i: (len(weights[i]), by[i]), reverse=True):
        group = groups[-1] if groups else []
        if 0 < len(group) < size and len(weights[group[0]]) == len(weights[i]):
            group.append(i)
        else:
            groups.append([i])
    return [_line_up(group, sources, config, starts, weights) for group in groups]


def _line_up(
    places: Sequence[int],
    sources: Sequence[Sequence[int]],
    config: SearchConfig,
    starts: Sequence[Sequence[int]],
    weights: Sequence[FloatArray],
) -> Batch:
    lengths = np.array([len(sources[i]) for i in places], dtype=np.int64)
    prefix = np.full((len(places), max(len(starts[i]) for i in places)), FREE, dtype=np.int64)
    attention = np.zeros((len(places), len(weights[places[0]]), lengths.max()), np.float32)
    for row, i in enumerate(places):
        prefix[row, : len(starts[i])] = starts[i]
        attention[row, :, : lengths[row]] = weights[i]
    # A prefix may be longer than the limit; the output may then end, or grow by max_extra.
    longest = np.maximum(
        np.ceil(config.max_ratio * lengths).astype(np.int64),
        (prefix != FREE).sum(axis=1),
    )
    longest += config.max_extra
    shortest = np.minimum((config.min_ratio * lengths).astype(np.int64), longest - 1)
    return Batch(
        places, [sources[i] for i in places], lengths, shortest, longest, prefix, attention
    )


def restore(
    parts: Sequence[Batch], found: Sequence[list[list[Hypothesis]]]
) -> list[list[Hypothesis]]:
    """Puts what was found for each batch back into the order it was asked for."""
    results = {
        place: hypotheses
        for part, result in zip(parts, found, strict=True)
        for place, hypotheses in zip(part.places, result, strict=True)
    }
    return [results[place] for place in range(len(results))]


def _check(
    sources: Sequence[Sequence[int]],
    prefixes: Sequence[Sequence[int]],
    weights: Sequence[FloatArray],
) -> None:
    for i, (source, prefix, rows) in enumerate(zip(sources, prefixes, weights, strict=True)):
        if PAD in prefix or BOS in prefix or EOS in prefix[:-1]:
            raise ConfigError(
                f"search: the prefix of sentence {i} holds <pad>, <s>, or </s> before its end; "
                "remove it."
            )
        if rows.ndim != 2 or rows.shape[1] != len(source) or not np.isfinite(rows).all():
            raise ConfigError(
                f"search: the attention prescribed for sentence {i} has shape {rows.shape}; it "
                f"needs one row a step and {len(source)} columns, one for each source token, "
                "of finite numbers."
            )
