"""From a configuration to all that training needs: texts, tokens, every setting chosen."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seq2see.config import MONOTONE, Config, SideConfig, TextConfig, flat
from seq2see.data.aligner import monotone_links
from seq2see.data.batching import TokenCorpus, batches, tokenise
from seq2see.data.corpora import is_built_in
from seq2see.data.corpus import Corpus
from seq2see.data.readers import read_links, read_pairs
from seq2see.errors import ConfigError, DataError
from seq2see.folder import WEIGHTS, ModelFolder
from seq2see.text.tokenizer import Tokenizer, learn_tokenizer
from seq2see.training.defaults import SMALL, choose, choose_text


@dataclass(frozen=True)
class Prepared:
    """What a run starts from.

    Attributes:
        folder: Settings (every choice made) and tokenizers.
        train: Training texts.
        valid: Validation texts.
        train_tokens: The training pairs in ids.
        valid_tokens: The validation pairs in ids.
        rows: Training pairs that are not too long.
        fingerprint: Digest of the texts and of the settings that decide the run's course.
    """

    folder: ModelFolder
    train: Corpus
    valid: Corpus
    train_tokens: TokenCorpus
    valid_tokens: TokenCorpus
    rows: NDArray[np.int64]
    fingerprint: str

    @property
    def config(self) -> Config:
        """The settings."""
        return self.folder.config

    def epoch(self, number: int) -> TokenCorpus:
        """The training pairs as one epoch sees them (subwords sampled anew if wanted)."""
        sampling = self.config.text.sampling
        if not sampling:
            return self.train_tokens
        rng = np.random.default_rng([self.config.training.seed, number])
        return tokenise(self.train, self.folder.source, self.folder.target, sampling, rng)

    def batches(self, corpus: TokenCorpus, epoch: int) -> list[NDArray[np.int64]]:
        """One epoch's batches in order; the same for the same seed and epoch."""
        training = self.config.training
        return list(
            batches(
                corpus,
                self.rows,
                tokens=training.batch_tokens,
                pairs=training.batch_pairs,
                seed=(training.seed, epoch),
            )
        )


def read_corpora(config: Config, pairs: Corpus | None = None) -> tuple[Corpus, Corpus]:
    """The training and validation pairs.

    Args:
        config: Where they are.
        pairs: Training pairs that are in memory already.

    Raises:
        DataError: They cannot be read, or there are too few to hold some out.
    """
    data = config.data
    if pairs is None and not data.train:
        raise ConfigError(
            "There is nothing to learn from: set data.train "
            "(--data.train file.tsv, prefix.{en,de}, or phrases:en-es)."
        )
    train = pairs or read_pairs(data.train, data.errors)
    if data.links and data.links != MONOTONE:
        train = replace(train, links=read_links(data.links, len(train)))
    if data.valid:
        return train, read_pairs(data.valid, data.errors)
    if pairs is None and _has_splits(data.train):
        return train, read_pairs(data.train + "/valid", data.errors)
    return _hold_out(train, config)


def learned_pairs(config: Config) -> Corpus:
    """The pairs a model learned from: those that ``data.train`` names and that were not held out.

    Raises:
        DataError: They cannot be read any more.
    """
    data = config.data
    if not data.train:
        raise DataError("The model learned from pairs that no file holds.")
    train = read_pairs(data.train, data.errors)
    return train if data.valid or _has_splits(data.train) else _hold_out(train, config)[0]


def _has_splits(spec: str) -> bool:
    return is_built_in(spec) and "/" not in spec


def _hold_out(corpus: Corpus, config: Config) -> tuple[Corpus, Corpus]:
    """Splits off a share for validation, the same for every run on these pairs."""
    n = len(corpus)
    wanted = min(1_000, max(1, round(n * config.data.held_out)))
    if n < 2:
        raise DataError(f"{corpus.name} holds one pair; training needs at least two.")
    # Not training.seed: models of several seeds are to share their tokens, and work together.
    order = np.random.default_rng(0).permutation(n)
    held = np.sort(order[:wanted])
    kept = np.sort(order[wanted:])

    def part(rows: NDArray[np.int64], name: str) -> Corpus:
        return Corpus(
            name,
            [corpus.sources[i] for i in rows],
            [corpus.targets[i] for i in rows],
            None if corpus.links is None else [corpus.links[i] for i in rows],
        )

    return part(kept, corpus.name), part(held, f"{corpus.name} (held out)")


def prepare(
    config: Config, out: Path, known: ModelFolder | None = None, pairs: Corpus | None = None
) -> Prepared:
    """Reads the data, learns the tokenizers and chooses what the person left open.

    Args:
        config: Settings as given.
        out: The run's folder.
        known: The folder of a run to go on with; its tokenizers are used as they are.
        pairs: Training pairs that are in memory already.
    """
    train, valid = read_corpora(config, pairs)
    teachers = open_teachers(config)
    if known is None and teachers:
        known = teachers[0]
        config = replace(config, text=_as_taught(config.text, known))
    text = choose_text(config.text, train, valid)
    if known is None:
        source, target = learn_tokenizers(text, train)
    else:
        source, target = known.source, known.target
    train_tokens = tokenise(train, source, target)
    valid_tokens = tokenise(valid, source, target)
    data = config.data
    most = data.max_length or 10**9
    rows = train_tokens.shorter_than(most)
    if len(rows) == 0:
        raise DataError(
            f"All {len(train)} pairs of {train.name} are longer than data.max_length = "
            f"{data.max_length} tokens. Raise it, or split the texts."
        )
    tokens = int(train_tokens.source.lengths[rows].sum() + train_tokens.target.lengths[rows].sum())
    links = _own_links(config, text, train_tokens)
    if links is not None:
        train_tokens = replace(train_tokens, links=links)
        config = replace(config, data=replace(data, links=MONOTONE))
    config = choose(config, text, len(rows), tokens)
    folder = ModelFolder(out, config, source, target)
    return Prepared(
        folder, train, valid, train_tokens, valid_tokens, rows, _fingerprint(config, train)
    )


def _own_links(
    config: Config, text: TextConfig, corpus: TokenCorpus
) -> Sequence[NDArray[np.int64]] | None:
    """Links found in the pairs themselves.

    They are found where a person asks for them, and where phones are seen to stand in the order
    of the letters they belong to. A thousand words do not show that order; from several thousand
    it is learned better than links tell it (docs/quality.md).
    """
    asked = config.data.links == MONOTONE
    if asked and text.sampling:
        raise ConfigError(
            "data.links = 'monotone' links the tokens of one split; text.sampling splits anew in "
            "every epoch. Leave one of them out."
        )
    guided = config.model.wiring != "none" and config.training.guided_alignment != 0
    free = guided and len(corpus) <= SMALL and not config.data.links and corpus.links is None
    spoken = text.source.kind in ("chars", "jamo") and text.target.kind == "symbols"
    if not asked and not (free and spoken):
        return None
    found = monotone_links(corpus.source, corpus.target)
    return found.links if asked or found.in_order else None


def open_teachers(config: Config) -> list[ModelFolder]:
    """The folders that ``data.teacher`` names."""
    names = [name.strip() for name in (config.data.teacher or "").split(",")]
    return [ModelFolder.open(name) for name in names if name]


def _as_taught(text: TextConfig, teacher: ModelFolder) -> TextConfig:
    """The teacher's settings of text, which the student must share.

    Raises:
        ConfigError: A person asked for others.
    """
    theirs, unset = flat(teacher.config.text), flat(TextConfig())
    for name, value in flat(text).items():
        if value not in (unset.get(name), theirs.get(name)):
            raise ConfigError(
                f"text.{name} = {value!r}, but the teacher {teacher.path} has "
                f"{theirs.get(name)!r}: it can only teach a model that reads and writes its "
                "tokens. Leave text.* out."
            )
    if teacher.config.text.sampling:
        return replace(teacher.config.text, sampling=0.0)  # lessons are about one split
    return teacher.config.text


def learn_tokenizers(text: TextConfig, train: Corpus) -> tuple[Tokenizer, Tokenizer]:
    """The two sides' tokenizers; one and the same if the vocabulary is joint.

    They do not depend on training.seed: models of several seeds are to work together.
    """

    def learn(side: SideConfig, texts: Sequence[str]) -> Tokenizer:
        assert side.kind is not None
        return learn_tokenizer(
            texts,
            kind=side.kind,
            size=side.size or 8_000,
            min_count=text.min_count,
            model_type=text.model,
            form=side.form or "none",
        )

    if text.joint:
        if text.source != text.target:
            raise ConfigError("text.joint = true needs the same text.source and text.target.")
        both = learn(text.source, [*train.sources, *train.targets])
        return both, both
    return learn(text.source, train.sources), learn(text.target, train.targets)


def _fingerprint(config: Config, train: Corpus) -> str:
    """Changes when the data or the order of training would."""
    digest = hashlib.sha256()
    for text in (*train.sources, *train.targets):
        digest.update(text.encode("utf-8", "surrogatepass") + b"\n")
    training = config.training
    digest.update(repr((training.seed, training.batch_pairs, training.batch_tokens)).encode())
    digest.update(repr((training.accumulate, config.text, config.model)).encode())
    for teacher in open_teachers(config):
        digest.update((teacher.path / WEIGHTS).read_bytes())
    return digest.hexdigest()[:32]
