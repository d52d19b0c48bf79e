"""Sequence numbers, handed out under the lock."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def next_number(names: Iterable[str], prefix: str) -> int:
    """Return one more than the highest number that follows ``prefix`` in any of the names; 1 when there is none.

    A name's number is the run of ASCII digits right behind the prefix; other names do not count.
    """
    highest = 0
    for name in names:
        if name.startswith(prefix):
            digits = _leading_digits(name[len(prefix) :])
            highest = max(highest, int(digits)) if digits else highest
    return highest + 1


def _leading_digits(text: str) -> str:
    end = 0
    while end < min(len(text), 18) and text[end] in "0123456789":
        end += 1
    return text[:end]


def next_id(names: Iterable[str], prefix: str, width: int = 3) -> str:
    """Return ``prefix`` with the next number, at least ``width`` digits."""
    return f"{prefix}{next_number(names, prefix):0{width}d}"


def next_run_id(names: Iterable[str], prefix: str, day: str) -> str:
    """Return the id of a new run: ``follow-up-2026-02-11-001``.

    Args:
        names: ids or file names that exist; call this under the lock of their scope.
        prefix: the skill.
        day: ``YYYY-MM-DD``.
    """
    return next_id(names, f"{prefix}-{day}-")
