"""One line of a log: whether it begins a message, and who says what when in it.

Each line is judged by itself, so that a log may change its format in the middle.
"""

from __future__ import annotations

import re

from mindloop.observer.exports.stamp_shapes import plain, shape_of, stamp_length
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LOOKED_AT = 200
"""Characters of a line that are searched for a stamp and a sender."""
FORWARDS = ("forwarded from", "forwarded message")
"""How the line before somebody else's words begins, whatever its case."""

_INVISIBLE = "\ufeff\u200e\u200f"
_BRACKETED = when_used(r"\[(?P<stamp>[^\]\n]{4,48})\][ \t]*(?P<rest>.*)", re.DOTALL)
_SAID = when_used(
    r"(?:<(?P<nick>[^>\n]{1,64})>|(?P<sender>[^\s:<][^\n]{0,63}?)[ ]?:)(?:[ \t]+(?P<text>.*)|\Z)", re.DOTALL
)
_GAP = when_used(r"[ \t]+(?P<dash>[-\u2013\u2014][ \t]+)?")
_NO_ZONE = when_used(r"[ \u202f\xa0](?:[zZ]|(?!UTC|GMT)(?:[uU][tT][cC]|[gG][mM][tT]))\Z")
"""Letters at the end of a stamp that may be the beginning of a name: a zone is written in capitals there."""
_DASHES = (" - ", " \u2013 ", " \u2014 ")
_BEHIND = when_used(r"(?P<sender>\S[^\n]{0,63}?) [-\u2013\u2014] (?P<stamp>[^\n]{10,48})")
_RELATIVE = when_used(r"(?:today|yesterday) at [0-9]{1,2}:[0-9]{2}(?: ?[ap]m)?", re.IGNORECASE)
_LETTERS = when_used(r"[^\W\d]+")
_LONGEST_STAMP = 48
_OF_STAMPS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "tues", "thurs", "sept",
    "at", "am", "pm", "a", "p", "m", "t", "z", "utc", "gmt", "st", "nd", "rd", "th",
)  # fmt: skip
"""The words of stamps, of which a torn one may hold a beginning."""


class Head:
    """What the first line of a message says.

    Attributes:
        stamp: when, as written.
        sender: who; empty where it is who wrote before, None where nobody did: a notice of the platform.
        text: the words on this line.
    """

    __slots__ = ("sender", "stamp", "text")

    def __init__(self, stamp: str, sender: str | None, text: str = "") -> None:
        self.stamp = stamp
        self.sender = sender
        self.text = text


def head_of(line: str) -> Head | None:
    """Read a line that begins a message; None for any other line.

    It looks like ``[time] sender: text``, ``time - sender: text``, ``time sender: text`` or ``sender - time``.
    """
    start = line.lstrip(f"{_INVISIBLE} \t")
    if start.startswith("["):
        return _bracketed(start)
    return _stamp_ahead(start) or _stamp_behind(start)


def block_head_of(line: str) -> Head | None:
    """Read a head of DiscordChatExporter's text, ``[time] sender``: the words stand below it."""
    match = _BRACKETED.fullmatch(line.rstrip()) if line.startswith("[") else None
    shape = shape_of(match["stamp"]) if match and match["rest"] else None
    if match is None or shape is None or shape.year is None or shape.clock is None:
        return None
    return Head(match["stamp"], match["rest"].removesuffix(" (pinned)"))


def is_begun(line: str, *, named: bool = False) -> bool:
    """Tell whether a line that may have been cut off can be the beginning of a head, or of a forward's first line.

    Args:
        line: the line.
        named: whether stamps begin with a letter in this log, as ``Feb 11, 2026`` does.
    """
    head = head_of(line)
    if head is not None:
        return not head.sender or not head.text
    start = line.strip().casefold()
    return (
        any(mark.startswith(start) for mark in FORWARDS)
        or _is_torn_stamp(start, named=named)
        or stamp_length(plain(line[:LOOKED_AT])) > 0
    )


def is_begun_behind(line: str, senders: Iterable[str]) -> bool:
    """Tell whether a line can be the beginning of ``sender - time``, of somebody who wrote such a line before."""
    heads = [f"{sender}{dash}" for sender in senders for dash in _DASHES]
    return any(head.startswith(line) or line.startswith(head) for head in heads)


def _is_torn_stamp(start: str, *, named: bool) -> bool:
    if len(start) > _LONGEST_STAMP:
        return False
    if start.startswith("["):
        return "]" not in start
    if not start[:1].isdigit() and not (named and start[:1].isalpha()):
        return False
    return all(any(word.startswith(part) for word in _OF_STAMPS) for part in _LETTERS.findall(start))


def is_forward(line: str) -> bool:
    """Tell whether a line says that the words after it are somebody else's."""
    return line[:LOOKED_AT].lstrip("> \t[").casefold().startswith(FORWARDS)


def _bracketed(line: str) -> Head | None:
    match = _BRACKETED.fullmatch(line)
    if match is None or shape_of(match["stamp"]) is None:
        return None
    rest = match["rest"].lstrip(_INVISIBLE)
    if not rest.strip():
        return Head(match["stamp"], "")
    return _said(match["stamp"], rest) or Head(match["stamp"], None, rest)


def _said(stamp: str, rest: str) -> Head | None:
    """Read ``sender: text`` or ``<sender> text``."""
    match = _SAID.match(rest)
    return Head(stamp, (match["nick"] or match["sender"]).strip(), match["text"] or "") if match else None


def _stamp_ahead(line: str) -> Head | None:
    """Read a line that begins with a bare stamp."""
    length = stamp_length(line[:LOOKED_AT].replace("\u202f", " ").replace("\xa0", " "))
    gap = _GAP.match(line, length) if length else None
    if gap is None:
        return None
    if not gap["dash"] and (named := _NO_ZONE.search(line, 0, length)):
        length = named.start()  # what stands apart before a name belongs to it: `Z bob: hello`
        gap = _GAP.match(line, length) or gap
    stamp, rest = line[:length], line[gap.end() :]
    found = _said(stamp, rest)
    if found is None:
        return Head(stamp, None, rest) if gap["dash"] and _has_day(stamp) else None
    is_sentence = not gap["dash"] and not _has_day(stamp) and " " in (found.sender or "")
    return None if is_sentence else found  # `10:30 works for me: see you` is something that somebody says


def _stamp_behind(line: str) -> Head | None:
    """Read ``sender - stamp``, as it is copied from a client; the words stand below it."""
    may_be = len(line) <= LOOKED_AT and any(dash in line for dash in _DASHES)
    match = _BEHIND.fullmatch(line.rstrip()) if may_be else None
    if match is None:
        return None
    shape = shape_of(match["stamp"])
    is_stamp = _RELATIVE.fullmatch(match["stamp"]) if shape is None else shape.year and shape.clock
    return Head(match["stamp"], match["sender"]) if is_stamp else None


def _has_day(stamp: str) -> bool:
    shape = shape_of(stamp)
    return shape is not None and shape.year is not None
