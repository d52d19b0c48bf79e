"""What must not stand in anybody else's prompt: the names and wallets of everything in the canvas folder (step 2h).

A canvas that cannot be used still is somebody's: a broken byte in it must not open its owner's data to others.
"""

from __future__ import annotations

from mindloop.observer.layout import layout_of
from mindloop.observer.wallets import digits, mentioned
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.observer.canvas.reading import Canvas, CanvasFile
    from mindloop.store.workspace import Workspace

START = 65_536
"""Bytes of an unusable canvas in which wallets are looked for."""


class Guarded:
    """Names and wallets to keep apart.

    Attributes:
        basenames: the name of each ``.md`` of the folder, whatever it is: canvas, template, folder, link to nowhere.
        wallets: as written in the canvases that can be used, bare digits from the others.
    """

    __slots__ = ("basenames", "wallets")

    def __init__(self, basenames: list[str], wallets: list[str]) -> None:
        self.basenames = basenames
        self.wallets = wallets


def guarded(ws: Workspace, files: Iterable[CanvasFile]) -> Guarded:
    """Gather what is to be guarded.

    Args:
        ws: the workspace.
        files: its canvases, as ``load_canvases`` read them.
    """
    folder = layout_of(ws).canvas_dir
    usable = {one.path: one.canvas for one in files if one.canvas}
    names = ws.entries(folder, ".md")
    wallets: list[str] = []
    for rel in (f"{folder}/{name}" for name in names):
        wallets += _wallets(ws, rel, usable.get(rel))
    return Guarded(names, wallets)


def _wallets(ws: Workspace, rel: str, canvas: Canvas | None) -> list[str]:
    if canvas and canvas.wallet and digits(canvas.wallet):
        return [canvas.wallet]
    text = _start(ws, rel)
    return sorted(mentioned(_header(text) if canvas else text))


def _start(ws: Workspace, rel: str) -> str:
    """The start of a file as text, whatever bytes it holds; empty where it cannot be read at all."""
    try:
        return (ws.read_start(rel, START) or b"").decode("utf-8", "replace")
    except MindloopError:
        return ""  # a folder, or no rights: what it is called is guarded, what it says nobody can read


def _header(text: str) -> str:
    """The header of a canvas that parsed: its quotes may name wallets of the whole world."""
    return text.partition("\n---")[0]
