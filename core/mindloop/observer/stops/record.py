"""A user's stop as a value: set, given another reason, lifted. What was stopped before stays told."""

from __future__ import annotations

from mindloop.store.clock import stamp
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    Stop = dict[str, Any]

STOPPED, RUNNING = "stopped", "running"
REASONS = {
    "declined": "does not want to talk",
    "opted_out": "asked for no more messages",
    "escalated": "a person took the conversation over",
    "converted": "there is nothing more to ask",
}
"""Why nobody writes to a user, and what each word means."""


def is_stopped(stop: Mapping[str, Any] | None) -> bool:
    """Tell whether nobody may write to the user now; without a file everybody may."""
    return stop is not None and stop["state"] == STOPPED


def stopped(stop: Stop | None, user: str, reason: str, now: datetime) -> Stop:
    """Stop a user.

    Args:
        stop: what the file holds, or None where there is none.
        user: the name as it is shown.
        reason: one of ``REASONS``.
        now: when the stop begins; an earlier stop for another reason ends then.

    Returns:
        The new document, equal to ``stop`` where the user was stopped for that reason already. Fields of later
        versions stay.

    Raises:
        WrongInput: a reason that does not exist.
    """
    if reason not in REASONS:
        known = "; ".join(f"{word}: {meaning}" for word, meaning in REASONS.items())
        raise WrongInput(f"reason {reason[:40]!r} does not exist", f"Use one of: {known}")
    if stop is not None and is_stopped(stop) and stop.get("reason") == reason:
        return dict(stop)
    return {
        **(stop or {"schema_version": 1, "user": user}),
        "state": STOPPED,
        "reason": reason,
        "since": stamp(now),
        "history": _history(stop, now),
    }


def resumed(stop: Stop, now: datetime) -> Stop:
    """Lift a stop that stands, at ``now``; one that does not stand is returned as it is."""
    if not is_stopped(stop):
        return dict(stop)
    return {**stop, "state": RUNNING, "reason": None, "since": stamp(now), "history": _history(stop, now)}


def _history(stop: Stop | None, now: datetime) -> list[Any]:
    """What was stopped before, with the stop that ends now; a stop that never said why is left out."""
    if stop is None:
        return []
    before = list(stop.get("history") or [])
    if is_stopped(stop) and stop.get("reason"):
        before.append({"reason": stop["reason"], "from": stop["since"], "until": stamp(now)})
    return before
