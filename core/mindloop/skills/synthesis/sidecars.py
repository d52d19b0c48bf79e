"""The cognition sidecars that a question about many users may draw on."""

from __future__ import annotations

from mindloop.observer.cognition.reading import read_usable
from mindloop.observer.layout import layout_of
from mindloop.store.clock import parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from mindloop.observer.canvas.reading import Canvas
    from mindloop.store.workspace import Workspace

MAX_AGE_DAYS = 14
"""Older cognition does not count where users are compared by what was thought about them."""


class Sidecars:
    """Reads the sidecars of a workspace, one user at a time.

    Attributes:
        notes: those that could not be used, a sentence each.
    """

    __slots__ = ("_names", "_workspace", "notes")

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        on = workspace.settings.get("observer.cognition.enabled")
        self._names = frozenset(workspace.names(layout_of(workspace).cognition_dir, ".yaml") if on else ())
        self.notes: list[str] = []

    def of(self, canvas: Canvas) -> dict[str, Any] | None:
        """A user's sidecar, or None where there is none that is valid."""
        if f"{canvas.slug}.yaml" not in self._names:
            return None
        path = layout_of(self._workspace).cognition(canvas.slug)
        cognition, why_not = read_usable(self._workspace, path, canvas.user, self._workspace.settings)
        self.notes += [f"{canvas.user}: {why_not}"] if why_not else []
        return cognition


def is_recent(cognition: dict[str, Any], now: datetime) -> bool:
    """Whether a sidecar says that it was made within the last fourteen days."""
    made = parse_instant(cognition.get("generated_at"))
    return made is not None and (now - made).total_seconds() <= MAX_AGE_DAYS * 86_400
