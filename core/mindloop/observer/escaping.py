"""How other people's text is put into a file so that it cannot be taken for the file's own structure.

Two rules, both reversible: a line of a message that would start a heading, a quote, a fence or a rule gets a backslash
in front of it, and an HTML comment cannot open, because its bracket becomes an entity (as in a canvas). What has to
stand on one line is folded to one line first. Markdown shows the escaped text as it was written.
"""

from __future__ import annotations

import re

from mindloop.observer.lines import CONTROL, clean_line, whole
from mindloop.observer.names import display_name, slug
from mindloop.store.errors import WrongInput
from mindloop.store.lazy_patterns import when_used

_BREAKS = dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"), "\n")
"""Everything but a line feed that some tool takes for the end of a line."""
_STRUCTURE = (
    r"(?=#|>|`{3}|~{3}|=+[^\S\n]*$|-+[^\S\n]*$"
    r"|(?:-[^\S\n]*){3,}$|(?:\*[^\S\n]*){3,}$|(?:_[^\S\n]*){3,}$)"
)
_TO_ESCAPE = when_used(r"^([^\S\n]*)(\\*)" + _STRUCTURE, re.MULTILINE)
_ESCAPED = when_used(r"^([^\S\n]*)\\(\\*)" + _STRUCTURE, re.MULTILINE)
_ENTITY = when_used(r"&(lt|gt|quot|amp);")
_CONTROLS = "[0-8]|1[4-9]|2[0-7]|12[7-9]|13[0-24-9]|1[45][0-9]"  # the numbers of what lines.CONTROL matches
_NUMBER = when_used(rf"&(#(?:{_CONTROLS});)")
_QUOTED = when_used(rf"&(?:(lt|gt|quot|amp)|#({_CONTROLS}));")
_PLAIN = {"lt": "<", "gt": ">", "quot": '"', "amp": "&"}


def unescape(text: str) -> str:
    """Undo ``escape``: the four entities, in one pass."""
    return _ENTITY.sub(lambda found: _PLAIN[found[1]], text)


def escape(text: str) -> str:
    """Write text so that no comment opens in it; ``unescape`` gives back exactly ``text``."""
    kept = _ENTITY.sub(lambda found: "&amp;" + found[0][1:], text)
    return kept.replace("<!--", "&lt;!--")


def clean_body(text: str) -> str:
    """A message body as it is kept: one kind of line end, no control characters, no blank ends. Idempotent."""
    text = whole(CONTROL.sub("", text.replace("\r\n", "\n").translate(_BREAKS)))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def guard_comments(text: str) -> str:
    """The same text in which no HTML comment starts or ends."""
    return escape(text).replace("-->", "--&gt;")


def write_line(text: str) -> str:
    """Text for a place inside a line: cleaned, and no HTML comment starts or ends in it."""
    return guard_comments(clean_line(text))


def read_line(text: str) -> str:
    """What ``write_line`` or ``guard_comments`` made safe."""
    return unescape(text)


def write_quote(text: str) -> str:
    """A quote for a place inside a line, with every character that its hash knows: controls stand as entities."""
    spaced = whole(" ".join(text.split()))
    kept = _NUMBER.sub(r"&amp;\1", guard_comments(spaced))
    return CONTROL.sub(lambda found: f"&#{ord(found[0])};", kept)


def read_quote(text: str) -> str:
    """What ``write_quote`` made safe, to the character but for white space."""
    return _QUOTED.sub(lambda found: chr(int(found[2])) if found[2] else _PLAIN[found[1]], text)


def write_body(text: str) -> str:
    """A message body, cleaned, in which no line is structure and no HTML comment starts."""
    return _TO_ESCAPE.sub(r"\1\\\2", escape(clean_body(text)))


def read_body(text: str) -> str:
    """What ``write_body`` was given, cleaned."""
    return unescape(_ESCAPED.sub(r"\1\2", clean_body(text)))


def heading_name(user: str) -> str:
    """The name that stands in ``## {user}`` and in the front matter's lists.

    A proper name stays as it is written. What could not be a name (it would have been refused when the canvas was read)
    becomes its slug, which no other name shares: a shared heading would mix two users' messages.
    """
    try:
        proper = display_name(user)
    except WrongInput:
        return slug(user)
    return proper if proper == user else slug(user)
