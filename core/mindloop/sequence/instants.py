"""Instants of exports: whole minutes of a scenario, or ISO 8601; all tables of one measurement speak of one clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.sequence.tables import Table

MINUTES, ZONED, ZONELESS = "minutes", "instants with a zone", "instants without a zone"
MINUTE = 60
_MOST_MINUTES = 525_600_000  # a thousand years; above that somebody exported seconds
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LOCAL_EPOCH = datetime(1970, 1, 1)  # the same for instants whose zone nobody wrote down
_SECOND = timedelta(seconds=1)
_LEAST_ISO = len("2026-01-01T00:00")
_HINT = "Write every t as whole minutes, or as ISO 8601 with a zone: 2026-11-30T10:00:00Z"


class Instants:
    """Reads ``t`` of all tables into seconds; the first row decides what kind of clock the others must have.

    Attributes:
        kind: ``MINUTES``, ``ZONED``, ``ZONELESS``, or None before the first.
        latest: the greatest instant so far, in seconds; None before the first.
    """

    __slots__ = ("_first", "kind", "latest")

    def __init__(self) -> None:
        self.kind: str | None = None
        self.latest: int | None = None
        self._first = ""

    def read(self, raw: str, table: Table) -> int:
        """Return an instant in seconds; fractions of a second fall away.

        Raises:
            ValueError: the text is no instant; the message says why.
            Malformed: it is one of another clock than the rows before; the message names both rows.
        """
        if raw.isdigit() and raw.isascii():
            kind, seconds = MINUTES, _minutes(raw)
        else:
            kind, seconds = _other(raw.strip())
        if kind is not self.kind:
            self._settle(kind, raw, table)
        if self.latest is None or seconds > self.latest:
            self.latest = seconds
        return seconds

    def shown(self, seconds: int | None) -> int | str | None:
        """An instant as the export's own clock says it: minutes, or ISO 8601 in UTC."""
        if seconds is None or self.kind == MINUTES:
            return None if seconds is None else seconds // MINUTE
        text = (_LOCAL_EPOCH + timedelta(seconds=seconds)).isoformat()
        return text + "Z" if self.kind == ZONED else text

    def _settle(self, kind: str, raw: str, table: Table) -> None:
        if self.kind is not None:
            message = f"{table.where()}: t is {raw[:40]!r}, {kind}; {self._first} has {self.kind}"
            raise Malformed(message, _HINT)
        self.kind, self._first = kind, table.where()


def _minutes(raw: str) -> int:
    minutes = int(raw) if len(raw) <= len(str(_MOST_MINUTES)) else _MOST_MINUTES + 1
    if minutes > _MOST_MINUTES:
        message = "is no number of minutes (are these seconds?)"
        raise ValueError(message)
    return minutes * MINUTE


def _other(raw: str) -> tuple[str, int]:
    if raw.isdigit() and raw.isascii():
        return MINUTES, _minutes(raw)
    digits = raw[1:]
    if raw[:1] == "-" and digits.isdigit() and digits.isascii():
        return MINUTES, -_minutes(digits)
    if len(raw) < _LEAST_ISO or not raw.isascii():
        message = "is neither whole minutes nor ISO 8601 with a time of day"
        raise ValueError(message)
    text = raw.removesuffix(" UTC") + "+00:00" if raw.endswith(" UTC") else raw
    try:
        read = datetime.fromisoformat(text)
        if read.tzinfo is None:
            return ZONELESS, (read - _LOCAL_EPOCH) // _SECOND
        return ZONED, (read - _EPOCH) // _SECOND
    except (ValueError, OverflowError):
        message = "is neither whole minutes nor ISO 8601 with a time of day"
        raise ValueError(message) from None
