"""Step 6, after every user is through: one question about all of them, in a run of its own.

Nothing that happens to it touches what the users got: their batch is committed with the question's run, and the answer
is taken later.
"""

from __future__ import annotations

from mindloop.protocol.step import Done, Skip
from mindloop.skills.follow_up.case import is_through
from mindloop.skills.synthesis.linked import FIELD, linked_run, waiting_reference
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.protocol.run_files import RunPlace
    from mindloop.protocol.step import Ask
    from mindloop.skills.follow_up.case import FollowUp


def ask_synthesis(context: FollowUp) -> Done | Skip | Ask:
    """6: stage the question once the last user is through; without enough users there is none."""
    work = context.finishing
    if FIELD in work.head or not is_through(work.head):
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
    work.head[FIELD] = place.run if place else None
    return Done(f"asked in {place.run}" if place else "nothing to ask")


def take_synthesis(context: FollowUp, run: RunPlace, head: dict[str, Any]) -> tuple[str | None, str | None]:
    """Take the filed answer, where there is one; whatever goes wrong is a warning.

    Returns:
        What came of it, one line, or None; and the reference that still waits, or None.
    """
    place = linked_run(run.agent, head)
    if place is None:
        return None, None
    from mindloop.skills.judged import resume
    from mindloop.skills.synthesis.judging import JUDGING

    try:
        judged = resume(context.workspace, JUDGING, place.run, context.now)
        context.warnings += judged.warnings
        told = judged.done[0]["told"] if judged.done else None
        return told, waiting_reference(context.workspace, run.agent, head)
    except MindloopError as error:
        context.warnings.append(f"the synthesis is left out: {error.message}")
        return None, None
