"""Text that somebody else wrote, fit for one line of a file, a heading or a log.

``clean_line`` keeps every word, for what is stored. ``one_line`` is for showing: visible characters only, up to a
limit; ``excerpt`` is the same with a mark where something was cut off.
"""

from __future__ import annotations

import unicodedata

from mindloop.store.lazy_patterns import when_used

EMOJI_GLUE = frozenset([0x200C, 0x200D, 0xFE0E, 0xFE0F])
"""Joiners and variation selectors: emoji, Persian and Indic scripts need them in a heading."""

CONTROL = when_used("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
"""Control characters that no editor writes; tabs and everything that ends a line are left to white space."""
SURROGATE = when_used("[\ud800-\udfff]")
"""Halves of surrogate pairs, which no encoder takes."""

WINDOW = 4_000
"""Code points of a text that are looked at, however long it is: cleaning must not cost more than the text is worth."""

_INVISIBLE = frozenset((0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x3164, 0xFFA0)).union(
    range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xFFF0, 0xFFF9)
)
_INVISIBLE_PLANE = range(0xE0000, 0xE1000)
"""Code points that show nothing, though Unicode files them as letters or marks: they would hide a phrase."""
_BRAILLE_BLANK = 0x2800
_CLUSTER = 8
"""Longest run of marks that a cut steps back over; more than that is no character that anybody wrote."""


def clean_line(text: str) -> str:
    """One line without control characters or lone surrogates; runs of white space become one space."""
    return whole(" ".join(CONTROL.sub("", text).split()))


def whole(text: str) -> str:
    """Replace halves of surrogate pairs, which no encoder takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return SURROGATE.sub("\ufffd", text)
    return text


def one_line(text: str, limit: int) -> str:
    """Text as one line of at most ``limit`` code points for logs and headings.

    Control, bidi and other invisible characters go; emoji sequences stay whole or are left out whole. Of a huge text
    only the head is looked at.
    """
    return truncate(_head(text, limit), limit)


def excerpt(text: str, limit: int = 160) -> str:
    """``one_line`` that ends in … where something was cut off, within a ``limit`` of 1 or more."""
    head = _head(text, limit)
    if len(head) <= limit and len(text) <= WINDOW + 2 * limit:
        return head
    return truncate(head, limit - 1) + "…"


def _head(text: str, limit: int) -> str:
    normal = unicodedata.normalize("NFC", visible(text[: WINDOW + 2 * limit], keep=EMOJI_GLUE))
    return " ".join(normal.split())


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things: ``1 message``, ``2,000 messages``; ``many`` where more than an s makes the plural."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def visible(text: str, keep: frozenset[int]) -> str:
    """The characters that can be seen, and those to ``keep``; line ends and control characters become spaces."""
    return "".join(_shown(char, keep) for char in text) if not text.isascii() or not text.isprintable() else text


def _shown(char: str, keep: frozenset[int]) -> str:
    if ord(char) in keep:
        return char
    category = unicodedata.category(char)
    if category in {"Cc", "Zl", "Zp"}:
        return " "
    return "" if category in {"Cf", "Co", "Cs"} or _is_invisible(ord(char)) else char


def _is_invisible(point: int) -> bool:
    return point in _INVISIBLE or point in _INVISIBLE_PLANE


def shows_something(text: str) -> bool:
    """Tell whether a text holds a letter, digit, sign or mark that can be seen."""
    return any(
        unicodedata.category(char)[0] in "LNPSM" and not _is_invisible(ord(char)) and ord(char) != _BRAILLE_BLANK
        for char in text
    )


def truncate(text: str, limit: int) -> str:
    """The first ``limit`` code points, fewer where a mark, joiner or skin tone would lose what it belongs to."""
    if len(text) <= limit:
        return text
    cut = max(0, limit)
    lowest = max(0, cut - _CLUSTER)
    while cut > lowest and (_extends(text[cut]) or text[cut - 1] == "\u200d"):
        cut -= 1
    if cut == lowest and cut > 0:
        cut = limit
    return text[:cut].rstrip()


def _extends(char: str) -> bool:
    return char == "\u200d" or unicodedata.category(char).startswith("M") or 0x1F3FB <= ord(char) <= 0x1F3FF
