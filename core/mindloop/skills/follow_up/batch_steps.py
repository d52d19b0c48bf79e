"""Steps 5 and 5.5: the batch file and the growth states, staged in one transaction."""

from __future__ import annotations

from mindloop.observer.batch.file import render_batch
from mindloop.observer.growth.record import record_batch, reserve
from mindloop.observer.growth.state import new_growth
from mindloop.protocol.step import Done
from mindloop.store.documents import read_yaml, write_yaml
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.types import GrowthState, SkippedUser, UserResult
    from mindloop.protocol.step import Ask, Skip
    from mindloop.skills.follow_up.case import Answered, FollowUp

MESSAGES = "messages"


def assemble_batch(context: FollowUp) -> Done | Skip | Ask:
    """5: the day's file, with every earlier message kept; ids are reserved first, since tokens stand in the file."""
    work = context.finishing
    for one in work.answered:
        work.head["done"][one.dossier["slug"]] = one.skip_reason or MESSAGES
    work.results = [_with_tokens(context, one) for one in work.answered]
    path = context.layout.batch(context.day)
    skipped = skipped_users(work.head)
    text = render_batch(work.results, skipped, context.now, work.place.run, existing=work.tx.read_text(path))
    work.tx.write(path, text)
    work.head["batch"] = path
    return Done(path)


def skipped_users(head: dict[str, Any]) -> list[SkippedUser]:
    """Everybody of a run who got no messages, with the reason."""
    late: list[SkippedUser] = [
        {"user": head["waiting"].get(slug, slug), "reason": reason}
        for slug, reason in head["done"].items()
        if reason != MESSAGES
    ]
    early: list[SkippedUser] = [{"user": entry["user"], "reason": entry["reason"]} for entry in head["skipped"]]
    return early + late


def _with_tokens(context: FollowUp, one: Answered) -> UserResult:
    result = one.result()
    if not result["messages"] or not context.growth_enabled:
        return result
    path = context.layout.growth(result["slug"])
    try:
        found: Any = read_yaml(context.finishing.tx, path, "growth")
    except Malformed as error:
        context.warnings.append(f"{result['user']}: messages written, growth not recorded: {error.message}")
        return result
    state: GrowthState = found or new_growth(result["user"], one.dossier.get("wallet"), context.now)
    context.finishing.states[result["slug"]] = state
    reserved = reserve(state, result["slug"], len(result["messages"]), context.day)
    return {**result, "tokens": [token for _, token in reserved]}


def record_growth(context: FollowUp) -> Done | Skip | Ask:
    """5.5: growth learns what is about to be sent, with the very tokens that stand in the batch."""
    work = context.finishing
    kept = context.settings.get("observer.growth.retention.max_batches_per_user")
    dossiers = {one.dossier["slug"]: one.dossier for one in work.answered}
    for result in work.results:
        state = work.states.get(result["slug"])
        if state is None:
            continue
        dossier = dossiers[result["slug"]]
        recorded, _ = record_batch(
            state,
            result,
            context.day,
            context.now,
            cycle_started_at=dossier.get("cycle_started_at"),
            max_batches=kept,
            hypotheses=dossier.get("hypotheses", []),
        )
        write_yaml(work.tx, context.layout.growth(result["slug"]), recorded, "growth")
    return Done(f"{len(work.states)} users recorded")
