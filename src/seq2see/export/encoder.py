"""The encoder in ONNX: from source ids to all that the steps look things up in, and their start.

Inputs   source [B, S], lengths [B]
Outputs  memory.h, memory.keys, memory.mask, memory.lengths; state.* as the step graph reads them

Letters: B sentences, S source positions, M units of the memory, H of a decoder state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from onnx import ModelProto

from seq2see.config import ModelConfig
from seq2see.export.attention import OUTSIDE, Attention
from seq2see.export.cells import CARRIES, layer
from seq2see.export.graph import FLOAT, INT64, Graph, Precision, Value
from seq2see.export.weights import Weights


class Encoded(NamedTuple):
    """What the decoder gets of the source: h [B, S, M] and each layer's last state [B, M]."""

    h: Value
    last: list[tuple[Value, ...]]
    inside: Value  # whether a position is real [B, S]
    lengths: Value


def encoder_graph(config: ModelConfig, weights: Weights, precision: Precision) -> ModelProto:
    """Builds the graph that starts a batch of sentences."""
    g = Graph("encoder", precision)
    encoded = _read(g, config, weights / "encoder")
    decoder = weights / "decoder"
    h = encoded.h
    if config.wiring == "none":
        g.output(encoded.last[-1][0], "memory.h", ["B", "M"])
    else:
        assert config.hidden is not None
        attention = Attention(config.attention, config.hidden, decoder / "attention")
        ranks = ["B", "N"] if attention.heads > 1 else ["B"]
        g.output(attention.split(g, h), "memory.h", [*ranks, "S", "M/N"])
        keys = attention.keys(g, h)
        if keys is not None:
            g.output(keys, "memory.keys", [*ranks, "K", "S"])
        mask = g.op("Where", encoded.inside, 0.0, OUTSIDE)
        g.output(mask, "memory.mask", ["B", "S"])
        g.output(encoded.lengths, "memory.lengths", ["B"], kind=INT64)
    _start(g, config, decoder, encoded)
    return g.model()


def _read(g: Graph, config: ModelConfig, w: Weights) -> Encoded:
    source = g.input("source", INT64, ["B", "S"])
    lengths = g.input("lengths", INT64, ["B"])
    positions = g.op("Range", np.array(0), _extent(g, source, 1), np.array(1))
    inside = g.op("Less", positions, g.op("Unsqueeze", lengths, g.ints(1)))
    x = g.table(w.vectors("embedding"), g.transpose(source, 1, 0))  # [S, B, E]
    real = g.op("Unsqueeze", g.transpose(inside, 1, 0), g.ints(2))  # [S, B, 1]
    last = []
    layers = config.encoder_layers or 1
    for number in range(layers):
        cells = w / "layers" / number
        directions = [cells / d for d in range(2 if config.bidirectional else 1)]
        made = layer(g, config.encoder_cell, directions, x, lengths, real)
        last.append(made.last)
        h = normalise(g, config, w / "norms" / number, made.h)
        x = h + x if number >= 2 else h
    if config.layer_norm or layers > 2:
        x = g.op("Where", real, x, 0.0).bounded(x.bound)
    h = g.transpose(x, 1, 0, 2)
    return Encoded(h, last, inside, lengths)


def _start(g: Graph, config: ModelConfig, w: Weights, encoded: Encoded) -> None:
    """The state before the first token (``model.bridge``)."""
    carries = CARRIES[config.decoder_cell]
    rows = g.op("Unsqueeze", _extent(g, encoded.lengths, 0), g.ints(0))

    def zeros(units: int) -> Value:
        return g.op("Expand", 0.0, g.op("Concat", rows, g.ints(units), axis=0))

    assert config.hidden is not None
    for number in range(config.decoder_layers):
        below = encoded.last[min(number, len(encoded.last) - 1)]
        if config.bridge == "zero":
            parts = [zeros(config.hidden)] * carries
        elif config.bridge in ("mean", "learned"):
            summary = below[0]
            if config.bridge == "mean":
                count = g.op("Unsqueeze", g.op("Cast", encoded.lengths, to=FLOAT), g.ints(1))
                total = g.op("ReduceSum", encoded.h, g.ints(1), keepdims=0)
                summary = (total / count).bounded(encoded.h.bound)
            bridge = w / "bridges" / number
            z = g.tanh(g.product((summary, bridge["weight"].T), bias=bridge["bias"]))
            parts = g.ops("Split", z, outputs=carries, axis=-1) if carries > 1 else [z]
        else:
            parts = [below[min(i, len(below) - 1)] for i in range(carries)]
        for part, letter in zip(parts, "hc"[:carries], strict=True):
            g.output(part, f"state.{letter}{number}", ["B", config.hidden])
    if config.wiring != "none" and config.attention.coverage:
        h = encoded.h
        shape = g.op("Slice", g.op("Shape", h), g.ints(0), g.ints(2))
        g.output(g.op("Expand", 0.0, shape), "state.coverage", ["B", "S"])
    if config.wiring != "none" and config.input_feeding:
        units = (w / "readout")["bias"].shape[0]
        g.output(zeros(units), "state.feed", ["B", units])


def normalise(g: Graph, config: ModelConfig, w: Weights, x: Value) -> Value:
    """Layer normalisation, where the model has it."""
    if not config.layer_norm:
        return x
    return g.op("LayerNormalization", x, w["weight"], w["bias"], axis=-1, epsilon=1e-5)


def _extent(g: Graph, x: Value, dimension: int) -> Value:
    """How long x is in a dimension, a number."""
    return g.op("Gather", g.op("Shape", x), np.array(dimension, np.int64), axis=0)
