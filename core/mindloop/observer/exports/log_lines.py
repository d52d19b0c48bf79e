"""One line of a log: whether it begins a message, and who says what when in it.

Each line is judged by itself, so that a log may change its format in the middle.
"""

from __future__ import annotations

from mindloop.observer.exports.stamp_shapes import plain, shape_of, stamp_length
from mindloop.store.lazy_patterns import when_used

MAX_STAMP_LINE = 200
"""Characters of a line that are searched for a stamp and a sender."""

_SENDER = r"(?P<sender>[^\s:<][^\n]{0,63}?)"
_BRACKETED = when_used(r"\[(?P<stamp>[^\]\n]{4,48})\][ \t]*(?P<rest>.*)", 16)
_SAID = when_used(rf"(?:<(?P<nick>[^>\n]{{1,64}})>|{_SENDER}[ ]?:)(?:[ \t]+(?P<text>.*)|\Z)", 16)
_DASH = when_used(r"[ \t]+[-\u2013\u2014][ \t]+")
_BEHIND = when_used(
    r"(?P<sender>\S[^\n]{0,63}?)[ ]+[-\u2013\u2014][ ]+(?P<stamp>(?:(?:today|yesterday) at [^\n]{4,12}|[^\n]{12,40}))",
    2,
)
_BEGUN = when_used(r"\[[^\]\n]{0,48}|[\[0-9][0-9\W]{0,30}(?:[ap]m?)?")
_FORWARD = when_used(r"[>\s]*(?:\[?forwarded (?:from|message)\b[^\n]{0,100})", 2)
_RELATIVE = ("today", "yesterday")


class Head:
    """What the first line of a message says.

    Attributes:
        stamp: when, as written.
        sender: who; None where the line names nobody (a notice of the platform); empty where it is who wrote before.
        text: the words on this line.
    """

    __slots__ = ("sender", "stamp", "text")

    def __init__(self, stamp: str, sender: str | None, text: str) -> None:
        self.stamp = stamp
        self.sender = sender
        self.text = text


def head_of(line: str) -> Head | None:
    """Read a line that begins a message; None for any other line.

    It looks like ``[time] sender: text``, ``time - sender: text``, ``time sender: text`` or ``sender - time``.
    """
    start = line.lstrip("\ufeff\u200e\u200f \t")
    if start.startswith("["):
        return _bracketed(start)
    if start[:1].isdigit() or (start[:1].isalpha() and start[:3].isascii()):
        found = _stamp_ahead(start)
        if found is not None:
            return found
    return _stamp_behind(start)


def block_head_of(line: str) -> Head | None:
    """Read a head of DiscordChatExporter's text: ``[time] sender``, the words stand below it."""
    match = _BRACKETED.fullmatch(line.rstrip()) if line.startswith("[") else None
    if match is None or not match["rest"] or shape_of(match["stamp"]) is None:
        return None
    return Head(match["stamp"], match["rest"].removesuffix(" (pinned)"), "")


def may_be_begun(line: str) -> bool:
    """Tell whether a line may be a head that was cut off before it was whole."""
    return _BEGUN.fullmatch(line.strip()) is not None or stamp_length(plain(line[:MAX_STAMP_LINE])) > 0


def is_forward(text: str) -> bool:
    """Tell whether a line says that the words after it are somebody else's."""
    return _FORWARD.match(text) is not None


def _bracketed(line: str) -> Head | None:
    match = _BRACKETED.fullmatch(line)
    if match is None or shape_of(match["stamp"]) is None:
        return None
    rest = match["rest"].lstrip("\u200e\u200f")
    if not rest.strip():
        return Head(match["stamp"], "", "")
    said = _SAID.match(rest)
    if said is None:
        return Head(match["stamp"], None, rest)
    return Head(match["stamp"], (said["nick"] or said["sender"]).strip(), said["text"] or "")


def _stamp_ahead(line: str) -> Head | None:
    length = stamp_length(line[:MAX_STAMP_LINE].replace("\u202f", " ").replace("\xa0", " "))
    if not length:
        return None
    stamp, rest = line[:length], line[length:]
    dash = _DASH.match(rest)
    rest = rest[dash.end() :] if dash else rest.lstrip(" \t")
    if not dash and rest == line[length:]:
        return None
    said = _SAID.match(rest)
    if said is None:
        return Head(stamp, None, rest) if dash and "-" not in stamp[:1] and _has_day(stamp) else None
    sender = (said["nick"] or said["sender"]).strip()
    if not dash and not _has_day(stamp) and len(sender.split()) > 1:
        return None  # `10:30 works for me: see you` is something that somebody says
    return Head(stamp, sender, said["text"] or "")


def _stamp_behind(line: str) -> Head | None:
    match = _BEHIND.fullmatch(line.rstrip()) if len(line) <= MAX_STAMP_LINE else None
    if match is None:
        return None
    stamp = match["stamp"]
    shape = None if stamp.casefold().startswith(_RELATIVE) else shape_of(stamp)
    if shape is not None and (shape.year is None or shape.clock is None):
        return None
    return Head(stamp, match["sender"], "") if shape is not None or stamp.casefold().startswith(_RELATIVE) else None


def _has_day(stamp: str) -> bool:
    shape = shape_of(stamp)
    return shape is not None and shape.year is not None
