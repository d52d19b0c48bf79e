"""Begins a run: steps 0 to 2i for every selected user, then the packets wait."""

from __future__ import annotations

from mindloop.protocol.run_files import BEGINNING, OPEN, SCHEMA, RunPlace, runs_dir, write_object
from mindloop.protocol.walk import walk
from mindloop.skills.follow_up.case import FollowUp
from mindloop.skills.follow_up.finish import finish
from mindloop.skills.follow_up.packing import Packed, gather, pack
from mindloop.skills.follow_up.refresh import stage_thinking
from mindloop.skills.follow_up.table import FOLLOW_UP
from mindloop.skills.scores import ScoreFetcher
from mindloop.skills.synthesis.linked import waiting_reference
from mindloop.store.clock import stamp
from mindloop.store.ids import next_run_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]


class Begun(Packed):
    """What a begin came to: who waits, who was left out and why, what the operator should know.

    Attributes:
        think_run: the run whose answers refresh the stale cognitions, where there are any.
        synthesis: where the question about all users waits: its packet's reference.
    """

    __slots__ = ("batch", "synthesis", "think_run", "warnings")

    def __init__(self, place: RunPlace) -> None:
        super().__init__(place)
        self.warnings: list[str] = []
        self.batch: str | None = None
        self.think_run: str | None = None
        self.synthesis: str | None = None


def begin(workspace: Workspace, now: datetime, flags: dict[str, Any], progress: Progress | None = None) -> Begun:
    """Walk every selected user up to the question that only a judge can answer.

    Args:
        workspace: the workspace, or its in-memory view for a dry run.
        now: the instant of this command.
        flags: ``canvas`` (a user or None), ``dry_run``, ``allow_stale``, ``synthesize``.
        progress: called with (label, done, total) while users are walked.

    Raises:
        WrongInput: a required path is missing, or ``canvas`` names nobody.
    """
    context = FollowUp(workspace, now, flags)
    walk(FOLLOW_UP.leading(), context, context.modes)
    begun = Begun(_open_run(context))
    cases = gather(context, begun, context.selected, progress)
    ScoreFetcher(workspace).fetch_all(cases)
    pack(context, begun, cases, progress)
    _close(context, begun)
    begun.warnings = context.warnings
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


def _close(context: FollowUp, begun: Begun) -> None:
    """Write down who waits; where nobody does, the run goes through to its end at once."""
    head = _head(context, OPEN)
    head["waiting"] = {entry["slug"]: entry["user"] for entry in begun.waiting}
    head["skipped"] = begun.skipped
    head["warnings"] = context.warnings[:100]
    if begun.waiting or begun.thinking:
        with context.workspace.transaction(begun.place.scope) as tx:
            begun.think_run = stage_thinking(tx, context, head, begun.thinking)
            write_object(tx, begun.place.head, head)
        return
    with context.workspace.transaction(begun.place.scope, "research") as tx:
        begun.batch = finish(context, tx, begun.place, head, [])
    begun.synthesis = waiting_reference(context.workspace, begun.place.agent, head)
