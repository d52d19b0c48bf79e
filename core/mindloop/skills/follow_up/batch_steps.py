"""Steps 5 and 5.5: the batch file and the growth states, staged in one transaction."""

from __future__ import annotations

from mindloop.observer.batch.file import render_batch
from mindloop.observer.growth.reading import read_user
from mindloop.observer.growth.record import record_batch
from mindloop.observer.growth.state import new_growth
from mindloop.protocol.step import Done
from mindloop.store.documents import yaml_text
from mindloop.store.errors import Malformed, Unreadable, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.types import SkippedUser, UserResult
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
    # A preview shows this run alone, however many stretches of users it is written in.
    alone = context.flags.get("dry_run") and not work.head.get("batch")
    existing = None if alone else work.tx.read_text(path)
    text = render_batch(work.results, skipped, context.now, work.place.run, existing=existing)
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
    """The result with the tokens that growth gives its messages; without them where growth cannot take it."""
    result = one.result()
    if not result["messages"] or not context.growth_enabled:
        return result
    path = context.layout.growth(result["slug"])
    try:
        text, tokens = _recorded(context, one, result, path)
        # Staged here, so that a file that takes no change costs this user the tokens, and nobody the batch.
        context.finishing.tx.write(path, text)
    except (Malformed, Unreadable, WrongInput) as error:
        context.warnings.append(f"{result['user']}: messages written, growth not recorded: {error.message}")
        return result
    context.finishing.recorded += 1
    return {**result, "tokens": tokens}


def _recorded(context: FollowUp, one: Answered, result: UserResult, path: str) -> tuple[str, list[str]]:
    """The next text of a user's growth file, checked, and the tokens of the messages in it."""
    dossier = one.dossier
    state = read_user(context.finishing.tx, result["user"])
    recorded, tokens = record_batch(
        state or new_growth(result["user"], dossier.get("wallet"), context.now),
        result,
        context.day,
        context.now,
        cycle_started_at=dossier.get("cycle_started_at"),
        max_batches=context.settings.get("observer.growth.retention.max_batches_per_user"),
        hypotheses=dossier.get("hypotheses", []),
    )
    return yaml_text(recorded, "growth", path), tokens


def record_growth(context: FollowUp) -> Done | Skip | Ask:
    """5.5: what growth learns was staged with the tokens that stand in the batch; it is committed with them."""
    return Done(f"Recorded {context.finishing.recorded} follow-up batches in growth state")
