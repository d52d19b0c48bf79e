"""The ``--fix`` of doctor: each repair is shown as a diff first, and made only when somebody says so."""

from __future__ import annotations

import sys

from mindloop.cli.output import emit, note
from mindloop.store.errors import MindloopError
from mindloop.store.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from mindloop.cli.doctor_rules import Told
    from mindloop.store.repairs import Change, Fix

DIFF_LINES = 40
DIFF_WIDTH = 200


class Mended:
    """A repair and what became of it.

    Attributes:
        what: the repair.
        diff: what it changes, as a unified diff.
        state: ``done``, ``shown`` (nobody said yes), ``failed``.
        problem: why it failed.
    """

    __slots__ = ("diff", "problem", "state", "what")

    def __init__(self, what: str, diff: str) -> None:
        self.what = what
        self.diff = diff
        self.state = "shown"
        self.problem = ""

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {"what": self.what, "state": self.state, "problem": self.problem or None, "diff": self.diff}


def mend(
    root: str, told: list[Told], look: Callable[[], list[Told]], *, yes: bool, quiet: bool, full: bool
) -> list[Mended]:
    """Show every repair, and make those that are wanted.

    After the repairs of one rank comes another look: an interrupted change that was completed may bring more to mend.

    Args:
        root: the workspace.
        told: the findings; equal repairs are one.
        look: finds anew.
        yes: make them without asking. Otherwise a person at a terminal is asked, and in a pipe nothing is made.
        quiet: print nothing (the caller prints JSON).
        full: print diffs whole.
    """
    mended: list[Mended] = []
    tried: set[str] = set()
    while fixes := _next(told, tried):
        tried |= fixes.keys()
        found = [_mend(root, fix, yes=yes, quiet=quiet, full=full) for fix in fixes.values()]
        mended += [one for one in found if one is not None]
        if any(one is not None and one.state == "done" for one in found):
            told = look()
    if not quiet:
        _say(mended)
    return mended


def _next(told: list[Told], tried: set[str]) -> dict[str, Fix]:
    """Return the repairs of the lowest rank that were not tried yet, by what they do."""
    found = {one.finding.fix.what: one.finding.fix for one in told if one.finding.fix}
    left = {what: fix for what, fix in found.items() if what not in tried}
    rank = min((fix.rank for fix in left.values()), default=0)
    return {what: fix for what, fix in left.items() if fix.rank == rank}


def _mend(root: str, fix: Fix, *, yes: bool, quiet: bool, full: bool) -> Mended | None:
    workspace = Workspace(root)
    one = Mended(fix.what, "")
    try:
        changes = fix.changes(workspace)
        if not changes:
            return None  # an earlier repair did it
        one.diff = "\n".join(line for change in changes for line in diff(change))
        if not quiet:
            emit(f"repair: {fix.what}\n{one.diff if full else shortened(one.diff)}")
        if yes or (not quiet and _asked()):
            fix.apply(workspace, changes)
            one.state = "done"
    except MindloopError as error:
        one.state, one.problem = "failed", error.message
        if not quiet:
            note(f"not repaired: {error}")
    return one


def _say(mended: list[Mended]) -> None:
    shown = sum(one.state == "shown" for one in mended)
    if not mended:
        emit("nothing that doctor could repair\n")
    elif shown and not _at_terminal():
        emit(f"{shown} repairs shown, nothing was changed; to make them: doctor.py --fix --yes\n")
    else:
        emit(f"{sum(one.state == 'done' for one in mended)} of {len(mended)} repairs made\n")


def _at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _asked() -> bool:
    """Ask a person; a pipe says no."""
    if not _at_terminal():
        return False
    sys.stdout.write("make this change? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


# --- diffs ------------------------------------------------------------------------------------------------------------


def diff(change: Change) -> Iterator[str]:
    """Yield a unified diff of one change; bytes that are no UTF-8 are shown as escapes."""
    import difflib

    if change.path.endswith("/"):
        yield f"+++ {change.path}"
        return
    old = "/dev/null" if change.before is None else f"a/{change.path}"
    new = "/dev/null" if change.after is None else f"b/{change.path}"
    before, after = _lines(change.before), _lines(change.after)
    head = [f"--- {old}", f"+++ {new}"]
    body = list(difflib.unified_diff(before, after, old, new, lineterm=""))[2:]
    yield from head + body


def _lines(data: bytes | None) -> list[str]:
    """Split at line feeds only; a last line without one is marked, so that no byte of a change is invisible."""
    if not data:
        return []
    *whole, last = data.decode("utf-8", "backslashreplace").split("\n")
    return [*whole, f"{last} (no newline at the end)"] if last else whole


def shortened(text: str) -> str:
    """The first lines of a diff, none of them long."""
    lines = [line if len(line) <= DIFF_WIDTH else f"{line[:DIFF_WIDTH]}…" for line in text.split("\n")]
    if len(lines) <= DIFF_LINES:
        return "\n".join(lines)
    return "\n".join([*lines[:DIFF_LINES], f"(+{len(lines) - DIFF_LINES} more lines: --full shows all)"])
