"""Korean endings and particles, by the final consonant of what they follow.

A syllable block is 0xAC00 + 588 * initial + 28 * vowel + final.
"""

from __future__ import annotations

from functools import cache

_FINALS = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_B_REGULAR = ("입",)  # 입다, 입어: its ㅂ stays
_D_CHANGING = ("듣", "걷")  # 듣다, 들어
_S_DROPPING = ("짓",)  # 짓다, 지어
_H_DROPPING = ("빨갛", "파랗", "하얗", "노랗")  # 빨갛다, 빨간, 빨개


def _block(syllable: str) -> tuple[int, str, str]:
    code = ord(syllable) - 0xAC00
    return code // 588, _VOWELS[code % 588 // 28], _FINALS[code % 28]


def _compose(initial: int, vowel: str, final: str = "") -> str:
    return chr(0xAC00 + 588 * initial + 28 * _VOWELS.index(vowel) + _FINALS.index(final))


def final(word: str) -> str:
    """The final consonant of a word, or "" after a vowel."""
    return _block(word[-1])[2]


def with_final(word: str, consonant: str) -> str:
    """Closes (or opens) the last syllable with a consonant."""
    initial, vowel, _ = _block(word[-1])
    return word[:-1] + _compose(initial, vowel, consonant)


def particle(word: str, name: str) -> str:
    """Adds one of 은, 이, 을, 과, 으로 in the form the word asks for."""
    if final(word) and not (name == "으로" and final(word) == "ㄹ"):
        return word + name
    return word + {"은": "는", "이": "가", "을": "를", "과": "와", "으로": "로"}[name]


@cache
def infinitive(stem: str) -> str:
    """The 아/어 form: 먹 to 먹어, 하 to 해, 돕 to 도와, 부르 to 불러."""
    head, last = stem[:-1], stem[-1]
    initial, vowel, close = _block(last)
    if last == "하":
        return head + "해"
    if stem.endswith(_H_DROPPING):
        return head + _compose(initial, "ㅐ")
    if close == "ㅂ" and last not in _B_REGULAR:
        return with_final(stem, "") + ("와" if last == "돕" else "워")
    if last in _D_CHANGING:
        stem = with_final(stem, "ㄹ")
    if last in _S_DROPPING:
        return with_final(stem, "") + "어"
    if close:
        return stem + ("아" if vowel in "ㅏㅗ" else "어")
    if last == "르":
        before = head[-1]
        return with_final(head, "ㄹ") + ("라" if _block(before)[1] in "ㅏㅗ" else "러")
    if vowel == "ㅡ":
        bright = head != "" and _block(head[-1])[1] in "ㅏㅗ"
        return head + _compose(initial, "ㅏ" if bright else "ㅓ")
    merged = {"ㅗ": "ㅘ", "ㅜ": "ㅝ", "ㅣ": "ㅕ", "ㅚ": "ㅙ"}
    return head + _compose(initial, merged.get(vowel, vowel))


def past(stem: str) -> str:
    """The past stem: 먹 to 먹었, 하 to 했."""
    return with_final(infinitive(stem), "ㅆ")


def linked(stem: str, ending: str) -> str:
    """Adds ㄴ, ㄹ or 면 with the vowel 으 where the stem asks for it: 먹은, 간, 산, 더운."""
    last, close = stem[-1], final(stem)
    if stem.endswith(_H_DROPPING) or close == "ㄹ":
        base, loose = with_final(stem, ""), True
        if close == "ㄹ" and ending in ("ㄹ", "면"):
            return stem if ending == "ㄹ" else stem + "면"
    elif close == "ㅂ" and last not in _B_REGULAR:
        base, loose = with_final(stem, "") + "우", True
    elif last in _D_CHANGING:
        base, loose = with_final(stem, "ㄹ"), False
    elif last in _S_DROPPING:
        base, loose = with_final(stem, ""), False
    else:
        base, loose = stem, not close
    if ending == "면":
        return base + ("면" if loose else "으면")
    return with_final(base, ending) if loose else base + with_final("으", ending)


def plain(stem: str) -> str:
    """The plain present of an action: 가 to 간다, 먹 to 먹는다, 살 to 산다."""
    close = final(stem)
    if close in ("", "ㄹ"):
        return with_final(stem, "ㄴ") + "다"
    return stem + "는다"


def soft(stem: str, ending: str) -> str:
    """Adds 는 or 니, before which ㄹ falls: 살 to 사는, 사니."""
    return (with_final(stem, "") if final(stem) == "ㄹ" else stem) + ending
