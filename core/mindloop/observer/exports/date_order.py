"""Which of two numbers is the day: DD/MM or MM/DD, told by other dates that are written alike, or not at all."""

from __future__ import annotations

from datetime import date


class DateOrder:
    """What dates of one export and one form say about their order of day and month, in whatever order they come.

    Two things can tell, in this order: a date that only one order fits; and a day in the future that one order would
    make of some date. That dates come in order under one reading tells nothing: so do many under the wrong one.

    Args:
        order: ``dmy`` or ``mdy`` where somebody said so; then nothing is learned.
        latest: the last day that can have been.
    """

    __slots__ = ("_days", "_decided", "_fits", "_latest", "_said")

    def __init__(self, order: str | None, latest: date) -> None:
        self._said = order
        self._latest = latest
        self._decided: tuple[str | None, str] | None = None
        self._fits = {"dmy": 0, "mdy": 0}
        self._days: set[tuple[int, int, int]] = set()

    def learn(self, first: int, second: int, year: int) -> None:
        """Look at a date ``first/second/year``."""
        self._decided = None
        can = [order for order in self._fits if _day(order, first, second, year)]
        if len(can) == 1:
            self._fits[can[0]] += 1
        if len(can) == 2 and first != second:
            self._days.add((first, second, year))

    def reading(self, first: int, second: int) -> tuple[int, int] | None:
        """Return month and day of a date; None where nothing tells them apart.

        A date that only one order fits is read so, unless somebody said otherwise: then it is no date.
        """
        order = self._said or _only_order(first, second) or ("mdy" if first == second else self.decided()[0])
        if order is None:
            return None
        return (second, first) if order == "dmy" else (first, second)

    def decided(self) -> tuple[str | None, str]:
        """Return the order that the dates show, and how they show it."""
        if self._decided is None:
            self._decided = self._decide()
        return self._decided

    def _decide(self) -> tuple[str | None, str]:
        if any(self._fits.values()):
            found = [order for order, count in self._fits.items() if count]
            return (found[0], "") if len(found) == 1 else (None, "")
        past = [order for order in self._fits if self._is_past(order)]
        if len(past) == 1:
            return past[0], "any other reading lies in the future"
        return None, ""

    @property
    def notes(self) -> list[tuple[str, str]]:
        """Say how the dates were read where that was a conclusion, and where they contradict each other.

        Returns:
            What stands before and what stands after the form of these dates, where that has to be told.
        """
        if self._said is not None or not self._days:
            return []
        if all(self._fits.values()):
            return [("some dates", " can only be DD/MM and some only MM/DD: the others are undated; pass --date-order")]
        order, why = self.decided()
        if not why:
            return []
        return [
            (
                "dates",
                f" are read as {'DD/MM' if order == 'dmy' else 'MM/DD'}: {why}; if that is wrong, pass --date-order",
            )
        ]

    def _is_past(self, order: str) -> bool:
        return all((_day(order, *written) or self._latest) <= self._latest for written in self._days)


def _only_order(first: int, second: int) -> str | None:
    """The order that two numbers leave, if they leave one."""
    if first > 12 >= second:
        return "dmy"
    return "mdy" if second > 12 >= first else None


def _day(order: str, first: int, second: int, year: int) -> date | None:
    month, day = (second, first) if order == "dmy" else (first, second)
    try:
        return date(year, month, day)
    except ValueError:
        return None
