"""Our own words in somebody's reply: quoted lines and pasted messages are not what the user said."""

from __future__ import annotations

import re

from mindloop.observer.canonical import canonical
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

_TOKEN = when_used(r"\[FU:([0-9a-f]{8})\]", re.IGNORECASE)
_ALL_QUOTED = ">>> "
"""What makes a quote of everything after it, in Discord."""
_QUOTED = when_used(r"[ \t]*(?:>[ \t]*)+(?P<words>.*)")


def tokens_in(text: str) -> list[str]:
    """Return every reply token ``[FU:deadbeef]`` of a text: its digits in lower case, each once, in their order."""
    return list(dict.fromkeys(digits.lower() for digits in _TOKEN.findall(text)))


def ours_of(messages: Iterable[str]) -> frozenset[str]:
    """Return what counts as ours when it comes back: each message and each line, canonical, without reply tokens."""
    found: set[str] = set()
    for message in messages:
        found.update(_form(line) for line in (message, *message.splitlines()))
    return frozenset(found - {""})


def own_words(text: str, others: Container[str]) -> str:
    """Return a text without what it repeats of our messages.

    Args:
        text: what a user sent.
        others: our messages and their lines, in the form that ``ours_of`` gives them.

    Returns:
        Nothing, where the whole is ours; the text without the lines that quote us (``>`` before our words, line by
        line or as a block); any other line stays as it is, quoted or not.
    """
    if _form(text) in others:
        return ""
    if ">" not in text:
        return text
    lines = text.split("\n")
    kept: list[str] = []
    block: list[str] = []
    to_the_end = False
    for line in lines:
        to_the_end = to_the_end or line.startswith(_ALL_QUOTED)
        if to_the_end or _QUOTED.fullmatch(line):
            block.append(line)
            continue
        kept += _not_ours(block, others)
        kept.append(line)
        block = []
    kept += _not_ours(block, others)
    left = text if len(kept) == len(lines) else "\n".join(kept).strip()
    return "" if _form(left) in others else left


def _not_ours(block: list[str], others: Container[str]) -> list[str]:
    """The lines of a block of quoted lines that do not repeat us; none where only empty ones would be left."""
    if not block or _joined(block) in others:
        return []
    left = [line for line in block if _form(_words(line)) not in others]
    if len(left) == len(block):
        return block
    return left if any(map(_words, left)) and _joined(left) not in others else []


def _joined(block: list[str]) -> str:
    return _form("\n".join(map(_words, block)))


def _words(line: str) -> str:
    match = _QUOTED.fullmatch(line)
    return match["words"].strip() if match else line


def _form(text: str) -> str:
    return canonical(_TOKEN.sub(" ", text))
