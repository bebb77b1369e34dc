"""The engine that runs an exported model on ONNX Runtime; torch is not needed.

Rows share the memory of their sentence, and ``select`` only notes which rows go on: the step
itself takes them from the state before, so nothing is copied in between.

Letters: R rows, A sentences in the memory, W slots of a sentence, S source positions.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from seq2see.engine.engine import FloatArray, IntArray, Proposal
from seq2see.engine.manifest import load_manifest
from seq2see.errors import ModelError
from seq2see.text.vocabulary import PAD

Precision = Literal["float", "int8"]
Tensors = Mapping[str, NDArray[Any]]

CROWDED = 0.75
"""The memory is packed once less than this share of its sentences is still under way."""
NO_WEIGHTS = np.zeros((1, 1, 1), np.float32)


def file_name(graph: str, precision: Precision) -> str:
    """The file that holds a graph of an export."""
    return f"{graph}.onnx" if precision == "float" else f"{graph}.{precision}.onnx"


@dataclass(frozen=True)
class Slots:
    """Which rows look things up in which sentence.

    Attributes:
        rows: The row in each slot, a sentence's slots beside each other [A, W]; 0 if it is free.
        place: The slot of each row [R].
    """

    rows: IntArray
    place: IntArray

    @staticmethod
    def of(sentence: IntArray, sentences: int) -> Slots:
        """Gives every row [R] a slot of its sentence."""
        count = np.bincount(sentence, minlength=sentences)
        width = count.max()
        order = np.argsort(sentence, kind="stable")
        place = np.empty_like(sentence)
        place[order] = np.arange(len(sentence)) - np.repeat(np.cumsum(count) - count, count)
        place += sentence * width
        rows = np.zeros(sentences * width, np.int64)
        rows[place] = np.arange(len(sentence))
        return Slots(rows.reshape(sentences, width), place)


@dataclass(frozen=True)
class OnnxState:
    """Rows under way.

    Attributes:
        memory: What steps look things up in, a row a sentence [A, ...].
        sentence: The sentence of each row [R].
        before: The decoder state of the rows before ``select``.
        rows: Which of those each row goes on from [R].
        t: Tokens read so far.
        positions: S.
    """

    memory: Tensors
    sentence: IntArray
    before: Tensors
    rows: IntArray
    t: int
    positions: int

    @cached_property
    def slots(self) -> Slots:
        """Where each row stands in its sentence."""
        return Slots.of(self.sentence, len(self.memory["memory.h"]))

    def select(self, rows: IntArray) -> OnnxState:
        """Keeps (and repeats) rows."""
        sentence, memory = self.sentence[rows], self.memory
        count = len(memory["memory.h"])
        if len(rows) < CROWDED * len(self.rows) or len(rows) < CROWDED * count:
            kept, sentence = np.unique(sentence, return_inverse=True)
            memory = {name: part[kept] for name, part in memory.items()}
        return replace(self, memory=memory, sentence=sentence, rows=self.rows[rows])


class OnnxEngine:
    """Runs an exported model.

    Args:
        folder: The model folder, with an export in it.
        threads: CPU threads of one step; several threads of a program may share an engine.
        precision: float, or int8 for products in whole numbers of 8 bits.

    Raises:
        ModelError: The export is missing, incomplete, damaged or newer than this version.
    """

    def __init__(self, folder: Path, threads: int = 1, precision: Precision = "float") -> None:
        folder = Path(folder)
        self._manifest = load_manifest(folder)
        self._encoder = self._session(folder, file_name("encoder", precision), threads)
        self._step = self._session(folder, file_name("step", precision), threads)
        self._encoded = [output.name for output in self._encoder.get_outputs()]
        self._inputs = {given.name for given in self._step.get_inputs()}
        self._outputs = [output.name for output in self._step.get_outputs()]

    def _session(self, folder: Path, name: str, threads: int) -> ort.InferenceSession:
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 3
        # Shapes change at every step, so plans of memory would only pile up.
        options.enable_mem_pattern = False
        if _overflows():
            options.add_session_config_entry("session.x64quantprecision", "1")
        content = self._manifest.read(folder, name)
        try:
            return ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ModelError(
                f"ONNX Runtime {ort.__version__} cannot read {folder / name}: {error}"
            ) from None

    @property
    def target_size(self) -> int:
        """Size of the target vocabulary."""
        return self._manifest.target_size

    def start(self, sources: Sequence[Sequence[int]]) -> OnnxState:
        """Encodes sentences (token ids, end mark included)."""
        lengths = np.array([len(source) for source in sources], np.int64)
        longest, limit = int(lengths.max()), self._manifest.max_source
        if limit is not None and longest > limit:
            raise ModelError(
                f"The sentence has {longest} tokens and the location score of this model knows "
                f"{limit} positions. Split it, or train with a larger model.max_source."
            )
        ids = np.full((len(sources), longest), PAD, np.int64)
        for row, source in zip(ids, sources, strict=True):
            row[: len(source)] = source
        found = self._encoder.run(self._encoded, {"source": ids, "lengths": lengths})
        parts = dict(zip(self._encoded, found, strict=True))
        rows = np.arange(len(sources))
        return OnnxState(
            memory={name: part for name, part in parts.items() if name.startswith("memory.")},
            sentence=rows,
            before={name: part for name, part in parts.items() if name.startswith("state.")},
            rows=rows,
            t=0,
            positions=longest,
        )

    def step(
        self,
        state: OnnxState,
        tokens: IntArray,
        k: int,
        *,
        score_of: IntArray | None = None,
        attention: FloatArray | None = None,
    ) -> Proposal:
        """Feeds each row its previous token and proposes the k best next ones."""
        feed = {
            **state.memory,
            **state.before,
            "tokens": tokens,
            "rows": state.rows,
            "sentence": state.sentence,
            "k": np.array([min(k, self.target_size - 2)]),
            "wanted": np.zeros_like(tokens) if score_of is None else score_of,
            "t": np.array([state.t]),
        }
        if "slots" in self._inputs:
            feed["slots"], feed["place"] = state.slots.rows, state.slots.place
            feed["force"] = np.array([attention is not None])
            feed["forced"] = NO_WEIGHTS if attention is None else attention[state.slots.rows]
        feed = {name: part for name, part in feed.items() if name in self._inputs}
        found = dict(zip(self._outputs, self._step.run(self._outputs, feed), strict=True))
        rows = len(tokens)
        weights = found.get("attention")
        if weights is None:  # the vanilla model looks at nothing
            weights = np.zeros((rows, state.positions), np.float32)
        after = replace(
            state,
            before={
                f"state.{name[5:]}": part
                for name, part in found.items()
                if name.startswith("next.")
            },
            rows=np.arange(rows),
            t=state.t + 1,
        )
        given = None if score_of is None else found["given"]
        return Proposal(found["best"], found["scores"], weights, after, given)


@cache
def _overflows() -> bool:
    """Whether 8-bit products with signed weights may overflow: on x86 without VNNI.

    ONNX Runtime then has a slower way that does not, and takes it only if told to.
    """
    if platform.machine().lower() not in ("x86_64", "amd64", "i686", "x86"):
        return False
    try:
        return "vnni" not in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:  # not Linux: who cannot tell is careful
        return True
