"""One decoder step in ONNX, as ``model/decoder.py`` defines it, with softmax and top-k inside.

Inputs   tokens, rows (which row of the state each goes on from) [R]; memory.*, state.*;
         slots [A, W] and place [R] (which row looks things up in which sentence), or sentence [R]
         without attention; k [1]; wanted [R, Z]; force [1] and forced [A, W, S]; t [1];
         short.* and sentence [R], for a part of the vocabulary
Outputs  best and scores [R, k], given [R, Z] (the scores of wanted tokens),
         attention [R, S], next.* as state.* of the next step

An input that the model has no use for does not exist. Letters: R rows, A sentences, W slots of a
sentence, S source positions, V words of the target vocabulary.
"""

from __future__ import annotations

from onnx import ModelProto

from seq2see.config import ModelConfig
from seq2see.export import cells
from seq2see.export.attention import Attended, Attention, Memory
from seq2see.export.encoder import normalise
from seq2see.export.graph import FLOAT, INT64, Graph, Precision, Value
from seq2see.export.output import propose
from seq2see.export.weights import Weights


def step_graph(
    config: ModelConfig, weights: Weights, precision: Precision, shortened: bool = False
) -> ModelProto:
    """Builds the graph of one step, over the whole vocabulary or over a batch's part of it."""
    return _Step(config, weights, precision).model(shortened)


class _Step:
    def __init__(self, config: ModelConfig, weights: Weights, precision: Precision) -> None:
        self.g = Graph("step", precision)
        self.config, self.weights, self.w = config, weights, weights / "decoder"
        self.attends = config.wiring != "none"
        self.feeding = bool(config.input_feeding)
        assert config.hidden is not None
        self.attention = Attention(config.attention, config.hidden, self.w / "attention")
        g = self.g
        self.rows = g.input("rows", INT64, ["R"])
        self.carried: dict[str, Value] = {}
        self.y = g.table(self.w.vectors("embedding"), g.input("tokens", INT64, ["R"]))
        self.memory = self._memory()
        self.coverage: Value | None = None
        if self.attends and config.attention.coverage:
            self.coverage = self._carried("coverage", "S", None)

    def model(self, shortened: bool) -> ModelProto:
        output = {"none": self._vanilla, "bahdanau": self._bahdanau, "luong": self._luong}[
            self.config.wiring
        ]()
        propose(self.g, output, self.weights, shortened)
        return self.g.model()

    def _vanilla(self) -> Value:
        """s_t = f(s_{t−1}, y_{t−1}) or f(s_{t−1}, [y_{t−1}; c])."""
        if not self.feeding:
            s = self._cells([self.y])
            return self._combine(s) if "readout.weight" in self.w else s
        sentence = self.g.input("sentence", INT64, ["R"])
        c = self.g.gather(self.memory.h, sentence).bounded(1.0)
        return self._combine(self._cells([self.y, c]), self.y, c)

    def _bahdanau(self) -> Value:
        """Attend with s_{t−1}, then step."""
        top = self.config.decoder_layers - 1
        before = self._carried(f"h{top}", self.config.hidden or 0, 1.0)
        context = self._attend(normalise(self.g, self.config, self.w / "norms" / top, before))
        return self._combine(self._cells([self.y, context]), self.y, context)

    def _luong(self) -> Value:
        """Step, then attend with s_t."""
        inputs = [self.y]
        if self.feeding:
            inputs.append(self._carried("feed", len((self.w / "readout")["bias"]), 1.0))
        s = self._cells(inputs)
        output = self._combine(self._attend(s), s)
        if self.feeding:
            self.g.output(output, "next.feed", ["R", len((self.w / "readout")["bias"])])
        return output

    def _cells(self, inputs: list[Value]) -> Value:
        """Every layer's step; hands out the top layer's output."""
        kind, hidden = self.config.decoder_cell, self.config.hidden or 0
        s = inputs[0]
        for number in range(self.config.decoder_layers):
            w = self.w / "cells" / number
            bounds = [1.0, None]  # |h| ≤ 1; a cell state counts without limit
            state = tuple(
                self._carried(f"{letter}{number}", hidden, bound)
                for letter, bound in zip("hc"[: cells.CARRIES[kind]], bounds, strict=False)
            )
            factors = [w["w_input"].T]
            if number == 0 and len(inputs) > 1:
                vanilla = self.config.wiring == "none"
                factors.append(self.w.matrix("w_context") if vanilla else w["w_extra"])
            terms = list(zip([s, *inputs[1:]] if number == 0 else [s], factors, strict=True))
            new = cells.step(self.g, kind, w, state, terms)
            for letter, part in zip("hc", new, strict=False):
                self.g.output(part, f"next.{letter}{number}", ["R", hidden])
            h = normalise(self.g, self.config, self.w / "norms" / number, new[0])
            s = h + s if number >= 2 else h
        return s

    def _attend(self, s: Value) -> Value:
        attended: Attended = self.attention(self.g, s, self.memory, self.coverage)
        self.g.output(attended.weights, "attention", ["R", "S"])
        if self.coverage is not None:
            self.g.output(self.coverage + attended.weights, "next.coverage", ["R", "S"])
        return attended.context

    def _combine(self, *parts: Value) -> Value:
        """tanh(W [parts] + b)."""
        w, b = self.w.matrix("readout"), (self.w / "readout")["bias"]
        terms, at = [], 0
        for part, units in zip(parts, self._units(len(parts)), strict=True):
            terms.append((part, w[at : at + units]))
            at += units
        return self.g.tanh(self.g.product(*terms, bias=b))

    def _units(self, parts: int) -> list[int]:
        """Units of what the readout combines: [c; s] in Luong's wiring, else [s; y; c]."""
        hidden = self.config.hidden or 0
        embedding = (self.w / "embedding")["weight"].shape[1]
        memory = self.config.memory or hidden
        sizes = [memory, hidden] if self.config.wiring == "luong" else [hidden, embedding, memory]
        return sizes[:parts]

    def _carried(self, name: str, units: str | int, bound: float | None) -> Value:
        """A part of the state, each row taken from the row it goes on from."""
        if name not in self.carried:
            before = self.g.input(f"state.{name}", FLOAT, ["Q", units], bound)
            self.carried[name] = self.g.gather(before, self.rows)
        return self.carried[name]

    def _memory(self) -> Memory:
        g, config = self.g, self.config
        heads: list[str | int] = ["N"] if config.attention.heads > 1 else []
        bounded = not config.layer_norm and (config.encoder_layers or 1) <= 2
        shape = ["A", *heads, "S", "M/N"] if self.attends else ["A", "M"]
        return Memory(
            g.input("memory.h", FLOAT, shape, bound=1.0 if bounded else None),
            g.input("memory.keys", FLOAT, ["A", *heads, "K", "S"]),
            g.input("memory.mask", FLOAT, ["A", "S"]),
            g.input("memory.lengths", INT64, ["A"]),
        )
