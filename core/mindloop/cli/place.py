"""Which workspace a command works on."""

from __future__ import annotations

from mindloop.cli.output import note
from mindloop.store.workspace import Workspace


def opened(*, dry_run: bool = False) -> Workspace:
    """The workspace of the current folder, with whatever a killed command left completed or undone first.

    A dry run gets the in-memory view and repairs nothing.

    Raises:
        WrongInput: there is no workspace here.
    """
    workspace = Workspace.find()
    if dry_run:
        return workspace.in_memory()
    for line in workspace.recover():
        note(f"mindloop: {line}")
    return workspace
