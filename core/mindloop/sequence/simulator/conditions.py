"""One literal against one value, in three truth values: holds, does not, unknown (spec 3.3)."""

from __future__ import annotations

import operator

from mindloop.sequence import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mindloop.sequence.model import Condition, Value

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "GREATER_THAN": operator.gt,
    "GREATER_OR_EQUAL": operator.ge,
    "LESS_THAN": operator.lt,
    "LESS_OR_EQUAL": operator.le,
}


def holds(condition: Condition, value: Value, null_semantics: str) -> bool | None:
    """Whether the literal holds for a lead's value; None is unknown, which does not fire.

    No value (None) under PLATFORM: NOT_EQUALS holds, everything else that compares is unknown; under SQL_STRICT all of
    it is unknown. A value of another type equals nothing: ``"true"`` and 1 are not ``true``.
    """
    if condition.operator == words.IS_SET:
        return value is not None
    if condition.operator == words.IS_NOT_SET:
        return value is None
    if value is None:
        passes = condition.operator == words.NOT_EQUALS and null_semantics == words.PLATFORM
        return True if passes else None
    if condition.operator == words.EQUALS:
        return same(value, condition.value)
    if condition.operator == words.NOT_EQUALS:
        return not same(value, condition.value)
    return _ordered(condition, value)


def same(one: Value, other: Value) -> bool:
    """Strict identity: booleans are no numbers, texts are neither."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def is_number(value: Value) -> bool:
    """Whether it is a number, which a boolean is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ordered(condition: Condition, value: Value) -> bool:
    if not is_number(value) or not is_number(condition.value):
        return False
    return _COMPARE[condition.operator](value, condition.value)  # type: ignore[arg-type]  # both are numbers here
