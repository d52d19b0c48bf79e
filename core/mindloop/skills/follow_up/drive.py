"""The whole of /follow-up without a person: begin, ask the host once a user, resume."""

from __future__ import annotations

from mindloop.hosts.process import side_by_side
from mindloop.observer.layout import layout_of
from mindloop.protocol.run_files import answered_items, file_answer, find_run, read_head, read_item
from mindloop.skills.follow_up.begin import begin
from mindloop.skills.follow_up.case import REHEARSAL
from mindloop.skills.follow_up.resume import resume
from mindloop.store.errors import Malformed, MindloopError, Negative, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from mindloop.hosts.errors import HostFailed
    from mindloop.protocol.host import Host
    from mindloop.protocol.run_files import RunPlace
    from mindloop.skills.follow_up.begin import Begun
    from mindloop.skills.follow_up.resume import Resumed
    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]


class Driven:
    """A begin and the resume that followed; ``resumed`` is None where nobody waited."""

    __slots__ = ("begun", "resumed", "warnings")

    def __init__(self, begun: Begun | None, resumed: Resumed | None, warnings: list[str]) -> None:
        self.begun = begun
        self.resumed = resumed
        self.warnings = warnings


def drive(
    workspace: Workspace, host: Host, now: datetime, flags: dict[str, Any], progress: Progress | None = None
) -> Driven:
    """Begin a run and see it through with ``host``.

    Raises:
        MindloopError: from begin, or from a host that cannot work at all (the client is missing, not logged in); the
            run stays open and `drive_on` continues it.
    """
    begun = begin(workspace, now, flags, progress)
    if not begun.waiting:
        return Driven(begun, None, begun.warnings)
    try:
        driven = drive_on(workspace, host, begun.place.run, now, progress)
    except MindloopError as error:
        error.hint += f"\nContinue this run with: drive.py follow-up --host {host.name} --run {begun.place.run}"
        raise
    return Driven(begun, driven.resumed, begun.warnings + driven.warnings)


def drive_on(workspace: Workspace, host: Host, run: str, now: datetime, progress: Progress | None = None) -> Driven:
    """Ask ``host`` for every answer that a run still waits for, then resume it.

    A host whose ``workers`` is above 1 is asked for that many users at a time; each answer is filed as it comes, so
    that nothing that was paid for is lost when a later call fails.
    """
    place = find_run(workspace, run)
    head = read_head(workspace, place)
    wanted = sorted(set(head["waiting"]) - set(head["done"]) - answered_items(workspace, place))
    items, warnings = _items(workspace, place, wanted, host)
    answers = side_by_side(lambda item: _fill(host, item), items, getattr(host, "workers", 1))
    for number, (item, answer) in enumerate(answers, 1):
        raw = answer if isinstance(answer, str) else f"(no answer: {answer.message})"
        file_answer(workspace, run, item["slug"], raw, host.name)
        warnings += [] if isinstance(answer, str) else [f"{item['user']}: no answer: {answer.message}"]
        if progress:
            progress(f"asking {host.name}", number, len(items))
    resumed = resume(workspace, run, now, progress)
    return Driven(None, resumed, warnings + resumed.warnings)


def _items(
    workspace: Workspace, place: RunPlace, slugs: list[str], host: Host
) -> tuple[list[dict[str, Any]], list[str]]:
    """The packets to ask about; one that is damaged leaves its user open and is told."""
    items, warnings = [], []
    for slug in slugs:
        try:
            item = read_item(workspace, place, slug)
        except (Malformed, Negative, Unreadable) as error:
            warnings.append(f"{slug}: left open: {error.message}")
            continue
        if host.name == REHEARSAL:
            item["default"] = _scripted(workspace, slug) or item["default"]
        items.append(item)
    return items, warnings


def _fill(host: Host, item: dict[str, Any]) -> str | HostFailed:
    """One isolated call for one user; a call that fails costs this user alone, every other error ends the drive."""
    from mindloop.hosts.errors import HostFailed

    try:
        return host.fill(str(item["prompt"]), str(item["default"]))
    except HostFailed as error:
        return error


def _scripted(workspace: Workspace, slug: str) -> str | None:
    """The answer that somebody wrote for rehearsals of this user, kept as it is: it is checked like any other."""
    data = workspace.read(layout_of(workspace).rehearsal(slug), limit=1_000_000)
    return None if data is None else data.decode("utf-8", "surrogateescape")
