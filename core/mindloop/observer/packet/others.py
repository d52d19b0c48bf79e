"""Whose data no packet about somebody else may hold: everybody in the canvas folder (follow-up, step 2h)."""

from __future__ import annotations

from mindloop.observer.canvas.guarded import guarded
from mindloop.observer.canvas.reading import load_canvases
from mindloop.observer.packet.manifest import OtherCanvases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindloop.observer.canvas.reading import CanvasFile
    from mindloop.store.workspace import Workspace


def others_of(workspace: Workspace, files: Sequence[CanvasFile] | None = None) -> OtherCanvases:
    """The names, wallets and users of all canvases; ``files`` where they were read already."""
    files = load_canvases(workspace) if files is None else files
    kept_apart = guarded(workspace, files)
    users = [file.canvas.user for file in files if file.canvas]
    return OtherCanvases(basenames=kept_apart.basenames, wallets=kept_apart.wallets, users=users)
