"""Begins a run of /think: everybody without a sidecar, or with one that nobody should steer by, gets a question."""

from __future__ import annotations

from mindloop.observer.canvas.reading import load_canvases, matches
from mindloop.observer.growth.reading import load_user as load_growth
from mindloop.observer.layout import layout_of
from mindloop.observer.packet.others import others_of
from mindloop.observer.provenance.index import load_index, load_user
from mindloop.observer.provenance.quotes import registry
from mindloop.observer.wallets import is_wallet
from mindloop.protocol.questions import stage_run
from mindloop.protocol.run_files import packet_reference
from mindloop.skills.scores import ScoreFetcher
from mindloop.skills.think import SKILL
from mindloop.skills.think.question import ThinkImpossible, question_of
from mindloop.skills.think.sidecar import ForeignSidecar, read_sidecar, why_not
from mindloop.skills.think.synthesis import ask_synthesis
from mindloop.store.errors import (
    Busy,
    Malformed,
    MindloopError,
    Negative,
    NewerSchema,
    StoreFailure,
    Unreadable,
    WrongInput,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from mindloop.observer.canvas.reading import Canvas, CanvasFile
    from mindloop.observer.packet.manifest import OtherCanvases
    from mindloop.observer.provenance.index import ProvenanceIndex
    from mindloop.observer.types import GrowthState, ProvenanceRecord
    from mindloop.protocol.questions import Question
    from mindloop.protocol.run_files import RunPlace
    from mindloop.skills.think.sidecar import Sidecar
    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]

FRESH = "fresh"
_REASONS = ((NewerSchema, "newer_cognition"), (ForeignSidecar, "foreign_cognition"))


class Begun:
    """What a begin came to.

    Attributes:
        place: the run, or None where nobody needs thinking about.
        waiting: ``{user, slug, packet, why, manifest}`` of everybody who has a question.
        skipped: ``{user, reason, detail}`` of everybody else.
        synthesis: the reference of the question about all users, where it could be asked at once.
    """

    __slots__ = ("place", "skipped", "synthesis", "waiting", "warnings")

    def __init__(self) -> None:
        self.place: RunPlace | None = None
        self.waiting: list[dict[str, Any]] = []
        self.skipped: list[dict[str, str]] = []
        self.warnings: list[str] = []
        self.synthesis: str | None = None

    def leave_out(self, user: str, reason: str, detail: str) -> None:
        """Say why a user gets no question."""
        self.skipped.append({"user": user, "reason": reason, "detail": detail})


class Thought:
    """One user on the way to the question; nothing of another user enters it."""

    __slots__ = ("canvas", "growth", "score", "sidecar")

    def __init__(self, canvas: Canvas, sidecar: Sidecar | None, growth: GrowthState | None) -> None:
        self.canvas = canvas
        self.sidecar = sidecar
        self.growth = growth
        self.score: Any = None


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
    index = load_user(workspace, selected[0].user_guess) if len(selected) == 1 else load_index(workspace)
    begun.warnings += index.problems
    thoughts = _look_at_all(workspace, begun, selected)
    ScoreFetcher(workspace).fetch_all(thoughts)
    begun.warnings += _without_score(thoughts)
    others = others_of(workspace, files)
    questions = []
    for number, thought in enumerate(thoughts, 1):
        question = _ask(workspace, begun, thought, index, others, force=force)
        questions += [question] if question else []
        if progress:
            progress("writing packets", number, len(thoughts))
    if questions:
        _stage(workspace, begun, questions, now, {"user": user, "force": force, "synthesize": synthesize})
    elif synthesize:
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


def _ask(
    workspace: Workspace, begun: Begun, thought: Thought, index: ProvenanceIndex, others: OtherCanvases, *, force: bool
) -> Question | None:
    """A user's question, or None with the reason; a surprise of one user costs nobody else anything."""
    canvas = thought.canvas
    try:
        why = _why(workspace, thought, force=force)
        question = _question(workspace, thought, index.for_user(canvas.user), others) if why else None
    except ThinkImpossible as impossible:
        begun.leave_out(canvas.user, impossible.reason, impossible.detail)
        return None
    except (Busy, StoreFailure):
        raise
    except Exception as error:  # noqa: BLE001 - as in a walk of steps
        told = error.message if isinstance(error, MindloopError) else f"{type(error).__name__}: {error}"
        begun.leave_out(canvas.user, "internal_error", told)
        return None
    if question is None:
        begun.leave_out(canvas.user, FRESH, "nothing was learned since; --force asks all the same")
        return None
    begun.waiting.append({"user": canvas.user, "slug": canvas.slug, "why": why, "manifest": question.facts["manifest"]})
    return question


def _question(
    workspace: Workspace, thought: Thought, records: list[ProvenanceRecord], others: OtherCanvases
) -> Question:
    strict = bool(workspace.settings.get("observer.provenance.strict"))
    return question_of(
        canvas=thought.canvas,
        registry=registry(thought.canvas.body, records, strict=strict),
        records=records,
        score_raw=thought.score.raw,
        growth=thought.growth,
        settings=workspace.settings,
        others=others,
    )


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


def _stage(workspace: Workspace, begun: Begun, questions: list[Question], now: datetime, flags: dict[str, Any]) -> None:
    agent = workspace.settings.get("agent")
    with workspace.transaction(f"agent:{agent}") as tx:
        place = stage_run(tx, agent, SKILL, now, questions, flags=flags, skipped=begun.skipped, warnings=begun.warnings)
    begun.place = place
    for entry in begun.waiting:
        entry["packet"] = packet_reference(place.run, entry["slug"])
