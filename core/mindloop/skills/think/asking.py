"""Asking about the users of a begin: their packets, each isolated from all others, in a run of their own."""

from __future__ import annotations

from mindloop.observer.packet.others import others_of
from mindloop.observer.provenance.index import load_index, load_user
from mindloop.observer.provenance.quotes import registry
from mindloop.protocol.questions import stage_run
from mindloop.protocol.run_files import packet_reference
from mindloop.skills.think import SKILL
from mindloop.skills.think.begun import attempt
from mindloop.skills.think.question import question_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Any

    from mindloop.observer.canvas.reading import CanvasFile
    from mindloop.observer.packet.manifest import OtherCanvases
    from mindloop.observer.types import ProvenanceRecord
    from mindloop.protocol.questions import Question
    from mindloop.skills.think.begun import Begun, Thought
    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]


def ask_all(  # noqa: PLR0917 - all that a begin knows
    workspace: Workspace,
    begun: Begun,
    files: list[CanvasFile],
    due: Sequence[tuple[Thought, str]],
    now: datetime,
    flags: dict[str, Any],
    progress: Progress | None,
) -> None:
    """Stage one question for each user who is due, and say in ``begun`` who waits and who could not be asked about.

    Args:
        workspace: where the run goes.
        begun: what is told.
        files: all canvases.
        due: who is to be asked about, and why.
        now: the instant of the command.
        flags: what the run was asked for.
        progress: called with (label, done, total).
    """
    named = flags.get("user") and len(due) == 1
    index = load_user(workspace, due[0][0].canvas.user) if named else load_index(workspace)
    begun.warnings += index.problems
    others = others_of(workspace, files)
    questions = []
    for number, (thought, why) in enumerate(due, 1):
        user = thought.canvas.user
        question = attempt(begun, user, lambda: _question(workspace, thought, index.for_user(user), others))  # noqa: B023 - called at once
        if question:
            manifest = question.facts["manifest"]
            begun.waiting.append({"user": user, "slug": thought.canvas.slug, "why": why, "manifest": manifest})
            questions.append(question)
        if progress:
            progress("writing packets", number, len(due))
    if questions:
        _stage(workspace, begun, questions, now, flags)


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


def _stage(workspace: Workspace, begun: Begun, questions: list[Question], now: datetime, flags: dict[str, Any]) -> None:
    agent = workspace.settings.get("agent")
    with workspace.transaction(f"agent:{agent}") as tx:
        place = stage_run(tx, agent, SKILL, now, questions, flags=flags, skipped=begun.skipped, warnings=begun.warnings)
    begun.place = place
    for entry in begun.waiting:
        entry["packet"] = packet_reference(place.run, entry["slug"])
