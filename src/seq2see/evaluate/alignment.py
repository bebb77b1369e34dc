"""How well attention agrees with word links made by people, and how it is spread.

Letters: T target tokens, S source tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seq2see.data.corpus import Links
from seq2see.errors import DataError
from seq2see.translation import Translation


@dataclass(frozen=True)
class AlignmentScore:
    """Agreement with gold links (Och and Ney 2003), over a whole corpus.

    Attributes:
        error_rate: AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|); lower is better.
        precision: Share of the predicted links that are possible, |A∩P| / |A|.
        recall: Share of the sure links that were predicted, |A∩S| / |S|.
        predicted: Number of predicted links |A|.
        sure: Number of sure gold links |S|.
    """

    error_rate: float
    precision: float
    recall: float
    predicted: int
    sure: int


def alignment_error_rate(predicted: Sequence[Links], gold: Sequence[Links]) -> AlignmentScore:
    """Compares predicted links with gold ones; a sure link is also a possible one.

    Args:
        predicted: Links of each sentence pair; whether they are sure plays no part.
        gold: Links of each sentence pair, sure and possible.
    """
    if len(predicted) != len(gold):
        raise DataError(f"Links of {len(predicted)} outputs but gold links of {len(gold)} pairs.")
    found = hits_sure = hits_possible = sure_count = 0
    for mine, theirs in zip(predicted, gold, strict=True):
        links = {link[:2] for link in mine}
        sure = {link[:2] for link in theirs if link.sure}
        possible = {link[:2] for link in theirs}
        found += len(links)
        sure_count += len(sure)
        hits_sure += len(links & sure)
        hits_possible += len(links & possible)
    return AlignmentScore(
        # Nothing to find and nothing found is no error.
        error_rate=1 - (hits_sure + hits_possible) / (found + sure_count)
        if found + sure_count
        else 0.0,
        precision=hits_possible / found if found else 1.0,
        recall=hits_sure / sure_count if sure_count else 1.0,
        predicted=found,
        sure=sure_count,
    )


@dataclass(frozen=True)
class AttentionStatistics:
    """How attention is spread, over all translations.

    Attributes:
        entropy: Mean entropy of a row in bits; 0 looks at one token only.
        sharpness: Mean of the largest weight of a row.
        end_mark: Mean weight on the source's end mark.
        unread: Share of source tokens (end marks apart) that got less than half a step in all.
        overread: Share of them that got more than two steps in all.
    """

    entropy: float
    sharpness: float
    end_mark: float
    unread: float
    overread: float


def attention_statistics(translations: Sequence[Translation]) -> AttentionStatistics:
    """Summarises the attention of translations."""
    entropy, sharpness, end_mark, coverage = [], [], [], []
    for translation in translations:
        weights = translation.attention.astype(np.float64)  # [T, S]
        end = np.asarray(translation.source_words) < 0  # [S]
        logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
        entropy.append(-(weights * logs).sum(axis=1))
        sharpness.append(weights.max(axis=1, initial=0.0))
        end_mark.append(weights[:, end].sum(axis=1))
        coverage.append(weights.sum(axis=0)[~end])
    read = np.concatenate(coverage) if coverage else np.zeros(0)
    return AttentionStatistics(
        entropy=_mean(entropy),
        sharpness=_mean(sharpness),
        end_mark=_mean(end_mark),
        unread=_mean([read < 0.5]),
        overread=_mean([read > 2.0]),
    )


def _mean(parts: Sequence[np.ndarray]) -> float:
    whole = np.concatenate(parts) if parts else np.zeros(0)
    return float(whole.mean()) if len(whole) else 0.0
