"""Errors that speak to a person: what is wrong, where, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class Seq2SeeError(Exception):
    """Base of every error a person may see; the command line prints it without a traceback."""


class ConfigError(Seq2SeeError):
    """A setting is unknown, misspelt, out of range or contradicts another."""


class DataError(Seq2SeeError):
    """A text file cannot be read as sequence pairs."""


class ModelError(Seq2SeeError):
    """A model folder is missing, damaged, or does not fit what is asked of it."""


MOST_NAMES = 20
"""More are no help."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Words the hint for a misspelt name.

    Args:
        name: What the person wrote.
        known: The names that exist.

    Returns:
        ``" Did you mean 'x'?"``, or the known names, if they are few, when none is close.
    """
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f" Did you mean '{close[0]}'?"
    return f" Known: {', '.join(known)}." if len(known) <= MOST_NAMES else ""
