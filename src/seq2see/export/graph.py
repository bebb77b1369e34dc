"""Builds an ONNX graph from expressions that read like the equations.

    g = Graph("step", "int8")
    s = g.input("s", FLOAT, ["R", 512], bound=1.0)
    g.output(g.tanh(g.product([s], w, b)), "output")

Every value knows the largest magnitude it can have, where one follows from the equations: what
comes out of tanh, say, or out of a table. In ``int8`` that is its quantisation range, fixed when
the graph is built. Ranges measured while it runs would be those of a whole batch, and a
sentence's result would then depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

Shape = Sequence[str | int]
Precision = Literal["float", "int8"]
Array = NDArray[np.float32]

OPSET = 17
IR_VERSION = 8
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
INT8 = TensorProto.INT8
CONTRIB = "com.microsoft"
ZERO = np.array(128, np.uint8)  # activations are unsigned, with zero in the middle
LEVELS = 127.0


@dataclass(frozen=True)
class Value:
    """A tensor of the graph.

    Attributes:
        graph: Where it lives.
        name: Its name there.
        bound: Largest magnitude of its elements, if it is known.
    """

    graph: Graph
    name: str
    bound: float | None = None

    def __add__(self, other: Operand) -> Value:
        return self.graph.op("Add", self, other)

    def __sub__(self, other: Operand) -> Value:
        return self.graph.op("Sub", self, other)

    def __mul__(self, other: Operand) -> Value:
        return self.graph.op("Mul", self, other)

    def __truediv__(self, other: Operand) -> Value:
        return self.graph.op("Div", self, other)

    def __matmul__(self, other: Value) -> Value:
        return self.graph.op("MatMul", self, other)

    def bounded(self, bound: float | None) -> Value:
        """The same tensor, with what is known of its magnitude."""
        return Value(self.graph, self.name, bound)


class Scaled(NamedTuple):
    """A value in [−1, 1], and what to multiply it by to have it back."""

    value: Value
    factor: Value


Term = tuple[Value, Array]
Operand = Value | NDArray[np.generic] | float | None


@dataclass
class Graph:
    """An ONNX graph under construction.

    Attributes:
        name: Of the graph.
        precision: Whether products are formed in float or in int8.
    """

    name: str
    precision: Precision
    _nodes: list[NodeProto] = field(default_factory=list)
    _inputs: dict[str, tuple[int, Shape]] = field(default_factory=dict)
    _outputs: dict[str, tuple[int, Shape]] = field(default_factory=dict)
    _constants: dict[str, TensorProto] = field(default_factory=dict)
    _renamed: dict[str, str] = field(default_factory=dict)
    _quantised: dict[str, Value] = field(default_factory=dict)

    def input(self, name: str, kind: int, shape: Shape, bound: float | None = None) -> Value:
        """Declares an input."""
        self._inputs[name] = (kind, shape)
        return Value(self, name, bound)

    def output(self, value: Value, name: str, shape: Shape, kind: int = FLOAT) -> None:
        """Gives a value back under a name."""
        if value.name in self._inputs or value.name in self._renamed:
            value = self.op("Identity", value)
        self._renamed[value.name] = name
        self._outputs[name] = (kind, shape)

    def constant(self, array: NDArray[np.generic] | float) -> Value:
        """A value known when the graph is built; numbers are float."""
        array = np.asarray(np.float32(array) if isinstance(array, float) else array, order="C")
        name = f"{self.name}.k{len(self._constants)}"
        if array.size <= 16:  # small ones are shared
            name = f"{self.name}.{array.dtype}{array.shape}{array.tobytes().hex()}"
        self._constants.setdefault(name, numpy_helper.from_array(array, name))
        return Value(self, name)

    def ints(self, *numbers: int) -> Value:
        """A list of whole numbers, as shapes and axes are given."""
        return self.constant(np.array(numbers, np.int64))

    def ops(
        self, kind: str, *operands: Operand, outputs: int, domain: str = "", **attributes: Any
    ) -> list[Value]:
        """Adds an operator with several outputs."""
        names = ["" if x is None else self._value(x).name for x in operands]
        made = [f"{self.name}.{kind}{len(self._nodes)}.{i}" for i in range(outputs)]
        self._nodes.append(helper.make_node(kind, names, made, domain=domain, **attributes))
        return [Value(self, name) for name in made]

    def op(self, kind: str, *operands: Operand, domain: str = "", **attributes: Any) -> Value:
        """Adds an operator with one output."""
        return self.ops(kind, *operands, outputs=1, domain=domain, **attributes)[0]

    def tanh(self, x: Value) -> Value:
        """The hyperbolic tangent."""
        return self.op("Tanh", x).bounded(1.0)

    def sigmoid(self, x: Value) -> Value:
        """The logistic function σ."""
        return self.op("Sigmoid", x).bounded(1.0)

    def reshape(self, x: Value, *shape: int) -> Value:
        """Gives x another shape: 0 keeps a dimension, −1 takes what is left."""
        return self.op("Reshape", x, self.ints(*shape)).bounded(x.bound)

    def transpose(self, x: Value, *order: int) -> Value:
        """Reorders dimensions."""
        return self.op("Transpose", x, perm=list(order)).bounded(x.bound)

    def gather(self, x: Value, rows: Value) -> Value:
        """Rows of x."""
        return self.op("Gather", x, rows, axis=0).bounded(x.bound)

    def table(self, rows: Array, ids: Value) -> Value:
        """Looks rows of a table up (an embedding)."""
        bound = float(np.abs(rows).max()) or 1.0
        if self.precision == "float":
            return self.gather(self.constant(rows), ids).bounded(bound)
        whole = np.clip(np.rint(rows * (LEVELS / bound)) + int(ZERO), 0, 255).astype(np.uint8)
        found = self.gather(self.constant(whole), ids)
        x = self.op("DequantizeLinear", found, bound / LEVELS, ZERO).bounded(bound)
        self._quantised[x.name] = found
        return x

    def product(self, *terms: Term, bias: Array | None = None, rank: int = 2) -> Value:
        """W_1 x_1 + W_2 x_2 + ... + b, as one product of all x beside each other.

        Args:
            terms: Each x_i [..., K_i] with its factor [K_i, N].
            bias: [N].
            rank: Dimensions of every x.
        """
        if self.precision == "int8":
            return self._whole_product(terms, bias)
        x, w = terms[0] if len(terms) == 1 else self._beside(terms)
        if rank == 2 and bias is not None:
            return self.op("Gemm", x, w, bias)
        z = self.op("MatMul", x, w)
        return z if bias is None else z + self.constant(bias)

    def _beside(self, terms: Sequence[Term]) -> Term:
        x = self.op("Concat", *(x for x, _ in terms), axis=-1)
        return x, np.concatenate([w for _, w in terms])

    def _whole_product(self, terms: Sequence[Term], bias: Array | None) -> Value:
        """The same product in whole numbers of 8 bits."""
        known = [(self.whole(x), w * x.bound) for x, w in terms if x.bound is not None]
        sums = []
        for x, w in [t for t in terms if t[0].bound is None]:
            scaled = self.in_range(x)
            sums.append(self.integers(self.whole(scaled.value), *quantise(w)) * scaled.factor)
        if known:
            x, w = known[0] if len(known) == 1 else self._beside(known)
            sums.append(self.integers(x, *quantise(w), bias))
        elif bias is not None:
            sums.append(self.constant(bias))
        total = sums[-1]
        for part in sums[:-1]:
            total = part + total
        return total

    def in_range(self, x: Value) -> Scaled:
        """Brings each position of x into [−1, 1], by itself so that no neighbour is felt."""
        most = self.op("ReduceMax", self.op("Abs", x), axes=[-1], keepdims=1)
        most = self.op("Max", most, 1e-6)
        return Scaled(self.op("Div", x, most).bounded(1.0), most)

    def whole(self, x: Value) -> Value:
        """Turns x into x / bound in steps of 1/127; formed once, whoever needs it."""
        assert x.bound is not None
        if x.name not in self._quantised:
            made = self.op("QuantizeLinear", x, x.bound / LEVELS, ZERO)
            self._quantised[x.name] = made
        return self._quantised[x.name]

    def integers(self, x: Value, w: Operand, scale: Operand, bias: Operand = None) -> Value:
        """The product x W + b, for x in steps of 1/127 and W as ``quantise`` gives it."""
        operands = (x, w, 1 / LEVELS, scale, ZERO, None, bias)
        return self.op("MatMulIntegerToFloat", *operands, domain=CONTRIB)

    def model(self) -> ModelProto:
        """The finished model."""
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(
            self.graph(), opset_imports=opsets, ir_version=IR_VERSION, producer_name="seq2see"
        )

    def graph(self) -> GraphProto:
        """The graph without what no output needs."""
        needed, nodes = set(self._outputs), []
        for node in reversed(self._nodes):
            for names in (node.input, node.output):
                names[:] = [self._renamed.get(name, name) for name in names]
            if needed.intersection(node.output):
                needed.update(node.input)
                nodes.append(node)
        return helper.make_graph(
            nodes[::-1],
            self.name,
            _infos({k: v for k, v in self._inputs.items() if k in needed}),
            _infos(self._outputs),
            [c for name, c in self._constants.items() if name in needed],
        )

    def _value(self, x: Operand) -> Value:
        return x if isinstance(x, Value) else self.constant(x)  # type: ignore[arg-type]


def quantise(w: Array) -> tuple[NDArray[np.int8], Array]:
    """W [K, N] in 8 bits, and the scale of each column [N]."""
    scale = np.maximum(np.abs(w).max(axis=0), 1e-12) / LEVELS
    return np.rint(w / scale).astype(np.int8), scale.astype(np.float32)


def _infos(values: dict[str, tuple[int, Shape]]) -> list[ValueInfoProto]:
    return [
        helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in values.items()
    ]
