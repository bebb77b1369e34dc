"""The engine that runs an exported model on ONNX Runtime; torch is not needed.

Letters: R rows, S source positions.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from copy import copy
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from seq2see.engine.engine import Distribution, FloatArray, IntArray, Proposal, State
from seq2see.engine.manifest import load_manifest
from seq2see.engine.onnx_state import OnnxState, Slots, Tensors
from seq2see.engine.shortlist import FILE as SHORTLIST
from seq2see.engine.shortlist import Shortlist
from seq2see.errors import ModelError
from seq2see.text.vocabulary import PAD

Precision = Literal["float", "int8"]

NO_WEIGHTS = np.zeros((1, 1, 1), np.float32)


def file_name(graph: str, precision: Precision) -> str:
    """The file that holds a graph of an export."""
    return f"{graph}.onnx" if precision == "float" else f"{graph}.{precision}.onnx"


class OnnxEngine:
    """Runs an exported model.

    Args:
        folder: The model folder, with an export in it.
        threads: CPU threads of one step; several threads of a program may share an engine.
        precision: float, or int8 for products in whole numbers of 8 bits.
        shortlist: Whether to look only at the target words that a source may need. Faster, and
            other words are never proposed; given tokens are still scored among all.

    Raises:
        ModelError: The export is missing, incomplete, damaged or newer than this version.
    """

    rows = 96
    """What a step reads and writes for more of them no longer fits a core's own cache, and the
    batch's shortlist grows with its sentences (docs/runtime.md)."""

    def __init__(
        self,
        folder: Path,
        threads: int = 1,
        precision: Precision = "float",
        shortlist: bool = False,
    ) -> None:
        self._folder, self._threads, self._precision = Path(folder), threads, precision
        self._manifest = load_manifest(self._folder)
        self._encoder = self._load("encoder")
        self._shortlist: Shortlist | None = None
        if shortlist:
            self._shortlist = Shortlist.load(self._manifest.find(self._folder, SHORTLIST))
            self._vocabulary, self._short_step = self._load("vocabulary"), self._load("short_step")
        else:
            self._full_step  # noqa: B018  # a damaged export is told now

    def on_threads(self, threads: int) -> OnnxEngine:
        """The same model with steps on so many threads; the rest is shared."""
        other = copy(self)
        other._threads = threads
        if other._shortlist is not None:
            other._short_step = other._load("short_step")
        else:
            other.__dict__.pop("_full_step", None)
            other._full_step  # noqa: B018
        return other

    @cached_property
    def _full_step(self) -> _Graph:
        """The step over the whole vocabulary; with a shortlist, few ever need it."""
        return self._load("step")

    def _load(self, graph: str) -> _Graph:
        name = file_name(graph, self._precision)
        path = self._manifest.find(self._folder, name)
        try:
            return _Graph(path, self._threads)
        except Exception as error:
            raise ModelError(
                f"ONNX Runtime {ort.__version__} cannot read {path}: {error}"
            ) from None

    @property
    def step_bytes(self) -> int:
        """Size of the graph of a step."""
        graph = "step" if self._shortlist is None else "short_step"
        return (self._folder / file_name(graph, self._precision)).stat().st_size

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
        encoded = self._encoder.run({"source": ids, "lengths": lengths})
        memory = {name: x for name, x in encoded.items() if name.startswith("memory.")}
        words: Tensors = {}
        chosen = None
        if self._shortlist is not None:
            choice = self._shortlist.choose(sources)
            words, chosen = self._vocabulary.run({"ids": choice.ids}), choice.ids
            memory["short.mask"] = choice.mask
        rows = np.arange(len(sources))
        return OnnxState(
            memory=memory,
            words=words,
            chosen=chosen,
            sentence=rows,
            before={name: x for name, x in encoded.items() if name.startswith("state.")},
            rows=rows,
            slots=Slots.of(rows, len(rows)),
            t=0,
            shape=(len(sources), longest),
        )

    def step(
        self,
        state: State,
        tokens: IntArray,
        k: int,
        *,
        score_of: IntArray | None = None,
        attention: FloatArray | None = None,
    ) -> Proposal:
        """Feeds each row its previous token and proposes the k best next ones."""
        assert isinstance(state, OnnxState)
        chosen = state.chosen if score_of is None else None
        if chosen is not None and k > len(chosen):
            chosen = None
        graph = self._full_step if chosen is None else self._short_step
        feed = self._feed(graph, state, tokens, attention)
        feed["k"] = np.array([min(k, self.target_size - 2)])
        feed["wanted"] = (
            np.zeros((len(tokens), 1), np.int64) if score_of is None else score_of[:, None]
        )
        found = graph.run(feed)
        return Proposal(
            tokens=found["best"] if chosen is None else chosen[found["best"]],
            scores=found["scores"],
            attention=_weights(state, found),
            state=state.after(found),
            given=None if score_of is None else found["given"][:, 0],
        )

    def distribution(
        self, state: State, tokens: IntArray, attention: FloatArray | None = None
    ) -> Distribution:
        """Feeds each row its previous token and scores the whole vocabulary (for ensembles)."""
        assert isinstance(state, OnnxState)
        feed = self._feed(self._full_step, state, tokens, attention)
        feed["k"] = np.array([1])
        feed["wanted"] = np.tile(np.arange(self.target_size), (len(tokens), 1))
        found = self._full_step.run(feed)
        return Distribution(found["given"], _weights(state, found), state.after(found))

    def _feed(
        self, graph: _Graph, state: OnnxState, tokens: IntArray, attention: FloatArray | None
    ) -> dict[str, NDArray[Any]]:
        feed = {**state.memory, **state.words, **state.before}
        feed["tokens"], feed["rows"], feed["sentence"] = tokens, state.rows, state.sentence
        feed["t"] = np.array([state.t])
        if "slots" in graph.inputs:
            feed["slots"], feed["place"] = state.slots.rows, state.slots.place
            feed["force"] = np.array([attention is not None])
            feed["forced"] = NO_WEIGHTS if attention is None else attention[state.slots.rows]
        return feed


class _Graph:
    """A graph that runs on arrays by name, and takes what it needs of those it is given."""

    def __init__(self, path: Path, threads: int) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 4
        # Shapes change at every step, so plans of memory would only pile up.
        options.enable_mem_pattern = False
        if _overflows():
            options.add_session_config_entry("session.x64quantprecision", "1")
        self._session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.inputs = {given.name for given in self._session.get_inputs()}
        self._outputs = [output.name for output in self._session.get_outputs()]

    def run(self, feed: Tensors) -> dict[str, NDArray[Any]]:
        needed = {name: x for name, x in feed.items() if name in self.inputs}
        return dict(zip(self._outputs, self._session.run(self._outputs, needed), strict=True))


def _weights(state: OnnxState, found: Tensors) -> FloatArray:
    """Attention [R, S]; zeros from the vanilla model, which looks at nothing."""
    if "attention" in found:
        return found["attention"]
    return np.zeros((len(state.rows), state.shape[1]), np.float32)


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
