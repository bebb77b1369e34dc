"""A loaded model: text in, translations with their attention out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

from seq2see.config import with_settings
from seq2see.engine.engine import Engine
from seq2see.errors import ModelError
from seq2see.folder import ModelFolder
from seq2see.search import Hypothesis, SearchConfig, score_targets, search_stream
from seq2see.text.tokenizer import Tokenizer
from seq2see.text.vocabulary import EOS, SPECIALS, UNK
from seq2see.translation import Translation

END = SPECIALS[EOS]


class Translator:
    """A model that is ready to use.

    Args:
        source: The source side's tokenizer.
        target: The target side's tokenizer.
        engine: What runs the network.
        longest: Most source tokens the network reads, end mark included, if there is a limit.
        workers: How many batches run through the engine at once.
        why: How the engine uses the machine, told to a person.
        alone: What runs the network for a single sentence; the engine if not given.
    """

    def __init__(
        self,
        source: Tokenizer,
        target: Tokenizer,
        engine: Engine,
        longest: int | None = None,
        workers: int = 1,
        why: str = "",
        alone: Engine | None = None,
    ) -> None:
        self.source, self.target, self.engine, self.longest = source, target, engine, longest
        self.workers, self.why, self.alone = workers, why, alone or engine

    @classmethod
    def load(
        cls,
        *paths: str | Path,
        engine: str = "auto",
        device: str = "auto",
        threads: int | None = None,
        precision: str = "float32",
        shortlist: bool = False,
    ) -> Translator:
        """Reads one model folder, or several whose predictions are averaged.

        Args:
            paths: Model folders; several must share their target vocabulary.
            engine: torch, or onnx for exported models; auto takes onnx where torch is missing.
            device: auto, cpu or cuda.
            threads: CPU threads; all cores if not given. An exported model uses them for as
                many batches at once; a single sentence has one thread, unless several were
                measured to be faster and no number was given.
            precision: float32, bfloat16 or auto; float32 or int8 for exported models.
            shortlist: Whether an exported model looks only at the target words a source may need.
        """
        from seq2see.engine.load import load_engine

        if not paths:
            raise ModelError("Which model? Name at least one model folder.")
        folders = [ModelFolder.open(path) for path in paths]
        loaded = load_engine(
            folders,
            engine=engine,
            device=device,
            threads=threads,
            precision=precision,
            shortlist=shortlist,
        )
        limits = [folder.longest for folder in folders if folder.longest is not None]
        return cls(
            folders[0].source,
            folders[0].target,
            loaded.engine,
            min(limits, default=None),
            loaded.workers,
            loaded.why,
            loaded.alone,
        )

    @overload
    def translate(
        self, texts: str, options: SearchConfig | None = None, **settings: Any
    ) -> Translation: ...

    @overload
    def translate(
        self, texts: Iterable[str], options: SearchConfig | None = None, **settings: Any
    ) -> list[Translation]: ...

    def translate(
        self, texts: str | Iterable[str], options: SearchConfig | None = None, **settings: Any
    ) -> Translation | list[Translation]:
        """Translates one text, or each of several.

        Args:
            texts: A text, or texts.
            options: How to search; beam 5 if not given.
            settings: Single settings of ``SearchConfig``: ``beam=1, n_best=3``.

        Returns:
            A ``Translation``, or a list of them in the same order.
        """
        options = with_settings(options or SearchConfig(), settings)
        if isinstance(texts, str):
            return next(self.stream([texts], options))
        return list(self.stream(texts, options))

    def stream(
        self,
        texts: Iterable[str],
        options: SearchConfig | None = None,
        first: int = 1,
    ) -> Iterator[Translation]:
        """Translates texts as they come; order is kept, memory stays flat.

        Args:
            texts: The texts.
            options: How to search; beam 5 if not given.
            first: Number of the first text, for messages.

        Raises:
            ModelError: A text is longer than the network reads; says which.
        """
        single = isinstance(texts, Sequence) and len(texts) == 1
        engines = [self.alone] if single else [self.engine] * self.workers
        return self._stream(engines, texts, options or SearchConfig(), first)

    def _stream(
        self,
        engines: Sequence[Engine],
        texts: Iterable[str],
        options: SearchConfig,
        first: int = 1,
    ) -> Iterator[Translation]:
        # More than asked for, because different tokens may spell the same text.
        wanted = options.n_best
        inner = options if wanted == 1 or options.sample else replace(options, n_best=options.beam)
        under_way: deque[tuple[str, list[str]]] = deque()

        def read() -> Iterator[list[int]]:
            for number, text in enumerate(texts, start=first):
                surface = self.source.split(text)
                ids = self._ids(surface, number) if surface else []
                under_way.append((text, surface))
                yield ids

        for hypotheses in search_stream(engines, read(), inner):
            text, surface = under_way.popleft()
            best = [self._translation(text, surface, h) for h in hypotheses]
            yield _ranked(best, wanted, keep_all=options.sample) if best else self._nothing(text)

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[Translation]:
        """Log-probabilities of given targets, with the attention along them."""
        surfaces = [self.source.split(text) for text in sources]
        ids = [self._ids(surface, number) for number, surface in enumerate(surfaces, start=1)]
        given = [self.target.encode(text) for text in targets]
        hypotheses = score_targets(self.engine, ids, given)
        return [
            replace(self._translation(text, surface, h), text=target)
            for text, surface, target, h in zip(sources, surfaces, targets, hypotheses, strict=True)
        ]

    def _ids(self, surface: Sequence[str], number: int) -> list[int]:
        """What the network reads of a text, end mark included."""
        ids = [*self.source.ids(surface), EOS]
        if self.longest is not None and len(ids) > self.longest:
            raise ModelError(
                f"Text {number} has {len(ids)} tokens, and the location score of this model "
                f"knows {self.longest} positions. Split the text, or train with a larger "
                "model.max_source."
            )
        return ids

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
