"""Markdown notes with front matter, and a second opinion on how other tools read them."""

from __future__ import annotations

import datetime as dt

from mindloop.store import front_matter
from mindloop.store.clock import parse_instant
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.store.files import Files

LIMIT = 4_000_000


class Note:
    """A note as it stands in its file.

    Attributes:
        meta: the header; strings, None, lists and dicts.
        body: everything behind the header, to the byte.
        text: the whole file.
        rel: its workspace-relative path.
    """

    __slots__ = ("body", "meta", "rel", "text")

    def __init__(self, meta: dict[str, Any], body: str, text: str, rel: str) -> None:
        self.meta = meta
        self.body = body
        self.text = text
        self.rel = rel


def read_note(reader: Files, rel: str, limit: int = LIMIT) -> Note | None:
    """Read a note, or return None where there is no file.

    Raises:
        Malformed: larger than ``limit`` bytes, not UTF-8, or its header does not parse.
    """
    text = reader.read_text(rel, limit)
    if text is None:
        return None
    meta, body = front_matter.parse(text, rel)
    return Note(meta, body, text, rel)


def interop_problem(text: str) -> str | None:
    """Say how another tool would read the header differently, or return None.

    The other tool is python-frontmatter, which guesses types: ``user: no`` becomes False, ``0x1f`` a number.
    """
    import frontmatter  # 30 ms, only for doctor

    try:
        ours, _ = front_matter.parse(text)
    except MindloopError as error:
        return error.message
    try:
        theirs = frontmatter.loads(text).metadata
    except Exception as error:  # noqa: BLE001 - whatever the other reader raises is the finding
        return (
            f"other tools cannot read the header: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        )
    return _difference("", ours, theirs)


def _difference(place: str, ours: object, theirs: object) -> str | None:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return _first_difference(place, ours, {str(key): value for key, value in theirs.items()})
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return _first_difference(place, dict(enumerate(ours)), dict(enumerate(theirs)))
    if ours == theirs or _means_the_same(ours, theirs):
        return None
    return f"{place or 'the header'}: other tools read {theirs!r}, not {ours!r}; put the value in quotes"


def _first_difference(place: str, ours: dict[Any, object], theirs: dict[Any, object]) -> str | None:
    for key, value in ours.items():
        name = f"{place}.{key}" if place else str(key)
        if key not in theirs:
            return f"{name}: other tools do not see this key"
        found = _difference(name, value, theirs[key])
        if found:
            return found
    return None


def _means_the_same(ours: object, theirs: object) -> bool:
    """Accept a date as a date and a plain number or truth value as itself."""
    if not isinstance(ours, str):
        return False
    if isinstance(theirs, dt.datetime):
        return parse_instant(ours) == parse_instant(theirs.isoformat())
    if isinstance(theirs, dt.date):
        return ours == theirs.isoformat()
    if isinstance(theirs, bool):
        return ours in ("true", "false") and (ours == "true") == theirs
    return isinstance(theirs, int | float) and ours == str(theirs)
