"""Reading batch files: ours and those of earlier tools that keep the same contract (follow-up, step 5)."""

from __future__ import annotations

import re
from itertools import pairwise

from mindloop.observer.escaping import read_body, read_line, read_quote
from mindloop.observer.lines import clean_line
from mindloop.store import front_matter
from mindloop.store.errors import Malformed, WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.types import Batch, BatchMessage, BatchUser

BATCH_TYPE = "follow-up-batch"
FILE_LIMIT = 32_000_000
"""Bytes above which a file of the follow-ups folder is reported and not read."""
HEADING = when_used(r"^##(?!#)(.*)$", re.MULTILINE)
MESSAGE = when_used(r"^### Message (\d{1,9}) \((.*)\)[ \t\r]*$", re.MULTILINE)
QUESTIONS = when_used(r"^### Scary Questions[ \t\r]*$", re.MULTILINE)
_PART = when_used(r"^###(?!#)", re.MULTILINE)
METADATA = when_used(r"^\*\*(Canvas|Triggers|Score context|Verification|Host)\*\*:[ \t]*(.*)$", re.MULTILINE)
_QUESTION = when_used(r"^(\d{1,9})\.[ \t]+(.*)$", re.MULTILINE)
_ANCHOR = when_used(r'^>[ \t]?Anchor quote: "(.*)"[ \t]*$')
_HASH = when_used(r"<!--\s*prov:sha256:([0-9a-fA-F]{64})\b")
_TOKEN = when_used(r"^>[ \t]?Token: \[FU:([0-9a-fA-F]{8})\]")
_MEND = "Correct the header of the batch file, or move the file away."
_VERIFIED = when_used(r"(\d{1,9})/(\d{1,9})\b")


class Section:
    """One ``## `` section of a file: whose it is and where it stands in the text."""

    __slots__ = ("end", "name", "start")

    def __init__(self, name: str, start: int, end: int) -> None:
        self.name = name
        self.start = start
        self.end = end


def sections(text: str) -> list[Section]:
    """The sections in order. A section ends where the next ``## `` starts; ``###`` is part of it."""
    heads = [(match.start(), match.group(1)) for match in HEADING.finditer(text)]
    return [
        Section(read_line(name.strip()) if name[:1].isspace() else "", start, end)
        for (start, name), (end, _) in pairwise([*heads, (len(text), "")])
    ]


def batch_meta(text: str, source: str = "") -> tuple[dict[str, object], str]:
    """Front matter and body of a batch file.

    Raises:
        WrongInput: the file is something else; ``Malformed`` where its front matter does not parse.
    """
    meta, body = front_matter.parse(text, source)
    if meta.get("type") != BATCH_TYPE:
        name = source or "the file"
        raise WrongInput(
            f"{name} is no follow-up batch: its front matter's type is {meta.get('type')!r}, expected {BATCH_TYPE!r}",
            "Move that file elsewhere, then repeat the command; nothing was written.",
        )
    return meta, body


def text_list(meta: dict[str, object], key: str) -> list[str]:
    """A list of strings in the front matter; empty where the key is absent or null."""
    value = meta.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Malformed(f"front matter key {key!r} of the batch holds {value!r:.80}; expected a list of texts", _MEND)
    return value


def record_list(meta: dict[str, object], key: str, needed: tuple[str, ...]) -> list[dict[str, object]]:
    """A list of mappings in the front matter, each with the needed text fields; empty where the key is absent."""
    value = meta.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(_has_texts(item, needed) for item in value):
        raise Malformed(
            f"front matter key {key!r} of the batch: every item needs the text fields {', '.join(needed)}", _MEND
        )
    return value


def _has_texts(item: object, needed: tuple[str, ...]) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(name), str) for name in needed)


def numbers(meta: dict[str, object], key: str, names: tuple[str, ...]) -> dict[str, int]:
    """Whole numbers of a mapping in the front matter; what is absent is 0 (files of before these keys)."""
    value = meta.get(key)
    value = {} if value is None else value
    if not isinstance(value, dict):
        raise Malformed(f"front matter key {key!r} of the batch holds {value!r:.80}; expected a mapping", _MEND)
    return {name: number(value.get(name, "0"), f"{key}.{name}") for name in names}


def number(value: object, key: str) -> int:
    """A whole number, 0 or more, as the front matter spells it."""
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise Malformed(f"front matter key {key!r} of the batch holds {value!r:.80}; expected a whole number", _MEND)
    return int(text)


def parse_batch(text: str) -> Batch:
    """Everything a batch file holds, with escapes undone.

    Raises:
        WrongInput: it is no batch file, or its front matter is broken.
    """
    meta, body = batch_meta(text)
    body = body.replace("\r\n", "\n")
    return {
        "generated": str(meta.get("generated") or ""),
        "host": str(meta.get("host") or ""),
        "users": text_list(meta, "users"),
        "total_messages": number(meta.get("total_messages", "0"), "total_messages"),
        "skipped_users": record_list(meta, "skipped_users", ("user", "reason")),
        "runs": record_list(meta, "runs", ("run",)),
        "verification_summary": numbers(meta, "verification_summary", ("total_quotes", "verified", "stripped")),
        "temporal_summary": numbers(meta, "temporal_summary", ("total_claims", "valid", "stripped")),
        "sections": [parse_section(part.name, body[part.start : part.end]) for part in sections(body)],
    }


def parse_section(name: str, text: str) -> BatchUser:
    """One user's section."""
    parts = _parts(without_rule(text))
    fields = dict(reversed(METADATA.findall(parts[0])))
    verified, total = verification(fields.get("Verification", ""))
    questions = [item for part in parts[1:] if QUESTIONS.match(part) for item in _QUESTION.findall(part)]
    return {
        "user": name,
        "canvas": read_line(clean_line(fields.get("Canvas", ""))),
        "triggers": read_line(clean_line(fields.get("Triggers", ""))),
        "score_line": read_line(clean_line(fields.get("Score context", ""))),
        "host": clean_line(fields.get("Host", "")),
        "verified": verified,
        "total_quotes": total,
        "scary_questions": [read_line(clean_line(question)) for _, question in questions],
        "messages": [_parse_message(match, part) for part in parts[1:] if (match := MESSAGE.match(part))],
    }


def without_rule(section_text: str) -> str:
    """A section without the rule that closes it."""
    text = section_text.rstrip()
    return text[:-3].rstrip() if text.endswith("\n---") else text


def verification(line: str) -> tuple[int, int]:
    """``n/m`` of a verification line; zeros where it says neither."""
    match = _VERIFIED.match(line)
    return (int(match.group(1)), int(match.group(2))) if match else (0, 0)


def _parts(text: str) -> list[str]:
    """The lines under the heading, then each ``### `` part."""
    marks = [0, *(match.start() for match in _PART.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(marks)]


def _parse_message(match: re.Match[str], part: str) -> BatchMessage:
    quoted, body = _split_quote(part[match.end() :])
    anchor = next((found.group(1) for line in quoted if (found := _ANCHOR.match(line))), "")
    digest = next((found.group(1).lower() for line in quoted if (found := _HASH.search(line))), None)
    token = next((found.group(1).lower() for line in quoted if (found := _TOKEN.match(line))), None)
    return {
        "number": int(match.group(1)),
        "hypothesis_or_trigger": read_line(match.group(2)),
        "anchor_quote_text": read_quote(anchor),
        "anchor_quote_hash": digest,
        "token": token,
        "message_body": read_body(body),
    }


def _split_quote(text: str) -> tuple[list[str], str]:
    """The quote right under a message's heading, and what follows it."""
    lines = text.lstrip("\n").split("\n")
    size = next((index for index, line in enumerate(lines) if not line.startswith(">")), len(lines))
    return lines[:size], "\n".join(lines[size:])
