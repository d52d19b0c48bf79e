"""Text that people or models wrote, made harmless before it stands in a prompt, a heading or a log line.

`sanitize` is for text that a writer reads as data though a model made it: phrases that steer models are taken out,
again and again, until nothing of the kind is left (follow-up, cognition section of the prompt).
"""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = frozenset((0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x3164, 0xFFA0)).union(
    range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xFFF0, 0xFFF9), range(0xE0000, 0xE1000)
)
"""Code points that show nothing, though Unicode files them as letters or marks: they would hide a phrase."""

EMOJI_GLUE = frozenset([0x200C, 0x200D, 0xFE0E, 0xFE0F])
"""Joiners and variation selectors: emoji, Persian and Indic scripts need them in a heading."""

_STEERING = re.compile(
    r"""
      ignore\s+(?:all\s+)?(?:the\s+|your\s+|my\s+)?previous\w*
    | (?:system|assistant)\s*:
    | pretend\w*
    | \byou\s+are\b
    | \bact\s+as\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TAG = re.compile(r"<[A-Za-z/!?][^>]*>")
_HEADING = re.compile(r"^#+\s*|(?<!\S)#{1,6}(?!\S)|={3,}")
_TOKEN = re.compile(r"\[\s*fu\s*:[^\]]*\]|\[\s*fu\s*:", re.IGNORECASE)
_COMMENT = re.compile(r"<!--|-->")
_BREAKS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_SECTION = re.compile(rf"(?P<start>\A|[{_BREAKS}])(?P<lead>(?:[^\S{_BREAKS}]|[\u200b-\u200f\u2060\ufeff])*)={{3,}}")

_WINDOW = 4_000
"""Code points of a text that are looked at, however long it is: cleaning must not cost more than the text is worth."""
_CLUSTER = 8
"""Longest run of marks that a cut steps back over; more than that is no character that anybody wrote."""


def sanitize(text: str, limit: int) -> str:
    """One line of at most ``limit`` code points without anything that steers a model.

    Taken out, whatever the case and however they are nested: requests to ignore what was said before, role labels,
    tags, role play, headings, section marks, invisible characters. ``a <= b`` and "act assembly" stay.

    Args:
        text: what a person or a model wrote; only its first few thousand code points are looked at.
        limit: code points, at least 0.

    Returns:
        A fixed point: sanitising it again changes nothing.
    """
    current = text[: max(_WINDOW, limit)]
    while True:
        cleaned = truncate(_scrub(current), limit)
        if cleaned == current:
            return cleaned
        current = cleaned


def _scrub(text: str) -> str:
    text = _visible(unicodedata.normalize("NFC", text), keep=frozenset())
    text = _STEERING.sub(" ", text)
    text = _without_tags(text)
    return _HEADING.sub(" ", " ".join(text.split())).strip()


def _without_tags(text: str) -> str:
    """Remove tags in linear time: after the last ``>`` there is none, however many ``<`` follow."""
    end = text.rfind(">") + 1
    return _TAG.sub("", text[:end]) + text[end:]


def _visible(text: str, keep: frozenset[int]) -> str:
    return "".join(_shown(char, keep) for char in text) if not text.isascii() or not text.isprintable() else text


def _shown(char: str, keep: frozenset[int]) -> str:
    if ord(char) in keep:
        return char
    category = unicodedata.category(char)
    if category in {"Cc", "Zl", "Zp"}:
        return " "
    return "" if category in {"Cf", "Co", "Cs"} or ord(char) in _INVISIBLE else char


def one_line(text: str, limit: int) -> str:
    """Text as one line of at most ``limit`` code points for logs and headings.

    Control, bidi and other invisible characters go; emoji sequences stay whole or are left out whole. Of a huge text
    only the head is looked at.
    """
    normal = unicodedata.normalize("NFC", _visible(text[: _WINDOW + 2 * limit], keep=EMOJI_GLUE))
    return truncate(" ".join(normal.split()), limit)


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


def heading_text(text: str, limit: int = 120) -> str:
    """Text that may stand in a Markdown heading: one line, no heading marks, comments or look-alikes of a token."""
    current = one_line(text, limit)
    while True:
        cleaned = one_line(_COMMENT.sub("", _TOKEN.sub("", current)).lstrip("#= "), limit)
        if cleaned == current:
            return cleaned
        current = cleaned


def neutralize_sections(text: str) -> str:
    """Break lines that look like a section of the prompt (``=== …``); all else stays as it is."""
    return _SECTION.sub(lambda match: f"{match['start']}{match['lead']}= = =", text)
