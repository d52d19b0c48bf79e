"""Resumes a run: steps 4a to 5.5 for everyone who is answered; the others stay open."""

from __future__ import annotations

from mindloop.observer.answer.log import LogLine
from mindloop.protocol.run_files import (
    answered_items,
    begun_head,
    find_run,
    known_host,
    read_answer,
    read_head,
    write_object,
)
from mindloop.protocol.step import Skip
from mindloop.protocol.walk import walk
from mindloop.skills.follow_up.batch_steps import MESSAGES, skipped_users
from mindloop.skills.follow_up.case import Answered, FollowUp
from mindloop.skills.follow_up.dossier import read_dossier
from mindloop.skills.follow_up.finish import finish
from mindloop.skills.follow_up.refresh import go_on, unanswered
from mindloop.skills.follow_up.synthesis_step import take_synthesis
from mindloop.skills.follow_up.table import ANSWERED, FOLLOW_UP
from mindloop.store.errors import Busy, Malformed, Negative, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from mindloop.observer.types import SkippedUser
    from mindloop.protocol.run_files import RunPlace
    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]

GROUP = 100


class Resumed:
    """What a resume came to.

    Attributes:
        log: every check, with the words that it is about.
        told: what a conversation may read of that: no word of a writer's.
        begun: users who went on to their writer now, as in ``Begun.waiting``.
        thinking: users whose stale cognition waits for an answer, by slug; ``think_run`` is where.
        skipped: everybody of the run who got no messages; ``left_out`` are those of this resume who came to no writer,
            as in ``Packed.skipped``.
        synthesis: the file that says what the users share, once it is written; ``synthesis_packet`` is the reference
            that waits until then.
    """

    __slots__ = (
        "batch",
        "begun",
        "busy",
        "done",
        "left_out",
        "log",
        "open",
        "place",
        "skipped",
        "state",
        "synthesis",
        "synthesis_packet",
        "think_run",
        "thinking",
        "told",
        "warnings",
    )

    def __init__(self, place: RunPlace) -> None:
        self.place = place
        self.batch: str | None = None
        self.begun: list[dict[str, Any]] = []
        self.left_out: list[dict[str, str]] = []
        self.thinking: list[str] = []
        self.think_run: str | None = None
        self.synthesis: str | None = None
        self.synthesis_packet: str | None = None
        self.done: list[dict[str, Any]] = []
        self.skipped: list[SkippedUser] = []
        self.open: list[str] = []
        self.busy: list[str] = []
        self.log: list[str] = []
        self.told: list[str] = []
        self.warnings: list[str] = []
        self.state = "open"


def resume(
    workspace: Workspace, run: str, now: datetime, progress: Progress | None = None, *, allow_stale: bool = False
) -> Resumed:
    """Check every filed answer, write the batch, record the growth.

    Users without an answer stay open; users that an earlier resume finished are not touched again. Users whose
    cognition was thought about go on to their writer.

    Args:
        workspace: where the run lies.
        run: its id.
        now: the instant of the command.
        progress: called with (label, done, total).
        allow_stale: let users go on whose cognition nobody answered about, with the stale one.

    Raises:
        Negative: there is no such run, it is another skill's, or its begin was interrupted.
        Malformed: the run's head does not parse.
    """
    place = find_run(workspace, run)
    head = begun_head(workspace, place, FOLLOW_UP.name)
    context = FollowUp(workspace, now, dict(head.get("flags", {})))
    resumed = Resumed(place)
    _go_on(context, resumed, head, allow_stale=allow_stale)
    head = read_head(workspace, place)
    ready = sorted((set(head["waiting"]) & answered_items(workspace, place)) - set(head["done"]))
    for start in range(0, len(ready), GROUP):
        _finish_group(context, resumed, ready[start : start + GROUP])
        if progress:
            progress("checking answers", min(start + GROUP, len(ready)), len(ready))
    _report(context, resumed)
    return resumed


def _report(context: FollowUp, resumed: Resumed) -> None:
    """Where the run stands now."""
    workspace, place = context.workspace, resumed.place
    head = read_head(workspace, place)
    resumed.batch, resumed.state = head.get("batch"), head["state"]
    resumed.open = sorted(set(head["waiting"]) - set(head["done"]))
    resumed.thinking, resumed.think_run = unanswered(workspace, place, head), head.get("think_run")
    resumed.skipped = skipped_users(head)
    resumed.synthesis, resumed.synthesis_packet = take_synthesis(context, place, head)
    resumed.log += context.log
    resumed.warnings = context.warnings


def _go_on(context: FollowUp, resumed: Resumed, head: dict[str, Any], *, allow_stale: bool) -> None:
    """Walk the users on whose cognition was thought about, and write down who waits now and who was left out."""
    went_on = go_on(context, resumed.place, head, allow_stale=allow_stale)
    if went_on is None:
        return
    with context.workspace.transaction("research", resumed.place.scope) as tx:
        head = read_head(tx, resumed.place)
        if not went_on.slugs <= set(head.get("thinking") or {}):
            return  # another process was first with the same users
        head["thinking"] = {slug: user for slug, user in head["thinking"].items() if slug not in went_on.slugs}
        head["waiting"] |= {entry["slug"]: entry["user"] for entry in went_on.waiting}
        head["skipped"] += went_on.skipped
        if set(head["waiting"]) - set(head["done"]):
            write_object(tx, resumed.place.head, head)
        else:
            finish(context, tx, resumed.place, head, [])
    resumed.begun, resumed.left_out = went_on.waiting, went_on.skipped


def _finish_group(context: FollowUp, resumed: Resumed, slugs: list[str]) -> None:
    """Finish users together, or one by one where somebody else holds one of their locks."""
    try:
        _commit(context, resumed, slugs)
    except Busy as error:
        if len(slugs) == 1:
            resumed.busy += slugs
            resumed.log.append(f"{slugs[0]}: left open: {error.message}")
            resumed.told.append(resumed.log[-1])
            return
        for slug in slugs:
            _finish_group(context, resumed, [slug])


def _commit(context: FollowUp, resumed: Resumed, slugs: list[str]) -> None:
    place = resumed.place
    scopes = ["research", place.scope, *(f"user:{slug}" for slug in slugs)]
    with context.workspace.transaction(*scopes) as tx:
        head = read_head(tx, place)
        context.tx = tx
        try:
            checked = [_checked(context, resumed, slug) for slug in slugs if slug not in head["done"]]
        finally:
            context.tx = None
        answered = [one for one in checked if one]
        if not answered:
            return
        finish(context, tx, place, head, answered)
    for one in answered:
        user = one.dossier["user"]
        resumed.log += [f"{user}: {line}" for line in one.answer.log]
        resumed.told += [f"{user}: {line.brief}" for line in one.answer.log if isinstance(line, LogLine) and line.brief]
        messages = len(one.result()["messages"])
        outcome = one.skip_reason or MESSAGES
        resumed.done.append({"user": user, "outcome": outcome, "messages": messages})


def _checked(context: FollowUp, resumed: Resumed, slug: str) -> Answered | None:
    """One user's checked answer; None, with a warning, where the run's own files of that user are damaged."""
    try:
        return check(context, resumed.place, slug)
    except (Malformed, Negative, Unreadable) as error:
        context.warnings.append(f"{slug}: left open: {error.message}")
        return None


def check(context: FollowUp, place: RunPlace, slug: str) -> Answered:
    """Steps 4a to 4e for one filed answer."""
    workspace = context.workspace
    dossier = read_dossier(workspace, place, slug)
    filed = read_answer(workspace, place, slug) or {}
    one = Answered(dossier, str(filed.get("raw", "")), known_host(filed.get("host")))
    walked = walk(FOLLOW_UP.lane(start=ANSWERED), context, context.modes, one)
    one.answer.log += walked.notes
    if isinstance(walked.outcome, Skip):
        one.answer.skip_reason = walked.outcome.reason
    return one
