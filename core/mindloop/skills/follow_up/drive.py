"""The whole of /follow-up without a person: begin, ask the host once a user, resume."""

from __future__ import annotations

from mindloop.observer.layout import Layout
from mindloop.protocol.run_files import file_answer, find_run, read_head, read_item
from mindloop.skills.follow_up.begin import begin
from mindloop.skills.follow_up.resume import resume
from mindloop.store.errors import Malformed, MindloopError, Negative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from mindloop.protocol.host import Host
    from mindloop.protocol.run_files import RunPlace
    from mindloop.skills.follow_up.begin import Begun
    from mindloop.skills.follow_up.resume import Resumed
    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]

REHEARSAL = "rehearsal"


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
    driven = drive_on(workspace, host, begun.place.run, now, progress)
    return Driven(begun, driven.resumed, begun.warnings + driven.warnings)


def drive_on(workspace: Workspace, host: Host, run: str, now: datetime, progress: Progress | None = None) -> Driven:
    """Ask ``host`` for every answer that a run still waits for, then resume it."""
    place = find_run(workspace, run)
    head = read_head(workspace, place)
    open_items = sorted(set(head["waiting"]) - set(head["done"]))
    warnings: list[str] = []
    for number, slug in enumerate(open_items, 1):
        warnings += _ask(workspace, place, slug, host)
        if progress:
            progress(f"asking {host.name}", number, len(open_items))
    resumed = resume(workspace, run, now, progress)
    return Driven(None, resumed, warnings + resumed.warnings)


def _ask(workspace: Workspace, place: RunPlace, slug: str, host: Host) -> list[str]:
    """One isolated call for one user; a call that fails costs this user alone."""
    try:
        item = read_item(workspace, place, slug)
    except (Malformed, Negative) as error:
        return [f"{slug}: left open: {error.message}"]
    default = str(item["default"])
    if host.name == REHEARSAL:
        default = _scripted(workspace, slug) or default
    try:
        raw = host.fill(str(item["prompt"]), default)
    except MindloopError as error:
        if getattr(error, "stops_the_run", False):
            raise
        raw = f"(no answer: {error.message})"
    file_answer(workspace, place.run, slug, raw, host.name)
    return [f"{item['user']}: {raw}"] if raw.startswith("(no answer") else []


def _scripted(workspace: Workspace, slug: str) -> str | None:
    """The answer that somebody wrote for rehearsals of this user, kept as it is: it is checked like any other."""
    layout = Layout(workspace.settings.get("observer.root"))
    data = workspace.read(layout.rehearsal(slug), limit=1_000_000)
    return None if data is None else data.decode("utf-8", "surrogateescape")
