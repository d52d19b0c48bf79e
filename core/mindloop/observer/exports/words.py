"""What of a conversation counts as said by its sender: each message once, without what it repeats of ours."""

from __future__ import annotations

import re

from mindloop.store.clock import parse_instant
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterable

    from mindloop.observer.exports.message import Message

ALIKE = 50
"""Characters at the beginning of a text that make it the same text, where time and sender are the same."""

_TOKEN = when_used(r"\[FU:([0-9a-f]{8})\]", re.IGNORECASE)
_QUOTED = when_used(r"[ \t]*(?:>[ \t]*)+(?P<words>.*)")


def latest(messages: Iterable[Message]) -> list[Message]:
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


def _rank(message: Message) -> tuple[float, int, str]:
    edited = parse_instant(message.edited_raw)
    return (edited.timestamp() if edited else 0.0, len(message.text), message.text)


def tokens_in(text: str) -> list[str]:
    """Return every reply token ``[FU:deadbeef]`` of a text: its digits in lower case, each once, in their order."""
    return list(dict.fromkeys(digits.lower() for digits in _TOKEN.findall(text)))


def own_words(text: str, others: Container[str]) -> str:
    """Return a text without what it repeats of our messages.

    Args:
        text: what a user sent.
        others: our messages and their lines; it is asked for words as they stand there, and compares them as it
            likes (canonical, without reply tokens).

    Returns:
        Nothing, where the whole is ours; the text without the lines that quote us (``>`` before our words, line by
        line or as a block); any other line stays as it is, quoted or not.
    """
    if text in others:
        return ""
    if ">" not in text:
        return text
    lines = text.split("\n")
    kept: list[str] = []
    block: list[str] = []
    for line in lines:
        if _QUOTED.fullmatch(line):
            block.append(line)
            continue
        kept += _not_ours(block, others)
        kept.append(line)
        block = []
    kept += _not_ours(block, others)
    return text if len(kept) == len(lines) else "\n".join(kept).strip()


def _not_ours(block: list[str], others: Container[str]) -> list[str]:
    """The lines of a block of quoted lines that do not repeat us; none where only empty ones would be left."""
    words = [_words(line) for line in block]
    if not block or "\n".join(words) in others:
        return []
    left = [line for line, said in zip(block, words, strict=True) if said not in others]
    return left if len(left) == len(block) or any(map(_words, left)) else []


def _words(line: str) -> str:
    match = _QUOTED.fullmatch(line)
    return match["words"].strip() if match else line
