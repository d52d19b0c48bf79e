"""The index by user without parsing all of it: whose line it is stands in the line; only what is new is read.

What was seen of a user is remembered as a number of lines and a hash of the last of them. An index that was rewritten
since (a bad line moved out, two files merged) fails that hash, and is read again from its beginning.
"""

from __future__ import annotations

from mindloop.observer.names import fold
from mindloop.store import records
from mindloop.store.digest import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MARK_DIGITS = 16
_FIELD = b'"canvas_target":"'
_KEY = b"canvas_target"
_BEFORE = b"{,"


def lines_by_user(data: bytes) -> dict[str, list[bytes]]:
    """The raw lines of an index that name a user, by folded name, in file order.

    A line as our own writers make it is not parsed; any other is, and left out where it names nobody.
    """
    found: dict[str, list[bytes]] = {}
    folded: dict[bytes, str] = {}
    for raw in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        name = _quick(raw)
        key = _parsed(raw) if name is None else folded.get(name)
        if key is None and name is not None:
            key = folded[name] = fold(name.decode("utf-8", "replace"))
        if key:
            found.setdefault(key, []).append(raw)
    return found


def _quick(raw: bytes) -> bytes | None:
    """The name in a line that spells the field as we do, once; None where the line has to be parsed."""
    at = raw.find(_FIELD)
    if at < 1 or raw[at - 1] not in _BEFORE or raw.count(_KEY) != 1 or raw.count(b"{") != 1:
        return None  # a second brace may open an object inside the record, with a name of its own
    start = at + len(_FIELD)
    name = raw[start : raw.find(b'"', start)]
    return None if b"\\" in name else name


def _parsed(raw: bytes) -> str | None:
    if not raw.strip():
        return None
    record, _ = records.parse(raw.removesuffix(b"\r"))
    target = record.get("canvas_target") if record else None
    return fold(target) if isinstance(target, str) else None


def unseen(lines: list[bytes], seen: int, mark: str | None) -> list[dict[str, Any]]:
    """The records among a user's lines that come after those that were seen; bad lines are passed over.

    Args:
        lines: the user's lines, in file order.
        seen: how many of them were seen.
        mark: ``mark_of`` of the last that was; where another line stands there now, none counts as seen.
    """
    start = seen if is_current(lines, seen, mark) else 0
    parsed = (records.parse(raw.removesuffix(b"\r"))[0] for raw in lines[start:])
    return [record for record in parsed if record is not None]


def is_current(lines: list[bytes], seen: int, mark: str | None) -> bool:
    """Whether the first ``seen`` lines still are those that were seen, as far as the last of them tells."""
    return 0 < seen <= len(lines) and mark_of(lines[seen - 1]) == mark


def mark_of(line: bytes) -> str:
    """What is remembered of a line."""
    return sha256_hex(line)[:_MARK_DIGITS]
