"""Text that people or models wrote, made harmless before it stands in a prompt, a heading or a log line.

`sanitize` is for text that a writer reads as data though a model made it: phrases that steer models are taken out,
again and again, until nothing of the kind is left (follow-up, cognition section of the prompt).
"""

from __future__ import annotations

import re
import unicodedata

from mindloop.observer.lines import WINDOW, one_line, truncate, visible
from mindloop.store.lazy_patterns import when_used

_STEERING = when_used(
    r"""
      ignore\s+(?:all\s+)?(?:the\s+|your\s+|my\s+)?previous\w*
    | (?:system|assistant)\s*:
    | pretend\w*
    | \byou\s+are\b
    | \bact\s+as\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TAG = when_used(r"<[A-Za-z/!?][^>]*>")
_HEADING = when_used(r"^#+\s*|(?<!\S)#{1,6}(?!\S)|={3,}")
TOKEN = when_used(r"\[\s*fu\s*:[^\[\]\n]*\]|\[\s*fu\s*:", re.IGNORECASE)
"""Whatever could pass for a reply token, ``[FU:deadbeef]``, or for the start of one."""
_COMMENT = when_used(r"<!--|-->")
_BREAKS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_SECTION = when_used(rf"(?P<start>\A|[{_BREAKS}])(?P<lead>(?:[^\S{_BREAKS}]|[\u200b-\u200f\u2060\ufeff])*)={{3,}}")


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
    current = text[: max(WINDOW, limit)]
    while True:
        cleaned = truncate(_scrub(current), limit)
        if cleaned == current:
            return cleaned
        current = cleaned


def _scrub(text: str) -> str:
    text = visible(unicodedata.normalize("NFC", text), keep=frozenset())
    text = _STEERING.sub(" ", text)
    text = _without_tags(text)
    return _HEADING.sub(" ", " ".join(text.split())).strip()


def _without_tags(text: str) -> str:
    """Remove tags in linear time: after the last ``>`` there is none, however many ``<`` follow."""
    end = text.rfind(">") + 1
    return _TAG.sub("", text[:end]) + text[end:]


def heading_text(text: str, limit: int = 120) -> str:
    """Text that may stand in a Markdown heading: one line, no heading marks, comments or look-alikes of a token."""
    current = one_line(text, limit)
    while True:
        cleaned = one_line(_COMMENT.sub("", TOKEN.sub("", current)).lstrip("#= "), limit)
        if cleaned == current:
            return cleaned
        current = cleaned


def neutralize_sections(text: str) -> str:
    """Break lines that look like a section of the prompt (``=== …``); all else stays as it is."""
    if "===" not in text:
        return text
    return _SECTION.sub(lambda match: f"{match['start']}{match['lead']}= = =", text)
