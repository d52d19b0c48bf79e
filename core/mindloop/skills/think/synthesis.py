"""What users share, asked once everybody of a run was thought about (--synthesize); it can fail nothing else."""

from __future__ import annotations

from mindloop.protocol.run_files import COMPLETE, find_run, read_head, write_object
from mindloop.store.errors import StoreFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from mindloop.store.workspace import Workspace


def ask_synthesis(workspace: Workspace, now: datetime, run: str | None = None) -> tuple[str | None, list[str]]:
    """Stage the question about all users, once.

    Args:
        workspace: the workspace.
        now: the instant of the command.
        run: the run of /think that it belongs to and that must be complete; None for a begin in which nobody waits.

    Returns:
        The packet's reference while it waits for an answer, or None; and what the operator should know.
    """
    from mindloop.skills.synthesis.linked import FIELD, waiting_reference
    from mindloop.skills.synthesis.pass_over import COGNITION, stage_synthesis  # only where it was asked for

    notes: list[str] = []
    place = find_run(workspace, run) if run else None
    agent = place.agent if place else str(workspace.settings.get("agent"))
    try:
        with workspace.transaction(f"agent:{agent}") as tx:
            head = read_head(tx, place) if place else {}
            if place and head["state"] != COMPLETE:
                return None, notes
            if FIELD not in head:
                asked = stage_synthesis(tx, workspace, now, target=COGNITION, notes=notes)
                head[FIELD] = asked.run if asked else None
                if place:
                    write_object(tx, place.head, head)
    except StoreFailure as error:
        return None, [f"no synthesis: {error.message}"]
    return waiting_reference(workspace, agent, head), notes


def wants_synthesis(workspace: Workspace, run: str) -> bool:
    """Whether a run was begun with --synthesize."""
    return bool(read_head(workspace, find_run(workspace, run)).get("flags", {}).get("synthesize"))
