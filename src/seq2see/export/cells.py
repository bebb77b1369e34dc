"""The recurrent cells and layers, as ``model/cells.py`` defines them, in ONNX.

Letters: R rows, B sentences, S positions, H units of the state, D directions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seq2see.config import CellName
from seq2see.export.graph import BOOL, FLOAT, Array, Graph, Term, Value
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


def layer(
    g: Graph, kind: CellName, directions: list[Weights], x: Value, lengths: Value, inside: Value
) -> Layer:
    """A whole layer over right-padded sequences.

    Args:
        g: The graph.
        kind: rnn, gru or lstm.
        directions: The weights of the cell that reads forward, and of that which reads backward.
        x: [S, B, I].
        lengths: [B].
        inside: Whether a position is real [S, B, 1].
    """
    if g.precision == "int8":  # ONNX's own layers are in float, or measure ranges over the batch
        read = [_scan(g, kind, w, x, inside, d) for d, w in enumerate(directions)]
        if len(read) == 1:
            return read[0]
        columns = zip(*(made.last for made in read), strict=True)
        last = [g.op("Concat", *column, axis=-1) for column in columns]
        h = g.op("Concat", *(made.h for made in read), axis=-1)
        return Layer(h.bounded(1.0), (last[0].bounded(1.0), *last[1:]))
    return _operator(g, kind, directions, x, lengths)


def _scan(g: Graph, kind: CellName, w: Weights, x: Value, inside: Value, backward: int) -> Layer:
    """One direction, step by step; a state stays as it is where there is padding."""
    body = Graph(f"{g.name}.read", g.precision)
    hidden = len(w["w_state"])
    states = [body.input(f"s{i}", FLOAT, ["B", hidden], [1.0, None][i]) for i in _parts(kind)]
    now = body.input("x", FLOAT, ["B", "I"], x.bound)
    keep = body.input("keep", BOOL, ["B", 1])
    new = step(body, kind, w, tuple(states), [(now, w["w_input"].T)])
    for i, (old, s) in enumerate(zip(states, new, strict=True)):
        body.output(body.op("Where", keep, s, old), f"s{i}_next", ["B", hidden])
    body.output(body.op("Where", keep, new[0], 0.0), "h", ["B", hidden])
    count = g.op("Slice", g.op("Shape", x), g.ints(1), g.ints(2))
    start = g.op("Expand", 0.0, g.op("Concat", count, g.ints(hidden), axis=0))
    *last, h = g.ops(
        "Scan",
        *[start] * len(states),
        x,
        inside,
        outputs=len(states) + 1,
        body=body.graph(),
        num_scan_inputs=2,
        scan_input_directions=[backward] * 2,
        scan_output_directions=[backward],
    )
    return Layer(h.bounded(1.0), (last[0].bounded(1.0), *last[1:]))


def _parts(kind: CellName) -> range:
    return range(CARRIES[kind])


def _operator(
    g: Graph, kind: CellName, directions: list[Weights], x: Value, lengths: Value
) -> Layer:
    """Both directions by ONNX's own operator."""
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
