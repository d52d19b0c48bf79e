"""When something was said, read from stamps of any format without guessing (follow-up, section 6).

A time counts as exact only where its zone is known, from the stamp or from whoever ran the export. A day that can be
read in two ways stays unread until something in the same export that is written alike tells them apart: an export may
mix clocks, and the order of one says nothing about another.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

from mindloop.observer.exports.message import shown
from mindloop.observer.lines import counted
from mindloop.store.clock import stamp
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo

    from mindloop.observer.exports.date_order import DateOrder
    from mindloop.observer.exports.stamp_shapes import Shape

ORDERS = ("dmy", "mdy")
_SLACK = timedelta(days=1)
"""What may be written ahead of now: in some zone it is tomorrow."""
_SIGNS = ("+", "-")
_NAMED = ("UTC", "GMT")
_NOTES = (
    ("open", "date", "that can be DD/MM or MM/DD, and none written alike tells which: undated; pass --date-order"),
    ("ahead", "date", "that would lie in the future, in the order that counts for it: undated; check --date-order"),
    ("zoneless", "time", "without a time zone: only the day counts; pass --tz"),
    ("odd", "time", "in an hour that clocks skip or repeat: only the day counts"),
    ("timeless", "stamp", "with a time but no day: undated"),
    ("unread", "stamp", "not understood, as {example}: undated"),
)
"""What is counted while stamps are resolved, and how it is said."""


class Stamps:
    """The stamps of one export: first all are learned from, then each is resolved by itself.

    Args:
        zone: the time zone of stamps that name none, as ``Europe/Berlin``, ``UTC`` or ``+02:00``; None if unknown.
        order: ``dmy`` or ``mdy`` for dates with slashes or hyphens; None if unknown.
        now: nothing was said later than a day after it.

    Raises:
        WrongInput: there is no such zone or order.
    """

    __slots__ = ("_counts", "_example", "_latest", "_orders", "_said", "_until", "_zone")

    def __init__(self, *, zone: str | None, order: str | None, now: datetime) -> None:
        if order is not None and order not in ORDERS:
            raise WrongInput(f"the date order is {order[:20]!r}", "Use dmy (31/12/2026) or mdy (12/31/2026).")
        self._zone = None if zone is None else zone_of(zone)
        self._said = order
        self._latest = min(now.astimezone(UTC).date(), date.max - _SLACK) + _SLACK
        self._until = stamp(min(now, datetime.max.replace(tzinfo=UTC) - _SLACK) + _SLACK)
        self._orders: dict[str, DateOrder] = {}
        self._counts = {why: 0 for why, _, _ in _NOTES}
        self._example = ""

    def learn(self, raw: str) -> None:
        """Look at a stamp for what it says about the others; order and repetition change little (see DateOrder)."""
        if not raw[:4].isdigit():
            shape = _shape_of(raw)
            if shape is not None and shape.is_open and shape.year is not None:
                self._order_of(shape).learn(shape.month, shape.day, shape.year)

    def resolve(self, raw: str) -> tuple[str | None, str]:
        """Return the instant as ``2026-02-11T14:23:00Z`` and how far it can be trusted.

        Returns:
            ``exact``: the instant. ``day_level``: midnight UTC of the written day, or None where the day can be read
            in two ways. ``unknown``: None.
        """
        instant = _iso(raw)
        if instant is not None:
            return instant, "exact"
        if not raw:
            return None, "unknown"
        shape = _shape_of(raw)
        if shape is None:
            return self._unread(raw, "unread")
        if shape.year is None:
            return self._unread(raw, "timeless")
        return self._of_shape(raw, shape)

    def looked_up(self, raw: str) -> tuple[str | None, str]:
        """The same as ``resolve``, for a stamp that is to count in no note."""
        counts, example = dict(self._counts), self._example
        try:
            return self.resolve(raw)
        finally:
            self._counts, self._example = counts, example

    def seconds(self, raw: str) -> float | None:
        """Return where a stamp stands among those of its export, finer than ``resolve``; None where nothing tells.

        A time without a zone is taken for what clocks showed: that puts it in order with the others of its kind.
        """
        try:
            if raw[10:11] == "T":
                instant = datetime.fromisoformat(raw)
                return (instant if instant.tzinfo else instant.replace(tzinfo=self._zone or UTC)).timestamp()
        except (ValueError, OverflowError):
            pass
        shape = _shape_of(raw)
        if shape is None or shape.year is None:
            return None
        month_and_day = self._month_and_day(shape)
        if month_and_day is None:
            return None
        zone = self._zone if shape.offset is None else timezone(timedelta(minutes=shape.offset))
        try:
            when = datetime(shape.year, *month_and_day, *(shape.clock or (0, 0, 0)), tzinfo=zone or UTC)
            counts = when if zone else when.replace(hour=0, minute=0, second=0)
            return None if shape.is_open and self._is_ahead(stamp(counts)) else when.timestamp()
        except (ValueError, OverflowError):
            return None

    @property
    def notes(self) -> list[str]:
        """What people should know of the stamps resolved so far."""
        told = len(self._orders) > 1
        said = [
            f"{what} written {form}{then}" if told else what + then
            for form, order in sorted(self._orders.items())
            for what, then in order.notes
        ]
        for why, what, then in _NOTES:
            count = self._counts[why]
            if count:
                said.append(f"{counted(count, what)} {then}".replace("{example}", repr(self._example)))
        return said

    def _unread(self, raw: str, why: str) -> tuple[None, str]:
        self._counts[why] += 1
        if why == "unread":
            self._example = self._example or shown(raw)
        return None, "unknown"

    def _of_shape(self, raw: str, shape: Shape) -> tuple[str | None, str]:
        month_and_day = self._month_and_day(shape)
        if month_and_day is None:
            self._counts["open"] += 1
            return None, "day_level"
        try:
            found = self._dated(shape, date(shape.year or 0, *month_and_day))
        except (ValueError, OverflowError):
            return self._unread(raw, "unread")
        if shape.is_open and self._is_ahead(found[0]):
            self._counts["ahead"] += 1
            return None, "day_level"
        return found

    def _order_of(self, shape: Shape) -> DateOrder:
        if shape.form not in self._orders:
            from mindloop.observer.exports.date_order import DateOrder

            self._orders[shape.form] = DateOrder(self._said, self._latest)
        return self._orders[shape.form]

    def _month_and_day(self, shape: Shape) -> tuple[int, int] | None:
        return self._order_of(shape).reading(shape.month, shape.day) if shape.is_open else (shape.month, shape.day)

    def _is_ahead(self, moment: str) -> bool:
        """Tell whether a moment that was concluded from an order lies more than a day after now."""
        return moment > self._until

    def _dated(self, shape: Shape, day: date) -> tuple[str, str]:
        """Resolve a stamp whose day is known; ValueError where its hour or its zone does not exist."""
        midnight = stamp(datetime(day.year, day.month, day.day, tzinfo=UTC))
        if shape.clock is None:
            return midnight, "day_level"
        local = datetime(day.year, day.month, day.day, *shape.clock)
        if shape.offset is not None:
            return stamp(local.replace(tzinfo=timezone(timedelta(minutes=shape.offset)))), "exact"
        if self._zone is None:
            self._counts["zoneless"] += 1
            return midnight, "day_level"
        if not _is_one(local, self._zone):
            self._counts["odd"] += 1
            return midnight, "day_level"
        return stamp(local.replace(tzinfo=self._zone)), "exact"


def _shape_of(raw: str) -> Shape | None:
    from mindloop.observer.exports.stamp_shapes import shape_of  # many exports never need its patterns

    return shape_of(raw)


def _iso(raw: str) -> str | None:
    """The quick way for the commonest stamp: ISO 8601 with a zone."""
    if raw[4:5] != "-" or raw[10:11] != "T":
        return None
    try:
        instant = datetime.fromisoformat(raw)
        return None if instant.tzinfo is None else stamp(instant)
    except (ValueError, OverflowError):
        return None


def _is_one(local: datetime, zone: tzinfo) -> bool:
    """Tell whether a local time exists, and once: where clocks change, its two foldings differ."""
    return local.replace(tzinfo=zone, fold=0).utcoffset() == local.replace(tzinfo=zone, fold=1).utcoffset()


def zone_of(name: str) -> tzinfo:
    """Return a time zone by its name or offset.

    Raises:
        WrongInput: there is none; the error names some that are spelled alike.
    """
    from zoneinfo import ZoneInfo

    is_offset = name.startswith(_SIGNS) or (name[:3].upper() in _NAMED and name.startswith(_SIGNS, 3))
    fixed = _shape_of(f"2000-01-01 00:00 {name}") if is_offset else None
    if fixed is not None and fixed.offset is not None:
        try:
            return timezone(timedelta(minutes=fixed.offset))
        except ValueError:
            pass
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such zone, no such path, a folder of zones
        raise _no_zone(name) from None


def _no_zone(name: str) -> WrongInput:
    from difflib import get_close_matches
    from zoneinfo import available_timezones

    spelled = {zone.casefold(): zone for zone in available_timezones()}
    wanted = name.casefold().replace(" ", "_")
    near = get_close_matches(wanted[:40], sorted(spelled), n=3, cutoff=0.6)
    near += [key for key in sorted(spelled) if wanted and key.rpartition("/")[2] == wanted and key not in near]
    alike = f"Did you mean {', '.join(spelled[key] for key in near[:3])}? " if near else ""
    return WrongInput(f"there is no time zone {name[:40]!r}", f"{alike}Write it as Europe/Berlin, UTC or +02:00.")
