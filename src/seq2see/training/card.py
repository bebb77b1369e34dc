"""The card of a model: what it was learned from, how good it is, how to make it again."""

from __future__ import annotations

from seq2see.config import to_mapping
from seq2see.evaluate import evaluate
from seq2see.files import write_text
from seq2see.folder import CARD
from seq2see.search import SearchConfig
from seq2see.toml import write_toml
from seq2see.training.checkpoint import Position
from seq2see.training.plan import Plan, duration
from seq2see.training.prepare import Prepared

MOST = 1_000
"""Validation pairs scored for the card."""


def write_card(prepared: Prepared, position: Position, plan: Plan) -> None:
    """Scores the finished model on the validation pairs and writes ``card.md``."""
    from seq2see.translator import Translator

    folder, valid = prepared.folder, prepared.valid
    model = Translator.load(folder.path)
    sources, targets = list(valid.sources[:MOST]), list(valid.targets[:MOST])
    outputs = [t.text for t in model.translate(sources, SearchConfig())]
    sentences = prepared.config.text.target.kind in ("subwords", "words")
    names = ["bleu", "chrf", "exact"] if sentences else ["sequence_error", "per", "cer"]
    if prepared.config.text.target.kind in ("chars", "jamo"):
        names.remove("per")
    scores = evaluate(outputs, targets, names)
    lines = [
        f"# {folder.path.name}",
        "",
        f"Learned from {plan.pairs:,} pairs of {prepared.train.name}: {position.update:,} updates, "
        f"{position.tokens:,} target tokens, {duration(position.seconds)} on {plan.device} with "
        f"{plan.threads} threads ({plan.precision}). {plan.parameters:,} parameters.",
        "",
        f"On {len(sources):,} pairs of {valid.name}, beam 5:",
        "",
        "| metric | value | signature |",
        "|---|---:|---|",
        *(f"| {score.name} | {score.value:.2f} | {score.signature} |" for score in scores),
        "",
        "Make it again with `seq2see train config.toml --out NEW_FOLDER`, where `config.toml` is:",
        "",
        "```toml",
        write_toml(to_mapping(prepared.config)).strip(),
        "```",
    ]
    write_text(folder.path / CARD, "\n".join(lines) + "\n")
