"""The output layer in ONNX: softmax over the vocabulary and its k best, without sorting it.

Letters: R rows, V entries of the vocabulary, cut into G groups of W.
"""

from __future__ import annotations

import numpy as np

from seq2see.export.graph import FLOAT, INT64, Array, Graph, Value
from seq2see.text.vocabulary import BOS, PAD

GROUP = 40
"""Entries in a group: about √(V/k) is fastest, for V = 8,000 and k = 5."""


def propose(g: Graph, output: Value, w: Array, b: Array) -> None:
    """softmax(W_y s̃ + b_y) and its best, for s̃ [R, O], W_y [V, O] and b_y [V]."""
    more = -len(w) % GROUP
    w = np.concatenate([w, np.zeros((more, w.shape[1]), np.float32)])
    b = np.concatenate([b, np.full(more, -np.inf, np.float32)])
    b[[PAD, BOS]] = -np.inf
    log_p = g.op("LogSoftmax", g.product((output, w.T), bias=b), axis=-1)
    best = _best(g, log_p)
    g.output(best[0], "scores", ["R", "k"])
    g.output(best[1], "best", ["R", "k"], kind=INT64)
    wanted = g.op("Unsqueeze", g.input("wanted", INT64, ["R"]), g.ints(1))
    given = g.op("GatherElements", log_p, wanted, axis=1)
    g.output(g.op("Squeeze", given, g.ints(1)), "given", ["R"], kind=FLOAT)


def _best(g: Graph, scores: Value) -> list[Value]:
    """The k best of each row and where they stand [R, k].

    The k best lie in the k groups whose best entries are best, so only those are looked into.
    """
    k = g.input("k", INT64, [1])
    groups = g.reshape(scores, 0, -1, GROUP)  # [R, G, W]
    tops = g.op("ReduceMax", groups, axes=[2], keepdims=0)
    count = g.op("Slice", g.op("Shape", tops), g.ints(1), g.ints(2))
    _, group = g.ops("TopK", tops, g.op("Min", k, count), outputs=2, axis=1)
    inside = g.op("GatherND", groups, g.op("Unsqueeze", group, g.ints(2)), batch_dims=1)
    best, at = g.ops("TopK", g.reshape(inside, 0, -1), k, outputs=2, axis=1)
    chosen = g.op("GatherElements", group, g.op("Div", at, g.ints(GROUP)), axis=1)
    return [best, chosen * g.ints(GROUP) + g.op("Mod", at, g.ints(GROUP))]
