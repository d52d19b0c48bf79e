"""Where a message stands in its conversation, whatever the order of the export."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from mindloop.observer.exports.stamps import Stamps

    class Placed(Protocol):
        """What tells where a message stands."""

        id: str | None
        number: int
        stamp_raw: str

    Place = tuple[float, int, str, int]

NEVER = float("inf")
"""The time of what nobody knows the time of: it comes last."""
LAST = "~"
"""The same as text: it stands behind every moment."""


def order_of(message: Placed) -> tuple[int, str, int]:
    """Where a message stands among those of one moment: ids are numbers that grow, as text."""
    name = message.id or ""
    return len(name), name, message.number


def place_of(message: Placed, stamps: Stamps) -> Place:
    """Where a message stands: by its time, then by its id, then by its place in the export."""
    when = stamps.seconds(message.stamp_raw)
    return (NEVER if when is None else when, *order_of(message))
