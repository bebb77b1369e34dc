"""Is this machine fit, and does a model keep its promise that padding never shows?"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from seq2see import machine
from seq2see.data.corpora import CORPORA
from seq2see.data.readers import read_pairs
from seq2see.errors import Seq2SeeError
from seq2see.folder import ModelFolder
from seq2see.search import SearchConfig
from seq2see.translation import Translation
from seq2see.translator import Translator

TOLERANCE = 1e-4
"""Sums in another order differ by less."""
SENTENCES = 48
BATCHES = (2, 7, 64)
LIBRARIES = ("torch", "onnxruntime", "numpy", "sentencepiece", "sacrebleu", "matplotlib")
SCRIPTS = {"Latin": "aéñ", "Hangul": "가힣", "Arabic": "ابج", "Hebrew": "אבג"}


class Fact(NamedTuple):
    """Something about this machine."""

    name: str
    value: str


def facts() -> Iterator[Fact]:
    """What this machine offers."""
    yield Fact("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield Fact("cores", str(machine.cores()))
    for name in LIBRARIES:
        try:
            yield Fact(name, version(name))
        except PackageNotFoundError:
            yield Fact(name, "not installed")
    if find_spec("torch"):
        import torch

        on = machine.device("auto")
        fast = machine.precision("auto", on) == torch.bfloat16
        yield Fact("device", torch.cuda.get_device_name() if on.type == "cuda" else "cpu")
        yield Fact("threads", f"{torch.get_num_threads()} by torch")
        yield Fact("bfloat16", "computed by the machine" if fast else "no; float32 is used")
    if find_spec("matplotlib"):
        from seq2see.see.figure import find_fonts

        missing = [script for script, text in SCRIPTS.items() if find_fonts(text).missing]
        yield Fact(
            "fonts",
            f"none for {', '.join(missing)} (matters for .png and .pdf only)"
            if missing
            else f"for {', '.join(SCRIPTS)}",
        )


@dataclass(frozen=True)
class Proof:
    """Whether sentences come out the same however they are batched.

    Attributes:
        sentences: How many were translated.
        ways: In how many ways besides alone.
        score: Largest difference of scores.
        attention: Largest difference of attention weights.
        broken: What differs by more than the tolerance, told to a person.
    """

    sentences: int
    ways: int
    score: float
    attention: float
    broken: tuple[str, ...]


def prove_padding(
    model: Translator, sentences: Sequence[str], options: SearchConfig | None = None
) -> Proof:
    """Translates sentences alone, in batches of several sizes, and in shuffled order.

    Args:
        model: The model.
        sentences: What to translate; of different lengths, so that there is padding.
        options: How to search.
    """
    options = options or SearchConfig()
    alone = model.translate(sentences, replace(options, batch_size=1))
    shuffled = np.random.default_rng(0).permutation(len(sentences)).tolist()
    orders = {"": list(range(len(sentences))), " in shuffled order": shuffled}
    score = attention = 0.0
    broken = []
    for size in BATCHES:
        for told, order in orders.items():
            found = model.translate(
                [sentences[i] for i in order], replace(options, batch_size=size)
            )
            for i, other in zip(order, found, strict=True):
                same = alone[i].target_tokens == other.target_tokens
                gap = abs(alone[i].score - other.score)
                spread = _distance(alone[i], other) if same else 0.0
                score, attention = max(score, gap), max(attention, spread)
                # Two outputs that are equally probable may change places.
                if gap > TOLERANCE or spread > TOLERANCE:
                    broken.append(
                        f"batches of {size}{told}: {sentences[i]!r} gives {other.text!r} "
                        f"({other.score:.5f}), alone {alone[i].text!r} ({alone[i].score:.5f}), "
                        f"attention differs by {spread:.1g}"
                    )
    return Proof(len(sentences), len(BATCHES) * len(orders), score, attention, tuple(broken))


def _distance(one: Translation, other: Translation) -> float:
    return float(np.abs(one.attention - other.attention).max(initial=0.0))


def sample_sentences(folder: ModelFolder, data: str | None = None) -> list[str]:
    """Sentences of all lengths: from given pairs, the model's own, or at random.

    Args:
        folder: The model.
        data: Pairs whose sources are taken.
    """
    if data is not None:
        return _readable(folder, read_pairs(data).sources)
    known = folder.config.data
    own = f"{known.train}/valid" if known.train in CORPORA else known.train
    for spec in (known.valid, own):
        if spec:
            try:
                return _readable(folder, read_pairs(spec, known.errors).sources)
            except Seq2SeeError:  # the files are not here
                continue
    rng = np.random.default_rng(0)
    ids = range(4, folder.source.size)
    longest = min(30, folder.longest or 30)
    return [
        folder.source.decode(rng.choice(ids, size=1 + i * longest // SENTENCES).tolist())
        for i in range(SENTENCES)
    ]


def _readable(folder: ModelFolder, texts: Sequence[str]) -> list[str]:
    """Some texts that the model can read, the shortest and the longest among them."""
    longest = folder.longest
    found = sorted(texts, key=len)
    if longest is not None:
        found = [text for text in found if len(folder.source.split(text)) < longest]
    picked = np.linspace(0, len(found) - 1, min(SENTENCES, len(found))).astype(int)
    return [found[i] for i in picked]
