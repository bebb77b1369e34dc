"""A SentencePiece model in plain words, for the tokenizer in the browser."""

from __future__ import annotations

from base64 import b64encode
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seq2see.text.subwords import Subwords

MODELS = {1: "unigram", 2: "bpe"}


def describe_subwords(tokenizer: Subwords) -> dict[str, Any]:
    """Pieces, their scores (None for the specials and bytes), and how characters are replaced."""
    messages: Any = import_module("sentencepiece.sentencepiece_model_pb2")  # has no types
    proto = messages.ModelProto()
    with TemporaryDirectory() as folder:
        proto.ParseFromString(tokenizer.save(Path(folder), "pieces").read_bytes())
    normal = messages.ModelProto.SentencePiece.NORMAL
    return {
        "kind": tokenizer.kind,
        "model": MODELS[proto.trainer_spec.model_type],
        "tokens": [piece.piece for piece in proto.pieces],
        "scores": [piece.score if piece.type == normal else None for piece in proto.pieces],
        "rules": b64encode(proto.normalizer_spec.precompiled_charsmap).decode(),
    }
