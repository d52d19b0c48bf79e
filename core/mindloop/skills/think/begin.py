"""Begins a run of /think: everybody without a sidecar, or with one that nobody should steer by, gets a question."""

from __future__ import annotations

from mindloop.observer.canvas.reading import load_canvases, matches
from mindloop.observer.growth.reading import load_user as load_growth
from mindloop.observer.layout import layout_of
from mindloop.observer.wallets import is_wallet
from mindloop.skills.scores import ScoreFetcher
from mindloop.skills.think.begun import Begun, ThinkImpossible, Thought, attempt
from mindloop.skills.think.sidecar import ForeignSidecar, read_sidecar, why_not
from mindloop.store.errors import (
    Malformed,
    Negative,
    NewerSchema,
    Unreadable,
    WrongInput,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from mindloop.observer.canvas.reading import Canvas, CanvasFile
    from mindloop.observer.types import GrowthState
    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]

FRESH = "fresh"
_REASONS = ((NewerSchema, "newer_cognition"), (ForeignSidecar, "foreign_cognition"))


def begin(
    workspace: Workspace,
    now: datetime,
    *,
    user: str | None = None,
    force: bool = False,
    synthesize: bool = False,
    progress: Progress | None = None,
) -> Begun:
    """Stage one question for each user whose sidecar is missing, stale, rehearsed or not usable.

    Args:
        workspace: the workspace, or its in-memory view for a dry run.
        now: the instant of this command.
        user: only this user, by name or file name.
        force: ask about users with a fresh sidecar too.
        synthesize: ask what users share, at once where nobody waits, else when the run is through.
        progress: called with (label, done, total).

    Raises:
        Negative: cognition is off in this workspace.
        WrongInput: there is no canvas, or none of ``user``.
    """
    if not workspace.settings.get("observer.cognition.enabled"):
        hint = "Turn it on in mindloop.yaml: observer.cognition.enabled: true"
        raise Negative("cognition is off in this workspace; a sidecar would steer nothing", hint)
    files = load_canvases(workspace)
    selected = _selected(workspace, files, user)
    begun = Begun()
    thoughts = _look_at_all(workspace, begun, selected)
    ScoreFetcher(workspace).fetch_all(thoughts)
    begun.warnings += _without_score(thoughts)
    due = _due(workspace, begun, thoughts, force=force)
    if due:
        from mindloop.skills.think.asking import ask_all  # most calls of one user find nothing to ask

        flags = {"user": user, "force": force, "synthesize": synthesize}
        ask_all(workspace, begun, files, due, now, flags, progress)
    if synthesize and begun.place is None:
        from mindloop.skills.think.synthesis import ask_synthesis

        begun.synthesis, notes = ask_synthesis(workspace, now)
        begun.warnings += notes
    return begun


def _selected(workspace: Workspace, files: list[CanvasFile], user: str | None) -> list[CanvasFile]:
    folder = layout_of(workspace).canvas_dir
    chosen = files if user is None else [file for file in files if matches(file, user)]
    if not chosen and user is None:
        raise WrongInput(f"no canvas in {folder}/, expected at least one", "Add one with: canvas.py observe")
    if not chosen:
        message = f"--user {user!r}: no canvas of that user or file name in {folder}/"
        raise WrongInput(message, "List the users with: canvas.py list")
    return chosen


def _look_at_all(workspace: Workspace, begun: Begun, files: list[CanvasFile]) -> list[Thought]:
    thoughts = []
    for file in files:
        try:
            thoughts.append(_look(workspace, begun, file))
        except ThinkImpossible as impossible:
            begun.leave_out(file.user_guess, impossible.reason, impossible.detail)
    return thoughts


def _look(workspace: Workspace, begun: Begun, file: CanvasFile) -> Thought:
    """What is there of a user.

    Raises:
        ThinkImpossible: nothing can be asked about the user.
    """
    canvas = file.canvas
    if canvas is None:
        raise ThinkImpossible("invalid_canvas", file.problem)
    try:
        sidecar = read_sidecar(workspace, layout_of(workspace).cognition(canvas.slug), canvas.user)
    except (Malformed, Unreadable) as error:
        reason = next((name for kind, name in _REASONS if isinstance(error, kind)), "unreadable_cognition")
        raise ThinkImpossible(reason, error.message) from error
    return Thought(canvas, sidecar, _growth(workspace, begun, canvas))


def _without_score(thoughts: list[Thought]) -> list[str]:
    """One sentence about all users who have no score: they are asked about all the same.

    It goes into a conversation, so it repeats neither a wallet nor what the score command said about one.
    """
    missing = [one for one in thoughts if one.score.problem]
    if not missing:
        return []
    first = missing[0]
    known = not first.canvas.wallet or is_wallet(first.canvas.wallet)
    problem = first.score.problem.partition(":")[0] if known else "its wallet is not 0x and 40 hex digits"
    return [f"{len(missing)} without a score, as {first.canvas.user}: {problem}"]


def _growth(workspace: Workspace, begun: Begun, canvas: Canvas) -> GrowthState | None:
    """What growth knows, where it is on and can be read."""
    if not workspace.settings.get("observer.growth.enabled"):
        return None
    try:
        return load_growth(workspace, canvas.user)
    except (Malformed, Unreadable) as error:
        begun.warnings.append(f"{canvas.user}: asked without growth: {error.message}")
        return None


def _due(workspace: Workspace, begun: Begun, thoughts: list[Thought], *, force: bool) -> list[tuple[Thought, str]]:
    """Those who are to be asked about, and why; the others are left out as fresh."""
    due = []
    for thought in thoughts:
        user = thought.canvas.user
        why = attempt(begun, user, lambda: _why(workspace, thought, force=force))  # noqa: B023 - called at once
        if why:
            due.append((thought, why))
        elif why is not None:
            begun.leave_out(user, FRESH, "nothing was learned since; --force asks all the same")
    return due


def _why(workspace: Workspace, thought: Thought, *, force: bool) -> str:
    """Why a user is asked about; empty where the sidecar is fresh."""
    if thought.sidecar is None:
        return "no sidecar yet"
    canvas = thought.canvas
    reasons = why_not(
        thought.sidecar,
        canvas.user,
        last_enriched=canvas.last_enriched,
        growth=thought.growth,
        score_raw=thought.score.raw,
        settings=workspace.settings,
    )
    return "; ".join(reasons) or ("forced" if force else "")
