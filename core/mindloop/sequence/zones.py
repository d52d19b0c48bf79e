"""Names of timezones: which are known, and what somebody may have meant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any
    from zoneinfo import ZoneInfo


def zone_named(name: str | None) -> ZoneInfo | None:
    """The zone, or None where nobody knows it."""
    if not name:
        return None
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def zone_problems(given: dict[str, Any], pointer: str) -> Iterator[str]:
    """A timezone, of an agent or a lead, that nobody knows; says names that are near it."""
    name = given.get("timezone")
    if name is not None and zone_named(name) is None:
        near = " or ".join(_names_near(name))
        if near:
            yield f"{pointer}/timezone: {name[:60]!r} is no timezone, expected an IANA name like {near}"


def _names_near(name: str) -> list[str]:
    """Zones whose names are like that one, at most three, else an example; none on a machine that knows no zones."""
    from difflib import get_close_matches
    from zoneinfo import available_timezones

    known = {one.casefold(): one for one in sorted(available_timezones())}
    wanted = name[:60].casefold().replace(" ", "_")
    near = get_close_matches(wanted, known, n=3)
    if not near:
        cities = {one.rpartition("/")[2]: one for one in known}
        near = [cities[one] for one in get_close_matches(wanted, cities, n=3)]
    return [known[one] for one in near] or (["Europe/Madrid"] if known else [])
