"""Dates as people write them, and the one way machines do (ISO 8601).

Where only numbers stand, the order is: year.month.day with dots and a year of four digits first,
day/month/year with slashes, month-day-year with hyphens. Two digits of a year mean 1950 to 2049.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from functools import cache

from seq2see.data.corpus import Corpus

SIZES = {"train": 10_000, "valid": 500, "test": 1000}
_SEED = 1582
_FIRST = datetime.date(1950, 1, 1)
_DAYS = (datetime.date(2049, 12, 31) - _FIRST).days + 1

_ENGLISH = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_SPANISH = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
]
_FRENCH = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
]
_GERMAN = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]
_WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_WEEK_SPANISH = ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"]
_WEEK_FRENCH = ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"]
_WEEK_KOREAN = "월화수목금토일"


def _ordinal(n: int) -> str:
    if n in (11, 12, 13):
        return f"{n}th"
    return f"{n}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th') }"


def _short(d: datetime.date) -> str:
    name = _ENGLISH[d.month - 1]
    return name if name == "May" else name[:3]


def _month(d: datetime.date) -> str:
    return _ENGLISH[d.month - 1]


def _day(d: datetime.date) -> str:
    return _WEEK[d.weekday()]


_SPELLINGS: tuple[Callable[[datetime.date], str], ...] = (
    lambda d: f"{d.day} {_month(d)} {d.year}",
    lambda d: f"{_ordinal(d.day)} of {_month(d)} {d.year}",
    lambda d: f"{_ordinal(d.day)} {_month(d)} {d.year}",
    lambda d: f"the {_ordinal(d.day)} of {_month(d)}, {d.year}",
    lambda d: f"{_month(d)} {d.day}, {d.year}",
    lambda d: f"{_month(d)} {_ordinal(d.day)}, {d.year}",
    lambda d: f"{_short(d)} {d.day}, {d.year}",
    lambda d: f"{_short(d)}. {d.day}, {d.year}" if d.month != 5 else f"May {d.day}, {d.year}",
    lambda d: f"{d.day} {_short(d)} {d.year}",
    lambda d: f"{d.day}-{_short(d)}-{d.year % 100:02}",
    lambda d: f"{_day(d)} {d.day} {_month(d)} {d.year}",
    lambda d: f"{_day(d)}, {_month(d)} {d.day}, {d.year}",
    lambda d: f"{_day(d)[:3]}, {d.day:02} {_short(d)} {d.year}",
    lambda d: f"{_day(d)[:3]} {_short(d)} {d.day} {d.year}",
    lambda d: f"{d.day:02}/{d.month:02}/{d.year % 100:02}",
    lambda d: f"{d.day:02}/{d.month:02}/{d.year}",
    lambda d: f"{d.day}/{d.month}/{d.year}",
    lambda d: f"{d.month:02}-{d.day:02}-{d.year}",
    lambda d: f"{d.year}.{d.month}.{d.day}",
    lambda d: f"{d.year}.{d.month:02}.{d.day:02}",
    lambda d: f"{d.year}{d.month:02}{d.day:02}",
    lambda d: f"{d.year} {_month(d)} {d.day}",
    lambda d: f"{d.year}년 {d.month}월 {d.day}일",
    lambda d: f"{d.year}년 {d.month}월 {d.day}일 {_WEEK_KOREAN[d.weekday()]}요일",
    lambda d: f"{d.day} de {_SPANISH[d.month - 1]} de {d.year}",
    lambda d: f"{_WEEK_SPANISH[d.weekday()]}, {d.day} de {_SPANISH[d.month - 1]} de {d.year}",
    lambda d: f"{'1er' if d.day == 1 else d.day} {_FRENCH[d.month - 1]} {d.year}",
    lambda d: (
        f"le {_WEEK_FRENCH[d.weekday()]} {'1er' if d.day == 1 else d.day} "
        f"{_FRENCH[d.month - 1]} {d.year}"
    ),
    lambda d: f"{d.day}. {_GERMAN[d.month - 1]} {d.year}",
)


def corpus(split: str) -> Corpus:
    """Builds a split of the dates; no day of valid or test occurs in train.

    Args:
        split: train, valid or test.
    """
    sources, targets = _splits()[split]
    return Corpus(f"dates/{split}", sources, targets)


@cache
def _splits() -> dict[str, tuple[list[str], list[str]]]:
    draw = random.Random(_SEED).random
    days = list(range(_DAYS))
    for i in range(len(days) - 1, 0, -1):
        j = int(draw() * (i + 1))
        days[i], days[j] = days[j], days[i]
    held = {"valid": days[:500], "test": days[500:1500], "train": days[1500:]}
    splits: dict[str, tuple[list[str], list[str]]] = {}
    for name, own in held.items():
        written: dict[str, str] = {}
        while len(written) < SIZES[name]:
            day = _FIRST + datetime.timedelta(days=own[int(draw() * len(own))])
            spelling = _SPELLINGS[int(draw() * len(_SPELLINGS))]
            written[spelling(day)] = day.isoformat()
        splits[name] = (list(written), list(written.values()))
    return splits
