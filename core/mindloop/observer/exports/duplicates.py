"""Messages that an export holds twice: edited ones with both their texts, and rows that were written again."""

from __future__ import annotations

from mindloop.store.clock import parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from mindloop.observer.exports.message import Message

ALIKE = 50
"""Characters at the beginning of a text that make an edit and what it edits one message, at one time of one sender."""
_EDITED = "(edited)"


def without_duplicates(messages: Iterable[Message]) -> list[Message]:
    """Keep one of each message: of equal ids, of equal (stamp, sender, text), and of an edit and what it edits.

    Without ids those are an edit and its first text: one that is marked as edited and the only other one of its stamp
    and sender that begins alike. The latest edit wins, then the longer text; which one that is does not depend on the
    order. What stays keeps its order. A message without a stamp is only a duplicate by its id.
    """
    kept = _best(messages, lambda message: (message.thread, message.id) if message.id else None)
    kept = _best(kept, _whole)
    edited = _edited(kept)
    return _best(kept, lambda message: _start(message) if _start(message) in edited else None) if edited else kept


def _whole(message: Message) -> Hashable:
    return (message.stamp_raw, message.sender, message.thread, message.text) if message.stamp_raw else None


def _start(message: Message) -> Hashable:
    if message.id or not message.stamp_raw:
        return None
    return message.stamp_raw, message.sender, message.thread, message.text[:ALIKE]


def _edited(messages: list[Message]) -> set[Hashable]:
    """The beginnings of which there is one first text, and edits."""
    marked = {_start(message) for message in messages if _is_edit(message)} - {None}
    first: dict[Hashable, int] = {}
    for message in messages if marked else ():
        start = _start(message)
        if start in marked and not _is_edit(message):
            first[start] = first.get(start, 0) + 1
    return {start for start, count in first.items() if count == 1}


def _is_edit(message: Message) -> bool:
    return bool(message.edited_raw) or message.text.endswith(_EDITED)


def _best(messages: Iterable[Message], key_of: Callable[[Message], Hashable]) -> list[Message]:
    found: dict[Hashable, Message] = {}
    for message in messages:
        key = key_of(message)
        if key is None:
            key = ("alone", message.number)
        other = found.get(key)
        if other is None or _rank(message) > _rank(other):
            found[key] = message
    return list(found.values())


def _rank(message: Message) -> tuple[float, int, str, str, str, str]:
    """What decides, best last; messages of one rank are the same."""
    edited = parse_instant(message.edited_raw)
    at = edited.timestamp() if edited else 0.0
    text = message.text
    return at, len(text), text, message.stamp_raw, message.id or "", message.edited_raw or ""
