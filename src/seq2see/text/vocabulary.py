"""The ids every vocabulary shares, and the table from tokens to ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

PAD, UNK, BOS, EOS = range(4)
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")


class Vocabulary:
    """Tokens and their ids: the four specials first, then the tokens in the order given."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self._tokens = (*SPECIALS, *tokens)
        self._ids = {token: i for i, token in enumerate(self._tokens)}
        if len(self._ids) != len(self._tokens):
            raise ValueError("a vocabulary holds each token once")

    @classmethod
    def learn(
        cls, counts: Mapping[str, int], *, limit: int | None = None, min_count: int = 1
    ) -> Vocabulary:
        """Takes the tokens seen most often; of equals, the first in codepoint order.

        Args:
            counts: How often each token was seen.
            limit: Largest size, the four specials included; None for no limit.
            min_count: Tokens seen less often are left out.

        Examples:
            >>> list(Vocabulary.learn({"b": 2, "a": 2, "c": 5, "d": 1}, limit=7))[4:]
            ['c', 'a', 'b']
        """
        seen = (t for t, n in counts.items() if n >= min_count and t not in SPECIALS)
        ranked = sorted(seen, key=lambda token: (-counts[token], token))
        return cls(ranked if limit is None else ranked[: max(limit - len(SPECIALS), 0)])

    def __len__(self) -> int:
        return len(self._tokens)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._tokens == other._tokens

    def __hash__(self) -> int:
        return hash(self._tokens)

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Looks tokens up; an unknown one is ``UNK``."""
        return [self._ids.get(token, UNK) for token in tokens]

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """Looks ids up.

        Raises:
            IndexError: An id is outside the vocabulary.
        """
        for i in ids:
            if not 0 <= i < len(self._tokens):
                raise IndexError(f"id {i} is outside a vocabulary of {len(self._tokens)} tokens")
        return [self._tokens[i] for i in ids]
