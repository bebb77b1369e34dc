"""What kind of errors are they? Copies, loops, runaways, collapse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass


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
        if len(copied_words(source.split(), said, wanted)) >= 2:
            copied.append(i)
        if repetitions(said) > repetitions(wanted):
            repeated.append(i)
        if len(said) > max(2 * len(wanted), len(wanted) + 4):
            runaway.append(i)
    return Faults(tuple(empty), tuple(copied), tuple(repeated), tuple(runaway))


def copied_words(source: Sequence[str], said: Sequence[str], wanted: Sequence[str]) -> set[str]:
    """Source words that were written and not wanted."""
    return (set(said) & set(source)) - set(wanted)


def repetitions(words: Sequence[str], longest: int = 4) -> int:
    """Counts the places where a phrase of up to ``longest`` words follows itself.

    >>> repetitions("the dog the dog runs runs".split())
    2
    """
    return len(_repeats(words, longest))


def repeated_words(words: Sequence[str], longest: int = 4) -> set[int]:
    """Places of the words that only repeat the phrase before them.

    >>> sorted(repeated_words("the dog the dog runs runs".split()))
    [2, 3, 5]
    """
    return {i for start, n in _repeats(words, longest) for i in range(start, start + n)}


def _repeats(words: Sequence[str], longest: int) -> list[tuple[int, int]]:
    """Where a phrase that repeats the one before it begins, and how long it is."""
    return [
        (i + n, n)
        for n in range(1, longest + 1)
        for i in range(len(words) - 2 * n + 1)
        if words[i : i + n] == words[i + n : i + 2 * n]
    ]


def collapse_warnings(
    sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]
) -> list[str]:
    """Says, in sentences for a person, whether outputs ignore their sources.

    A quarter of the outputs is enough; of fewer than ten different sources, all are needed, and
    fewer than three are not judged. What the references do as well is no fault.
    """
    different = len(set(sources))
    if different < 3:
        return []
    enough = 0.25 if different >= 10 else 1.0
    warnings = []
    text, served = _commonest(sources, hypotheses)
    if served >= enough * different and served > 2 * _commonest(sources, references)[1]:
        warnings.append(
            f"{served} of {different} different sources give the same output "
            f"({text!r}): the decoder may not listen to the encoder. Train longer, or check that "
            "sources and targets are paired line by line."
        )
    looping = sum(
        repetitions(hypothesis.split()) >= 3 + repetitions(reference.split())
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    )
    if looping >= enough * len(hypotheses):
        warnings.append(
            f"{looping} of {len(hypotheses)} outputs repeat themselves. Train longer, or try a "
            "coverage penalty."
        )
    return warnings


def _commonest(sources: Sequence[str], outputs: Sequence[str]) -> tuple[str, int]:
    """The output that most different sources share, and how many they are."""
    served: dict[str, set[str]] = defaultdict(set)
    for source, output in zip(sources, outputs, strict=True):
        served[output].add(source)
    text = max(served, key=lambda output: len(served[output]))
    return text, len(served[text])
