"""A second run on one day: its messages join the day's file and nothing that stands there is lost (follow-up, step 5).

Earlier tokens are in the growth states already, so earlier messages keep their text and their numbers. The key ``runs``
names every run and the users it brought: a commit that is repeated after a crash is recognised by it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from mindloop.observer.batch import render as write
from mindloop.observer.batch.parse import (
    MESSAGE,
    METADATA,
    batch_meta,
    numbers,
    parse_section,
    record_list,
    sections,
    text_list,
    without_rule,
)
from mindloop.observer.escaping import heading_name
from mindloop.observer.lines import clean_line
from mindloop.observer.names import fold
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.store import front_matter, strict_yaml
from mindloop.store.clock import stamp
from mindloop.store.errors import Malformed
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from mindloop.observer.types import SkippedUser, UserResult

_KEY = when_used(r"^(?:([A-Za-z_][\w-]*)[ \t]*:(?=\s|$)|(?=#))", re.MULTILINE)
_PART = when_used(r"^###(?!#)", re.MULTILINE)
INVALID = "invalid_canvas"  # about a file: its user may well have messages from another canvas


class Header:
    """The front matter of a day's file while runs are added to it."""

    __slots__ = ("runs", "skipped", "temporal", "users", "verification")

    def __init__(self, meta: dict[str, object]) -> None:
        self.users = text_list(meta, "users")
        self.skipped = record_list(meta, "skipped_users", ("user", "reason"))
        self.runs = record_list(meta, "runs", ("run",))
        self.verification = numbers(meta, "verification_summary", ("total_quotes", "verified", "stripped"))
        self.temporal = numbers(meta, "temporal_summary", ("total_claims", "valid", "stripped"))
        for run in self.runs:
            run["users"] = text_list(run, "users")

    def snapshot(self) -> str:
        """All of it as one comparable text."""
        return repr((self.users, self.skipped, self.runs, self.verification, self.temporal))

    def known(self, run: str) -> set[str]:
        """The users, folded, that a run has brought already."""
        return {fold(user) for item in self.runs if item["run"] == run for user in text_list(item, "users")}

    def add(self, fresh: Sequence[UserResult], skipped: Sequence[SkippedUser], run: str, now: datetime) -> None:
        """Take in what a run brings that is not there yet."""
        self._add_run(fresh, run, now, skipped)
        present = {fold(user) for user in self.users}
        for result in fresh:
            name = heading_name(result["user"])
            if result["messages"] and fold(name) not in present:
                present.add(fold(name))
                self.users.append(name)
            _add(self.verification, ("verified", "total_quotes"), write.counts(result))
            _add(self.temporal, ("valid", "total_claims"), write.claim_counts(result))
        self.skipped = [
            item for item in self.skipped if item["reason"] == INVALID or fold(str(item["user"])) not in present
        ]

    def _add_run(self, fresh: Sequence[UserResult], run: str, now: datetime, skipped: Sequence[SkippedUser]) -> None:
        known = [item for item in self.runs if item["run"] == run]
        if not known:
            self.runs.append({"run": run, "at": stamp(now), "users": []})
            self.skipped = []
        entry = known[0] if known else self.runs[-1]
        if entry is self.runs[-1]:  # parts of one run add up; an older run says nothing about the latest one's skips
            entries = [*self.skipped, *map(_skip_entry, skipped)]
            self.skipped = list({(fold(str(item["user"])), item["reason"]): item for item in entries}.values())
        entry["users"] = [*text_list(entry, "users"), *(heading_name(result["user"]) for result in fresh)]
        hosts = [*_hosts(entry), *(result["host"] for result in fresh)]
        entry["host"] = ", ".join(dict.fromkeys(host for host in hosts if host))

    def fields(self, now: datetime, total_messages: int) -> dict[str, object]:
        """The keys of the contract, then ours, in the order of the source document."""
        hosts = [host for run in self.runs for host in _hosts(run)]
        return {
            "type": "follow-up-batch",
            "generated": stamp(now),
            "architecture": "rlm-isolated",
            "users": self.users,
            "total_messages": total_messages,
            "skipped_users": self.skipped,
            "verification_summary": self.verification,
            "temporal_summary": self.temporal,
            "host": ", ".join(dict.fromkeys(hosts)),
            "runs": self.runs,
        }


def _hosts(run: dict[str, object]) -> list[str]:
    return [host for host in str(run.get("host") or "").split(", ") if host]


def _skip_entry(item: SkippedUser) -> dict[str, object]:
    return {"user": clean_line(item["user"]) or heading_name(item["user"]), "reason": clean_line(item["reason"])}


def _add(summary: dict[str, int], names: tuple[str, str], counted: tuple[int, int]) -> None:
    """Add (kept, total) to a summary; total = kept + stripped holds for what is added."""
    kept, total = counted
    summary[names[0]] += kept
    summary[names[1]] += total
    summary["stripped"] += total - kept


def merge(existing: str, results: Sequence[UserResult], skipped: Sequence[SkippedUser], now: datetime, run: str) -> str:
    """The day's file with a run added; the same text where the run is in it already.

    Raises:
        WrongInput: the file is no batch or its front matter does not hold what a batch's does. Nothing is written.
    """
    meta, body = batch_meta(existing, "the day's file")
    header = Header(meta)
    state = header.snapshot()
    known = header.known(run)
    fresh = [result for result in unique(results) if fold(heading_name(result["user"])) not in known]
    header.add(fresh, skipped, run, now)
    if header.snapshot() == state:
        return existing
    newline = "\r\n" if "\r\n" in existing else "\n"
    body_after = add_sections(body.replace("\r\n", "\n"), fresh)
    fields = header.fields(now, len(MESSAGE.findall(body_after)))
    return _replace_header(existing, body, fields, newline) + body_after.replace("\n", newline)


def unique(results: Sequence[UserResult]) -> list[UserResult]:
    """One result a user: the first."""
    seen: dict[str, UserResult] = {}
    for result in results:
        seen.setdefault(fold(heading_name(result["user"])), result)
    return list(seen.values())


def add_sections(body: str, results: Sequence[UserResult]) -> str:
    """The body with each result's messages: in the user's own section where there is one, else in a new one."""
    marks = sections(body)
    pieces = [body[mark.start : mark.end] for mark in marks]
    places = {fold(mark.name): place for place, mark in reversed([*enumerate(marks)])}  # the first of a name wins
    for result in results:
        if not result["messages"]:
            continue
        place = places.get(fold(heading_name(result["user"])))
        if place is None:
            pieces.append(write.section(result))
        else:
            pieces[place] = _extend(pieces[place], result)
    preamble = _preamble(body[: marks[0].start] if marks else body, results)
    return "\n".join(piece.rstrip("\n") + "\n" for piece in [preamble, *pieces])


def _preamble(text: str, results: Sequence[UserResult]) -> str:
    """What stands above the first section; the remarks that a new run makes untrue or necessary are changed."""
    if any(result["messages"] for result in results):
        text = text.replace(f"{write.EMPTY_NOTE}\n", "").rstrip("\n") + "\n"
    rehearsed = any(result["host"] == REHEARSAL and result["messages"] for result in results)
    if rehearsed and write.REHEARSAL_NOTE not in text:
        text = f"{text.rstrip()}\n\n{write.REHEARSAL_NOTE}\n"
    return text


def _extend(text: str, result: UserResult) -> str:
    """A section with a later run's messages: earlier ones stay as they are, numbers go on."""
    text = without_rule(text)
    earlier = parse_section("", text)
    end = match.start() if (match := _PART.search(text)) else len(text)
    heading, _, rest = text[:end].partition("\n")
    lines = write.metadata(result, (earlier["verified"], earlier["total_quotes"]), earlier["host"])
    notes = [line for line in rest.split("\n") if not METADATA.match(line)]
    top = "\n".join([heading, "", *lines, *_trimmed(notes), "", ""])
    numbers_used = [message["number"] for message in earlier["messages"]]
    first_question = len(earlier["scary_questions"]) + 1
    added = write.messages(result, first_question, max(numbers_used, default=0) + 1)
    return f"{top}{text[end:].rstrip()}\n\n{added}\n\n{write.RULE}\n"


def _trimmed(lines: list[str]) -> list[str]:
    """Lines that a person added under the heading, set off by a blank line; nothing where there are none."""
    text = "\n".join(lines).strip("\n")
    return ["", text] if text else []


def _replace_header(existing: str, body: str, fields: dict[str, object], newline: str) -> str:
    """The front matter with our keys rewritten; keys of others keep their bytes.

    Raises:
        Malformed: the rewritten header does not read back as meant.
    """
    head, yaml_text, tail = front_matter.split(existing)
    fence = tail[: len(tail) - len(body)]
    rewritten = replace_keys((yaml_text or "").replace("\r\n", "\n"), fields)
    return head + rewritten.replace("\n", newline) + (fence if fence.endswith("\n") else fence + newline)


def replace_keys(yaml_text: str, fields: dict[str, object]) -> str:
    """YAML with the given top-level keys rewritten where they stand, missing ones at the end.

    Raises:
        Malformed: another key would change its value on the way.
    """
    left = dict(fields)
    out = []
    for key, chunk in _chunks(yaml_text):
        if key not in fields:
            out.append(chunk)
        elif key in left:
            out.append(strict_yaml.dump({key: left.pop(key)}))
    text = "".join(out).rstrip("\n") + "\n" + (strict_yaml.dump(left) if left else "")
    meant = {**_mapping(yaml_text), **_mapping(strict_yaml.dump(fields))}
    if _read_back(text) != meant:
        raise Malformed(
            "the front matter of the day's file cannot be rewritten key by key; nothing was written",
            "Bring each of its keys to the start of a line of its own, then repeat the command.",
        )
    return text


def _read_back(yaml_text: str) -> dict[str, object] | None:
    try:
        return _mapping(yaml_text)
    except Malformed:
        return None


def _mapping(yaml_text: str) -> dict[str, object]:
    value = strict_yaml.load(yaml_text, "the day's file")
    return value if isinstance(value, dict) else {}


def _chunks(yaml_text: str) -> list[tuple[str | None, str]]:
    """The text cut before every top-level key and every comment at the start of a line, with the key of each piece."""
    cuts = [(match.start(), match.group(1)) for match in _KEY.finditer(yaml_text)]
    if not cuts or cuts[0][0] > 0:
        cuts.insert(0, (0, None))
    return [(key, yaml_text[start:end]) for (start, key), (end, _) in pairwise([*cuts, (len(yaml_text), None)])]
