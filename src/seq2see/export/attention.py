"""Scores, windows and the look-up, as ``attention/`` defines them, in ONNX.

Rows of one sentence stand in its slots, so that a sentence's memory is read in place, however
many rows look things up in it: queries [R, H] become [A, W, H] and contexts come back as [R, M].

Letters: R rows, A sentences, W slots of a sentence, S source positions, H units of a query,
M of an encoder state, K of a key; with several heads, N, memories are [A, N, ...].
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from seq2see.attention.attention import key_scale
from seq2see.config import AttentionConfig
from seq2see.export.graph import BOOL, FLOAT, INT64, Graph, Value
from seq2see.export.weights import Weights

OUTSIDE = float("-inf")


class Memory(NamedTuple):
    """What the steps of a sentence look things up in.

    Attributes:
        h: [A, (N,) S, M].
        keys: [A, (N,) K, S], or [A, (N,) S, K] for the additive score.
        mask: 0 on real positions, −inf on padding [A, S].
        lengths: Real positions [A].
    """

    h: Value
    keys: Value | None
    mask: Value
    lengths: Value


class Attended(NamedTuple):
    """What a look-up gives: contexts [R, M], and weights [R, S] averaged over the heads."""

    context: Value
    weights: Value


class Attention:
    """α_t = softmax over a window of score(s_t, h_i); c_t = Σ α_ti h_i.

    Args:
        config: Score, window and extras.
        units: H of a query.
        w: Weights of the attention.
    """

    def __init__(self, config: AttentionConfig, units: int, w: Weights) -> None:
        self.config, self.units, self.w = config, units, w
        self.score, self.heads = config.score or "general", config.heads

    def keys(self, g: Graph, h: Value) -> Value | None:
        """The keys of encoder states [A, S, M]; None where the score has none."""
        if self.score == "location":
            return None
        keys = h
        if "w_keys.weight" in self.w:
            w = self.w.matrix("w_keys")
            keys = g.product((h, w * np.float32(key_scale(self.score, len(w)))), rank=3)
        if self.score == "cosine":
            keys = _unit(g, keys)
        keys = self.split(g, keys)
        if self.score == "additive":
            return keys
        return g.transpose(keys, *((0, 1, 3, 2) if self.heads > 1 else (0, 2, 1)))

    def split(self, g: Graph, x: Value) -> Value:
        """[A, T, K] → [A, N, T, K/N]: each head takes its share of the units."""
        if self.heads == 1:
            return x
        return g.transpose(g.op("Reshape", x, g.ints(0, 0, self.heads, -1)), 0, 2, 1, 3)

    def __call__(self, g: Graph, s: Value, memory: Memory, coverage: Value | None) -> Attended:
        """Looks up queries s [R, H]."""
        slots = g.input("slots", INT64, ["A", "W"])  # the row in each
        e = self._scores(g, s, slots, memory)  # [A, (N,) W, S]
        heads = [1] if self.heads > 1 else []

        def for_heads(x: Value) -> Value:  # [A, W, S] → [A, 1, W, S]
            return g.op("Unsqueeze", x, g.ints(*heads)) if heads else x

        if coverage is not None:
            seen = for_heads(g.gather(coverage, slots))
            e = e + seen * self.w["w_coverage"].reshape(1)
        gauss = None
        mask = g.op("Unsqueeze", memory.mask, g.ints(1))  # [A, 1, S]
        if self.config.window != "global":
            distance = self._distance(g, s, slots, memory)  # [A, W, S] or [A, 1, S]
            width = self.config.width
            inside = g.op("LessOrEqual", g.op("Abs", distance), float(width))
            mask = g.op("Where", inside, mask, OUTSIDE)
            if self.config.window == "local_p":
                gauss = for_heads(distance * distance * (-2.0 / width**2))  # σ = D/2
        if gauss is not None and self.config.normalise:
            e = e + gauss
        weights = g.op("Softmax", e + for_heads(mask), axis=-1)
        if gauss is not None and not self.config.normalise:
            weights = weights * g.op("Exp", gauss)
        force = g.input("force", BOOL, [1])
        given = g.input("forced", FLOAT, ["A or 1", "W or 1", "S or 1"])
        weights = g.op("Where", force, for_heads(given), weights)
        return self._read(g, weights, memory)

    def _read(self, g: Graph, weights: Value, memory: Memory) -> Attended:
        place = g.input("place", INT64, ["R"])  # of each row among all slots
        context = weights @ memory.h
        if self.heads > 1:
            context = g.reshape(g.transpose(context, 0, 2, 1, 3), 0, 0, -1)
            weights = g.op("ReduceMean", weights, axes=[1], keepdims=0)

        def to_rows(x: Value) -> Value:  # [A, W, ...] → [R, ...]
            return g.gather(g.op("Flatten", x, axis=2), place)

        return Attended(to_rows(context).bounded(memory.h.bound), to_rows(weights))

    def _scores(self, g: Graph, s: Value, slots: Value, memory: Memory) -> Value:
        if self.score == "location":
            table = g.constant(np.ascontiguousarray(self.w["w_location"].T))
            end = g.op("Unsqueeze", _size(g, memory), g.ints(0))
            now = g.op("Slice", table, g.ints(0), end, g.ints(1))  # [H, S]
            return g.gather(s @ now, slots)
        if self.score == "additive":
            s = g.product((s, self.w["w_query"]))
        elif self.score == "cosine":
            s = _unit(g, s) * float(np.exp(self.w["log_temperature"]))
        elif self.score == "scaled_dot":
            s = s * math.sqrt(self.heads / self.units)
        q = self.split(g, g.gather(s, slots))
        assert memory.keys is not None
        if self.score != "additive":
            return q @ memory.keys
        last = 4 if self.heads > 1 else 3
        sums = g.op("Unsqueeze", q, g.ints(last - 1)) + g.op(
            "Unsqueeze", memory.keys, g.ints(last - 2)
        )
        v = self.w["v"]  # [N, K]
        v = v.reshape(self.heads, 1, -1, 1) if self.heads > 1 else v.reshape(-1, 1)
        return g.op("Squeeze", g.tanh(sums) @ g.constant(v), g.ints(last))

    def _distance(self, g: Graph, s: Value, slots: Value, memory: Memory) -> Value:
        """How far each position is from the centre p_t of each query's window."""
        lengths = g.op("Unsqueeze", g.op("Cast", memory.lengths, to=FLOAT), g.ints(1))  # [A, 1]
        if self.config.window == "local_m":
            t = g.op("Cast", g.input("t", INT64, [1]), to=FLOAT)
            p = g.op("Min", t, lengths - 1.0)
        else:
            hidden = g.tanh(g.product((s, self.w["w_centre"])))
            share = g.sigmoid(hidden @ g.constant(self.w["v_centre"]))  # [R]
            p = lengths * g.gather(share, slots)
        positions = g.op("Range", 0.0, g.op("Cast", _size(g, memory), to=FLOAT), 1.0)
        return positions - g.op("Unsqueeze", p, g.ints(2))


def _unit(g: Graph, x: Value) -> Value:
    """Brings x to length 1."""
    length = g.op("ReduceL2", x, axes=[-1], keepdims=1)
    return x / g.op("Max", length, 1e-12)


def _size(g: Graph, memory: Memory) -> Value:
    """S, a number."""
    return g.op("Gather", g.op("Shape", memory.mask), np.array(1, np.int64), axis=0)
