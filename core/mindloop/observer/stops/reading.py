"""Reads stops: strictly for those who change one, and so that doubt stops a user for those who would write to them."""

from __future__ import annotations

from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold
from mindloop.observer.stops.record import is_stopped
from mindloop.store.errors import Malformed, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.store.files import Files

LIMIT = 1_000_000
"""Largest file of a stop, in bytes."""


class Standing:
    """A stop that stands for a user.

    Attributes:
        why: one line for the operator.
        reason: the word in the file; empty where the file cannot be read.
        since: when it began, as the file holds it; empty where the file cannot be read.
        problem: why the file cannot be read, or empty.
    """

    __slots__ = ("problem", "reason", "since")

    def __init__(self, reason: str = "", since: str = "", problem: str = "") -> None:
        self.reason = reason
        self.since = since
        self.problem = problem

    @property
    def why(self) -> str:
        """One line for the operator."""
        if self.problem:
            return f"the stop cannot be read, so it holds: {self.problem}"
        return f"{self.reason or 'stopped'} since {self.since}"


def read_stop(files: Files, rel: str, user: str) -> dict[str, Any] | None:
    """Read a user's stop; None where there is no file.

    Raises:
        Malformed: it does not parse, or it is somebody else's.
        Unreadable: the system refuses.
    """
    from mindloop.store.documents import read_yaml  # few users have a stop

    stop = read_yaml(files, rel, "stop", LIMIT)
    if stop is not None and fold(str(stop["user"])) != fold(user):
        raise Malformed(f"{rel}: it is the stop of another user", "Move it to that user's file, or remove it.")
    return stop


def standing(files: Files, slug: str, user: str) -> Standing | None:
    """Tell whether a stop stands for a user: one look at the disk where there is none.

    A file that cannot be read stops the user, whatever may stand in it: a message that should not have been sent cannot
    be taken back.

    Args:
        files: a workspace or a transaction.
        slug: the user's, from ``names.slug``.
        user: the name, in any spelling.

    Raises:
        StoreFailure: the disk itself is in doubt.
    """
    rel = layout_of(files).stop(slug)
    try:
        if not files.exists(rel):
            return None
        stop = read_stop(files, rel, user)
    except (Malformed, Unreadable) as error:
        return Standing(problem=error.message)
    if stop is None or not is_stopped(stop):
        return None
    return Standing(str(stop.get("reason") or ""), str(stop["since"]))


def all_standing(files: Files) -> list[tuple[str, Standing]]:
    """Everybody who is stopped, with the name that the file holds, in the order of the files' names.

    A file that cannot be read, or that lies under another user's name, stops the user of that name: so it is told.
    """
    from mindloop.observer.names import slug

    layout = layout_of(files)
    found = []
    for name in files.names(layout.stops_dir, ".yaml"):
        stem = name.removesuffix(".yaml")
        user = _named(files, f"{layout.stops_dir}/{name}")
        stop = standing(files, stem, user if slug(user) == stem else stem)
        if stop is not None:
            found.append((user if slug(user) == stem else stem, stop))
    return found


def _named(files: Files, rel: str) -> str:
    """The user that a file names, or nothing where it cannot be read."""
    from mindloop.store.documents import read_yaml

    try:
        return str((read_yaml(files, rel, "stop", LIMIT) or {}).get("user", ""))
    except (Malformed, Unreadable):
        return ""
