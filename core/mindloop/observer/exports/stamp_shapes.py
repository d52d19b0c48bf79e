"""What a stamp in an export can look like, whatever the platform and the language of its clock."""

from __future__ import annotations

import re
from functools import lru_cache

from mindloop.store.lazy_patterns import when_used

_IGNORED = str.maketrans(dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202c\ufeff")))
"""Marks for the direction of writing, which some exporters put around a stamp."""

_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIRST_WORDS = frozenset((*_MONTHS, "mon", "tue", "wed", "thu", "fri", "sat", "sun"))
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\x20)?"
_YEAR = "[0-9]{4}|[0-9]{2}"
_DATE = rf"""{_WEEKDAY}(?:
    (?P<year>[0-9]{{4}})(?P<mark>[-/.])(?P<month>[0-9]{{1,2}})(?P=mark)(?P<day>[0-9]{{1,2}})
  | (?P<dotted_day>[0-9]{{1,2}})\.\x20?(?P<dotted_month>[0-9]{{1,2}})\.\x20?(?P<dotted_year>{_YEAR})
  | (?P<first>[0-9]{{1,2}})(?P<slash>[-/])(?P<second>[0-9]{{1,2}})(?P=slash)(?P<slashed_year>{_YEAR})
  | (?P<day_ahead>[0-9]{{1,2}})(?:st|nd|rd|th)?[\x20-](?P<named>{_MONTH})\.?,?[\x20-](?P<year_behind>{_YEAR})
  | (?P<month_ahead>{_MONTH})\.?\x20(?P<day_behind>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\x20(?P<year_last>[0-9]{{4}})
)(?![0-9])"""
_ZONE = (
    r"(?:\x20?(?P<zone>(?:[+-][0-9]{2}|(?:utc|gmt)[+-][0-9]{1,2})(?::?[0-9]{2})?(?![0-9])"
    r"|(?:z|utc|gmt)(?![a-z:])))?"
)
_TIME = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<sec>[0-9]{2})(?:[.,][0-9]{1,9})?)?(?![0-9:])"
    rf"(?:\x20?(?P<half>[ap])\.?m\b\.?)?{_ZONE}"
)
_CLASSIC = (
    rf"{_WEEKDAY}(?P<month_ahead>{_MONTH})\x20(?P<day_behind>[0-9]{{1,2}})\x20"
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}):(?P<sec>[0-9]{2})(?:\x20(?P<zone>[+-][0-9]{4}))?"
    r"\x20(?P<year_last>[0-9]{4})"
)
_FLAGS = re.IGNORECASE | re.VERBOSE | re.ASCII

PATTERNS = tuple(
    when_used(pattern, _FLAGS)
    for pattern in (
        rf"{_DATE}(?:(?:t|,?\x20at\x20|,?\x20){_TIME})?",
        rf"{_TIME},?\x20{_DATE}",
        _CLASSIC,
        _TIME,
    )
)
"""Dates with or without a time, times before dates, the classic form with the year last, bare times."""


class Shape:
    """The parts of a stamp as written.

    Attributes:
        year: four digits, or None for a bare time.
        month, day: as written; for a date with slashes these are ``first`` and ``second``, in this order.
        is_open: whether month and day may stand for each other.
        form: how such a date is written, ``n/n/yyyy AM/PM``: separator, digits of the year, kind of clock. Dates of one
            form have one order. Empty where the order is known.
        clock: hour, minute, second; None for a bare date.
        offset: minutes east of UTC, or None where no zone is written.
    """

    __slots__ = ("clock", "day", "form", "is_open", "month", "offset", "year")

    def __init__(self, groups: dict[str, str | None]) -> None:
        year, month, day, self.is_open = _date(groups)
        self.year, self.month, self.day = year, month, day
        self.form = _form(groups) if self.is_open else ""
        self.clock = _clock(groups)
        self.offset = _offset(groups.get("zone"))


def plain(raw: str) -> str:
    """A stamp in one spelling of its spaces, without marks for the direction of writing."""
    if raw.isascii() and "  " not in raw:
        return raw.strip()
    return " ".join(raw.translate(_IGNORED).split())


@lru_cache(maxsize=1024)  # whoever reads a log asks for the same stamp several times in a row
def shape_of(raw: str) -> Shape | None:
    """Take a stamp apart; None where it is none. Whether its day and hour exist is not looked at."""
    text = plain(raw)
    for pattern in PATTERNS:
        match = pattern.fullmatch(text)
        if match:
            return Shape(match.groupdict())
    return None


def stamp_length(line: str) -> int:
    """Return how many characters of a plain line are a stamp that begins it; 0 where none does."""
    if not line[:1].isdigit() and line[:3].lower() not in _FIRST_WORDS:
        return 0
    for pattern in PATTERNS:
        match = pattern.match(line)
        if match:
            return match.end()
    return 0


def _date(groups: dict[str, str | None]) -> tuple[int | None, int, int, bool]:
    for year, month, day in (
        ("year", "month", "day"),
        ("dotted_year", "dotted_month", "dotted_day"),
        ("slashed_year", "first", "second"),
        ("year_behind", "named", "day_ahead"),
        ("year_last", "month_ahead", "day_behind"),
    ):
        written = groups.get(year)
        if written is not None:
            return _year(written), _month(groups[month] or ""), int(groups[day] or 0), month == "first"
    return None, 0, 0, False


def _form(groups: dict[str, str | None]) -> str:
    mark, year = groups["slash"] or "", groups["slashed_year"] or ""
    return f"n{mark}n{mark}{'y' * len(year)}{' AM/PM' if groups.get('half') else ''}"


def _year(written: str) -> int:
    number = int(written)
    return number if len(written) == 4 else number + (2000 if number < 70 else 1900)


def _month(written: str) -> int:
    return int(written) if written.isdigit() else _MONTHS.index(written[:3].lower()) + 1


def _clock(groups: dict[str, str | None]) -> tuple[int, int, int] | None:
    if groups.get("hour") is None:
        return None
    hour, minute, second = (int(groups.get(part) or 0) for part in ("hour", "minute", "sec"))
    half = (groups.get("half") or "").lower()
    if half == "a" and hour > 12:
        return 99, minute, second  # there is no such hour
    if half and hour == 12:
        hour = 0
    return (hour + 12 if half == "p" and hour < 12 else hour), minute, second


def _offset(zone: str | None) -> int | None:
    if zone is None:
        return None
    signed = zone.lower().strip("utcgmz")
    if not signed:
        return 0
    hours, mark, minutes = signed[1:].partition(":")
    if not mark and len(hours) > len("12"):
        hours, minutes = hours[:-2], hours[-2:]
    east = int(hours) * 60 + int(minutes or 0)
    return -east if signed[0] == "-" else east
