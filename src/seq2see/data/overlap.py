"""Do held-out pairs stand in the training data? Then scores on them promise too much."""

from __future__ import annotations

from dataclasses import dataclass

from seq2see.data.corpus import Corpus

TOLERATED = 0.01
"""Share of held-out sources that may stand in the training data by chance."""


@dataclass(frozen=True)
class Overlap:
    """Held-out pairs that are training pairs too.

    Attributes:
        held: Held-out pairs.
        sources: How many of them have a source that stands in the training data.
        pairs: How many of these have the same target there, too.
        example: One of the sources; empty if there are none.
    """

    held: int
    sources: int
    pairs: int
    example: str

    @property
    def notable(self) -> bool:
        """Whether so many coincide that scores mislead."""
        return self.sources > TOLERATED * self.held

    def __str__(self) -> str:
        return (
            f"{self.sources:,} of {self.held:,} held-out sources "
            f"({100 * self.sources / max(self.held, 1):.1f} %) stand in the training data, "
            f"{self.pairs:,} of them with the same target, such as {self.example!r}. "
            "Scores on them tell what was learned by heart; take such pairs out of the training "
            "data."
        )


def overlap(train: Corpus, held: Corpus) -> Overlap:
    """Looks for held-out pairs among the training pairs."""
    sources, pairs = set(train.sources), set(zip(train.sources, train.targets, strict=True))
    seen = [(s, t) for s, t in zip(held.sources, held.targets, strict=True) if s in sources]
    whole = [pair for pair in seen if pair in pairs]
    example = (whole or seen or [("", "")])[0][0]
    return Overlap(len(held), len(seen), len(whole), example)
