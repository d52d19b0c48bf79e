"""Checks of the stops: files that stop somebody by being damaged, and files that stop nobody though they say so."""

from __future__ import annotations

from mindloop.observer.canvas.checks import known_users
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold, slug
from mindloop.observer.stops.reading import LIMIT
from mindloop.observer.stops.record import STOPPED
from mindloop.store.checkup import ERROR, INFO, WARNING, Finding
from mindloop.store.clock import parse_instant
from mindloop.store.documents import read_yaml
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.store.checkup import Look

_HOLDS = "until it is mended or removed, nobody writes to this user"


def check_stops(look: Look) -> Iterator[Finding]:
    """Report stops that cannot be read, that nobody reads, or that contradict themselves."""
    folder = layout_of(look.ws).stops_dir
    files = set(look.ws.names(folder, ".yaml"))
    for name in look.ws.entries(folder, ".yaml"):
        rel = f"{folder}/{name}"
        if name in files:
            yield from _stop(look, rel)
        elif look.ws.exists(rel):
            yield Finding(ERROR, rel, None, f"it is no file; {_HOLDS}")
        else:
            yield Finding(ERROR, rel, None, "it is a link that leads to no file, so it stops nobody")


def _stop(look: Look, rel: str) -> Iterator[Finding]:
    try:
        stop = read_yaml(look.ws, rel, "stop", LIMIT)
    except MindloopError as error:
        yield Finding(ERROR, rel, None, f"{error.message.removeprefix(f'{rel}: ')}; {_HOLDS}")
        return
    if stop is None:
        return
    yield from _owner(look, rel, stop)
    for sentence in problems(stop):
        yield Finding(WARNING, rel, None, sentence)


def _owner(look: Look, rel: str, stop: dict[str, Any]) -> Iterator[Finding]:
    user, place = str(stop["user"]), rel.rpartition("/")[2]
    if f"{slug(user)}.yaml" != place:
        what = f"it is of {user!r:.80}, whose file is named {slug(user)}.yaml: it stops {place.removesuffix('.yaml')!r}"
        yield Finding(ERROR, rel, None, f"{what} and not them")
    elif fold(user) not in known_users(look):
        yield Finding(INFO, rel, None, f"{user!r:.80} has no canvas")


def problems(stop: dict[str, Any]) -> Iterator[str]:
    """Yield what a stop leaves open or says twice in different ways."""
    if parse_instant(stop["since"]) is None:
        yield f"since is {stop['since']!r:.60}, which is no time"
    if stop["state"] == STOPPED and not stop.get("reason"):
        yield "it does not say why; give it a reason: growth.py stop"
    if stop["state"] != STOPPED and stop.get("reason"):
        yield f"it is lifted and still has the reason {stop['reason']!r}"
    ends = [(parse_instant(one["from"]), parse_instant(one["until"])) for one in stop.get("history") or []]
    for number, (start, end) in enumerate(ends, 1):
        if start is None or end is None:
            yield f"entry {number} of its history has no two times"
        elif end < start:
            yield f"entry {number} of its history ends before it begins"
