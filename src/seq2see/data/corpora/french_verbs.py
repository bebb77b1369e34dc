"""Conjugates French verbs."""

from __future__ import annotations

from functools import cache

from seq2see.data.corpora.lexicon import read_table

_FUTURE = ("ai", "as", "a", "ons", "ont")
_IMPERFECT = ("ais", "ais", "ait", "ions", "aient")
_PRESENT = {
    "er": ("e", "es", "e", "ons", "ent"),
    "ir": ("is", "is", "it", "issons", "issent"),
    "re": ("s", "s", "", "ons", "ent"),
}
_WITH_ETRE = {"aller", "venir", "arriver", "retourner"}


@cache
def _irregular() -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in read_table("french_verbs.txt")}


@cache
def conjugate(infinitive: str, tense: str, slot: int) -> str:
    """Says a verb in one person.

    Args:
        infinitive: The verb.
        tense: present, imperfect or future.
        slot: 0 to 4 for je, tu, il, nous, ils.
    """
    irregular = _irregular().get(infinitive)
    if tense == "future":
        stem = irregular[2] if irregular else infinitive.removesuffix("e")
        return stem + _FUTURE[slot]
    if tense == "imperfect":
        stem = conjugate(infinitive, "present", 3).removesuffix("ons")
        stem = "ét" if infinitive == "être" else stem
        return (stem.removesuffix("e") if slot == 3 else stem) + _IMPERFECT[slot]
    if irregular:
        return irregular[0].split()[slot]
    stem, kind = infinitive[:-2], infinitive[-2:]
    if kind == "er" and slot == 3 and stem.endswith("g"):  # "mangeons": the sound stays
        stem += "e"
    return stem + _PRESENT[kind][slot]


@cache
def participle(infinitive: str) -> str:
    """The past participle, masculine singular."""
    irregular = _irregular().get(infinitive)
    if irregular:
        return irregular[1]
    return infinitive[:-2] + {"er": "é", "ir": "i", "re": "u"}[infinitive[-2:]]


def with_etre(infinitive: str) -> bool:
    """Whether its past is told with être, and agrees with the subject."""
    return infinitive in _WITH_ETRE
