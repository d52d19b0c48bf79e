"""The one clock: aware UTC in memory, ``2026-02-11T14:23:00Z`` in files."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from mindloop.store.errors import WrongInput

DAY_LENGTH = len("2026-02-11")
"""Characters of a day as files hold it."""


def now() -> datetime:
    """Return the current instant, aware UTC, whole seconds; ``MINDLOOP_NOW`` fixes it.

    Raises:
        WrongInput: ``MINDLOOP_NOW`` is set and is not an ISO date or time.
    """
    fixed = os.environ.get("MINDLOOP_NOW")
    if not fixed:
        return datetime.now(UTC).replace(microsecond=0)
    instant = parse_instant(fixed)
    if instant is None:
        raise WrongInput(f"MINDLOOP_NOW is {fixed!r}, which is no ISO 8601 instant", "Use 2026-02-11T14:23:00Z.")
    return instant.replace(microsecond=0)


def stamp(instant: datetime) -> str:
    """Return an instant as files hold it: UTC, whole seconds, a final ``Z``."""
    return instant.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def day(instant: datetime) -> str:
    """Return the UTC day of an instant, ``YYYY-MM-DD``."""
    return stamp(instant)[:DAY_LENGTH]


def parse_instant(text: object) -> datetime | None:
    """Read an ISO 8601 date or time; None for anything else.

    A bare date is midnight UTC, a time without a zone is UTC, an offset is honoured. A Unix number is not a time.
    """
    if not isinstance(text, str):
        return None
    text = text.strip()
    if not is_date_only(text[:DAY_LENGTH]) or text[DAY_LENGTH : DAY_LENGTH + 1] not in ("", "T", "t", " "):
        return None
    try:
        instant = datetime.fromisoformat(text[:-1] + "Z" if text.endswith("z") else text)
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def is_date_only(text: str) -> bool:
    """Tell whether the text has the shape ``YYYY-MM-DD`` (the day itself may not exist)."""
    text = text.strip()
    digits = text[:4] + text[5:7] + text[8:]
    return len(text) == DAY_LENGTH and text[4] == text[7] == "-" and digits.isascii() and digits.isdigit()
