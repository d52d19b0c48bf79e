"""The backward compatibility contract of batch files, row by row (follow-up, backward compatibility contract)."""

from __future__ import annotations

import re

from mindloop.observer.batch.parse import (
    BATCH_TYPE,
    MESSAGE,
    number,
    numbers,
    record_list,
    sections,
    text_list,
)
from mindloop.observer.names import fold
from mindloop.store import front_matter
from mindloop.store.clock import parse_instant
from mindloop.store.errors import MindloopError
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE_NAME = when_used(r"(?:^|/)follow-ups/(\d{4}-\d{2}-\d{2})\.md\Z")
_PART = when_used(r"^###(?!#)", re.MULTILINE)
_ANY_MESSAGE = when_used(r"^### Message\b.*$", re.MULTILINE)
REQUIRED = ("generated", "users", "total_messages")
LINES = ("Canvas", "Triggers")


def compat_problems(text: str, rel: str | None = None) -> list[str]:
    """What breaks the contract in a batch file; empty where every row holds.

    Keys that came later (skipped_users, verification_summary, temporal_summary, host, runs) may be absent; where they
    are present their shape is checked.

    Args:
        text: the file.
        rel: its path, when the path is to be checked as well.
    """
    problems = [] if rel is None or _file_name(rel) else [f"the path is {rel}; expected …/follow-ups/YYYY-MM-DD.md"]
    try:
        meta, body = front_matter.parse(text)
    except MindloopError as error:
        return [*problems, error.message]
    return [*problems, *_header_problems(meta), *_body_problems(meta, body.replace("\r\n", "\n"))]


def _file_name(rel: str) -> bool:
    match = _FILE_NAME.search(rel)
    return match is not None and parse_instant(match.group(1)) is not None


def _header_problems(meta: dict[str, object]) -> Iterator[str]:
    if meta.get("type") != BATCH_TYPE:
        yield f"type is {meta.get('type')!r}; expected {BATCH_TYPE!r}"
    yield from (f"the key {key} is missing" for key in REQUIRED if key not in meta)
    generated = meta.get("generated")
    if generated is not None and parse_instant(str(generated)) is None:
        yield f"generated is {generated!r}; expected an ISO 8601 instant"
    yield from _additive_problems(meta)


def _additive_problems(meta: dict[str, object]) -> Iterator[str]:
    """Shapes of the later keys, and the sums they promise."""
    try:
        record_list(meta, "skipped_users", ("user", "reason"))
        record_list(meta, "runs", ("run",))
        quotes = numbers(meta, "verification_summary", ("total_quotes", "verified", "stripped"))
        claims = numbers(meta, "temporal_summary", ("total_claims", "valid", "stripped"))
    except MindloopError as error:
        yield error.message
        return
    if quotes["total_quotes"] != quotes["verified"] + quotes["stripped"]:
        yield "verification_summary: total_quotes is not verified + stripped"
    if claims["total_claims"] != claims["valid"] + claims["stripped"]:
        yield "temporal_summary: total_claims is not valid + stripped"


def _body_problems(meta: dict[str, object], body: str) -> Iterator[str]:
    try:
        users = text_list(meta, "users")
        total = number(meta.get("total_messages", "0"), "total_messages")
    except MindloopError as error:
        yield error.message
        return
    found = [(part.name, body[part.start : part.end]) for part in sections(body)]
    yield from _name_problems(users, [name for name, _ in found])
    for name, section in found:
        yield from _section_problems(name, section)
    counted = len(MESSAGE.findall(body))
    if counted != total:
        yield f"total_messages is {total}, the file holds {counted}"


def _name_problems(users: list[str], headings: list[str]) -> Iterator[str]:
    """The list of users and the ``## `` headings are the same people, each once."""
    listed = {fold(user) for user in users}
    seen: set[str] = set()
    for heading in headings:
        if fold(heading) not in listed:
            yield f"the section {heading!r} is of nobody in users"
        elif fold(heading) in seen:
            yield f"{heading!r} has more than one section"
        seen.add(fold(heading))
    yield from (f"{user!r} is in users and has no section" for user in users if fold(user) not in seen)


def _section_problems(name: str, section: str) -> Iterator[str]:
    parts = section[: match.start()] if (match := _PART.search(section)) else section
    for line in LINES:
        if not re.search(rf"^\*\*{line}\*\*:", parts, re.MULTILINE):
            yield f"the section of {name!r} has no **{line}**: line"
    used: list[str] = []
    for heading in _ANY_MESSAGE.finditer(section):
        message = MESSAGE.match(heading.group())
        if message is None:
            yield f"{name!r}: {heading.group()[:80]!r} is not '### Message N (…)'"
            continue
        if message.group(1) in used:
            yield f"{name!r} has two messages {message.group(1)}"
        used.append(message.group(1))
        if not section[heading.end() :].lstrip().startswith('> Anchor quote: "'):
            yield f"{name!r}, message {message.group(1)}: no '> Anchor quote:' follows the heading"
