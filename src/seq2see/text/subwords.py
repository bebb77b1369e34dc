"""Subwords as tokens, learned by SentencePiece."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import sentencepiece

from seq2see.errors import ConfigError, DataError, ModelError
from seq2see.files import write_atomically
from seq2see.text.tokenizer import CONTROLS, MARKER, ModelType, Normalization, Tokenizer
from seq2see.text.vocabulary import BOS, EOS, PAD, SPECIALS, UNK

BYTES = 256  # pieces for the bytes of characters never seen, so that nothing is unknown
MOST_TEXTS = 1_000_000  # more would teach little and take much memory
LONGEST = 2**30  # bytes of a text; SentencePiece would skip those over 4192
THREADS = 4  # fixed: sums of floats, and so the pieces learned, may depend on it
STAND_IN = "\ufdd1"  # for a marker that is text

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


def _plain(text: str) -> str:
    return " ".join(text.replace(MARKER, STAND_IN).split())


class Subwords(Tokenizer):
    """Pieces of words, as many as the vocabulary has room for; rare characters as bytes.

    Lossless but for white space: each run of it becomes one space, and none is left at the ends.
    U+FDD1, which Unicode keeps for uses like this and no text holds, stands in for a "▁" in the
    text. With ``nmt_nfkc`` the text comes back normalised.
    """

    kind = "subwords"

    def __init__(self, model: bytes) -> None:
        self._model = model
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)

    @classmethod
    def learn(
        cls,
        texts: Iterable[str],
        *,
        size: int,
        model_type: ModelType = "unigram",
        normalization: Normalization = "identity",
        seed: int = 0,
    ) -> Subwords:
        """Learns the pieces. A small text has fewer than ``size``.

        Raises:
            ConfigError: The size has no room for the characters of the texts.
            DataError: The texts hold nothing to learn from.
        """
        lines = [line for line in map(_plain, texts) if line]
        if not lines:
            raise DataError("There is no text to learn subwords from.")
        normalizer = sentencepiece.SentencePieceNormalizer(rule_name=normalization)
        characters = set().union(*map(normalizer.normalize, lines)) - {" "} | {MARKER}
        least = len(SPECIALS) + BYTES + len(characters)
        if size < least:
            raise ConfigError(
                f"{size} subwords are too few: the text has {len(characters)} different "
                f"characters, and {BYTES} pieces are for bytes. Choose a size of {least} or more, "
                "or split into chars."
            )
        model = io.BytesIO()
        sentencepiece.set_random_generator_seed(seed)
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(lines),
                model_writer=model,
                model_type=model_type,
                vocab_size=size,
                hard_vocab_limit=False,  # a small text may have fewer pieces
                byte_fallback=True,
                character_coverage=1.0,
                normalization_rule_name=normalization,
                max_sentence_length=LONGEST,
                input_sentence_size=MOST_TEXTS,
                shuffle_input_sentence=True,
                num_threads=THREADS,
                pad_id=PAD,
                unk_id=UNK,
                bos_id=BOS,
                eos_id=EOS,
                unk_surface=SPECIALS[UNK],
                minloglevel=3,
            )
        except RuntimeError as error:
            raise DataError(
                f"No {model_type} subwords can be learned from these {len(lines)} texts. "
                "Split into chars or words."
            ) from error
        return cls(model.getvalue())

    @classmethod
    def load(cls, path: Path) -> Subwords:
        """Reads what ``save`` wrote.

        Raises:
            ModelError: The file is not such a model.
        """
        try:
            tokenizer = cls(path.read_bytes())
            if tuple(tokenizer.tokens(range(len(SPECIALS)))) != SPECIALS:
                raise ValueError(f"the first pieces are not {' '.join(SPECIALS)}")
        except (OSError, RuntimeError, ValueError, IndexError) as error:
            raise ModelError(
                f"{path} is not a SentencePiece model of Seq2See's, or it is damaged. "
                "Copy the model folder again, or train again."
            ) from error
        return tokenizer

    @property
    def size(self) -> int:  # noqa: D102
        return int(self._processor.get_piece_size())

    def split(self, text: str) -> list[str]:  # noqa: D102
        return list(self._processor.encode(_plain(text), out_type=str))

    def sample(self, text: str, rng: np.random.Generator, alpha: float = 0.1) -> list[str]:  # noqa: D102
        # SentencePiece keeps one generator of its own: seeding it each time makes the split a
        # function of ours.
        sentencepiece.set_random_generator_seed(int(rng.integers(2**32)))
        return list(
            self._processor.encode(
                _plain(text), out_type=str, enable_sampling=True, nbest_size=-1, alpha=alpha
            )
        )

    def ids(self, tokens: Sequence[str]) -> list[int]:  # noqa: D102
        return [int(i) for i in self._processor.piece_to_id(list(tokens))]

    def tokens(self, ids: Sequence[int]) -> list[str]:  # noqa: D102
        return list(self._processor.id_to_piece([int(i) for i in ids]))

    def surface(self, token: str) -> str:  # noqa: D102
        byte = _BYTE.fullmatch(token)
        if byte:  # a byte beyond ASCII is no text by itself
            code = int(byte[1], 16)
            return chr(code) if code < 128 else f"0x{byte[1]}"
        return token.replace(MARKER, " ").replace(STAND_IN, MARKER)

    def join(self, tokens: Sequence[str]) -> str:  # noqa: D102
        pieces = [token for token in tokens if token not in CONTROLS]
        return str(self._processor.decode_pieces(pieces)).replace(STAND_IN, MARKER)

    def save(self, folder: Path, name: str) -> Path:  # noqa: D102
        path = Path(folder) / f"{name}.model"
        write_atomically(path, lambda part: part.write_bytes(self._model))
        return path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subwords) and self._model == other._model

    def __hash__(self) -> int:
        return hash(self._model)
