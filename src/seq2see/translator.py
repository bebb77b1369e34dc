"""A loaded model: text in, translations with their attention out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import overload

from seq2see.engine.engine import Engine
from seq2see.folder import ModelFolder
from seq2see.search import Hypothesis, SearchConfig, score_targets, search
from seq2see.text.tokenizer import Tokenizer
from seq2see.text.vocabulary import EOS, SPECIALS, UNK
from seq2see.translation import Translation

END = SPECIALS[EOS]
CHUNK = 2_048
"""Sentences sorted by length together when a stream is translated."""


class Translator:
    """A model that is ready to use.

    Args:
        source: The source side's tokenizer.
        target: The target side's tokenizer.
        engine: What runs the network.
    """

    def __init__(self, source: Tokenizer, target: Tokenizer, engine: Engine) -> None:
        self.source, self.target, self.engine = source, target, engine

    @classmethod
    def load(
        cls,
        *paths: str | Path,
        device: str = "auto",
        threads: int | None = None,
        precision: str = "float32",
    ) -> Translator:
        """Reads one model folder, or several whose predictions are averaged.

        Args:
            paths: Model folders; several must share their target vocabulary.
            device: auto, cpu or cuda.
            threads: CPU threads; all cores if not given.
            precision: float32, bfloat16 or auto.
        """
        from seq2see.engine.load import load_engine

        folders = [ModelFolder.open(path) for path in paths]
        engine = load_engine(folders, device=device, threads=threads, precision=precision)
        return cls(folders[0].source, folders[0].target, engine)

    @overload
    def translate(  # type: ignore[overload-overlap]
        self, texts: str, options: SearchConfig | None = None
    ) -> Translation: ...

    @overload
    def translate(
        self, texts: Iterable[str], options: SearchConfig | None = None
    ) -> list[Translation]: ...

    def translate(
        self, texts: str | Iterable[str], options: SearchConfig | None = None
    ) -> Translation | list[Translation]:
        """Translates one text, or each of several.

        Args:
            texts: A text, or texts.
            options: How to search; beam 5 if not given.

        Returns:
            A ``Translation``, or a list of them in the same order.
        """
        if isinstance(texts, str):
            return next(self.stream([texts], options))
        return list(self.stream(texts, options))

    def stream(
        self, texts: Iterable[str], options: SearchConfig | None = None
    ) -> Iterator[Translation]:
        """Translates texts as they come; order is kept, memory stays flat."""
        options = options or SearchConfig()
        # More than asked for, because different tokens may spell the same text.
        wanted = options.n_best
        inner = options if wanted == 1 or options.sample else replace(options, n_best=options.beam)
        texts = iter(texts)
        while chunk := list(islice(texts, CHUNK)):
            tokens = [self.source.split(text) for text in chunk]
            ids = [[*self.source.ids(t), EOS] for t in tokens]
            full = [i for i, t in enumerate(tokens) if t]
            found = iter(search(self.engine, [ids[i] for i in full], inner))
            for text, surface in zip(chunk, tokens, strict=True):
                if not surface:
                    yield self._nothing(text)
                    continue
                best = [self._translation(text, surface, h) for h in next(found)]
                yield _ranked(best, wanted, keep_all=options.sample)

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[Translation]:
        """Log-probabilities of given targets, with the attention along them."""
        surfaces = [self.source.split(text) for text in sources]
        ids = [[*self.source.ids(s), EOS] for s in surfaces]
        given = [self.target.encode(text) for text in targets]
        hypotheses = score_targets(self.engine, ids, given)
        return [
            replace(self._translation(text, surface, h), text=target)
            for text, surface, target, h in zip(sources, surfaces, targets, hypotheses, strict=True)
        ]

    def _translation(self, text: str, surface: list[str], h: Hypothesis) -> Translation:
        source_tokens = [*surface, END]
        tokens = self.target.tokens(h.tokens)
        if UNK in h.tokens:
            # An unknown word is copied from where the model looked (Luong 2015, section 4.1).
            at = h.attention[:, : len(surface)].argmax(-1)
            tokens = [
                surface[i] if token == UNK else name
                for token, name, i in zip(h.tokens, tokens, at.tolist(), strict=True)
            ]
        return Translation(
            text=self.target.join(tokens),
            score=h.score,
            source=text,
            source_tokens=tuple(source_tokens),
            target_tokens=tuple(tokens),
            token_scores=h.token_scores,
            attention=h.attention,
            source_words=tuple(self.source.words(source_tokens)),
            target_words=tuple(self.target.words(tokens)),
        )

    def _nothing(self, text: str) -> Translation:
        """An empty line stays an empty line."""
        import numpy as np

        return Translation("", 0.0, text, (), (), (), np.zeros((0, 0), np.float32), (), ())


def _ranked(found: list[Translation], wanted: int, keep_all: bool) -> Translation:
    """The best translation with the others as its alternatives, no text twice."""
    if not keep_all:
        first: dict[str, Translation] = {}
        for translation in found:
            first.setdefault(translation.text, translation)
        found = list(first.values())
    return replace(found[0], alternatives=tuple(found[1:wanted]))
