"""Whether a user qualifies for a follow-up, and why (follow-up, step 2b)."""

from __future__ import annotations

from mindloop.observer.canvas.hypotheses import normal_id
from mindloop.observer.lines import excerpt
from mindloop.store.clock import is_date_only, parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date

    from mindloop.observer.canvas.reading import Canvas
    from mindloop.observer.types import Trigger, TriggerKind

PROMISE_AGE_DAYS = 3
"""A promise is asked about when it is older than this many whole days."""


def find_triggers(canvas: Canvas, today: date, last_batch: str | None) -> list[Trigger]:
    """Return the reasons to write to a user: hypotheses, promises, new feedback, gaps, in this order.

    Args:
        canvas: the user's canvas.
        today: the UTC day of the command.
        last_batch: instant or day of the user's latest batch; None where there was none.
    """
    return [
        *_hypothesis_triggers(canvas),
        *_promise_triggers(canvas, today),
        *_feedback_trigger(canvas, last_batch),
        *_gap_triggers(canvas),
    ]


def _trigger(kind: TriggerKind, text: str, hypothesis_id: str | None = None) -> Trigger:
    return {"kind": kind, "hypothesis_id": hypothesis_id, "text": excerpt(text)}


def _hypothesis_triggers(canvas: Canvas) -> list[Trigger]:
    return [
        _trigger("hypothesis", f"{one.id}: {one.title}" if one.title else one.id, one.id)
        for one in canvas.hypotheses
        if not one.closed
    ]


def _promise_triggers(canvas: Canvas, today: date) -> list[Trigger]:
    found = []
    for promise in canvas.promises:
        day = promise_day(promise.date)
        if day and not promise.redeemed and (today - day).days > PROMISE_AGE_DAYS:
            found.append(_trigger("promise", f"promise of {day.isoformat()}: {promise.text}"))
    return found


def promise_day(text: str) -> date | None:
    """Return the UTC day of a promise; None where its date is not one."""
    instant = parse_instant(text)
    return instant.date() if instant else None


def _feedback_trigger(canvas: Canvas, last_batch: str | None) -> list[Trigger]:
    if last_batch is None:
        fires = canvas.has_quotes and not all_high(canvas)
        return [_trigger("feedback", "first feedback, no follow-up yet")] if fires else []
    if _later(canvas.updated, last_batch):
        return [_trigger("feedback", f"feedback of {canvas.updated} since the follow-up of {last_batch}")]
    return []


def _later(updated: str | None, last_batch: str) -> bool:
    """Compare instants; days where either side is only a day, so that the same day is never later."""
    new, old = parse_instant(updated) if updated else None, parse_instant(last_batch)
    if new is None or old is None or updated is None:
        return False
    if is_date_only(updated) or is_date_only(last_batch):
        return new.date() > old.date()
    return new > old


def _gap_triggers(canvas: Canvas) -> list[Trigger]:
    return [
        _trigger("gap", ": ".join(filter(None, ("gap", gap.id, gap.title))))
        for gap in canvas.gaps
        if gap.status == "IDENTIFIED"
    ]


def all_high(canvas: Canvas) -> bool:
    """True when there are hypotheses and nothing is left to validate in any of them."""
    return bool(canvas.hypotheses) and all(one.closed for one in canvas.hypotheses)


def skip_reason(canvas: Canvas) -> str:
    """Return the reason to report for a user without a trigger."""
    return "all_hypotheses_high_confidence" if all_high(canvas) else "no_triggers"


def drop_stale(triggers: list[Trigger], stale_ids: Collection[str]) -> list[Trigger]:
    """Return the triggers whose hypothesis is not stale; triggers without one stay (follow-up, step 2g.5)."""
    stale = {normal_id(one) or one for one in stale_ids}
    return [one for one in triggers if one["hypothesis_id"] is None or one["hypothesis_id"] not in stale]
