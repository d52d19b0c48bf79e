"""What was thought about one user, and whether it still holds as far as the files tell."""

from __future__ import annotations

from mindloop.observer.growth.reading import load_user as load_growth
from mindloop.observer.layout import layout_of
from mindloop.observer.names import display_name, fold, slug
from mindloop.skills.think.sidecar import read_sidecar, unusable, why_not
from mindloop.store import front_matter
from mindloop.store.errors import Malformed, Negative, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
    growth = _growth(workspace, user)
    reasons = why_not(
        sidecar, user, last_enriched=canvas.last_enriched, growth=growth, score_raw=None, settings=settings
    )
    return Shown(user, path, sidecar.document, STALE if reasons else FRESH, reasons)


class Header:
    """What is needed of a canvas: whose it is and when it was enriched."""

    __slots__ = ("last_enriched", "user")

    def __init__(self, user: str, last_enriched: str | None) -> None:
        self.user = user
        self.last_enriched = last_enriched


def _canvas(workspace: Workspace, user: str) -> Header | None:
    """The user's canvas: where our own writers put it, read as far as its header, else wherever it lies."""
    limit = int(workspace.settings.get("observer.canvas_max_bytes"))
    try:
        text = workspace.read_text(layout_of(workspace).canvas(slug(user)), limit)
        meta = front_matter.parse(text)[0] if text else {}
    except Malformed:
        meta = {}
    named, enriched = meta.get("user"), meta.get("last_enriched")
    if isinstance(named, str) and fold(named.strip()) == fold(user):
        return Header(named.strip(), enriched.strip() or None if isinstance(enriched, str) else None)
    return _found(workspace, user)


def _found(workspace: Workspace, user: str) -> Header | None:
    from mindloop.observer.canvas.reading import load_canvases  # parsing canvases costs a tenth of the command

    for one in load_canvases(workspace):
        if one.canvas and fold(one.canvas.user) == fold(user):
            return Header(one.canvas.user, one.canvas.last_enriched)
    return None


def _growth(workspace: Workspace, user: str) -> GrowthState | None:
    if not workspace.settings.get("observer.growth.enabled"):
        return None
    try:
        return load_growth(workspace, user)
    except (Malformed, Unreadable):
        return None
