"""Carries answered users through the trailing steps and writes down how far the run is, in one transaction."""

from __future__ import annotations

from mindloop.protocol.run_files import COMPLETE, OPEN, write_object
from mindloop.protocol.walk import walk
from mindloop.skills.follow_up.case import Finishing, is_through
from mindloop.skills.follow_up.table import FOLLOW_UP
from mindloop.store.clock import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.protocol.run_files import RunPlace
    from mindloop.skills.follow_up.case import Answered, FollowUp
    from mindloop.store.transaction import Transaction


def finish(context: FollowUp, tx: Transaction, place: RunPlace, head: dict[str, Any], answered: list[Answered]) -> str:
    """Stage the batch, the growth states and the head; the caller's transaction commits all of it or none.

    Args:
        context: the command's metadata.
        tx: holds the research lock, the agent's, and that of each answered user.
        place: where the run lies.
        head: the run's head; changed here.
        answered: users whose answers went through steps 4a to 4e; may be empty.

    Returns:
        The batch file's path.
    """
    context.finishing = Finishing(tx, place, head, answered)
    context.log += walk(FOLLOW_UP.trailing(), context, context.modes).notes
    head["state"] = COMPLETE if is_through(head) else OPEN
    head["updated_at"] = stamp(context.now)
    write_object(tx, place.head, head)
    return str(head["batch"])
