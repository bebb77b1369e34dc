"""The output layer in ONNX: softmax over the vocabulary and its k best, without sorting it.

The vocabulary is the whole of it, or the shortlist of the batch: the rows of W_y that the
``vocabulary`` graph picked when the batch began. ONNX could hold both ways in one graph, but
what comes out of its branches has to be copied.

Letters: R rows, A sentences, O units of s̃, V entries of the vocabulary in use, cut into G
groups of W.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from onnx import ModelProto

from seq2see.export.graph import FLOAT, INT8, INT64, Array, Graph, Precision, Value, quantise
from seq2see.export.weights import Weights
from seq2see.text.vocabulary import BOS, PAD

GROUP = 40
"""Entries in a group; about √(V/k) is fastest, for V = 8,000 and k = 5."""


class OutputLayer(NamedTuple):
    """W_y [V, O] and b_y [V], filled up to whole groups with words that are never proposed."""

    w: Array
    b: Array

    @staticmethod
    def of(weights: Weights) -> OutputLayer:
        """The output layer of a model."""
        w, b = weights["w_output"], weights["b_output"].copy()
        more = -len(w) % GROUP
        b[[PAD, BOS]] = -np.inf
        return OutputLayer(
            np.concatenate([w, np.zeros((more, w.shape[1]), np.float32)]),
            np.concatenate([b, np.full(more, -np.inf, np.float32)]),
        )


def vocabulary_graph(weights: Weights, precision: Precision) -> ModelProto:
    """From ids of words [V] to their part of the output layer, as the step graph reads it."""
    g = Graph("vocabulary", precision)
    layer, ids = OutputLayer.of(weights), g.input("ids", INT64, ["V"])
    w, kind = layer.w, FLOAT
    if precision == "int8":
        columns, scale = quantise(layer.w.T)
        w, kind = columns.T, INT8  # type: ignore[assignment]
        g.output(g.gather(g.constant(scale), ids), "short.scale", ["V"])
    g.output(g.transpose(g.gather(g.constant(w), ids), 1, 0), "short.w", ["O", "V"], kind)
    g.output(g.gather(g.constant(layer.b), ids), "short.b", ["V"])
    return g.model()


def propose(g: Graph, output: Value, weights: Weights, shortened: bool) -> None:
    """softmax(W_y s̃ + b_y) and its best, for s̃ [R, O]."""
    if shortened:
        mask = g.gather(g.input("short.mask", FLOAT, ["A", "V"]), g.input("sentence", INT64, ["R"]))
        scores = _short(g, output, weights["w_output"].shape[1]) + mask
    else:
        layer = OutputLayer.of(weights)
        scores = g.product((output, layer.w.T), bias=layer.b)
    log_p = g.op("LogSoftmax", scores, axis=-1)
    k = g.input("k", INT64, [1])
    best, at = g.ops("TopK", log_p, k, outputs=2, axis=1) if shortened else _best(g, log_p, k)
    g.output(best, "scores", ["R", "k"])
    g.output(at, "best", ["R", "k"], kind=INT64)
    wanted = g.input("wanted", INT64, ["R", "Z"])
    g.output(g.op("GatherElements", log_p, wanted, axis=1), "given", ["R", "Z"])


def _short(g: Graph, output: Value, units: int) -> Value:
    """W_y s̃ + b_y for the words of the batch."""
    b = g.input("short.b", FLOAT, ["V"])
    if g.precision == "float":
        return g.op("Gemm", output, g.input("short.w", FLOAT, [units, "V"]), b)
    w, scale = g.input("short.w", INT8, [units, "V"]), g.input("short.scale", FLOAT, ["V"])
    if output.bound is not None:
        return g.integers(g.whole(output), w, scale * output.bound, b)
    x = g.in_range(output)
    return g.integers(g.whole(x.value), w, scale) * x.factor + b


def _best(g: Graph, scores: Value, k: Value) -> list[Value]:
    """The k best of each row and where they stand [R, k].

    The k best lie in the k groups whose best entries are best, so only those are looked into.
    """
    groups = g.reshape(scores, 0, -1, GROUP)  # [R, G, W]
    tops = g.op("ReduceMax", groups, axes=[2], keepdims=0)
    count = g.op("Slice", g.op("Shape", tops), g.ints(1), g.ints(2))
    _, group = g.ops("TopK", tops, g.op("Min", k, count), outputs=2, axis=1)
    inside = g.op("GatherND", groups, g.op("Unsqueeze", group, g.ints(2)), batch_dims=1)
    best, at = g.ops("TopK", g.reshape(inside, 0, -1), k, outputs=2, axis=1)
    chosen = g.op("GatherElements", group, g.op("Div", at, g.ints(GROUP)), axis=1)
    return [best, chosen * g.ints(GROUP) + g.op("Mod", at, g.ints(GROUP))]
