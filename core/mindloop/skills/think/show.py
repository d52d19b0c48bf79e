"""What was thought about one user, and whether it still holds as far as the files tell."""

from __future__ import annotations

from mindloop.observer.canvas.reading import load_canvas, load_canvases
from mindloop.observer.growth.reading import load_user as load_growth
from mindloop.observer.layout import layout_of
from mindloop.observer.names import display_name, fold, slug
from mindloop.skills.think.sidecar import read_sidecar, unusable, why_not
from mindloop.store.errors import Malformed, Negative, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.canvas.reading import Canvas
    from mindloop.observer.types import GrowthState
    from mindloop.store.workspace import Workspace

FRESH, STALE, UNUSABLE = "fresh", "stale", "unusable"


class Shown:
    """A user's sidecar and where it stands.

    Attributes:
        document: its fields as they lie in the file.
        status: ``fresh``, ``stale`` or ``unusable``. The score is not fetched for this, so it is not compared.
        reasons: why it is not fresh, a clause each.
    """

    __slots__ = ("document", "path", "reasons", "status", "user")

    def __init__(self, user: str, path: str, document: dict[str, Any], status: str, reasons: list[str]) -> None:
        self.user = user
        self.path = path
        self.document = document
        self.status = status
        self.reasons = reasons


def shown(workspace: Workspace, name: str) -> Shown:
    """A user's sidecar.

    Raises:
        Negative: there is none.
        Malformed: it is another user's, or of a later version.
    """
    user = display_name(name)
    canvas = _canvas(workspace, user)
    user = canvas.user if canvas else user
    path = layout_of(workspace).cognition(slug(user))
    sidecar = read_sidecar(workspace, path, user)
    if sidecar is None:
        raise Negative(f"nobody has thought about {user!r} yet", "Begin with: cognition.py begin --user NAME")
    settings = workspace.settings
    broken = unusable(sidecar, user, settings)
    if broken:
        return Shown(user, path, sidecar.document, UNUSABLE, [broken])
    if canvas is None:
        return Shown(user, path, sidecar.document, STALE, ["there is no canvas of this user"])
    reasons = why_not(sidecar, canvas, _growth(workspace, user), None, settings)
    return Shown(user, path, sidecar.document, STALE if reasons else FRESH, reasons)


def _canvas(workspace: Workspace, user: str) -> Canvas | None:
    """The user's canvas: where our own writers put it, else wherever it lies."""
    own = load_canvas(workspace, layout_of(workspace).canvas(slug(user)))
    if own and own.canvas and fold(own.canvas.user) == fold(user):
        return own.canvas
    found = (one.canvas for one in load_canvases(workspace) if one.canvas)
    return next((canvas for canvas in found if fold(canvas.user) == fold(user)), None)


def _growth(workspace: Workspace, user: str) -> GrowthState | None:
    if not workspace.settings.get("observer.growth.enabled"):
        return None
    try:
        return load_growth(workspace, user)
    except (Malformed, Unreadable):
        return None
