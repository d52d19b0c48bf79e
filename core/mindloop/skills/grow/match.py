"""Proposes which messages a user's new words may answer; nothing is confirmed here."""

from __future__ import annotations

import re

from mindloop.observer.growth import proposals
from mindloop.observer.growth.files import read_proposals, write_proposals
from mindloop.observer.growth.matching import Matcher, Signal, signal_of_record, signal_of_text
from mindloop.observer.growth.reading import growing, known_user, load_user, read_named
from mindloop.observer.layout import layout_of
from mindloop.observer.names import display_name, fold, slug
from mindloop.observer.provenance.by_user import is_current, lines_by_user, mark_of, unseen
from mindloop.observer.provenance.index import find
from mindloop.store.errors import Busy, Malformed, Unreadable, WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from typing import Any

    from mindloop.observer.types import GrowthState, Proposals, ProposedMatch
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]

GROUP = 64
PASTED_AT_MOST = 20_000
"""Characters of a pasted reply: it is kept with its proposals, and the longest direct message is half as long."""
_FULL = f"{proposals.PENDING_AT_MOST} proposals wait already; confirm or reject some, then match again"
# Of a file that we wrote, and of growth states in any quoting: looked for so that most files need no parsing.
_CURSOR = when_used(rb"^records_seen: ([0-9]{1,9})\nlast_record_seen: '?([0-9a-f]{16})'?$", re.MULTILINE)
_OPEN = when_used(rb"outcome[\"']?\s*:\s*[\"']?(?:pending|unknown|silence)")
_LAST_FIELD = b"\nquestion_patterns:"


class Matched:
    """What matching one user came to.

    Attributes:
        new: the proposals that were added.
        improved: pending proposals whose kind is better now.
        looked_at: how many replies were compared.
        known: how many proposals were there already.
        notes: what a person should know; nobody is named in it.
    """

    __slots__ = ("improved", "known", "looked_at", "new", "notes", "user")

    def __init__(self, user: str) -> None:
        self.user = user
        self.new: list[ProposedMatch] = []
        self.improved: list[ProposedMatch] = []
        self.looked_at = 0
        self.known = 0
        self.notes: list[str] = []


class Everybody:
    """What matching everybody came to: who got proposals or notes, whose lock was held, what could not be read."""

    __slots__ = ("busy", "matched", "users", "warnings")

    def __init__(self) -> None:
        self.matched: list[Matched] = []
        self.users = 0
        self.busy: list[str] = []
        self.warnings: list[str] = []


class Work:
    """One user whose lines of the index hold something new."""

    __slots__ = ("lines", "slug", "user")

    def __init__(self, user: str, name: str, lines: list[bytes]) -> None:
        self.user = user
        self.slug = name
        self.lines = lines


def match_text(
    workspace: Workspace, user: str, text: str, now: datetime, *, thread: str | None = None, date: str | None = None
) -> Matched:
    """Propose messages for one pasted reply.

    Raises:
        Negative: growth knows nothing of the user.
        WrongInput: no text, too much of it, a time that is none.
    """
    name = display_name(user)
    if len(text) > PASTED_AT_MOST:
        message = f"the reply has {len(text)} characters, at most {PASTED_AT_MOST} are taken"
        raise WrongInput(message, "Give the one message; whole conversations go through: canvas.py ingest")
    signal = signal_of_text(text, date, thread)
    signal.in_index = find(workspace, name, signal.id) is not None
    with workspace.transaction(f"user:{slug(name)}") as tx:
        state = known_user(tx, name)
        document = read_proposals(tx, state["user"])
        matched, after = _propose(state, document, [signal], now)
        if after != document:
            write_proposals(tx, after)
    return matched


def match_user(workspace: Workspace, user: str, now: datetime) -> Matched:
    """Propose messages for what a user said since the last time.

    Raises:
        Negative: growth knows nothing of the user.
    """
    name = display_name(user)
    data = workspace.read(layout_of(workspace).provenance_index) or b""
    work = Work(name, slug(name), lines_by_user(data).get(fold(name), []))
    with workspace.transaction(f"user:{work.slug}") as tx:
        return _matched(tx, work, known_user(tx, name), now)


def match_everybody(workspace: Workspace, now: datetime, progress: Progress | None = None) -> Everybody:
    """The same for everybody who has a growth state, a group of users at a time.

    Whoever said nothing since, or has no message that a reply could still change, costs no parsing; a file that cannot
    be used is told all the same.
    """
    everybody = Everybody()
    found = growing(workspace)
    everybody.users = len(found)
    data = workspace.read(layout_of(workspace).provenance_index) or b""
    usable = {name for name in found if _is_usable(workspace, name, everybody.warnings)}
    works = list(_works(workspace, usable, data))
    for start in range(0, len(works), GROUP):
        _match_group(workspace, everybody, works[start : start + GROUP], now)
        if progress:
            progress("matching replies", min(start + GROUP, len(works)), len(works))
    return everybody


def _is_usable(workspace: Workspace, name: str, warnings: list[str]) -> bool:
    """Whether a growth file can be read; one that is whole as we write it is not parsed for that."""
    try:
        data = workspace.read(layout_of(workspace).growth(name))
        if data is not None and not (_LAST_FIELD in data and data.endswith(b"\n")):
            read_named(workspace, name)
    except (Malformed, Unreadable) as error:
        warnings.append(f"left out: {error.message}")
        return False
    return True


def _works(workspace: Workspace, growing_slugs: set[str], data: bytes) -> Iterator[Work]:
    layout = layout_of(workspace)
    for key, lines in sorted(lines_by_user(data).items()):
        name = slug(key)
        if name not in growing_slugs or _is_done(workspace.read(layout.proposals(name)), lines):
            continue
        if _OPEN.search(workspace.read(layout.growth(name)) or b""):
            yield Work(key, name, lines)


def _is_done(data: bytes | None, lines: list[bytes]) -> bool:
    """Whether a user's own file says, unparsed, that every line was seen."""
    cursor = _CURSOR.search(data or b"")
    if cursor is None or int(cursor[1]) != len(lines):
        return False
    return is_current(lines, len(lines), cursor[2].decode())


def _match_group(workspace: Workspace, everybody: Everybody, group: list[Work], now: datetime) -> None:
    """Match a group under its users' locks; where one of them is held elsewhere, one user at a time."""
    matched: list[Matched] = []
    warnings: list[str] = []
    try:
        with workspace.transaction(*(f"user:{work.slug}" for work in group)) as tx:
            for work in group:
                _match_one(tx, work, now, matched, warnings)
    except Busy as error:
        if len(group) > 1:
            for work in group:
                _match_group(workspace, everybody, [work], now)
            return
        everybody.busy.append(group[0].user)
        everybody.warnings.append(f"{group[0].user}: left out: {error.message}")
    else:
        everybody.matched += matched
        everybody.warnings += warnings


def _match_one(tx: Transaction, work: Work, now: datetime, matched: list[Matched], warnings: list[str]) -> None:
    try:
        state = load_user(tx, work.user)
        if state is not None:
            matched.append(_matched(tx, work, state, now))
    except (Malformed, Unreadable) as error:
        warnings.append(f"{work.user}: left out: {error.message}")


def _matched(tx: Transaction, work: Work, state: GrowthState, now: datetime) -> Matched:
    """Compare a user's new lines with the messages, and remember how far that went."""
    document = read_proposals(tx, state["user"])
    seen, mark = document["records_seen"], document["last_record_seen"]
    new: Any = unseen(work.lines, seen, mark)
    signals = [signal for record in new if (signal := signal_of_record(record))]
    matched, after = _propose(state, document, signals, now)
    if _FULL not in matched.notes and work.lines:
        after = {**after, "records_seen": len(work.lines), "last_record_seen": mark_of(work.lines[-1])}
    if after != document:
        write_proposals(tx, after)
    return matched


def _propose(
    state: GrowthState, document: Proposals, signals: list[Signal], now: datetime
) -> tuple[Matched, Proposals]:
    matcher, matched = Matcher(state), Matched(state["user"])
    room = proposals.PENDING_AT_MOST - len(proposals.pending(document))
    for signal in signals:
        found, notes = matcher.propose(signal, now)
        after, new = proposals.added(document, found) if found else (document, [])
        if len(new) > room:
            matched.notes.append(_FULL)
            break
        document, better = proposals.improved(after, found)
        room -= len(new)
        matched.new += new
        matched.improved += better
        matched.known += len(found) - len(new) - len(better)
        matched.looked_at += 1
        matched.notes += [note for note in notes if note not in matched.notes]
    return matched, document
