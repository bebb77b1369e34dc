"""The rows an ONNX engine has under way.

Rows share the memory of their sentence, and ``select`` only notes which rows go on: the step
itself takes them from the state before, so nothing is copied in between.

Letters: R rows, A sentences in the memory, W slots of a sentence, S source positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seq2see.engine.engine import IntArray

Tensors = Mapping[str, NDArray[Any]]

CROWDED = 0.75
"""The memory is packed once less than this share of its sentences is still under way."""


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
        if sentences == 1:
            every = np.arange(len(sentence))
            return Slots(every[None], every)
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
        words: The shortlist's part of the output layer, if there is one.
        chosen: Token ids of its words.
        sentence: The sentence of each row [R].
        before: The decoder state of the rows before ``select``.
        rows: Which of those each row goes on from [R].
        slots: Where each row stands in its sentence.
        t: Tokens read so far.
        shape: Sentences in the memory, and positions of the longest: A, S.
    """

    memory: Tensors
    words: Tensors
    chosen: IntArray | None
    sentence: IntArray
    before: Tensors
    rows: IntArray
    slots: Slots
    t: int
    shape: tuple[int, int]

    def select(self, rows: IntArray) -> OnnxState:
        """Keeps (and repeats) rows."""
        sentence, memory, shape = self.sentence[rows], self.memory, self.shape
        if shape[0] > 1:
            present = np.bincount(sentence, minlength=shape[0]) > 0
            if present.sum() < CROWDED * shape[0]:
                memory = {name: part[present] for name, part in memory.items()}
                sentence = (np.cumsum(present) - 1)[sentence]
                shape = (int(present.sum()), shape[1])
        slots = Slots.of(sentence, shape[0])
        rows = self.rows[rows]
        return replace(self, memory=memory, sentence=sentence, rows=rows, slots=slots, shape=shape)

    def after(self, found: Tensors) -> OnnxState:
        """The state that a step gives back."""
        before = {f"state.{n[5:]}": x for n, x in found.items() if n[:5] == "next."}
        return replace(self, before=before, rows=np.arange(len(self.rows)), t=self.t + 1)
