"""Conjugates Spanish verbs."""

from __future__ import annotations

from functools import cache

from seq2see.data.corpora.lexicon import read_table

_PRESENT = {"ar": "o as a amos an", "er": "o es e emos en", "ir": "o es e imos en"}
_PRETERITE = {
    "ar": "é aste ó amos aron",
    "er": "í iste ió imos ieron",
    "ir": "í iste ió imos ieron",
}
_IMPERFECT = {
    "ar": "aba abas aba ábamos aban",
    "er": "ía ías ía íamos ían",
    "ir": "ía ías ía íamos ían",
}
_FUTURE = "é ás á emos án"


@cache
def _irregular() -> dict[str, list[str]]:
    return {row[0]: [*row[1:], *[""] * (7 - len(row))] for row in read_table("spanish_verbs.txt")}


@cache
def conjugate(infinitive: str, tense: str, slot: int) -> str:
    """Says a verb in one person.

    Args:
        infinitive: The verb.
        tense: present, preterite, imperfect or future.
        slot: 0 to 4 for yo, tú, él, nosotros, ellos.
    """
    stem, kind = infinitive[:-2], infinitive[-2:].replace("í", "i")
    change, present, preterite, imperfect, future, _ = _irregular().get(infinitive, [""] * 6)
    if tense == "future":
        return (future or infinitive) + _FUTURE.split()[slot]
    given = {"present": present, "preterite": preterite, "imperfect": imperfect}[tense]
    if given:
        return given.split()[slot]
    if tense == "present":
        if change and slot != 3:
            old, new = change.split(">")
            at = stem.rindex(old)
            stem = stem[:at] + new + stem[at + 1 :]
        return stem + _PRESENT[kind].split()[slot]
    if tense == "imperfect":
        return stem + _IMPERFECT[kind].split()[slot]
    if slot == 0 and kind == "ar":  # the sound stays, the letter changes
        for letter, spelt in (("c", "qu"), ("g", "gu"), ("z", "c")):
            if stem.endswith(letter):
                stem = stem[:-1] + spelt
                break
    return stem + _PRETERITE[kind].split()[slot]


@cache
def gerund(infinitive: str) -> str:
    """The form after estar: "comer" to "comiendo"."""
    given = _irregular().get(infinitive, [""] * 6)[5]
    return given or infinitive[:-2] + ("ando" if infinitive.endswith("ar") else "iendo")
