"""Two series of minutes that come too close: exact, in the number of digits, however long the series are."""

from __future__ import annotations

Series = tuple[int, int, int | None]
"""First minute, interval (1 or more), how many follow the first; None is for ever."""


def collision(one: Series, other: Series, least: int) -> tuple[int, int] | None:
    """The first repeat of either series that comes closer than ``least`` to a minute of the other one.

    The two first minutes themselves are not compared.

    Returns:
        The minute of the one and of the other, or None.
    """
    start = _nearest(one[0], other, least, skip_first=True)
    if start is not None:
        return one[0], start
    found = _first_close(one, other, least)
    if found is None:
        return None
    minute = one[0] + found * one[1]
    near = _nearest(minute, other, least, skip_first=False)
    return None if near is None else (minute, near)


def _nearest(minute: int, series: Series, least: int, *, skip_first: bool) -> int | None:
    """The minute of a series nearest to one, where it is closer than ``least``."""
    first, interval, repeats = series
    lowest = 1 if skip_first else 0
    if repeats is not None and repeats < lowest:
        return None
    number = max(lowest, (minute - first + interval // 2) // interval)
    number = number if repeats is None else min(number, repeats)
    near = [first + each * interval for each in (number - 1, number) if each >= lowest]
    best = min(near, key=lambda each: (abs(each - minute), each))
    return best if abs(best - minute) < least else None


def _first_close(one: Series, other: Series, least: int) -> int | None:
    """The first repeat (1 or more) of one series that comes close to any minute of the other."""
    first, interval, repeats = one
    base, step, times = other
    low = max(1, -((first - base + least - 1) // interval))
    high = repeats
    if times is not None:
        last = (base + times * step + least - 1 - first) // interval
        high = last if high is None else min(high, last)
    if high is not None and low > high:
        return None
    shifted = first + low * interval - base + least - 1
    found = 0 if 2 * least - 1 >= step else first_within(interval % step, shifted % step, step, 2 * least - 2)
    if found is None or (high is not None and low + found > high):
        return None
    return low + found


def first_within(step: int, start: int, modulus: int, top: int) -> int | None:
    """The smallest k >= 0 with ``(start + k * step) mod modulus <= top``, by Euclid; None where there is none."""
    if start <= top:
        return 0
    if step == 0:
        return None
    # k * step mod modulus must land in [modulus - start, modulus - start + top]
    return _first_between(step, modulus, modulus - start, modulus - start + top)


def _first_between(step: int, modulus: int, low: int, high: int) -> int | None:
    """The smallest k with ``low <= k * step mod modulus <= high``, where 0 < low <= high < modulus."""
    if step == 0:
        return None
    if 2 * step > modulus:
        step, low, high = modulus - step, modulus - high, modulus - low
    first = -(-low // step)
    if first * step <= high:
        return first
    turns = _first_between(step - modulus % step if modulus % step else 0, step, low % step, high % step)
    if turns is None:
        return None
    return -(-(low + turns * modulus) // step)
