"""What ``doctor --fix`` can do: show the change, then make exactly that change."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod

from mindloop.store import atomic, journal_files
from mindloop.store.errors import WrongInput
from mindloop.store.journal_preview import preview

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace


class Change:
    """What becomes of one path.

    Attributes:
        path: workspace-relative; a folder ends with a slash.
        before, after: its bytes, or None where there is no such file.
    """

    __slots__ = ("after", "before", "path")

    def __init__(self, path: str, before: bytes | None, after: bytes | None) -> None:
        self.path = path
        self.before = before
        self.after = after


class Fix(ABC):
    """A repair. Two fixes of the same ``what`` are one.

    Attributes:
        what: what it does, in the imperative.
        rank: the lower goes first.
    """

    __slots__ = ("rank", "what")

    def __init__(self, what: str, rank: int = 5) -> None:
        self.what = what
        self.rank = rank

    @abstractmethod
    def changes(self, ws: Workspace) -> list[Change]:
        """Return what it would change now; nothing is changed. Empty where nothing is left to mend."""

    @abstractmethod
    def apply(self, ws: Workspace, shown: list[Change]) -> None:
        """Make the change that was shown.

        Raises:
            WrongInput: the files are not as they were when it was shown; nothing was changed.
        """


class Staged(Fix):
    """A repair inside one transaction.

    Args:
        what: see ``Fix``.
        scopes: the locks it needs.
        stage: puts the change into a transaction; it reads the files anew.
    """

    __slots__ = ("scopes", "stage")

    def __init__(self, what: str, scopes: tuple[str, ...], stage: Callable[[Transaction], object]) -> None:
        super().__init__(what)
        self.scopes = scopes
        self.stage = stage

    def changes(self, ws: Workspace) -> list[Change]:
        """Stage it in memory and compare."""
        twin = ws.in_memory()
        with twin.transaction(*self.scopes) as tx:
            self.stage(tx)
        found = [Change(path, ws.read(path), after) for path, after in sorted(twin.overlay.items())]
        return [change for change in found if change.before != change.after]

    def apply(self, ws: Workspace, shown: list[Change]) -> None:
        """Stage it under the locks; what differs from what was shown is not committed."""
        with ws.transaction(*self.scopes) as tx:
            same = all(tx.read(change.path) == change.before for change in shown)
            self.stage(tx)
            if not same or any(tx.read(change.path) != change.after for change in shown):
                raise WrongInput(f"{shown[0].path} changed meanwhile; nothing was done", "Run doctor again.")


class MakeFolder(Fix):
    """Make a folder that should be there."""

    __slots__ = ("rel",)

    def __init__(self, rel: str) -> None:
        super().__init__(f"make the folder {rel}/", rank=2)
        self.rel = rel

    def changes(self, ws: Workspace) -> list[Change]:
        """Return the folder where it is missing; a file in its place stays for a person to look at."""
        return [] if os.path.lexists(ws.path(self.rel)) else [Change(f"{self.rel}/", None, b"")]

    def apply(self, ws: Workspace, shown: list[Change]) -> None:
        """Make it, with its parents."""
        if shown:
            atomic.make_dirs(ws.path(self.rel))


class FinishJournals(Fix):
    """Let the journal complete or undo what killed processes left, as the next command would."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("complete or undo the interrupted changes", rank=1)

    def changes(self, ws: Workspace) -> list[Change]:
        """Return what every pending journal comes to."""
        found: dict[str, Change] = {}
        for name in journal_files.pending(ws.root):
            for path, before, after in preview(ws.root, name):
                found[path] = Change(path, found[path].before if path in found else before, after)
        return [change for change in found.values() if change.before != change.after]

    def apply(self, ws: Workspace, shown: list[Change]) -> None:
        """Recover; journals of living processes are passed over."""
        if any(ws.read(change.path) != change.before for change in shown):
            raise WrongInput(f"{shown[0].path} changed meanwhile; nothing was done", "Run doctor again.")
        ws.recover()
