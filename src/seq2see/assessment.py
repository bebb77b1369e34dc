"""How good a model is on sequence pairs: everything that can be measured, in one place.

Outputs are compared with the targets by metrics, by length of the source, by how rare their words
are in the training data, for their faults, and for what their confidence is worth. Attention along
the given targets (forced decoding) is compared with gold word links, because those speak of the
words of the targets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from seq2see.alignment import align
from seq2see.data.corpus import Corpus
from seq2see.data.overlap import overlap
from seq2see.errors import ConfigError, nearest
from seq2see.evaluate import (
    METRICS,
    AlignmentScore,
    AttentionStatistics,
    Calibration,
    Comparison,
    Faults,
    FrequencyTable,
    LengthTable,
    Score,
    accuracy_by_frequency,
    alignment_error_rate,
    attention_statistics,
    collapse_warnings,
    compare_outputs,
    evaluate,
    find_faults,
    frequencies,
    output_calibration,
    score_by_length,
    token_calibration,
)
from seq2see.evaluate.by_frequency import Units
from seq2see.evaluate.metrics import character_error_rate
from seq2see.search import SearchConfig
from seq2see.text.tokenizer import Tokenizer
from seq2see.text.words import pieces
from seq2see.translation import Translation
from seq2see.translator import Translator

SENTENCES = 3.0
"""Words a text must have on average for words to be what its length is counted in."""
SHIFTS = (0, -1, 1)
"""Which token a row of attention may explain: the one predicted, or a neighbour."""


@dataclass(frozen=True)
class Alignment:
    """Agreement of attention with gold links.

    Attributes:
        score: With row t explaining target token t.
        best_shift: Which shift of the rows agrees best.
        best: The score with that shift.
    """

    score: AlignmentScore
    best_shift: int
    best: AlignmentScore


@dataclass(frozen=True)
class Assessment:
    """What was measured.

    Attributes:
        corpus: The pairs.
        outputs: What the model wrote.
        metrics: Names of the metrics.
        scores: Their values.
        perplexity: exp of the mean negative log-probability of a target token.
        by_length: The first metric by length of the source.
        unit: What that length is counted in: words, or tokens.
        by_frequency: How well rare words come out; None if the training pairs are not known.
        faults: Outputs with faults one can see.
        output_calibration: What the confidence of whole outputs is worth.
        token_calibration: What the confidence of the tokens in them is worth.
        warnings: Signs that the model, or the measurement, does not work at all.
        attention: How attention is spread along the outputs; None without attention.
        alignment: Agreement with gold links; None where there are none, or no attention.
        worst: Indices of the outputs furthest from their targets, worst first.
    """

    corpus: Corpus
    outputs: list[Translation]
    metrics: list[str]
    scores: list[Score]
    perplexity: float
    by_length: LengthTable
    unit: str
    by_frequency: FrequencyTable | None
    faults: Faults
    output_calibration: Calibration
    token_calibration: Calibration
    warnings: list[str]
    attention: AttentionStatistics | None
    alignment: Alignment | None
    worst: list[int]

    @property
    def texts(self) -> list[str]:
        """The outputs' texts."""
        return [output.text for output in self.outputs]


@dataclass(frozen=True)
class Contest:
    """A model against another system on the same pairs.

    Attributes:
        rival: The other system.
        scores: Its scores, by the metrics of the assessment.
        comparisons: The paired bootstrap of each metric, from the rival to the model; None where
            a metric cannot be resampled.
    """

    rival: str
    scores: list[Score]
    comparisons: list[Comparison | None]


def compete(found: Assessment, rival: str, outputs: Sequence[str]) -> Contest:
    """Asks whether a model differs from another system by more than chance.

    Args:
        found: What was measured of the model.
        rival: The other system's name.
        outputs: What that system wrote for the same sources.
    """
    targets = found.corpus.targets
    return Contest(
        rival,
        evaluate(outputs, targets, found.metrics),
        [compare_outputs(outputs, found.texts, targets, name) for name in found.metrics],
    )


def assess(
    model: Translator,
    corpus: Corpus,
    options: SearchConfig | None = None,
    metrics: Sequence[str] | None = None,
    train: Corpus | None = None,
) -> Assessment:
    """Measures a model.

    Args:
        model: The model.
        corpus: Pairs, with gold links if there are any.
        options: How to search.
        metrics: Names of ``METRICS``; chosen by the target's tokens if not given.
        train: The pairs the model learned from, to tell rare words from common ones.
    """
    sources, targets = list(corpus.sources), list(corpus.targets)
    metrics = list(metrics or suited_metrics(model.target, targets))
    for name in metrics:  # before the work, not after it
        if name not in METRICS:
            raise ConfigError(f"metrics: there is no '{name}'.{nearest(name, METRICS)}")
    outputs = model.translate(sources, options)
    texts = [output.text for output in outputs]
    along = model.score(sources, targets)
    counts_words = min(mean_words(sources), mean_words(targets)) >= SENTENCES
    lengths = [
        len(source.split()) if counts_words else len(one.source_tokens) - 1
        for source, one in zip(sources, along, strict=True)
    ]
    tokens = sum(len(one.token_scores) for one in along)
    warnings = collapse_warnings(sources, texts, targets)
    if train is not None and (seen := overlap(train, corpus)).notable:
        warnings.append(str(seen))
    attends = any(one.attention.any() for one in along)
    return Assessment(
        corpus=corpus,
        outputs=outputs,
        metrics=metrics,
        scores=evaluate(texts, targets, metrics),
        perplexity=math.exp(-sum(one.score for one in along) / max(tokens, 1)),
        by_length=score_by_length(texts, targets, lengths, METRICS[metrics[0]], _edges(lengths)),
        unit="words" if counts_words else "tokens",
        by_frequency=_by_frequency(model.target, texts, targets, train),
        faults=find_faults(sources, texts, targets),
        output_calibration=output_calibration(outputs, targets),
        token_calibration=token_calibration(outputs, [model.target.split(t) for t in targets]),
        warnings=warnings,
        attention=attention_statistics(outputs) if attends else None,
        alignment=_alignment(along, corpus) if attends else None,
        worst=_worst(texts, targets),
    )


def suited_metrics(target: Tokenizer, targets: Sequence[str]) -> list[str]:
    """The metrics people use for such targets: sentences, spelled words, or phones."""
    return {
        "symbols": ["sequence_error", "per"],
        "words": ["bleu", "chrf", "ter", "exact"],
        "characters": ["exact", "sequence_error", "cer"],
    }[_units(target, targets)[0]]


def _units(target: Tokenizer, targets: Sequence[str]) -> tuple[str, Units]:
    """What such targets are made of for a person, and how to cut them into it."""
    if target.kind == "symbols":
        return "symbols", str.split
    if target.kind in ("words", "subwords") or mean_words(targets) >= SENTENCES:
        return "words", lambda text: [piece for word in text.split() for piece in pieces(word)]
    return "characters", list


def mean_words(texts: Sequence[str]) -> float:
    """Whitespace words a text has on average."""
    return sum(len(text.split()) for text in texts) / max(len(texts), 1)


def _edges(lengths: Sequence[int]) -> list[int]:
    step = 10 if max(lengths) > 30 else 5
    return [step * i for i in range(1, 6)]


def _by_frequency(
    target: Tokenizer, texts: Sequence[str], targets: Sequence[str], train: Corpus | None
) -> FrequencyTable | None:
    if train is None:
        return None
    name, units = _units(target, targets)
    known = frequencies(train.targets, units)
    return FrequencyTable(
        train.name, name, accuracy_by_frequency(texts, targets, known, units=units)
    )


def _alignment(along: Sequence[Translation], corpus: Corpus) -> Alignment | None:
    if corpus.links is None:
        return None
    scores = {
        shift: alignment_error_rate([align(one, shift) for one in along], corpus.links)
        for shift in SHIFTS
    }
    best = min(SHIFTS, key=lambda shift: scores[shift].error_rate)
    return Alignment(scores[0], best, scores[best])


def _worst(texts: Sequence[str], targets: Sequence[str]) -> list[int]:
    errors = [
        0.0 if text == target else character_error_rate([text], [target]).value
        for text, target in zip(texts, targets, strict=True)
    ]
    order = sorted(range(len(texts)), key=lambda i: -errors[i])
    return [i for i in order if errors[i] > 0]
