"""Seq2See: recurrent encoder-decoders with attention that show what they looked at.

    import seq2see

    model = seq2see.fit([("I like soccer.", "Me gusta el fútbol."), ...], out="runs/tiny")
    model = seq2see.load("runs/tiny")
    translation = model.translate("I like soccer.")
    translation.text, translation.attention  # a notebook shows the translation as a picture

Letters used for shapes everywhere: B sentences in a batch, S source positions, T target
positions, H units of a state, M units of a memory (encoder) state, E units of an embedding,
V vocabulary entries, R rows (hypotheses) in a search.
Letters of the equations: s query (decoder state), h memory (encoder state), e score,
α weight, c context, y target.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seq2see.api import fit, load
    from seq2see.attention import attend
    from seq2see.config import Config
    from seq2see.errors import Seq2SeeError
    from seq2see.search import SearchConfig
    from seq2see.translation import Translation
    from seq2see.translator import Translator

__version__: str

_HOMES = {
    "Config": "config",
    "SearchConfig": "search",
    "Seq2SeeError": "errors",
    "Translation": "translation",
    "Translator": "translator",
    "attend": "attention",
    "fit": "api",
    "load": "api",
}
"""The module each public name lives in; imported on first use, so that this package costs little
and needs no torch."""

__all__ = [
    "Config",
    "SearchConfig",
    "Seq2SeeError",
    "Translation",
    "Translator",
    "attend",
    "fit",
    "load",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("seq2see")
    if name not in _HOMES:
        raise AttributeError(f"module 'seq2see' has no attribute '{name}'")
    return getattr(import_module(f"seq2see.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES, "__version__"]
