"""Pairs of sequences in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Link(NamedTuple):
    """A word of the source that stands for a word of the target (indices of whitespace words).

    ``sure`` links must be found by an aligner; the others (Pharaoh's ``3p4``) may be.
    """

    source: int
    target: int
    sure: bool = True


Links = tuple[Link, ...]


class Pair(NamedTuple):
    """One source sequence, its target, and their gold word links if there are any."""

    source: str
    target: str
    links: Links | None


@dataclass(frozen=True)
class Corpus:
    """Sequence pairs from one place.

    Attributes:
        name: Where they come from, as the person named it.
        sources: One text a pair.
        targets: One text a pair.
        links: Word links of each pair, or None if the place has none.
        dropped: How many pairs were left out when it was read, since a side was empty.
    """

    name: str
    sources: Sequence[str]
    targets: Sequence[str]
    links: Sequence[Links] | None = None
    dropped: int = 0

    def __len__(self) -> int:
        return len(self.sources)

    def __iter__(self) -> Iterator[Pair]:
        for i, (source, target) in enumerate(zip(self.sources, self.targets, strict=True)):
            yield Pair(source, target, self.links[i] if self.links is not None else None)
