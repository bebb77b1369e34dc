"""Links between the tokens of pairs whose order is the same on both sides, as in pronunciation.

An HMM without way back (after Vogel 1996), learned by expectation and maximisation:

    p(y, a | x) = Π_t j(a_t − a_{t−1}) · p(y_t | x_{a_t}),    a_t ≥ a_{t−1}

Whether the order is the same shows beside a model to which order is nothing (IBM's first):

    p(y | x) = Π_t 1/S Σ_i p(y_t | x_i)

Letters: N pairs, S source tokens, T target tokens; end marks are left out, and linked at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seq2see.data.batching import Side

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

ROUNDS = 12
STRIDE = np.array([0.2, 0.6, 0.15, 0.03, 0.01, 0.01])
"""j before anything was learned: stay, go on by one, ... by five or more."""
LEAST = 1e-4
"""No step forward is ever ruled out."""
SMOOTHING = 1e-3
"""Added to every count of p(y | x)."""
CELLS = 2_000_000
"""N · S · T of the pairs aligned at a time."""


@dataclass
class _Model:
    stride: Floats  # j
    emission: Floats  # p(y | x) by source and target token

    def between(self, size: int) -> Floats:
        """j(i′ − i) from each position to each [S, S]; 0 on the way back."""
        step = np.arange(size) - np.arange(size)[:, None]
        return np.where(step >= 0, self.stride[_strides(step)], 0.0)

    def first(self, size: int) -> Floats:
        """j(i − (−1)) [S]."""
        return self.stride[_strides(np.arange(size) + 1)]


class Monotone(NamedTuple):
    """Links that never go back.

    Attributes:
        links: Of each pair, source position and target position [T + 1, 2].
        in_order: Whether they explain the targets better than links that may go anywhere.
    """

    links: list[Ids]
    in_order: bool


def monotone_links(source: Side, target: Side) -> Monotone:
    """Links each target token to one source token, never behind that of the token before.

    Args:
        source: N sequences of ids, end marks included.
        target: The same of the other side.
    """
    shape = int(source.flat.max()) + 1, int(target.flat.max()) + 1
    model = _Model(STRIDE.copy(), np.full(shape, 1 / shape[1]))
    found: list[Ids] = [np.zeros((0, 2), np.int64)] * (len(source.offsets) - 1)
    for number in range(ROUNDS):
        strides, counts = np.full(len(STRIDE), 1e-2), np.full(shape, SMOOTHING)
        likelihood = 0.0
        for rows in _parts(source, target):
            x, y = (_without_end(side, rows) for side in (source, target))
            share, log_p = _expect(model, x, y, strides, counts)
            likelihood += log_p
            if number == ROUNDS - 1:
                for row, weights, n in zip(rows, share, (y >= 0).sum(1), strict=True):
                    # Each position is the likeliest by itself; in order, they never go back.
                    best = np.maximum.accumulate(weights[:n].argmax(1))
                    found[row] = np.stack([best, np.arange(n)], axis=1)
        model.stride = np.maximum(strides / strides.sum(), LEAST)
        model.emission = counts / counts.sum(1, keepdims=True)
    ends = zip(source.lengths - 1, target.lengths - 1, strict=True)
    links = [np.vstack([own, end]) for own, end in zip(found, ends, strict=True)]
    return Monotone(links, likelihood > _anywhere(source, target, shape))


def _anywhere(source: Side, target: Side, shape: tuple[int, int]) -> float:
    """Gives log p(y | x) where every source token is as near as any other, learned likewise."""
    table = np.full(shape, 1 / shape[1])
    for _ in range(ROUNDS):
        counts, likelihood = np.full(shape, SMOOTHING), 0.0
        for rows in _parts(source, target):
            x, y = (_without_end(side, rows) for side in (source, target))
            inside = (x >= 0)[:, None, :]
            p = table[x[:, None, :], y[:, :, None]] * inside / inside.sum(-1, keepdims=True)
            total = np.where(y >= 0, p.sum(-1), 1.0)
            likelihood += float(np.log(total).sum())
            share = p / total[:, :, None] * (y >= 0)[:, :, None]
            np.add.at(counts, (x[:, None, :], y[:, :, None]), share)
        table = counts / counts.sum(1, keepdims=True)
    return likelihood


def _expect(model: _Model, x: Ids, y: Ids, strides: Floats, counts: Floats) -> tuple[Floats, float]:
    """Forward and backward through pairs x [N, S] and y [N, T], −1 on padding.

    Adds what is expected to ``strides`` and ``counts``; returns p(a_t = i | x, y) [N, T, S], and
    log p(y | x).
    """
    real = y >= 0
    emission = model.emission[x[:, None, :], y[:, :, None]] * (x >= 0)[:, None, :]  # [N, T, S]
    between = model.between(x.shape[1])
    forward, backward = np.zeros_like(emission), np.ones_like(emission)
    scale = np.ones(y.shape)
    reached = np.broadcast_to(model.first(x.shape[1]), x.shape)
    for t in range(y.shape[1]):
        here = reached * emission[:, t]
        scale[:, t] = np.where(real[:, t], here.sum(1), 1.0)
        forward[:, t] = here / scale[:, t, None]
        reached = forward[:, t] @ between
    steps = np.zeros_like(between)
    for t in range(y.shape[1] - 2, -1, -1):
        ahead = emission[:, t + 1] * backward[:, t + 1] / scale[:, t + 1, None]
        ahead[~real[:, t + 1]] = 0
        steps += forward[:, t].T @ ahead
        backward[:, t] = np.where(real[:, t + 1, None], ahead @ between.T, 1.0)
    share = forward * backward * real[:, :, None]
    np.add.at(counts, (x[:, None, :], y[:, :, None]), share)
    step = np.arange(x.shape[1]) - np.arange(x.shape[1])[:, None]
    strides += np.bincount(
        _strides(step).ravel(), weights=(steps * between).ravel(), minlength=len(strides)
    )
    return share, float(np.log(scale).sum())


def _strides(step: Ids) -> Ids:
    return np.clip(step, 0, len(STRIDE) - 1)


def _parts(source: Side, target: Side) -> Iterator[Ids]:
    """Pairs of like lengths, as many as memory is meant for; those with an empty side left out."""
    S, T = source.lengths - 1, target.lengths - 1
    order = np.lexsort((T, S))
    order = order[(S > 0)[order] & (T > 0)[order]]
    start = 0
    while start < len(order):
        size = max(1, CELLS // int(S[order[start:]].max() * T[order[start:]].max()))
        yield order[start : start + size]
        start += size


def _without_end(side: Side, rows: Ids) -> Ids:
    """Ids without end marks, −1 on padding [N, longest]."""
    lengths = side.lengths[rows] - 1
    inside = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(inside.shape, -1, np.int64)
    ids[inside] = np.concatenate(
        [side.flat[side.offsets[r] : side.offsets[r + 1] - 1] for r in rows]
    )
    return ids
