"""Text to tokens and back: what every tokenizer can do, and how one is learned and loaded.

One marker: "▁" (U+2581) at the start of a token says that a space stood before it.
One unit: a *word* is a whitespace-separated piece of the text, whatever the tokens are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from seq2see.errors import ConfigError, ModelError, nearest
from seq2see.text.vocabulary import BOS, EOS, PAD, SPECIALS

if TYPE_CHECKING:
    from seq2see.text.table import TableTokenizer

MARKER = "▁"
CONTROLS = frozenset(SPECIALS[i] for i in (PAD, BOS, EOS))  # these stand for no text
KINDS = ("chars", "words", "jamo", "subwords", "symbols")

Form = Literal["none", "NFC", "NFD"]
ModelType = Literal["unigram", "bpe"]
Normalization = Literal["identity", "nmt_nfkc"]


class Tokenizer(ABC):
    """Splits text into tokens of a fixed vocabulary, and joins tokens into text."""

    kind: ClassVar[str]

    @property
    @abstractmethod
    def size(self) -> int:
        """Size of the vocabulary, the four specials included."""

    @abstractmethod
    def split(self, text: str) -> list[str]:
        """Splits text into tokens, known or not."""

    def sample(self, text: str, rng: np.random.Generator, alpha: float = 0.1) -> list[str]:
        """Splits text one of several ways, at random, where there are several (subwords).

        Args:
            text: What to split.
            rng: Source of the randomness.
            alpha: Smoothing of the sampled distribution (unigram), or the share of merges
                left out (BPE).
        """
        return self.split(text)

    @abstractmethod
    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Looks tokens up; an unknown one is ``UNK``. No ``<s>`` or ``</s>`` is added."""

    @abstractmethod
    def tokens(self, ids: Sequence[int]) -> list[str]:
        """Looks ids up; the specials are ``<pad>``, ``<unk>``, ``<s>`` and ``</s>``."""

    @abstractmethod
    def surface(self, token: str) -> str:
        """The text a token stands for, with the space before it."""

    def join(self, tokens: Sequence[str]) -> str:
        """Joins tokens into text: the inverse of ``split``. ``<unk>`` shows, ``</s>`` does not."""
        return "".join(self.surface(token) for token in tokens if token not in CONTROLS)

    def encode(self, text: str) -> list[int]:
        """Text to ids."""
        return self.ids(self.split(text))

    def decode(self, ids: Sequence[int]) -> str:
        """Ids to text."""
        return self.join(self.tokens(ids))

    def words(self, tokens: Sequence[str]) -> list[int]:
        """Index of the word each token belongs to.

        A space belongs to the word that follows it, and trailing spaces to the last word;
        ``<pad>``, ``<s>`` and ``</s>`` belong to none and get -1.
        """
        found: list[int] = []
        last, between = -1, True  # the last word begun, and whether a new one begins
        for token in tokens:
            if token in CONTROLS:
                found.append(-1)
                continue
            surface = self.surface(token)
            between = between or surface[:1].isspace()
            found.append(last + 1 if between else last)
            if surface.strip():
                last, between = found[-1], surface[-1].isspace()
        return [min(word, max(last, 0)) for word in found]

    def labels(self, tokens: Sequence[str]) -> list[str]:
        """What a person reads on an axis: no markers, and a space shown as "␣"."""
        return [t if t in CONTROLS else self.surface(t).strip() or "␣" for t in tokens]

    @abstractmethod
    def save(self, folder: Path, name: str) -> Path:
        """Writes the one file that holds this tokenizer, ``folder/name`` with a suffix.

        Returns:
            The file written.
        """


def _tables() -> dict[str, type[TableTokenizer]]:
    from seq2see.text.characters import Characters
    from seq2see.text.jamo import Jamo
    from seq2see.text.symbols import Symbols
    from seq2see.text.words import Words

    return {cls.kind: cls for cls in (Characters, Words, Jamo, Symbols)}


def learn_tokenizer(
    texts: Iterable[str],
    *,
    kind: str,
    size: int = 8000,
    min_count: int = 1,
    model_type: ModelType = "unigram",
    form: Form = "none",
    normalization: Normalization = "identity",
    seed: int = 0,
) -> Tokenizer:
    """Learns a tokenizer from texts.

    Args:
        texts: One sequence each.
        kind: chars, words, jamo, subwords or symbols.
        size: Largest vocabulary size, the four specials included. A small text has fewer.
        min_count: Tokens seen less often are unknown (not for subwords).
        model_type: How subwords are chosen: unigram or bpe.
        form: Unicode normal form of chars.
        normalization: What subwords do to the text first: identity or nmt_nfkc.
        seed: Chooses the texts that subwords are learned from when there are very many.

    Raises:
        ConfigError: There is no such kind, or the size is too small for it.
        DataError: The texts hold nothing to learn from.
    """
    if kind == "subwords":
        from seq2see.text.subwords import Subwords

        return Subwords.learn(
            texts, size=size, model_type=model_type, normalization=normalization, seed=seed
        )
    if kind not in KINDS:
        raise ConfigError(f"There is no tokenizer '{kind}'.{nearest(kind, KINDS)}")
    options = {"form": form} if kind == "chars" else {}
    return _tables()[kind].learn(texts, size=size, min_count=min_count, **options)


def load_tokenizer(folder: Path, name: str) -> Tokenizer:
    """Reads the tokenizer that was saved as ``folder/name``.

    Raises:
        ModelError: The file is missing or damaged.
    """
    table, pieces = Path(folder) / f"{name}.json", Path(folder) / f"{name}.model"
    if table.is_file():
        from seq2see.text.table import load_table

        return load_table(table, _tables())
    if pieces.is_file():
        from seq2see.text.subwords import Subwords

        return Subwords.load(pieces)
    raise ModelError(
        f"The tokenizer {table} (or {pieces.name}) is missing: "
        "the model folder is incomplete. Copy the whole folder, or train again."
    )
