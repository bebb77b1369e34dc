"""Tokenizers whose vocabulary is a plain table of tokens, saved as one JSON file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from seq2see.errors import DataError, ModelError
from seq2see.files import write_text
from seq2see.text.tokenizer import Tokenizer
from seq2see.text.vocabulary import SPECIALS, Vocabulary

Table = TypeVar("Table", bound="TableTokenizer")


class TableTokenizer(Tokenizer):
    """A rule that splits text, and the table of the tokens it found in the training texts."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @classmethod
    def learn(
        cls: type[Table], texts: Iterable[str], *, size: int, min_count: int = 1, **options: str
    ) -> Table:
        """Counts the tokens of texts and keeps the most frequent ones."""
        rule = cls(Vocabulary(()), **options)
        counts = Counter(token for text in texts for token in rule.split(text))
        if not counts:
            raise DataError("There is no text to learn a vocabulary from.")
        return cls(Vocabulary.learn(counts, limit=size, min_count=min_count), **options)

    @property
    def size(self) -> int:  # noqa: D102 - told by the base class
        return len(self.vocabulary)

    @property
    def options(self) -> dict[str, str]:
        """The keyword arguments that, with the vocabulary, make this tokenizer again."""
        return {}

    def ids(self, tokens: Sequence[str]) -> list[int]:  # noqa: D102
        return self.vocabulary.ids(tokens)

    def tokens(self, ids: Sequence[int]) -> list[str]:  # noqa: D102
        return self.vocabulary.tokens(ids)

    def save(self, folder: Path, name: str) -> Path:  # noqa: D102
        path = Path(folder) / f"{name}.json"
        content = {"kind": self.kind, "options": self.options, "tokens": list(self.vocabulary)}
        text = json.dumps(content, ensure_ascii=False, indent=1)
        write_text(path, text + "\n")
        return path

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and isinstance(other, TableTokenizer)
            and self.vocabulary == other.vocabulary
            and self.options == other.options
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.vocabulary))


def load_table(path: Path, kinds: Mapping[str, type[TableTokenizer]]) -> TableTokenizer:
    """Reads what ``TableTokenizer.save`` wrote.

    Raises:
        ModelError: The file is not such a table.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        kind, options, tokens = content["kind"], content["options"], content["tokens"]
        if tuple(tokens[: len(SPECIALS)]) != SPECIALS:
            raise ValueError(f"the first tokens are not {' '.join(SPECIALS)}")
        if not all(isinstance(token, str) for token in tokens):
            raise ValueError("a token is not a string")
        return kinds[kind](Vocabulary(tokens[len(SPECIALS) :]), **options)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path} is not a tokenizer, or it is damaged ({type(error).__name__}: {error}). "
            "Copy the model folder again, or train again."
        ) from error
