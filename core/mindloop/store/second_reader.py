"""A second opinion on the header of a note: how other tools would read it."""

from __future__ import annotations

import datetime as dt

from mindloop.store import front_matter
from mindloop.store.clock import parse_instant
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
