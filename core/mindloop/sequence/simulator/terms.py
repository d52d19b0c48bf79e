"""The words of a timeline: why a follow-up did not go out, what was wrong with one that did."""

from __future__ import annotations

NEVER = 1 << 60
"""A minute that does not come."""

INACTIVE, NEEDS_ATTENTION, MUTED = "INACTIVE", "NEEDS_ATTENTION", "MUTED"
CONDITION = "CONDITION"
ANCHOR_UNSET, ANCHOR_WAIT = "ANCHOR_UNSET", "ANCHOR_WAIT"
NO_INBOUND, SILENCE_WAIT = "NO_INBOUND", "SILENCE_WAIT"
ALREADY_SENT, REPEAT_WAIT, REPEAT_DONE = "ALREADY_SENT", "REPEAT_WAIT", "REPEAT_DONE"
TOO_OLD, CAP, QUIET_HOURS = "TOO_OLD", "CAP", "QUIET_HOURS"

OK, FAILED = "OK", "FAILED"
WINDOW_EXPIRED = "MESSAGE_WINDOW_EXPIRED"
UNREACHABLE, NO_SUCH_TEMPLATE, NO_PARAMETER, PARAMETER_COUNT = "131026", "132001", "131008", "132000"
WINDOW_REASONS = frozenset((WINDOW_EXPIRED, "131047"))
TEMPLATE_REASONS = frozenset((NO_SUCH_TEMPLATE, NO_PARAMETER, PARAMETER_COUNT))

CROSS_STAGE, LAG_CROSS, SAME_STAGE_BURST = "CROSS_STAGE", "LAG_CROSS", "SAME_STAGE_BURST"
POST_STOP, LAG_POST_STOP, SILENT_NO_FIRE = "POST_STOP", "LAG_POST_STOP", "SILENT_NO_FIRE"
WINDOW_FAIL, TEMPLATE_FAIL = "WINDOW_FAIL", "TEMPLATE_FAIL"
REPEAT_OVERRUN, CAP_BREACH, DUPLICATE = "REPEAT_OVERRUN", "CAP_BREACH", "DUPLICATE"

NULL, FROZEN, PIPELINE_OFF = "NULL", "FROZEN", "PIPELINE_OFF"
NOT_WRITTEN, UNKNOWN_PROPERTY = "NOT_WRITTEN", "UNKNOWN_PROPERTY"


class Blocked(str):
    """A block reason; of a condition it also says which property it hangs on, and whether that has no value."""

    __slots__ = ("by_null", "property_id")

    by_null: bool
    property_id: str | None


def blocked_by(text: str, property_id: str, *, null: bool) -> Blocked:
    """The reason of a condition on a property."""
    made = Blocked(text)
    made.property_id = property_id
    made.by_null = null
    return made
