"""How close outputs are to references. All values are percentages.

BLEU, chrF and TER are sacrebleu's, signatures included. The G2P literature says "WER" for the
share of words with any error in them; here that is the **sequence error**, and **word error
rate** is what speech recognition means by it: edits divided by reference words.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from seq2see.errors import ConfigError, DataError, nearest
from seq2see.evaluate.score import Score

Units = Callable[[str], Sequence[Hashable]]


def bleu(
    hypotheses: Sequence[str],
    references: Sequence[str],
    *,
    lowercase: bool = False,
    tokenize: str = "13a",
) -> Score:
    """Corpus BLEU (Papineni et al. 2002), by sacrebleu.

    Args:
        hypotheses: Outputs.
        references: One a hypothesis.
        lowercase: Whether case is ignored.
        tokenize: sacrebleu's tokenizer: ``13a``, ``intl``, ``char``, ``zh``, ``none``, ...
    """
    from sacrebleu.metrics.bleu import BLEU

    _paired(hypotheses, references)
    if tokenize not in BLEU.TOKENIZERS:
        raise ConfigError(f"tokenize = '{tokenize}'.{nearest(tokenize, BLEU.TOKENIZERS)}")
    metric = BLEU(lowercase=lowercase, tokenize=tokenize)
    value = metric.corpus_score(list(hypotheses), [list(references)]).score
    return Score("BLEU", value, str(metric.get_signature()))


def chrf(
    hypotheses: Sequence[str],
    references: Sequence[str],
    *,
    lowercase: bool = False,
    word_order: int = 0,
) -> Score:
    """Character n-gram F-score (Popović 2015), by sacrebleu; word_order 2 makes it chrF++."""
    from sacrebleu.metrics.chrf import CHRF

    _paired(hypotheses, references)
    metric = CHRF(lowercase=lowercase, word_order=word_order)
    value = metric.corpus_score(list(hypotheses), [list(references)]).score
    return Score("chrF" + "+" * word_order, value, str(metric.get_signature()))


def ter(hypotheses: Sequence[str], references: Sequence[str], *, lowercase: bool = False) -> Score:
    """Translation edit rate (Snover et al. 2006), by sacrebleu; lower is better."""
    from sacrebleu.metrics.ter import TER

    _paired(hypotheses, references)
    metric = TER(case_sensitive=not lowercase)
    value = metric.corpus_score(list(hypotheses), [list(references)]).score
    return Score("TER", value, str(metric.get_signature()))


def exact_match(
    hypotheses: Sequence[str], references: Sequence[str], *, lowercase: bool = False
) -> Score:
    """Share of outputs equal to their reference."""
    equal = _matches(hypotheses, references, lowercase)
    return Score("exact match", 100 * sum(equal) / len(equal), _signature("sequence", lowercase))


def sequence_error(
    hypotheses: Sequence[str], references: Sequence[str], *, lowercase: bool = False
) -> Score:
    """Share of outputs that differ from their reference (the G2P community's WER)."""
    equal = _matches(hypotheses, references, lowercase)
    value = 100 * (len(equal) - sum(equal)) / len(equal)
    return Score("sequence error", value, _signature("sequence", lowercase))


def word_error_rate(
    hypotheses: Sequence[str], references: Sequence[str], *, lowercase: bool = False
) -> Score:
    """Edits per reference word (speech recognition's WER)."""
    return _edit_rate("word error rate", "word", str.split, hypotheses, references, lowercase)


def phone_error_rate(
    hypotheses: Sequence[str], references: Sequence[str], *, lowercase: bool = False
) -> Score:
    """Edits per reference phone, where phones are written with spaces between them (PER)."""
    return _edit_rate("PER", "space-separated phone", str.split, hypotheses, references, lowercase)


def character_error_rate(
    hypotheses: Sequence[str], references: Sequence[str], *, lowercase: bool = False
) -> Score:
    """Edits per reference character, spaces included (CER)."""
    return _edit_rate("CER", "character", str, hypotheses, references, lowercase)


METRICS: dict[str, Callable[..., Score]] = {
    "bleu": bleu,
    "chrf": chrf,
    "ter": ter,
    "exact": exact_match,
    "sequence_error": sequence_error,
    "wer": word_error_rate,
    "per": phone_error_rate,
    "cer": character_error_rate,
}
"""The metrics by the names used on the command line."""


def evaluate(
    hypotheses: Sequence[str],
    references: Sequence[str],
    metrics: Sequence[str] = ("bleu", "chrf"),
    *,
    lowercase: bool = False,
    tokenize: str = "13a",
) -> list[Score]:
    """Scores outputs by several metrics of :data:`METRICS`."""
    scores = []
    for name in metrics:
        if name not in METRICS:
            raise ConfigError(f"metrics: there is no '{name}'.{nearest(name, METRICS)}")
        extra = {"tokenize": tokenize} if name == "bleu" else {}
        scores.append(METRICS[name](hypotheses, references, lowercase=lowercase, **extra))
    return scores


def _edit_rate(
    name: str,
    unit: str,
    units: Units,
    hypotheses: Sequence[str],
    references: Sequence[str],
    lowercase: bool,
) -> Score:
    from rapidfuzz.distance import Levenshtein

    _paired(hypotheses, references)
    edits = total = 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        wanted = units(_fold(reference, lowercase))
        edits += Levenshtein.distance(units(_fold(hypothesis, lowercase)), wanted)
        total += len(wanted)
    return Score(name, 100 * edits / max(total, 1), _signature(unit, lowercase))


def _matches(hypotheses: Sequence[str], references: Sequence[str], lowercase: bool) -> list[bool]:
    _paired(hypotheses, references)
    return [
        _fold(hypothesis, lowercase) == _fold(reference, lowercase)
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]


def _fold(text: str, lowercase: bool) -> str:
    return text.lower() if lowercase else text


def _signature(unit: str, lowercase: bool) -> str:
    return f"nrefs:1|case:{'lc' if lowercase else 'mixed'}|unit:{unit}"


def _paired(hypotheses: Sequence[str], references: Sequence[str]) -> None:
    if len(hypotheses) != len(references):
        raise DataError(
            f"{len(hypotheses)} outputs but {len(references)} references; each needs its own."
        )
    if not hypotheses:
        raise DataError("There is nothing to score: no outputs.")
