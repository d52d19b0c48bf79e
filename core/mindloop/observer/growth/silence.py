"""The silence gate: nobody is written to again while a message of the last days is unanswered."""

from __future__ import annotations

from datetime import timedelta

from mindloop.observer.growth.state import is_rehearsal, messages
from mindloop.store.clock import DAY_LENGTH, day, parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from mindloop.observer.types import GrowthBatch, GrowthMessage, GrowthState

UNANSWERED = ("pending", "silence")
_SLACK = timedelta(days=2)
"""No zone is farther from UTC than that, so a day as a file holds it is off by less."""


class Unanswered:
    """A message that nobody answered yet.

    Attributes:
        id: the message's.
        outcome: ``pending`` or ``silence``.
        sent: when it was sent.
    """

    __slots__ = ("id", "outcome", "sent")

    def __init__(self, id: str, outcome: str, sent: datetime) -> None:
        self.id = id
        self.outcome = outcome
        self.sent = sent


def unanswered(state: GrowthState) -> Iterator[Unanswered]:
    """Yield the messages without a reply, oldest batch first; rehearsed ones were never sent, so nobody owes a reply.

    A message of which no field says when it was sent is left out: nobody can count its days.
    """
    for batch, message in messages(state):
        sent = sent_at(batch, message)
        if message["outcome"] in UNANSWERED and sent is not None and not is_rehearsal(batch):
            yield Unanswered(message["id"], message["outcome"], sent)


def sent_at(batch: GrowthBatch, message: GrowthMessage) -> datetime | None:
    """When a message was sent: its own word, else its batch's day; None where neither is a time."""
    return parse_instant(message.get("sent_at") or "") or parse_instant(batch["batch_date"])


def gating(state: GrowthState, days: float, now: datetime) -> Unanswered | None:
    """The newest unanswered message that was sent less than ``days`` days before ``now``, or None.

    A message from after ``now`` (a clock that was wrong) gates too.
    """
    window = timedelta(days=days)
    recent = [one for one in unanswered(state) if now - one.sent < window]
    return max(recent, key=lambda one: one.sent, default=None)


def opens(waiting: Unanswered, days: float) -> str:
    """The day on which a message gates no longer, ``YYYY-MM-DD``; the last day there is where that is past it."""
    try:
        return day(waiting.sent + timedelta(days=days))
    except OverflowError:
        return "9999-12-31"


def may_gate(data: bytes, days: float, now: datetime) -> bool:
    """Tell from a growth file's bytes whether it is worth parsing: False only where ``gating`` would find nothing.

    Most files speak of messages that are answered or long past; two patterns over the bytes cost a hundredth of what
    the YAML parser does. What the patterns do not understand is parsed.
    """
    import re  # compiled when the first user with growth is met

    if b"\\" in data:  # an escape may spell anything
        return True
    if not re.search(rb"pending|silence(?!_count)", data):
        return False
    found = re.findall(rb"(?:sent_at|batch_date)[\"']?:[ ]+[\"']?(null|~|[0-9]{4}-[0-9]{2}-[0-9]{2})", data)
    if len(found) != data.count(b"sent_at") + data.count(b"batch_date"):
        return True
    oldest = day(now - timedelta(days=days) - _SLACK).encode()
    return any(len(text) == DAY_LENGTH and text >= oldest for text in found)
