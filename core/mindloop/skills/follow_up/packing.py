"""Walks users to their question and writes the packets: in a begin, and in a resume that goes on with some of them."""

from __future__ import annotations

from mindloop.protocol.run_files import packet_reference, write_object
from mindloop.protocol.step import Ask, Skip
from mindloop.protocol.walk import walk
from mindloop.skills.follow_up.case import Case
from mindloop.skills.follow_up.dossier import dossier_of
from mindloop.skills.follow_up.table import ANSWERED, FOLLOW_UP, REFRESHED, SCORED
from mindloop.store.errors import Busy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from mindloop.observer.canvas.reading import CanvasFile
    from mindloop.protocol.questions import Question
    from mindloop.protocol.run_files import RunPlace
    from mindloop.protocol.walk import Walked
    from mindloop.skills.follow_up.case import FollowUp

    Progress = Callable[[str, int, int], None]

GROUP = 64


class Packed:
    """What walking users to their question came to.

    Attributes:
        waiting: ``{user, slug, packet, manifest}`` of each user whose writer has a packet.
        thinking: questions about users whose cognition is stale; they go on once these are answered.
        skipped: ``{user, reason, detail}``.
    """

    __slots__ = ("place", "skipped", "thinking", "waiting")

    def __init__(self, place: RunPlace) -> None:
        self.place = place
        self.waiting: list[dict[str, Any]] = []
        self.thinking: list[Question] = []
        self.skipped: list[dict[str, str]] = []


def gather(context: FollowUp, packed: Packed, files: Iterable[CanvasFile], progress: Progress | None) -> list[Case]:
    """Steps 2a to 2e, which only read; what is left goes to the score API."""
    steps, kept = FOLLOW_UP.lane(stop=SCORED), []
    files = list(files)
    for number, file in enumerate(files, 1):
        case = Case(file)
        walked = walk(steps, context, context.modes, case)
        if isinstance(walked.outcome, Skip):
            _leave_out(packed, case, walked)
        else:
            case.log += walked.notes
            kept.append(case)
        if progress:
            progress("reading canvases", number, len(files))
    return kept


def _leave_out(packed: Packed, case: Case, walked: Walked) -> None:
    outcome = walked.outcome
    if isinstance(outcome, Skip):
        packed.skipped.append({"user": case.user, "reason": outcome.reason, "detail": outcome.detail})


def pack(context: FollowUp, packed: Packed, cases: list[Case], progress: Progress | None) -> None:
    """Steps 2f to 2i, a group of users at a time: their packets and their growth states are committed together."""
    for start in range(0, len(cases), GROUP):
        _pack_group(context, packed, cases[start : start + GROUP])
        if progress:
            progress("writing packets", min(start + GROUP, len(cases)), len(cases))


def _pack_group(context: FollowUp, packed: Packed, group: list[Case]) -> None:
    """Pack a group under its users' locks; where one of them is held elsewhere, one user at a time."""
    growing = [case for case in group if _grows(context, case)]
    try:
        _commit_group(context, packed, group, growing)
    except Busy as error:
        if len(group) > 1:
            for case in group:
                _pack_group(context, packed, [case])
            return
        context.warnings.append(f"{group[0].user}: growth left out of this packet: {error.message}")
        _commit_group(context, packed, group, [])


def _grows(context: FollowUp, case: Case) -> bool:
    return context.growth_enabled and context.workspace.exists(context.layout.growth(case.canvas.slug))


def _commit_group(context: FollowUp, packed: Packed, group: list[Case], growing: list[Case]) -> None:
    users = [f"user:{case.canvas.slug}" for case in growing]
    with context.workspace.transaction(packed.place.scope, *users) as tx:
        for case in group:
            context.tx = tx if case in growing else None
            item = _walk_to_question(context, packed, case)
            if item:
                write_object(tx, *item)
    context.tx = None


def _walk_to_question(context: FollowUp, packed: Packed, case: Case) -> tuple[str, dict[str, Any]] | None:
    walked = walk(FOLLOW_UP.lane(start=SCORED, stop=ANSWERED), context, context.modes, case)
    case.log += walked.notes
    if not isinstance(walked.outcome, Ask):
        _leave_out(packed, case, walked)
        return None
    if walked.at == REFRESHED and case.question:
        packed.thinking.append(case.question)
        return None
    gap = walked.outcome.gap
    packet = packet_reference(packed.place.run, gap.id)
    packed.waiting.append({"user": case.user, "slug": gap.id, "packet": packet, "manifest": case.manifest})
    return packed.place.item(gap.id), dossier_of(case, packed.place.run, gap)
