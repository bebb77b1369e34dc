"""Every setting, once.

These classes make the TOML file, the command-line flags, their help and the reference page.
A setting of ``None`` is chosen from the data when training starts (``training/defaults.py``),
and the choice is shown and saved; a setting a person wrote is never changed, only refused.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from seq2see.errors import ConfigError, nearest
from seq2see.toml import read_toml

CellName = Literal["rnn", "gru", "lstm"]
ScoreName = Literal["dot", "scaled_dot", "general", "additive", "cosine", "location"]
SAME_WIDTH: tuple[ScoreName, ...] = ("dot", "scaled_dot", "cosine")
"""Scores that compare states of one width."""
WindowName = Literal["global", "local_m", "local_p"]
WiringName = Literal["none", "bahdanau", "luong"]
TokenizerName = Literal["chars", "words", "jamo", "subwords", "symbols"]


MONOTONE = "monotone"
"""In place of a file of links: they are found in the pairs themselves."""


@dataclass(frozen=True)
class DataConfig:
    """Where the pairs are."""

    train: str = ""
    """Training pairs: file.tsv, prefix.{en,de}, or a built-in corpus such as phrases:en-es."""
    valid: str | None = None
    """Validation pairs; without it a share of the training pairs is held out."""
    links: str | None = None
    """Word links of the training pairs, one Pharaoh line a pair (0-0 1-2), for guided alignment;
    or monotone: found in the pairs themselves, never going back. Chosen for the pronunciation
    of few words."""
    teacher: str | None = None
    """Model folder to learn from besides the pairs; several, with commas between, are an ensemble.
    Its tokens are used."""
    errors: Literal["strict", "replace"] = "strict"
    """What to do with invalid UTF-8: stop, or put U+FFFD in its place."""
    max_length: int | None = None
    """Longest sequence in tokens, either side; longer training pairs are left out."""
    held_out: float = 0.05
    """Share of the training pairs used for validation when none are given (at most 1,000)."""


@dataclass(frozen=True)
class SideConfig:
    """How one side's text becomes tokens."""

    kind: TokenizerName | None = None
    """Tokens: chars, words, jamo, subwords or symbols (space-separated); chosen from the text."""
    size: int | None = None
    """Largest vocabulary (subwords: wanted vocabulary)."""
    form: Literal["none", "NFC", "NFD"] | None = None
    """Unicode form of characters; NFD splits accents and Hangul off."""


@dataclass(frozen=True)
class TextConfig:
    """Text to tokens and back."""

    source: SideConfig = SideConfig()
    target: SideConfig = SideConfig()
    joint: bool | None = None
    """One vocabulary for both sides."""
    model: Literal["bpe", "unigram"] = "bpe"
    """Kind of sentencepiece model for subwords."""
    sampling: float = 0.0
    """Subword regularisation: chance of dropping a merge (bpe) or smoothing (unigram); 0 = off."""
    min_count: int = 1
    """Tokens seen less often than this are unknown (not for subwords)."""


@dataclass(frozen=True)
class AttentionConfig:
    """e_ti = score(s, h_i), its window, and extras."""

    score: ScoreName | None = None
    """dot s·h, scaled_dot s·h/√d, general sᵀW h, additive vᵀtanh(W s + U h), cosine, location."""
    window: WindowName = "global"
    """global; local_m (p_t = t); local_p (p_t = S·sigmoid(vᵀtanh(W s)), Gaussian)."""
    width: int = 10
    """D: a local window reaches from p−D to p+D."""
    normalise: bool = True
    """Rows of local_p sum to 1; false leaves Luong's equation 10 as printed."""
    heads: int = 1
    """More than one: multi-head over dot, scaled_dot, general or additive."""
    size: int | None = None
    """Units of the additive score's hidden layer; the decoder's width if not set."""
    coverage: bool = False
    """Attention already paid to a position enters its score."""


@dataclass(frozen=True)
class ModelConfig:
    """The network."""

    wiring: WiringName = "luong"
    """none (vanilla), bahdanau (attend with s_{t−1}, before the cell), luong (with s_t, after)."""
    input_feeding: bool | None = None
    """luong: s̃_{t−1} joins the next input. none: the context is fed at every step (Cho 2014)."""
    attention: AttentionConfig = AttentionConfig()
    embedding: int | None = None
    """Units of an embedding."""
    hidden: int | None = None
    """Units of the decoder's state."""
    memory: int | None = None
    """Units of an encoder state (both directions together); the decoder's width if not set."""
    encoder_cell: CellName = "lstm"
    decoder_cell: CellName = "lstm"
    encoder_layers: int | None = None
    """Chosen by the target's tokens."""
    decoder_layers: int = 1
    bidirectional: bool = True
    """Read the source in both directions; each gets half of the memory's units."""
    bridge: Literal["zero", "last", "mean", "learned"] | None = None
    """First decoder state: zero, the encoder's last, tanh(W·mean), or tanh(W·last)."""
    tie: Literal["none", "inputs", "target", "all"] | None = None
    """Shared embeddings: none; inputs (source = target); target (target = output layer); all."""
    dropout: float | None = None
    """Dropout on embeddings, between layers and on the readout."""
    embedding_dropout: float | None = None
    """Dropout on embeddings alone; follows dropout if not set."""
    word_dropout: float = 0.0
    """Chance that a whole token's embedding is dropped in training."""
    variational: bool = False
    """One dropout mask for all positions of a sequence."""
    layer_norm: bool = False
    """Layer normalisation of the states the layers put out."""
    max_source: int = 256
    """Positions the location score knows; only used with score = location."""


@dataclass(frozen=True)
class TrainingConfig:
    """How the weights are learned."""

    seed: int = 1
    epochs: int | None = None
    """Passes over the data at most."""
    updates: int | None = None
    """Updates at most; overrides epochs."""
    batch_tokens: int | None = None
    """Source plus target tokens in a batch, padding counted."""
    batch_pairs: int | None = None
    """Pairs in a batch at most."""
    accumulate: int = 1
    """Batches whose gradients make one update."""
    optimizer: Literal["adam", "adamw", "sgd"] = "adam"
    learning_rate: float | None = None
    weight_decay: float = 0.0
    schedule: Literal["constant", "inverse_root", "cosine", "plateau"] | None = None
    """How the learning rate falls after the warm-up."""
    warmup: int | None = None
    """Updates over which the learning rate rises from 0."""
    decay: float = 0.5
    """plateau: what the rate is multiplied by when validation stops improving."""
    clip: float = 1.0
    """Largest norm of the gradient; 0 = no clipping."""
    label_smoothing: float = 0.1
    teacher_forcing: float = 1.0
    """Share of steps fed with the true token at the start; the others get the model's own."""
    teacher_forcing_end: float | None = None
    """Share of true tokens at the end of training (linear in between)."""
    agreement: float | None = None
    """Weight of the agreement between two passes under different dropout (R-Drop, Liang 2021);
    0 makes one pass, anything else costs twice the time. Chosen by the target's tokens."""
    distillation: float = 0.5
    """With data.teacher: how much of the loss is agreement with what the teacher predicts."""
    guided_alignment: float | None = None
    """Weight of the loss that pulls attention to the links (data.links, or a built-in corpus's);
    1 if they were found in the pairs themselves, 0 otherwise, if not set."""
    validate_every: int | None = None
    """Updates between validations; an epoch if not set."""
    patience: int | None = None
    """Validations without improvement before training stops; 0 = never."""
    metric: Literal["loss", "bleu", "chrf", "exact", "sequence_error", "per", "cer"] | None = None
    """What picks the best checkpoint: validation loss, or a score of translations."""
    ema: float | None = None
    """Decay of the running average of weights used for validation and the final model; 0 = off."""
    average: int = 1
    """Average the last N validated checkpoints into the final model."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Number format of products; auto takes bfloat16 where the machine computes in it."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    threads: int | None = None
    """CPU threads; all cores if not set."""
    keep: int = 1
    """Checkpoints kept besides the best."""
    save_every: int | None = None
    """Updates between checkpoints besides those at each validation."""


@dataclass(frozen=True)
class Config:
    """A training run."""

    data: DataConfig = DataConfig()
    text: TextConfig = TextConfig()
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()


T = TypeVar("T")


def from_mapping(kind: type[T], values: Mapping[str, Any], where: str = "") -> T:
    """Builds a config class from nested plain values, refusing what it does not know.

    Args:
        kind: The dataclass to build.
        values: What a TOML table holds.
        where: Dotted name of the table, for messages.

    Raises:
        ConfigError: An unknown key (the nearest is named) or a value of the wrong type.
    """
    hints = typing.get_type_hints(kind)
    known = {f.name: hints[f.name] for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    built: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{where}.{key}" if where else key
        if key not in known:
            raise ConfigError(f"Unknown setting '{name}'.{nearest(key, known)}")
        if dataclasses.is_dataclass(known[key]):
            if not isinstance(value, Mapping):
                raise ConfigError(f"'{name}' is a group of settings, not a value; got {value!r}.")
            built[key] = from_mapping(typing.cast(Any, known[key]), value, name)
        else:
            built[key] = _checked(value, known[key], name)
    return kind(**built)


def with_settings(config: T, settings: Mapping[str, Any]) -> T:
    """A config with some settings changed.

    Args:
        config: The config.
        settings: Values by dotted name (``model.hidden``), or by the last part alone where no
            other setting has it (``hidden``); groups as mappings.

    Raises:
        ConfigError: A setting is unknown or ambiguous, or its value is of the wrong type.

    Examples:
        >>> with_settings(Config(), {"epochs": 3, "model.wiring": "none"}).training.epochs
        3
    """
    names = _names(config)
    values = to_mapping(config)
    for key, value in settings.items():
        matches = [key] if key in names else [n for n in names if n.split(".")[-1] == key]
        if not matches:
            raise ConfigError(f"Unknown setting '{key}'.{nearest(key, names)}")
        if len(matches) > 1:
            raise ConfigError(f"'{key}' may be {' or '.join(matches)}; write which.")
        *groups, last = matches[0].split(".")
        table = values
        for group in groups:
            table = table.setdefault(group, {})
        if isinstance(value, Mapping):
            value = _merged(table.get(last, {}), value)
        table[last] = value
    return from_mapping(type(config), values)


def _names(config: Any, where: str = "") -> list[str]:
    """Dotted names of all settings and groups, outer ones first."""
    names = []
    for f in dataclasses.fields(config):
        names.append(where + f.name)
        value = getattr(config, f.name)
        if dataclasses.is_dataclass(value):
            names.extend(_names(value, f"{where}{f.name}."))
    return names


def _checked(value: Any, hint: Any, name: str) -> Any:
    """Returns the value if it fits the type, else says what would."""
    options = typing.get_args(hint) if _is_union(hint) else (hint,)
    for option in options:
        if option is type(None):
            if value is None:
                return None
        elif typing.get_origin(option) is Literal:
            if value in typing.get_args(option):
                return value
        elif option is float and isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        elif isinstance(value, option) and (option is bool or not isinstance(value, bool)):
            return value
    allowed = [
        " | ".join(map(repr, typing.get_args(o))) if typing.get_origin(o) is Literal else o.__name__
        for o in options
        if o is not type(None)
    ]
    hint_text = ""
    literals = [a for o in options if typing.get_origin(o) is Literal for a in typing.get_args(o)]
    if literals and isinstance(value, str):
        hint_text = nearest(value, literals)
    raise ConfigError(f"'{name}' must be {' or '.join(allowed)}; got {value!r}.{hint_text}")


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def to_mapping(config: Any) -> dict[str, Any]:
    """Nested plain values of a config; settings that are None are left out (TOML has no null)."""
    values: dict[str, Any] = {}
    for f in dataclasses.fields(config):
        value = getattr(config, f.name)
        if dataclasses.is_dataclass(value):
            values[f.name] = to_mapping(value)
        elif value is not None:
            values[f.name] = value
    return values


def flat(config: Any) -> dict[str, Any]:
    """The settings that are not None by their dotted names."""
    values: dict[str, Any] = {}
    for name in _names(config):
        value = config
        for part in name.split("."):
            value = getattr(value, part)
        if value is not None and not dataclasses.is_dataclass(value):
            values[name] = value
    return values


def load_config(*paths: Path) -> Config:
    """Reads a training configuration; the file's name stands in every message.

    Args:
        paths: TOML files; the settings of later ones go before those of earlier ones.
    """
    values: dict[str, Any] = {}
    for path in paths:
        mapping = read_toml(path)
        try:
            from_mapping(Config, mapping)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None
        values = _merged(values, mapping)
    return from_mapping(Config, values)


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    both = {
        key: _merged(first[key], second[key])
        for key in first.keys() & second.keys()
        if isinstance(second[key], Mapping)
    }
    return {**first, **second, **both}
