"""The score API: the operator's own command, run once a user, several at a time."""

from __future__ import annotations

import os

from mindloop.observer.wallets import is_wallet
from mindloop.store.resources import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from mindloop.hosts.process import Result
    from mindloop.observer.canvas.reading import Canvas
    from mindloop.store.workspace import Workspace

    class Scored(Protocol):
        """Whoever gets a score: a case of one user."""

        canvas: Canvas
        score: Any


WORKERS = 4
_POOL_FROM = 8


class Score:
    """What the command said of one wallet: the raw text, or why there is none."""

    __slots__ = ("problem", "raw")

    def __init__(self, raw: str, problem: str) -> None:
        self.raw = raw
        self.problem = problem


def score_command(workspace: Workspace) -> str | None:
    """The configured command's absolute path, or None where there is no such executable.

    A relative path is looked for in the workspace first, then in the pack.
    """
    configured = str(workspace.settings.get("observer.score_api.command"))
    places = [configured] if os.path.isabs(configured) else [f"{workspace.root}/{configured}", _shipped(configured)]
    return next((place for place in places if place and os.path.isfile(place) and os.access(place, os.X_OK)), None)


def _shipped(configured: str) -> str:
    inside = configured.removeprefix("core/")
    try:
        return resource(inside)
    except FileNotFoundError:
        return ""


class ScoreFetcher:
    """Runs the score command for users; argv list, time limit, no shell (follow-up, step 2f)."""

    __slots__ = ("_command", "_root", "_timeout", "_workspace")

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._command = score_command(workspace)
        self._timeout = workspace.settings.get("observer.score_api.timeout_seconds")
        self._root = workspace.settings.get("observer.root")

    def fetch(self, wallet: str | None) -> Score:
        """One wallet's snapshot."""
        if not wallet:
            return Score("", "the canvas names no wallet")
        if not is_wallet(wallet):
            return Score("", f"wallet {wallet[:60]!r}: expected 0x and 40 hex digits")
        if self._command is None:
            return Score("", "the score API command is gone")
        from mindloop.hosts.process import run_command  # subprocess is slow to import

        argv = [self._command, "profile", wallet, "--format", "snapshot"]
        env = {**os.environ, "MINDLOOP_ROOT": self._workspace.root, "MINDLOOP_OBSERVER_ROOT": self._root}
        return _judged(run_command(argv, timeout=self._timeout, cwd=self._workspace.root, env=env), self._timeout)

    def fetch_all(self, cases: Sequence[Scored]) -> None:
        """Fill ``score`` of each case; the commands mostly wait, so a few run side by side."""
        from mindloop.hosts.process import side_by_side

        workers = WORKERS if len(cases) >= _POOL_FROM else 1
        for case, score in side_by_side(lambda case: self.fetch(case.canvas.wallet), cases, workers):
            case.score = score


def _judged(result: Result, timeout: float) -> Score:
    if result.timed_out:
        return Score("", f"the score API did not answer within {timeout:g} s")
    if result.code != 0:
        return Score("", f"the score API ended with {result.code}: {result.err.strip()[-200:]}")
    if not result.out.strip():
        return Score("", "the score API printed nothing")
    return Score(result.out, "")
