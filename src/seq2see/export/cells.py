"""The recurrent cells and layers, as ``model/cells.py`` defines them, in ONNX.

Letters: R rows, B sentences, S positions, H units of the state, D directions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seq2see.config import CellName
from seq2see.export.graph import Array, Graph, Term, Value
from seq2see.export.weights import Weights

CARRIES: dict[CellName, int] = {"rnn": 1, "gru": 1, "lstm": 2}
"""Tensors in a state."""
OPERATORS = {"rnn": "RNN", "gru": "GRU", "lstm": "LSTM"}


class Layer(NamedTuple):
    """A layer that has read its sequences.

    Attributes:
        h: What it puts out [S, B, D·H]; zero on padding.
        last: The tensors of its last state, both directions beside each other [B, D·H].
    """

    h: Value
    last: tuple[Value, ...]


def step(
    g: Graph, kind: CellName, w: Weights, state: tuple[Value, ...], terms: list[Term]
) -> tuple[Value, ...]:
    """One step of one cell.

    Args:
        g: The graph.
        kind: rnn, gru or lstm.
        w: The cell's weights.
        state: Before the step [R, H] each.
        terms: The cell's inputs, each with its factor.
    """
    h = state[0]
    if kind == "gru":
        return (_gru(g, w, h, terms),)
    z = g.product(*terms, (h, w["w_state"]), bias=w["bias"])
    if kind == "rnn":
        return (g.tanh(z),)
    i, f, u, o = g.ops("Split", z, outputs=4, axis=-1)
    c = g.sigmoid(f) * state[1] + g.sigmoid(i) * g.tanh(u)
    return (g.sigmoid(o) * g.tanh(c)).bounded(1.0), c


def _gru(g: Graph, w: Weights, h: Value, terms: list[Term]) -> Value:
    bias = np.concatenate([np.zeros(2 * len(w["bias_new"]), np.float32), w["bias_new"]])
    z_r, z_u, z_n = g.ops("Split", g.product(*terms, bias=w["bias"]), outputs=3, axis=-1)
    u_r, u_u, u_n = g.ops("Split", g.product((h, w["w_state"]), bias=bias), outputs=3, axis=-1)
    n = g.tanh(z_n + g.sigmoid(z_r + u_r) * u_n)
    return (n + g.sigmoid(z_u + u_u) * (h - n)).bounded(1.0)


def layer(g: Graph, kind: CellName, directions: list[Weights], x: Value, lengths: Value) -> Layer:
    """A whole layer over right-padded sequences x [S, B, I] of the given lengths [B]."""
    order = {"rnn": [0], "gru": [1, 0, 2], "lstm": [0, 3, 1, 2]}[kind]  # ONNX's order of gates

    def gates(array: Array) -> Array:
        parts = np.split(array, len(order))
        return np.concatenate([parts[i] for i in order])

    def biases(w: Weights) -> Array:
        second = np.zeros_like(w["bias"])
        if kind == "gru":
            second[-len(w["bias_new"]) :] = w["bias_new"]
        return np.concatenate([gates(w["bias"]), gates(second)])

    hidden = len(directions[0]["w_state"])
    options: dict[str, Any] = {"linear_before_reset": 1} if kind == "gru" else {}
    made = g.ops(
        OPERATORS[kind],
        x,
        np.stack([gates(w["w_input"]) for w in directions]),
        np.stack([gates(w["w_state"].T) for w in directions]),
        np.stack([biases(w) for w in directions]),
        g.op("Cast", lengths, to=6),  # int32
        outputs=1 + CARRIES[kind],
        hidden_size=hidden,
        direction="bidirectional" if len(directions) == 2 else "forward",
        **options,
    )
    h = g.reshape(g.transpose(made[0], 0, 2, 1, 3), 0, 0, -1)  # [S, D, B, H] → [S, B, D·H]
    last = tuple(g.reshape(g.transpose(s, 1, 0, 2), 0, -1) for s in made[1:])
    return Layer(h.bounded(1.0), (last[0].bounded(1.0), *last[1:]))
