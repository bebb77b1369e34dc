"""Settings that just work, chosen from the corpus where a person chose none.

Nothing a person set is touched: every rule here fills a ``None``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from seq2see.config import (
    MONOTONE,
    SAME_WIDTH,
    Config,
    ModelConfig,
    SideConfig,
    TextConfig,
    TokenizerName,
    TrainingConfig,
)
from seq2see.data.corpus import Corpus
from seq2see.text.detect import detect_kind
from seq2see.text.forms import choose_spelling

SMALL, MEDIUM, LARGE = 2_000, 15_000, 100_000
"""Pairs up to which a corpus counts as small, medium or large; beyond, time is what is short."""
ALIKE = 0.9
"""Share of the targets' letters that the sources must have for one vocabulary to serve both."""
RUNNING = 25
"""Running words for each subword of a vocabulary."""
SPELLED = ("chars", "jamo", "symbols")
"""Tokens that spell: sequences over a small alphabet."""


def choose_text(config: TextConfig, train: Corpus, valid: Corpus) -> TextConfig:
    """Kinds, forms and sizes of the two sides' tokens."""
    source = _choose_side(config.source, train.sources, valid.sources)
    target = _choose_side(config.target, train.targets, valid.targets)
    joint = config.joint
    if joint is None:
        asked = {side.size for side in (config.source, config.target)}
        alike = source.kind == target.kind == "subwords" and source.form == target.form
        joint = alike and len(asked) == 1 and _one_script(train)
    if joint and config.source.size is None and config.target.size is None:
        sizes = [side.size for side in (source, target) if side.size is not None]
        source, target = (replace(side, size=max(sizes)) for side in (source, target))
    return replace(config, source=source, target=target, joint=joint)


def _one_script(train: Corpus) -> bool:
    """Whether nearly all letters of the targets are letters of the sources."""
    letters = Counter(c for text in train.targets for c in text if c.isalpha())
    known = set().union(*train.sources)
    return sum(n for c, n in letters.items() if c in known) >= ALIKE * letters.total()


def _choose_side(side: SideConfig, train: Sequence[str], valid: Sequence[str]) -> SideConfig:
    kind, form = side.kind or cast(TokenizerName, detect_kind(train)), side.form
    if kind == "chars" and form is None:
        # Letters and accents apart where that leaves fewer characters unseen.
        spelling = choose_spelling(train, valid)
        if spelling == "jamo" and side.kind is None:
            kind = "jamo"
        form = "NFD" if spelling == "NFD" else "none"
    size = side.size
    if size is None:
        size = 50_000
        if kind == "subwords":
            # So many running words a vocabulary entry, within what small corpora can learn.
            words = sum(len(text.split()) for text in train)
            size = min(14_000, max(1_000, words // RUNNING // 500 * 500))
            size = max(size, _least_subwords(train))
    return replace(side, kind=kind, form=form or "none", size=size)


def _least_subwords(texts: Iterable[str]) -> int:
    """Subwords always hold 256 bytes, the specials and every character seen."""
    return 300 + len(set().union(*texts))


def choose_model(config: ModelConfig, text: TextConfig, pairs: int) -> ModelConfig:
    """Sizes and regularisation by the number of pairs and the kind of tokens."""
    spelled = text.target.kind in SPELLED
    hidden = config.hidden or (256 if spelled or pairs <= MEDIUM or _closed(text) else 512)
    feeding = config.input_feeding if config.input_feeding is not None else False
    # A wider encoder tells the clauses of long sentences apart, where widths may differ.
    free = config.attention.score not in SAME_WIDTH and config.bridge != "last"
    memory = config.memory or (2 * hidden if _closed(text) and free else hidden)
    dropout = config.dropout
    if dropout is None:
        dropout = 0.1 if _closed(text) else 0.5 if pairs <= SMALL and not spelled else 0.4
    tie = config.tie
    embedding = config.embedding or (128 if spelled else 256)
    if tie is None:
        tie = "all" if text.joint else "none" if spelled else "target"
        if config.wiring == "none" and not feeding and embedding != hidden:
            tie = "none"  # the vanilla output reads the state itself
    bridge = config.bridge or ("last" if memory == hidden else "learned")
    attention = config.attention
    if attention.score is None:
        attention = replace(
            attention, score="additive" if config.wiring == "bahdanau" else "general"
        )
    return replace(
        config,
        attention=attention,
        input_feeding=feeding,
        embedding=embedding,
        hidden=hidden,
        memory=memory,
        encoder_layers=config.encoder_layers or (2 if spelled else 1),
        bridge=bridge,
        tie=tie,
        dropout=dropout,
    )


def _closed(text: TextConfig) -> bool:
    """Whether words were found to be few and frequent: a small closed language."""
    return text.source.kind == text.target.kind == "words"


def choose_training(
    config: TrainingConfig, text: TextConfig, pairs: int, tokens: int
) -> TrainingConfig:
    """Length of training, batch size and rates.

    Args:
        config: What the person set.
        text: The tokens.
        pairs: Training pairs.
        tokens: Source plus target tokens of the training pairs.
    """
    spelled = text.target.kind in SPELLED
    closed = _closed(text)
    many = closed and pairs > MEDIUM
    sentences = not closed and not spelled and MEDIUM < pairs <= LARGE
    batch_pairs, batch_tokens = config.batch_pairs, config.batch_tokens
    if batch_pairs is None and batch_tokens is None:
        if many:
            # By pairs: a budget of tokens would put several times as many short sentences into
            # an update as long ones.
            batch_pairs = 64
        elif spelled or pairs <= MEDIUM:
            batch_pairs = 16 if pairs <= SMALL else 32
        else:
            batch_tokens = 3_000 if pairs <= LARGE else 4_000
    epochs = config.epochs
    if epochs is None:
        if closed:
            epochs = 4 if many else 12
        else:
            epochs = 20 if sentences else 60 if pairs <= SMALL else 30
    a_batch = max(1.0, pairs / batch_pairs if batch_pairs else tokens / (batch_tokens or 4_000))
    updates = config.updates or max(1, round(epochs * a_batch / config.accumulate))
    metric = config.metric
    if metric is None:
        if closed:
            metric = "exact"  # every sentence of a closed language has its one translation
        elif text.target.kind == "symbols":
            metric = "sequence_error"
        else:
            metric = "bleu" if sentences else "loss"
    return replace(
        config,
        epochs=epochs,
        batch_pairs=batch_pairs,
        batch_tokens=batch_tokens,
        learning_rate=config.learning_rate or (0.5 if config.optimizer == "sgd" else 2e-3),
        agreement=(
            config.agreement if config.agreement is not None else float(spelled or sentences)
        ),
        schedule=config.schedule or "cosine",
        warmup=config.warmup if config.warmup is not None else min(400, updates // 10),
        patience=config.patience if config.patience is not None else 0,
        metric=metric,
        ema=config.ema if config.ema is not None else (0.998 if updates > 2_000 else 0.99),
    )


def choose(config: Config, text: TextConfig, pairs: int, tokens: int) -> Config:
    """All choices once the tokens are known."""
    training = choose_training(config.training, text, pairs, tokens)
    if training.guided_alignment is None:
        training = replace(training, guided_alignment=float(config.data.links == MONOTONE))
    return replace(
        config,
        text=text,
        model=choose_model(config.model, text, pairs),
        training=training,
    )
