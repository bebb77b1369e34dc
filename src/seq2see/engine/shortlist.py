"""Which target words a source may need: a small part of the vocabulary is all a step looks at.

Each source token has the target tokens that training aligned it with, and all have the most
frequent ones. A sentence's list depends on that sentence alone. A batch's products are formed
over all its sentences' lists together, and each sentence's softmax over its own.

Letters: B sentences, S source positions, V entries of the target vocabulary, N of a shortlist.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seq2see.engine.engine import FloatArray, IntArray
from seq2see.errors import ModelError
from seq2see.text.vocabulary import BOS, EOS, PAD, UNK

FILE = "shortlist.npz"


@dataclass(frozen=True)
class Choice:
    """The words of a batch.

    Attributes:
        ids: Rising [N].
        mask: 0 for the words of each sentence's list, −inf for the others [B, N].
    """

    ids: IntArray
    mask: FloatArray


@dataclass(frozen=True)
class Shortlist:
    """Target words by source token.

    Attributes:
        words: Of each source token; ``<pad>`` where there are fewer [source vocabulary, words].
        always: The words of every sentence.
        target_size: V.
    """

    words: NDArray[np.int32]
    always: NDArray[np.int32]
    target_size: int

    def choose(self, sources: Sequence[Sequence[int]]) -> Choice:
        """The shortlists of sentences."""
        mine = np.zeros((len(sources), self.target_size), np.bool_)
        mine[:, self.always] = True
        for row, source in zip(mine, sources, strict=True):
            row[self.words[list(source)]] = True
        mine[:, [PAD, BOS]] = False
        mine[:, [UNK, EOS]] = True
        ids = np.flatnonzero(mine.any(axis=0))
        return Choice(ids, np.where(mine[:, ids], np.float32(0), np.float32(-np.inf)))

    def dump(self) -> bytes:
        """The content of ``shortlist.npz``."""
        file = io.BytesIO()
        np.savez_compressed(
            file, words=self.words, always=self.always, target_size=self.target_size
        )
        return file.getvalue()

    @staticmethod
    def load(path: Path) -> Shortlist:
        """Reads ``shortlist.npz``."""
        try:
            with np.load(path, allow_pickle=False) as file:
                return Shortlist(file["words"], file["always"], int(file["target_size"]))
        except (ValueError, KeyError, OSError) as error:
            raise ModelError(f"{path} is damaged: {error}. Export the model again.") from None
