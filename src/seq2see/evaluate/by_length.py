"""Does quality hold up as sources grow longer? The question attention was invented for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from seq2see.errors import ConfigError, DataError
from seq2see.evaluate.score import Score


@dataclass(frozen=True)
class Bucket:
    """The pairs whose source length lies in a range.

    Attributes:
        shortest: Smallest length in the range.
        longest: Largest length in the range, None if there is no limit.
        count: Pairs in it.
        score: Their score, None if there are none.
    """

    shortest: int
    longest: int | None
    count: int
    score: Score | None

    @property
    def label(self) -> str:
        """The range as a person writes it: ``11–20``, ``>50``."""
        if self.longest is None:
            return f">{self.shortest - 1}"
        return f"{self.shortest}–{self.longest}"


@dataclass(frozen=True)
class LengthTable:
    """Score by source length, and over all."""

    buckets: tuple[Bucket, ...]
    overall: Score


def score_by_length(
    hypotheses: Sequence[str],
    references: Sequence[str],
    lengths: Sequence[int],
    metric: Callable[[Sequence[str], Sequence[str]], Score],
    edges: Sequence[int] = (10, 20, 30, 40, 50),
) -> LengthTable:
    """Scores pairs apart by the length of their sources.

    Args:
        hypotheses: Outputs.
        references: One a hypothesis.
        lengths: Source lengths, in whatever unit the table is to speak of.
        metric: A metric of :mod:`seq2see.evaluate.metrics`.
        edges: Largest length of each bucket but the last, rising.
    """
    if list(edges) != sorted(set(edges)) or not edges or edges[0] < 1:
        raise ConfigError(f"edges = {list(edges)} must be rising numbers from 1.")
    if not len(hypotheses) == len(references) == len(lengths):
        raise DataError(
            f"{len(hypotheses)} outputs, {len(references)} references and {len(lengths)} lengths; "
            "there must be as many of each."
        )
    members: list[list[int]] = [[] for _ in range(len(edges) + 1)]
    for i, length in enumerate(lengths):
        members[bisect_left(edges, length)].append(i)
    starts = [1, *(edge + 1 for edge in edges)]
    buckets = tuple(
        Bucket(
            start,
            end,
            len(rows),
            metric([hypotheses[i] for i in rows], [references[i] for i in rows]) if rows else None,
        )
        for start, end, rows in zip(starts, [*edges, None], members, strict=True)
    )
    return LengthTable(buckets, metric(hypotheses, references))
