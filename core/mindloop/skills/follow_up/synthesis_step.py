"""Step 6, after every user is through: one question about all of them, in a run of its own.

Nothing that happens to it touches what the users got: their batch is committed with the question's run, and the answer
is taken later.
"""

from __future__ import annotations

from mindloop.protocol.run_files import RunPlace, answered_items, read_head
from mindloop.protocol.step import Done, Skip
from mindloop.skills.follow_up.case import is_through
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.protocol.step import Ask
    from mindloop.skills.follow_up.case import FollowUp
    from mindloop.store.workspace import Workspace

ITEM = "all"


def ask_synthesis(context: FollowUp) -> Done | Skip | Ask:
    """6: stage the question once the last user is through; without enough users there is none."""
    work = context.finishing
    if "synthesis_run" in work.head or not is_through(work.head):
        return Done()
    from mindloop.skills.synthesis.pass_over import stage_synthesis

    place = stage_synthesis(
        work.tx,
        context.workspace,
        context.now,
        user=context.flags.get("canvas"),
        files=context.files or None,
        part_of=work.place,
        notes=context.warnings,
    )
    work.head["synthesis_run"] = place.run if place else None
    return Done(f"asked in {place.run}" if place else "nothing to ask")


def synthesis_reference(workspace: Workspace, run: RunPlace, head: dict[str, Any]) -> str | None:
    """The reference of the question while it waits for an answer, else None."""
    place = _place(run, head)
    if place is None or ITEM in answered_items(workspace, place) or ITEM in read_head(workspace, place)["done"]:
        return None
    return f"packet:{place.run}/{ITEM}"


def take_synthesis(context: FollowUp, run: RunPlace, head: dict[str, Any]) -> tuple[str | None, str | None]:
    """Take the filed answer, where there is one; whatever goes wrong is a warning.

    Returns:
        What came of it, one line, or None; and the reference that still waits, or None.
    """
    place = _place(run, head)
    if place is None:
        return None, None
    from mindloop.skills.judged import resume
    from mindloop.skills.synthesis.judging import JUDGING

    try:
        judged = resume(context.workspace, JUDGING, place.run, context.now)
        context.warnings += judged.warnings
        told = judged.done[0]["told"] if judged.done else None
        return told, synthesis_reference(context.workspace, run, head)
    except MindloopError as error:
        context.warnings.append(f"the synthesis is left out: {error.message}")
        return None, None


def _place(run: RunPlace, head: dict[str, Any]) -> RunPlace | None:
    name = head.get("synthesis_run")
    return RunPlace(run.agent, name) if isinstance(name, str) else None
