"""The ids every vocabulary shares, and the table from tokens to ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

PAD, UNK, BOS, EOS = range(4)
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
