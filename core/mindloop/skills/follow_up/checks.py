"""Checks of what Step 0 of /follow-up asks for: paths, and the command that knows the scores."""

from __future__ import annotations

import os

from mindloop.observer.layout import layout_of
from mindloop.skills.scores import score_command
from mindloop.store.checkup import ERROR, INFO, Finding
from mindloop.store.locate import MARKER
from mindloop.store.repairs import MakeFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.store.checkup import Look


def check_paths(look: Look) -> Iterator[Finding]:
    """Report what Step 0 would refuse to start without."""
    layout = layout_of(look.ws)
    sure = look.ws.settings_problem is None  # else nobody knows which folder was meant
    for rel in (layout.canvas_dir, layout.follow_ups_dir, layout.chronicle_dir):
        if look.ws.is_dir(rel):
            continue
        if os.path.lexists(look.ws.path(rel)):
            yield Finding(ERROR, rel, None, "/follow-up needs a folder here; move away what stands in its place")
        else:
            what = "/follow-up needs this folder, and it is missing"
            yield Finding(ERROR, rel, None, what, MakeFolder(rel) if sure else None)
    if not look.ws.exists(layout.provenance_index):
        what = "/follow-up needs the provenance index, and it is missing. `init.py` makes an empty one"
        yield Finding(ERROR, layout.provenance_index, None, what)
    if look.ws.is_dir(layout.canvas_dir) and not look.ws.names(layout.canvas_dir, ".md"):
        yield Finding(INFO, layout.canvas_dir, None, "no canvas yet; `canvas.py observe` adds the first")


def check_score_command(look: Look) -> Iterator[Finding]:
    """Report a score API command that is not there or may not be run."""
    if score_command(look.ws) is None:
        configured = look.ws.settings.get("observer.score_api.command")
        what = f"observer.score_api.command is {configured!r}: no such executable in the workspace or in mindloop"
        yield Finding(ERROR, MARKER, None, what)
