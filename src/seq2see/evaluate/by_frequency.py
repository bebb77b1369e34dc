"""Do rare words come out as well as common ones?"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Units = Callable[[str], Sequence[str]]
"""Cuts a text into what is counted."""


@dataclass(frozen=True)
class FrequencyBand:
    """How well words of a range of training frequencies are produced.

    Attributes:
        rarest: Lowest frequency in the range.
        commonest: Highest frequency in the range, None if there is no limit.
        wanted: Occurrences of such words in the references.
        written: Occurrences in the outputs.
        right: Occurrences in the outputs that their reference has too.
    """

    rarest: int
    commonest: int | None
    wanted: int
    written: int
    right: int

    @property
    def label(self) -> str:
        """The range as a person writes it: ``never``, ``once``, ``10–99``, ``1,000 or more``."""
        if self.commonest is None:
            return f"{self.rarest:,} or more"
        if self.rarest == self.commonest:
            return {0: "never", 1: "once"}.get(self.rarest, f"{self.rarest:,}")
        return f"{self.rarest:,}–{self.commonest:,}"

    @property
    def recall(self) -> float:
        """Share of the wanted words that were written."""
        return self.right / self.wanted if self.wanted else 0.0

    @property
    def precision(self) -> float:
        """Share of the written words that were wanted."""
        return self.right / self.written if self.written else 0.0


@dataclass(frozen=True)
class FrequencyTable:
    """How well words are produced, by how often they stood in the training targets.

    Attributes:
        corpus: The training pairs, as the person named them.
        unit: What is counted: words, symbols or characters.
        bands: Rare to common.
    """

    corpus: str
    unit: str
    bands: tuple[FrequencyBand, ...]


def frequencies(texts: Sequence[str], units: Units = str.split) -> Counter[str]:
    """How often each word stands in texts."""
    return Counter(word for text in texts for word in units(text))


def accuracy_by_frequency(
    hypotheses: Sequence[str],
    references: Sequence[str],
    frequency: Mapping[str, int],
    edges: Sequence[int] = (1, 2, 5, 10, 100, 1000),
    units: Units = str.split,
) -> tuple[FrequencyBand, ...]:
    """Tells how well rare words come out, and common ones.

    Args:
        hypotheses: Outputs.
        references: One a hypothesis.
        frequency: How often each word stands in the training targets.
        edges: Lowest frequency of each band but the first, which starts at 0.
        units: Cuts a text into words.
    """
    wanted, written, right = ([0] * (len(edges) + 1) for _ in range(3))
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        mine, theirs = Counter(units(hypothesis)), Counter(units(reference))
        for counts, totals in ((theirs, wanted), (mine, written), (mine & theirs, right)):
            for word, count in counts.items():
                totals[bisect_right(edges, frequency.get(word, 0))] += count
    rarest = [0, *edges]
    commonest = [*(edge - 1 for edge in edges), None]
    return tuple(
        FrequencyBand(*numbers)
        for numbers in zip(rarest, commonest, wanted, written, right, strict=True)
    )
