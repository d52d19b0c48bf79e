"""Whom a workspace knows: a slip of the pen is answered with near names, and a list of names is no reply."""

from __future__ import annotations

from mindloop.observer.growth.reading import growing
from mindloop.observer.layout import layout_of
from mindloop.observer.names import display_name, fold, slug
from mindloop.store.errors import Negative, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.store.workspace import Workspace

_CANVAS = "-canvas.md"
_NEAR = 3


def require_known(workspace: Workspace, user: str) -> None:
    """Refuse the name of somebody of whom there is neither growth nor a canvas, whatever their files are called.

    Raises:
        Negative: with the names that are near.
    """
    from difflib import get_close_matches

    known = _names(workspace)
    if fold(user) in known:
        return
    near = [known[key] for key in get_close_matches(fold(user), list(known), _NEAR)]
    hint = f"Did you mean {' or '.join(near)}?" if near else "See who is there: canvas.py list"
    raise Negative(f"nobody here is named {user!r}", hint)


def _names(workspace: Workspace) -> dict[str, str]:
    """Everybody who has a canvas or growth that can be read, by folded name."""
    from mindloop.observer.canvas.reading import load_canvases
    from mindloop.observer.growth.reading import load_states

    names = [one.canvas.user for one in load_canvases(workspace) if one.canvas]
    names += [state["user"] for state in load_states(workspace)[0]]
    return {fold(name): name for name in names}


def is_list_of_users(workspace: Workspace, text: str) -> bool:
    """Whether each line of a text that is not blank is the name of a user with growth or a canvas, and nothing else.

    So it is where a loop over a file of names calls a command that reads the rest of the file.
    """
    lines = [line for raw in text.splitlines() if (line := raw.strip())]
    known = set(growing(workspace))
    canvases = workspace.names(layout_of(workspace).canvas_dir, _CANVAS)
    known |= {name.removesuffix(_CANVAS) for name in canvases}
    return bool(lines) and all(_slug(line) in known for line in lines)


def _slug(line: str) -> str | None:
    try:
        return slug(display_name(line))
    except WrongInput:
        return None
