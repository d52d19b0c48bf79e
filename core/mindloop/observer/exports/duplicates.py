"""Messages that an export holds twice: edited ones with both their texts, and rows that were written again."""

from __future__ import annotations

from mindloop.store.clock import parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from mindloop.observer.exports.message import Message

ALIKE = 50
"""Characters at the beginning of a text that make it the same text, where time and sender are the same."""


def without_duplicates(messages: Iterable[Message]) -> list[Message]:
    """Keep one of each message: of equal ids, and of equal (stamp, sender, first ``ALIKE`` characters).

    The latest edit wins, then the longer text; which one that is does not depend on the order. What stays keeps its
    order. A message without a stamp is only a duplicate by its id.
    """
    kept = _best(messages, lambda message: (message.thread, message.id) if message.id else None)
    return _best(kept, _place)


def _place(message: Message) -> Hashable:
    return (message.stamp_raw, message.sender, message.text[:ALIKE]) if message.stamp_raw else None


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
