"""Corpora that need no files: seeded, the same on every machine.

>>> built_in("phrases:en-fr/test").targets[1]
'Je suis étudiant.'
"""

from __future__ import annotations

from seq2see.data.corpora import dates, phrases
from seq2see.data.corpus import Corpus
from seq2see.errors import DataError, nearest

_PAIRS = {"es": "Spanish", "fr": "French", "ko": "Korean"}

CORPORA: dict[str, str] = {
    **{f"phrases:en-{code}": f"English to {name} sentences" for code, name in _PAIRS.items()},
    **{f"phrases:{code}-en": f"{name} to English sentences" for code, name in _PAIRS.items()},
    "dates": "dates as people write them, to 2021-03-03",
}
_SPLITS = ("train", "valid", "test")


def is_built_in(spec: str) -> bool:
    """Whether a data spec names a built-in corpus, rightly or with a misspelling.

    Args:
        spec: What the person wrote.
    """
    name = spec.split("/")[0]
    return name in CORPORA or name.startswith("phrases:")


def built_in(spec: str) -> Corpus:
    """Makes a split of a built-in corpus.

    Args:
        spec: A name of ``CORPORA``, for its training split, or followed by /train, /valid, /test.

    Returns:
        The pairs; phrases come with gold word links.

    Raises:
        DataError: If there is no such corpus or split.
    """
    name, slash, split = spec.partition("/")
    if name not in CORPORA:
        raise DataError(f"There is no built-in corpus '{name}'.{nearest(name, CORPORA)}")
    split = split if slash else "train"
    if split not in _SPLITS:
        raise DataError(f"'{name}' has no split '{split}'.{nearest(split, _SPLITS)}")
    if name == "dates":
        return dates.corpus(split)
    source, target = name.removeprefix("phrases:").split("-")
    return phrases.corpus(source, target, split)


__all__ = ["CORPORA", "built_in", "is_built_in"]
