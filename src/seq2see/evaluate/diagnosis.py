"""What kind of errors are they? Rare words, copies, loops, collapse, false confidence."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from seq2see.errors import DataError
from seq2see.translation import Translation


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
    def recall(self) -> float:
        """Share of the wanted words that were written."""
        return self.right / self.wanted if self.wanted else 0.0

    @property
    def precision(self) -> float:
        """Share of the written words that were wanted."""
        return self.right / self.written if self.written else 0.0


def accuracy_by_frequency(
    hypotheses: Sequence[str],
    references: Sequence[str],
    frequency: Mapping[str, int],
    edges: Sequence[int] = (1, 2, 5, 10, 100, 1000),
) -> tuple[FrequencyBand, ...]:
    """Tells how well rare words come out, and common ones.

    Args:
        hypotheses: Outputs.
        references: One a hypothesis.
        frequency: How often each word stands in the training targets.
        edges: Lowest frequency of each band but the first, which starts at 0.
    """
    wanted, written, right = ([0] * (len(edges) + 1) for _ in range(3))
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        mine, theirs = Counter(hypothesis.split()), Counter(reference.split())
        for counts, totals in ((theirs, wanted), (mine, written), (mine & theirs, right)):
            for word, count in counts.items():
                totals[bisect_right(edges, frequency.get(word, 0))] += count
    rarest = [0, *edges]
    commonest = [*(edge - 1 for edge in edges), None]
    return tuple(
        FrequencyBand(*numbers)
        for numbers in zip(rarest, commonest, wanted, written, right, strict=True)
    )


@dataclass(frozen=True)
class Faults:
    """Outputs with a fault that shows without understanding them (indices).

    Attributes:
        empty: Nothing was written.
        copied: Several source words stand untranslated where the reference has none of them.
        repeated: A phrase follows itself more often than in the reference.
        runaway: More than twice as long as the reference, and by five words or more.
    """

    empty: tuple[int, ...]
    copied: tuple[int, ...]
    repeated: tuple[int, ...]
    runaway: tuple[int, ...]


def find_faults(
    sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]
) -> Faults:
    """Finds outputs that are empty, copied, repetitive or far too long, judged by words."""
    empty, copied, repeated, runaway = [], [], [], []
    rows = zip(sources, hypotheses, references, strict=True)
    for i, (source, hypothesis, reference) in enumerate(rows):
        said, wanted = hypothesis.split(), reference.split()
        if not said and wanted:
            empty.append(i)
        if len((set(said) & set(source.split())) - set(wanted)) >= 2:
            copied.append(i)
        if repetitions(said) > repetitions(wanted):
            repeated.append(i)
        if len(said) > max(2 * len(wanted), len(wanted) + 4):
            runaway.append(i)
    return Faults(tuple(empty), tuple(copied), tuple(repeated), tuple(runaway))


def repetitions(words: Sequence[str], longest: int = 4) -> int:
    """Counts the places where a phrase of up to ``longest`` words follows itself.

    >>> repetitions("the dog the dog runs runs".split())
    2
    """
    return sum(
        words[i : i + n] == words[i + n : i + 2 * n]
        for n in range(1, longest + 1)
        for i in range(len(words) - 2 * n + 1)
    )


def collapse_warnings(sources: Sequence[str], hypotheses: Sequence[str]) -> list[str]:
    """Says, in sentences for a person, whether outputs ignore their sources.

    Only tests of ten different sources or more are judged.
    """
    outputs: dict[str, set[str]] = defaultdict(set)
    for source, hypothesis in zip(sources, hypotheses, strict=True):
        outputs[hypothesis].add(source)
    different = len(set(sources))
    if different < 10:
        return []
    warnings = []
    text, served = max(outputs.items(), key=lambda item: len(item[1]))
    if len(served) >= different / 4:
        warnings.append(
            f"{len(served)} of {different} different sources give the same output "
            f"({text!r}): the decoder may not listen to the encoder. Train longer, or check that "
            "sources and targets are paired line by line."
        )
    looping = sum(repetitions(hypothesis.split()) >= 3 for hypothesis in hypotheses)
    if looping >= len(hypotheses) / 4:
        warnings.append(
            f"{looping} of {len(hypotheses)} outputs repeat themselves. Train longer, or try a "
            "coverage penalty."
        )
    return warnings


@dataclass(frozen=True)
class ConfidenceBin:
    """Outputs of similar confidence: how sure the model was, and how often right."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Calibration:
    """Whether confidence means what it says.

    Attributes:
        bins: Equal ranges of confidence from 0 to 1.
        error: Expected calibration error, the mean gap between confidence and accuracy.
    """

    bins: tuple[ConfidenceBin, ...]
    error: float


def calibration(
    confidence: Sequence[float], correct: Sequence[bool], bins: int = 10
) -> Calibration:
    """Compares confidence with accuracy (Guo et al. 2017).

    Args:
        confidence: Probabilities the model gave.
        correct: Whether each was right.
        bins: How many ranges to cut 0..1 into.
    """
    if len(confidence) != len(correct):
        raise DataError(f"{len(confidence)} confidences but {len(correct)} verdicts.")
    sure, right = np.asarray(confidence, np.float64), np.asarray(correct, np.float64)
    place = np.clip(np.ceil(sure * bins).astype(np.int64) - 1, 0, bins - 1)
    count = np.bincount(place, minlength=bins)
    held = np.maximum(count, 1)
    mean_sure = np.bincount(place, weights=sure, minlength=bins) / held
    mean_right = np.bincount(place, weights=right, minlength=bins) / held
    error = float((count * np.abs(mean_sure - mean_right)).sum() / max(len(sure), 1))
    rows = zip(count.tolist(), mean_sure.tolist(), mean_right.tolist(), strict=True)
    return Calibration(
        tuple(ConfidenceBin(i / bins, (i + 1) / bins, *row) for i, row in enumerate(rows)), error
    )


def output_calibration(
    translations: Sequence[Translation], references: Sequence[str], bins: int = 10
) -> Calibration:
    """Compares the probability of whole outputs with how often they equal their reference."""
    confidence = [float(np.exp(min(translation.score, 0.0))) for translation in translations]
    correct = [t.text == reference for t, reference in zip(translations, references, strict=True)]
    return calibration(confidence, correct, bins)
