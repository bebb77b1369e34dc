"""Is one system better than another, or was the test set kind to it (Koehn 2004)?

Letters: N sentences, M statistics a sentence, K resampled test sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seq2see.errors import DataError
from seq2see.evaluate.metrics import METRICS

Statistics = NDArray[np.float64]
Aggregate = Callable[[Statistics], Statistics]
"""From sums of statistics [..., M] to scores [...]."""


@dataclass(frozen=True)
class Comparison:
    """System B against system A on the same test set.

    Attributes:
        a: Score of A.
        b: Score of B.
        low: Lower end of the 95 % interval of b - a.
        high: Upper end.
        p_value: How often a difference as large arises by resampling alone (two-sided).
        samples: Number of resampled test sets.
    """

    a: float
    b: float
    low: float
    high: float
    p_value: float
    samples: int

    @property
    def difference(self) -> float:
        """How much B is ahead of A."""
        return self.b - self.a


def paired_bootstrap(
    a: Statistics, b: Statistics, aggregate: Aggregate, *, samples: int = 1000, seed: int = 0
) -> Comparison:
    """Compares two systems on test sets drawn from the given one with replacement.

    The p-value shifts the differences to a mean of 0, as the null hypothesis has it
    (Riezler and Maxwell 2005).

    Args:
        a: Statistics of system A [N, M].
        b: Statistics of system B on the same sentences [N, M].
        aggregate: The score of a test set from the sums of its statistics.
        samples: How many test sets to draw.
        seed: Makes the draw repeatable.
    """
    if a.shape != b.shape or not len(a):
        raise DataError(f"Outputs of two systems must pair up: {len(a)} against {len(b)}.")
    rng, N = np.random.default_rng(seed), len(a)
    both = np.concatenate([a, b], axis=1)
    sums = np.empty((samples, both.shape[1]))
    # How often each sentence is drawn, some test sets at a time to bound memory.
    chunk = max(1, 2_000_000 // N)
    for start in range(0, samples, chunk):
        K = min(chunk, samples - start)
        drawn = rng.integers(N, size=(K, N)) + N * np.arange(K)[:, None]
        times = np.bincount(drawn.ravel(), minlength=K * N).reshape(K, N)
        sums[start : start + K] = times.astype(np.float64) @ both
    M = a.shape[1]
    differences = aggregate(sums[:, M:]) - aggregate(sums[:, :M])
    score_a, score_b = float(aggregate(a.sum(axis=0))), float(aggregate(b.sum(axis=0)))
    low, high = np.percentile(differences, [2.5, 97.5])
    by_chance = np.abs(differences - differences.mean()) >= abs(score_b - score_a)
    p_value = (int(by_chance.sum()) + 1) / (samples + 1)
    return Comparison(score_a, score_b, float(low), float(high), p_value, samples)


def compare_bleu(
    hypotheses_a: Sequence[str],
    hypotheses_b: Sequence[str],
    references: Sequence[str],
    *,
    lowercase: bool = False,
    tokenize: str = "13a",
    samples: int = 1000,
    seed: int = 0,
) -> Comparison:
    """Compares two systems by corpus BLEU."""
    a, b = (
        _bleu_statistics(hypotheses, references, lowercase, tokenize)
        for hypotheses in (hypotheses_a, hypotheses_b)
    )
    return paired_bootstrap(a, b, _bleu, samples=samples, seed=seed)


def compare_means(
    values_a: Sequence[float],
    values_b: Sequence[float],
    weights: Sequence[float] | None = None,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> Comparison:
    """Compares two systems by a mean over sentences, such as exact match.

    Args:
        values_a: One value a sentence.
        values_b: The same for the other system.
        weights: Divide by the sum of these instead of the number of sentences; with edits as
            values and reference lengths as weights, an error rate is compared.
        samples: How many test sets to draw.
        seed: Makes the draw repeatable.
    """
    divisors = np.ones(len(values_a)) if weights is None else np.asarray(weights, np.float64)
    if not len(values_a) == len(values_b) == len(divisors):
        raise DataError(f"Values must pair up: {len(values_a)} against {len(values_b)}.")
    a = np.stack([np.asarray(values_a, np.float64), divisors], axis=1)
    b = np.stack([np.asarray(values_b, np.float64), divisors], axis=1)
    return paired_bootstrap(a, b, _ratio, samples=samples, seed=seed)


_WEIGHTS: dict[str, Callable[[str], int] | None] = {
    "exact": None,
    "sequence_error": None,
    "wer": lambda reference: len(reference.split()),
    "per": lambda reference: len(reference.split()),
    "cer": len,
}
"""What the mean over sentences is weighted by, for metrics that are one."""


def compare_outputs(
    hypotheses_a: Sequence[str],
    hypotheses_b: Sequence[str],
    references: Sequence[str],
    metric: str,
) -> Comparison | None:
    """Compares two systems by a metric of ``METRICS``; None where it cannot be resampled."""
    if metric == "bleu":
        return compare_bleu(hypotheses_a, hypotheses_b, references)
    if metric not in _WEIGHTS:
        return None
    weigh = _WEIGHTS[metric]
    weights = [weigh(reference) if weigh else 1 for reference in references]

    def values(hypotheses: Sequence[str]) -> list[float]:
        rows = zip(hypotheses, references, weights, strict=True)
        return [METRICS[metric]([h], [r]).value * weight for h, r, weight in rows]

    return compare_means(values(hypotheses_a), values(hypotheses_b), weights)


def _ratio(sums: Statistics) -> Statistics:
    quotient: Statistics = sums[..., 0] / np.maximum(sums[..., 1], 1e-12)
    return quotient


def _bleu_statistics(
    hypotheses: Sequence[str], references: Sequence[str], lowercase: bool, tokenize: str
) -> Statistics:
    """Matches and totals for n-grams of 1 to 4, and both lengths [N, 10]."""
    from sacrebleu.metrics.bleu import BLEU

    if len(hypotheses) != len(references):
        raise DataError(f"{len(hypotheses)} outputs but {len(references)} references.")
    # Effective order changes sentence scores, not their counts, and is what sacrebleu asks for.
    metric = BLEU(lowercase=lowercase, tokenize=tokenize, effective_order=True)
    rows = []
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        score = metric.sentence_score(hypothesis, [reference])
        rows.append([*score.counts, *score.totals, score.sys_len, score.ref_len])
    return np.array(rows, dtype=np.float64)


def _bleu(sums: Statistics) -> Statistics:
    """BLEU with sacrebleu's exponential smoothing, from sums of statistics [..., 10]."""
    matches, totals = sums[..., :4], sums[..., 4:8]
    written, wanted = sums[..., 8], sums[..., 9]
    halvings = np.cumsum(matches == 0, axis=-1)
    counts = np.where(matches > 0, matches, 0.5**halvings)
    precision = counts / np.maximum(totals, 1)
    brevity = np.minimum(0.0, 1 - wanted / np.maximum(written, 1e-12))
    value = 100 * np.exp(np.log(precision).mean(axis=-1) + brevity)
    defined = (totals > 0).all(axis=-1) & (matches > 0).any(axis=-1)
    scores: Statistics = np.where(defined, value, 0.0)
    return scores
