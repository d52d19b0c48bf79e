"""Begins a run: steps 0 to 2i for every selected user, then the packets wait."""

from __future__ import annotations

from mindloop.protocol.run_files import BEGINNING, OPEN, SCHEMA, RunPlace, runs_dir, write_object
from mindloop.protocol.step import Ask, Skip
from mindloop.protocol.walk import walk
from mindloop.skills.follow_up.case import Case, FollowUp
from mindloop.skills.follow_up.dossier import dossier_of
from mindloop.skills.follow_up.finish import finish
from mindloop.skills.follow_up.table import ANSWERED, FOLLOW_UP, SCORED
from mindloop.skills.scores import ScoreFetcher
from mindloop.store.clock import stamp
from mindloop.store.errors import Busy
from mindloop.store.ids import next_run_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from mindloop.protocol.walk import Walked
    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]

GROUP = 64


class Begun:
    """What a begin came to: who waits, who was left out and why, what the operator should know."""

    __slots__ = ("batch", "place", "skipped", "waiting", "warnings")

    def __init__(self, place: RunPlace) -> None:
        self.place = place
        self.waiting: list[dict[str, Any]] = []
        self.skipped: list[dict[str, str]] = []
        self.warnings: list[str] = []
        self.batch: str | None = None


def begin(workspace: Workspace, now: datetime, flags: dict[str, Any], progress: Progress | None = None) -> Begun:
    """Walk every selected user up to the question that only a judge can answer.

    Args:
        workspace: the workspace, or its in-memory view for a dry run.
        now: the instant of this command.
        flags: ``canvas`` (a user or None), ``dry_run``, ``allow_stale``.
        progress: called with (label, done, total) while users are walked.

    Raises:
        WrongInput: a required path is missing, or ``canvas`` names nobody.
    """
    context = FollowUp(workspace, now, flags)
    walk(FOLLOW_UP.leading(), context, context.modes)
    begun = Begun(_open_run(context))
    cases = _gather(context, begun, progress)
    ScoreFetcher(workspace).fetch_all(cases)
    _pack(context, begun, cases, progress)
    begun.warnings = context.warnings
    _close(context, begun)
    return begun


def _open_run(context: FollowUp) -> RunPlace:
    agent = context.settings.get("agent")
    folder = runs_dir(agent)
    with context.workspace.transaction(f"agent:{agent}") as tx:
        place = RunPlace(agent, next_run_id(tx.names(folder, ".json"), FOLLOW_UP.name, context.day))
        write_object(tx, place.head, _head(context, BEGINNING))
    return place


def _head(context: FollowUp, state: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "skill": FOLLOW_UP.name,
        "state": state,
        "started_at": stamp(context.now),
        "flags": {key: value for key, value in context.flags.items() if value},
        "waiting": {},
        "done": {},
        "skipped": [],
        "warnings": [],
    }


def _gather(context: FollowUp, begun: Begun, progress: Progress | None) -> list[Case]:
    """Steps 2a to 2e, which only read; what is left goes to the score API."""
    steps, kept = FOLLOW_UP.lane(stop=SCORED), []
    total = len(context.selected)
    for number, file in enumerate(context.selected, 1):
        case = Case(file)
        walked = walk(steps, context, context.modes, case)
        if isinstance(walked.outcome, Skip):
            _leave_out(begun, case, walked)
        else:
            case.log += walked.notes
            kept.append(case)
        if progress:
            progress("reading canvases", number, total)
    return kept


def _leave_out(begun: Begun, case: Case, walked: Walked) -> None:
    outcome = walked.outcome
    if isinstance(outcome, Skip):
        begun.skipped.append({"user": case.user, "reason": outcome.reason, "detail": outcome.detail})


def _pack(context: FollowUp, begun: Begun, cases: list[Case], progress: Progress | None) -> None:
    """Steps 2f to 2i, a group of users at a time: their packets and their growth states are committed together."""
    for start in range(0, len(cases), GROUP):
        _pack_group(context, begun, cases[start : start + GROUP])
        if progress:
            progress("writing packets", min(start + GROUP, len(cases)), len(cases))


def _pack_group(context: FollowUp, begun: Begun, group: list[Case]) -> None:
    """Pack a group under its users' locks; where one of them is held elsewhere, one user at a time."""
    growing = [case for case in group if _grows(context, case)]
    try:
        _commit_group(context, begun, group, growing)
    except Busy as error:
        if len(group) > 1:
            for case in group:
                _pack_group(context, begun, [case])
            return
        context.warnings.append(f"{group[0].user}: growth left out of this packet: {error.message}")
        _commit_group(context, begun, group, [])


def _grows(context: FollowUp, case: Case) -> bool:
    return context.growth_enabled and context.workspace.exists(context.layout.growth(case.canvas.slug))


def _commit_group(context: FollowUp, begun: Begun, group: list[Case], growing: list[Case]) -> None:
    users = [f"user:{case.canvas.slug}" for case in growing]
    with context.workspace.transaction(begun.place.scope, *users) as tx:
        for case in group:
            context.tx = tx if case in growing else None
            item = _walk_to_question(context, begun, case)
            if item:
                write_object(tx, *item)
    context.tx = None


def _walk_to_question(context: FollowUp, begun: Begun, case: Case) -> tuple[str, dict[str, Any]] | None:
    walked = walk(FOLLOW_UP.lane(start=SCORED, stop=ANSWERED), context, context.modes, case)
    case.log += walked.notes
    if not isinstance(walked.outcome, Ask):
        _leave_out(begun, case, walked)
        return None
    gap = walked.outcome.gap
    packet = f"packet:{begun.place.run}/{gap.id}"
    begun.waiting.append({"user": case.user, "slug": gap.id, "packet": packet, "manifest": case.manifest})
    return begun.place.item(gap.id), dossier_of(case, begun.place.run, gap)


def _close(context: FollowUp, begun: Begun) -> None:
    """Write down who waits; where nobody does, the run goes through to its end at once."""
    head = _head(context, OPEN)
    head["waiting"] = {entry["slug"]: entry["user"] for entry in begun.waiting}
    head["skipped"] = begun.skipped
    head["warnings"] = begun.warnings[:100]
    if begun.waiting:
        with context.workspace.transaction(begun.place.scope) as tx:
            write_object(tx, begun.place.head, head)
        return
    with context.workspace.transaction(begun.place.scope, "research") as tx:
        begun.batch = finish(context, tx, begun.place, head, [])
