"""Growth states, results and settings for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from mindloop.observer.growth import record
from mindloop.observer.growth.state import new_growth

if TYPE_CHECKING:
    from mindloop.observer.types import GrowthMessage, GrowthState, Message, UserResult

NOW = datetime(2026, 2, 14, 9, 30, tzinfo=UTC)
DAY = "2026-02-14"
HASH = "ab" * 32

DEFAULTS: dict[str, Any] = {
    "observer.growth.response_window.max_cycles": 3,
    "observer.growth.response_window.max_days": 14,
    "observer.growth.decay.cycles_to_decaying": 3,
    "observer.growth.decay.cycles_to_stale": 6,
    "observer.growth.score_delta.threshold": 5,
}


class FakeSettings:
    """Settings that answer from a dict."""

    def __init__(self, **changed: Any) -> None:
        self._values = DEFAULTS | {key.replace("__", "."): value for key, value in changed.items()}

    def get(self, dotted: str) -> Any:
        """The value of a dotted key."""
        return self._values[dotted]


def days(count: float) -> datetime:
    """The instant so many days after NOW."""
    return NOW + timedelta(days=count)


def message(reason: str = "H1: Trust in badges", body: str = "did you look again?") -> Message:
    return {
        "hypothesis_or_trigger": reason,
        "anchor_quote_hash": HASH,
        "anchor_quote_text": "my badge is gone",
        "message_body": body,
        "temporal_claims": [],
    }


def result(*messages: Message, slug: str = "xabbu") -> UserResult:
    made = {"user": slug, "slug": slug, "messages": list(messages) or [message()], "host": "claude"}
    return cast("UserResult", made)


def hypothesis(number: int = 1, title: str = "Trust in badges", confidence: str = "low") -> dict[str, str]:
    return {"id": f"H{number}", "title": title, "confidence": confidence}


def fresh() -> GrowthState:
    return new_growth("xabbu", None, NOW)


def record_batch(
    state: GrowthState, sent: UserResult, day: str, now: datetime, max_batches: int = 10, **more: Any
) -> tuple[GrowthState, list[str]]:
    """Record a batch, with as many kept as the defaults say."""
    return record.record_batch(state, sent, day, now, max_batches=max_batches, **more)


def recorded(*messages: Message, batches: int = 1, now: datetime = NOW) -> GrowthState:
    """A state with hypothesis H1 and so many batches of the given messages, a minute apart."""
    state = fresh()
    for number in range(batches):
        at = now + timedelta(minutes=number)
        state, _tokens = record_batch(state, result(*messages), DAY, at, hypotheses=[hypothesis()])
    return state


def sent(state: GrowthState, batch: int = 0, number: int = 0) -> GrowthMessage:
    return state["follow_ups"][batch]["message_ids"][number]


def identifiers(state: GrowthState) -> list[str]:
    return [message["id"] for batch in state["follow_ups"] for message in batch["message_ids"]]
