"""Does an export say what torch says, and what do 8 bits or a shortlist cost?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seq2see.assessment import suited_metrics
from seq2see.data.corpus import Corpus
from seq2see.evaluate import METRICS, Score
from seq2see.translation import Translation
from seq2see.translator import Translator

TOLERANCE = 1e-4
"""Sums in another order differ by less."""
COST = 0.3
"""Points of a metric that a faster way to run a model may lose."""


@dataclass(frozen=True)
class Parity:
    """How alike an export and its model are.

    Attributes:
        sentences: How many were translated.
        same: How many outputs have the same tokens.
        ties: How many of the others rank as high.
        score: Largest difference between the log-probabilities of a token.
    """

    sentences: int
    same: int
    ties: int
    score: float

    @property
    def holds(self) -> bool:
        """Whether nothing but rounding differs."""
        return self.same + self.ties == self.sentences and self.score <= TOLERANCE


def parity(model: Translator, export: Translator, sentences: Sequence[str]) -> Parity:
    """Translates sentences with both, and scores the model's outputs with both."""
    ours, theirs = model.translate(sentences), export.translate(sentences)
    different = [
        (a, b) for a, b in zip(ours, theirs, strict=True) if a.target_tokens != b.target_tokens
    ]
    texts = [translation.text for translation in ours]
    scored = zip(model.score(sentences, texts), export.score(sentences, texts), strict=True)
    return Parity(
        sentences=len(sentences),
        same=len(sentences) - len(different),
        ties=sum(abs(_rank(a) - _rank(b)) <= TOLERANCE for a, b in different),
        score=max(
            (
                abs(p - q)
                for a, b in scored
                for p, q in zip(a.token_scores, b.token_scores, strict=True)
            ),
            default=0.0,
        ),
    )


def _rank(translation: Translation) -> float:
    """What beam search ranks by: log-probability a token."""
    return translation.score / max(len(translation.target_tokens), 1)


@dataclass(frozen=True)
class Cost:
    """A metric of a model as it is, and as it runs faster.

    Attributes:
        exact: In float, over the whole vocabulary.
        faster: In another way.
        worse: By how many points the faster way is worse; below 0 if it is better.
    """

    exact: Score
    faster: Score
    worse: float

    @property
    def bearable(self) -> bool:
        """Whether the faster way may be used."""
        return self.worse <= COST


def cost(exact: Translator, faster: Translator, corpus: Corpus) -> Cost:
    """Translates pairs in two ways, and measures both: sentences by BLEU, else sequence error."""
    measured = suited_metrics(exact.target, corpus.targets)
    metric, sign = ("bleu", -1) if "bleu" in measured else ("sequence_error", 1)
    a, b = (
        METRICS[metric]([t.text for t in way.translate(corpus.sources)], corpus.targets)
        for way in (exact, faster)
    )
    return Cost(a, b, sign * (b.value - a.value))
