"""The whole of /follow-up without a person: begin, ask the host once a user, resume."""

from __future__ import annotations

from functools import partial

from mindloop.observer.layout import layout_of
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.protocol.run_files import begun_head, find_run
from mindloop.skills.asking import ask_host
from mindloop.skills.follow_up.begin import begin
from mindloop.skills.follow_up.refresh import unanswered
from mindloop.skills.follow_up.resume import resume
from mindloop.skills.follow_up.table import FOLLOW_UP
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from mindloop.protocol.host import Host
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
    if not begun.waiting and not begun.thinking and not begun.synthesis:
        return Driven(begun, None, begun.warnings)
    try:
        driven = drive_on(workspace, host, begun.place.run, now, progress)
    except MindloopError as error:
        error.hint += f"\nContinue this run with: drive.py follow-up --host {host.name} --run {begun.place.run}"
        raise
    return Driven(begun, driven.resumed, begun.warnings + driven.warnings)


def drive_on(workspace: Workspace, host: Host, run: str, now: datetime, progress: Progress | None = None) -> Driven:
    """Ask ``host`` for every answer that a run still waits for, then resume it.

    What was to be thought about first is asked first, what all users share last.
    """
    place = find_run(workspace, run)
    head = begun_head(workspace, place, FOLLOW_UP.name)
    warnings: list[str] = []
    rounds: list[Resumed] = []
    if unanswered(workspace, place, head):
        warnings += ask_host(workspace, host, str(head["think_run"]), progress)
    if head.get("thinking"):
        rounds.append(resume(workspace, run, now, progress))
    scripted = partial(_scripted, workspace) if host.name == REHEARSAL else None
    warnings += ask_host(workspace, host, run, progress, scripted)
    rounds.append(resume(workspace, run, now, progress))
    if rounds[-1].synthesis_packet:
        warnings += _ask_synthesis(workspace, host, rounds[-1].synthesis_packet, progress)
        rounds.append(resume(workspace, run, now, progress))
    resumed = _joined(rounds)
    return Driven(None, resumed, warnings + resumed.warnings)


def _ask_synthesis(workspace: Workspace, host: Host, reference: str, progress: Progress | None) -> list[str]:
    """Ask about all users; whatever goes wrong there costs nobody their messages."""
    try:
        return ask_host(workspace, host, reference.removeprefix("packet:").partition("/")[0], progress)
    except MindloopError as error:
        return [f"the synthesis is left out: {error.message}"]


def _joined(rounds: list[Resumed]) -> Resumed:
    """What all the resumes of one drive came to: the last one's state, everybody's results."""
    last = rounds[-1]
    for earlier in reversed(rounds[:-1]):
        last.done, last.log, last.told = earlier.done + last.done, earlier.log + last.log, earlier.told + last.told
        last.warnings = list(dict.fromkeys(earlier.warnings + last.warnings))
        last.synthesis = earlier.synthesis or last.synthesis
    last.begun = []
    return last


def _scripted(workspace: Workspace, slug: str) -> str | None:
    """The answer that somebody wrote for rehearsals of this user, kept as it is: it is checked like any other."""
    data = workspace.read(layout_of(workspace).rehearsal(slug), limit=1_000_000)
    return None if data is None else data.decode("utf-8", "surrogateescape")
