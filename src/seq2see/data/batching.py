"""Token ids as flat arrays, and batches of like length in an order that the seed fixes.

Letters: N pairs, B pairs in a batch, S source and T target positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seq2see.data.corpus import Corpus, Links
from seq2see.text.tokenizer import Tokenizer
from seq2see.text.vocabulary import BOS, EOS, PAD

Ids = NDArray[np.int64]


STEP = 8
"""Larger batches of a token budget hold a multiple of this many pairs."""


@dataclass(frozen=True)
class Side:
    """One side's token ids, end marks included, one after the other.

    Attributes:
        flat: All ids.
        offsets: Where each sequence begins, and the end of the last [N + 1].
    """

    flat: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]]) -> Side:
        """Joins sequences, adding the end mark to each."""
        lengths = np.fromiter((len(s) + 1 for s in sequences), np.int64, len(sequences))
        offsets = np.concatenate([[0], lengths.cumsum()])
        flat = np.full(offsets[-1], EOS, np.int32)
        for start, s in zip(offsets[:-1].tolist(), sequences, strict=True):
            flat[start : start + len(s)] = s
        return cls(flat, offsets)

    @property
    def lengths(self) -> Ids:
        """Tokens of each sequence, end mark included [N]."""
        return np.diff(self.offsets)

    def padded(self, rows: Ids, start: int | None = None) -> Ids:
        """Sequences beside each other, padded on the right [B, longest].

        Args:
            rows: Which sequences [B].
            start: A token to put before each.
        """
        lengths = self.lengths[rows]
        extra = 0 if start is None else 1
        result = np.full((len(rows), int(lengths.max()) + extra), PAD, np.int64)
        if start is not None:
            result[:, 0] = start
        for i, (row, n) in enumerate(zip(rows.tolist(), lengths.tolist(), strict=True)):
            begin = self.offsets[row]
            result[i, extra : extra + n] = self.flat[begin : begin + n]
        return result


@dataclass(frozen=True)
class Lessons:
    """What a teacher predicts at every target position, its K likeliest tokens.

    Attributes:
        tokens: Entries of the target vocabulary [all target tokens, K].
        shares: Their probabilities, which sum to 1 [all target tokens, K].
    """

    tokens: NDArray[np.int32]
    shares: NDArray[np.float16]

    def padded(self, offsets: Ids, rows: Ids) -> tuple[Ids, NDArray[np.float32]]:
        """The lessons of some sequences beside each other, each [B, T, K].

        Args:
            offsets: Where each sequence begins [N + 1].
            rows: Which sequences [B].
        """
        lengths = np.diff(offsets)[rows]
        shape = (len(rows), int(lengths.max()), self.tokens.shape[1])
        tokens, shares = np.full(shape, PAD, np.int64), np.zeros(shape, np.float32)
        for i, (begin, n) in enumerate(zip(offsets[rows].tolist(), lengths.tolist(), strict=True)):
            tokens[i, :n] = self.tokens[begin : begin + n]
            shares[i, :n] = self.shares[begin : begin + n]
        return tokens, shares


@dataclass(frozen=True)
class Batch:
    """Pairs padded beside each other.

    Attributes:
        source: [B, S], end marks included.
        source_lengths: [B].
        target: Start mark, tokens, end mark [B, T + 1].
        rows: Which pairs of the corpus these are [B].
        links: For guided alignment, how much of each target token's attention belongs on each
            source token [B, T, S]; rows without a link are zero.
        lessons: What a teacher predicts: tokens and their probabilities, each [B, T, K].
    """

    source: Ids
    source_lengths: Ids
    target: Ids
    rows: Ids
    links: NDArray[np.float32] | None = None
    lessons: tuple[Ids, NDArray[np.float32]] | None = None


@dataclass(frozen=True)
class TokenCorpus:
    """A corpus in ids.

    Attributes:
        source: The source side.
        target: The target side.
        links: Token links of each pair [L, 2], or None.
        lessons: What a teacher predicts, or None.
    """

    source: Side
    target: Side
    links: Sequence[NDArray[np.int64]] | None = None
    lessons: Lessons | None = None

    def __len__(self) -> int:
        return len(self.source.offsets) - 1

    @property
    def target_tokens(self) -> int:
        """Target tokens, end marks included."""
        return int(self.target.offsets[-1])

    def batch(self, rows: Ids) -> Batch:
        """The pairs ``rows`` as one batch."""
        source = self.source.padded(rows)
        target = self.target.padded(rows, BOS)
        links = None
        if self.links is not None:
            links = np.zeros((len(rows), target.shape[1] - 1, source.shape[1]), np.float32)
            for i, row in enumerate(rows.tolist()):
                pairs = self.links[row]
                links[i, pairs[:, 1], pairs[:, 0]] = 1
            links /= np.maximum(links.sum(-1, keepdims=True), 1)
        lessons = None
        if self.lessons is not None:
            lessons = self.lessons.padded(self.target.offsets, rows)
        return Batch(source, self.source.lengths[rows], target, rows, links, lessons)

    def shorter_than(self, most: int) -> Ids:
        """The pairs of at most ``most`` tokens on either side."""
        return np.flatnonzero((self.source.lengths <= most) & (self.target.lengths <= most))


def tokenise(
    corpus: Corpus,
    source: Tokenizer,
    target: Tokenizer,
    sampling: float = 0.0,
    rng: np.random.Generator | None = None,
) -> TokenCorpus:
    """Turns texts into ids.

    Args:
        corpus: Texts, perhaps with word links.
        source: The source side's tokenizer.
        target: The target side's tokenizer.
        sampling: Subword regularisation; 0 splits every text the one best way.
        rng: Where the samples come from.
    """

    def split(tokenizer: Tokenizer, text: str) -> list[str]:
        if sampling and rng is not None:
            return tokenizer.sample(text, rng, sampling)
        return tokenizer.split(text)

    sources = [split(source, text) for text in corpus.sources]
    targets = [split(target, text) for text in corpus.targets]
    links = None
    if corpus.links is not None:
        links = [
            _token_links(pair, source.words(s), target.words(t))
            for pair, s, t in zip(corpus.links, sources, targets, strict=True)
        ]
    return TokenCorpus(
        Side.of([source.ids(tokens) for tokens in sources]),
        Side.of([target.ids(tokens) for tokens in targets]),
        links,
    )


def _token_links(links: Links, source: list[int], target: list[int]) -> NDArray[np.int64]:
    """Word links as links between every token of the two words."""
    of_source: dict[int, list[int]] = {}
    for i, word in enumerate(source):
        of_source.setdefault(word, []).append(i)
    sure = [link for link in links if link.sure]
    # A target word with only possible links is pulled to those rather than left alone.
    held = {link.target for link in sure}
    used = sure + [link for link in links if not link.sure and link.target not in held]
    wanted: dict[int, list[int]] = {}
    for link in used:
        wanted.setdefault(link.target, []).extend(of_source.get(link.source, []))
    pairs = [(i, j) for j, word in enumerate(target) for i in wanted.get(word, [])]
    return np.array(pairs, np.int64).reshape(-1, 2)


def batches(
    corpus: TokenCorpus,
    rows: Ids,
    *,
    tokens: int | None = None,
    pairs: int | None = None,
    seed: tuple[int, int] | None = None,
) -> Iterator[Ids]:
    """Groups pairs of like length.

    Args:
        corpus: Where the lengths come from.
        rows: The pairs to use.
        tokens: Source plus target tokens of a batch at most, padding counted.
        pairs: Pairs of a batch at most.
        seed: (run's seed, epoch): shuffles pairs of equal length and the order of the batches.
            None keeps batches sorted by length.

    Yields:
        Row numbers, longest pairs of a batch first.
    """
    rng = np.random.default_rng(seed) if seed is not None else None
    lengths = np.stack([corpus.target.lengths[rows], corpus.source.lengths[rows]])
    keys: tuple[NDArray[np.float64], ...] = (lengths[1], lengths[0])
    if rng is not None:
        keys = (rng.random(len(rows)), *keys)
    order = rows[np.lexsort(keys)][::-1]
    target, source = corpus.target.lengths[order], corpus.source.lengths[order]
    groups, start = [], 0
    longest_source = longest_target = 0
    for i, (s, t) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        wide_s, wide_t = max(longest_source, s), max(longest_target, t)
        count = i + 1 - start
        if count > 1 and (
            (tokens and count * (wide_s + wide_t) > tokens) or (pairs and count > pairs)
        ):
            end = i
            if tokens and i - start > STEP:
                # Few different numbers of pairs: each new shape costs time (oneDNN compiles it).
                end = start + (i - start) // STEP * STEP
            groups.append(order[start:end])
            start = end
            wide_s, wide_t = int(source[start : i + 1].max()), int(target[start : i + 1].max())
        longest_source, longest_target = wide_s, wide_t
    if start < len(order):
        groups.append(order[start:])
    if rng is not None:
        rng.shuffle(groups)
    yield from groups
