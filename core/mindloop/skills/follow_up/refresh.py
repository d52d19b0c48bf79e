"""Step 2c.5 across runs: stale cognitions wait in a run of /think; their users go on when that is answered."""

from __future__ import annotations

from mindloop.protocol.questions import stage_run
from mindloop.protocol.run_files import RunPlace, answered_items, read_head, read_item
from mindloop.protocol.walk import walk
from mindloop.skills.follow_up.packing import Packed, gather, pack
from mindloop.skills.follow_up.table import FOLLOW_UP
from mindloop.skills.scores import Score, ScoreFetcher
from mindloop.store.errors import Malformed, Negative, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from mindloop.observer.canvas.reading import CanvasFile
    from mindloop.protocol.questions import Question
    from mindloop.skills.follow_up.case import Case, FollowUp
    from mindloop.store.files import Files
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

REFRESHED, STALE_USED, STALE = "refreshed", "stale_used", "stale"


def stage_thinking(tx: Transaction, context: FollowUp, head: dict[str, Any], questions: list[Question]) -> str | None:
    """Stage the run of /think that the users with stale cognitions wait for, and note it in ``head``.

    Returns:
        The run's id, or None where nobody's cognition is stale.
    """
    if not questions:
        return None
    from mindloop.skills.think import SKILL  # few runs have a stale cognition

    place = stage_run(tx, context.settings.get("agent"), SKILL, context.now, questions)
    head["think_run"] = place.run
    head["thinking"] = {question.gap.id: question.user for question in questions}
    return place.run


def think_place(place: RunPlace, head: dict[str, Any]) -> RunPlace | None:
    """Where the linked run of /think lies, or None where there is none."""
    run = head.get("think_run")
    return RunPlace(place.agent, run) if isinstance(run, str) else None


def unanswered(workspace: Workspace, place: RunPlace, head: dict[str, Any]) -> list[str]:
    """The users of this run whose cognition still waits for an answer."""
    thinking, linked = head.get("thinking") or {}, think_place(place, head)
    if not thinking or linked is None:
        return []
    return sorted(set(thinking) - answered_items(workspace, linked) - set(_outcomes(workspace, linked)))


class WentOn(Packed):
    """Users who went on after their cognition was thought about; ``slugs`` names all of them."""

    __slots__ = ("slugs",)

    def __init__(self, place: RunPlace, slugs: Iterable[str]) -> None:
        super().__init__(place)
        self.slugs = set(slugs)


def go_on(context: FollowUp, place: RunPlace, head: dict[str, Any], *, allow_stale: bool) -> WentOn | None:
    """Take the filed answers about cognitions and walk their users on to the writer's question.

    Args:
        context: the resume's; its metadata is loaded here where somebody goes on.
        place: where the run lies.
        head: the run's head.
        allow_stale: let everybody go on, whose answer did not come too, with the stale cognition.

    Returns:
        Whose packets are written now and who was left out; None where nobody could go on.
    """
    thinking, linked = dict(head.get("thinking") or {}), think_place(place, head)
    if not thinking or linked is None:
        return None
    thoughts = _thoughts(context, linked, thinking, allow_stale=allow_stale)
    if not thoughts:
        return None
    _load_shared(context)
    packed = WentOn(place, thoughts)
    files = list(_files(context, packed, thoughts))
    cases = gather(context, packed, files, None)
    for case in cases:
        case.thought = thoughts[case.canvas.slug]
    _score(context, linked, cases)
    pack(context, packed, cases, None)
    return packed


def _load_shared(context: FollowUp) -> None:
    """Steps 0 and 1; whom the run is for was decided when it began, and may be gone by now."""
    selection = context.flags.pop("canvas", None)
    walk(FOLLOW_UP.leading(), context, context.modes)
    context.flags |= {"canvas": selection} if selection else {}


def _thoughts(context: FollowUp, linked: RunPlace, thinking: dict[str, str], *, allow_stale: bool) -> dict[str, str]:
    """What came of the question about each user who can go on."""
    from mindloop.skills.judged import REFUSED, resume
    from mindloop.skills.think.judging import JUDGING

    try:
        judged = resume(context.workspace, JUDGING, linked.run, context.now)
    except (Malformed, Negative, Unreadable) as error:
        context.warnings.append(f"the run {linked.run} cannot be used, the stale cognitions are: {error.message}")
        return dict.fromkeys(thinking, STALE_USED)
    context.warnings += judged.warnings
    context.log += [f"{entry['user']}: {entry['told']}" for entry in judged.done]
    context.warnings += [
        f"{entry['user']}: the stale cognition is used, the answer was {entry['told']}"
        for entry in judged.done
        if entry["outcome"] == REFUSED
    ]
    found = {}
    for slug, outcome in _outcomes(context.workspace, linked).items():
        if slug in thinking:
            found[slug] = STALE_USED if outcome == REFUSED else REFRESHED
    rest = dict.fromkeys(set(thinking) - set(found), STALE) if allow_stale else {}
    return {**found, **rest}


def _outcomes(files: Files, linked: RunPlace) -> dict[str, str]:
    return dict(read_head(files, linked)["done"])


def _files(context: FollowUp, packed: Packed, slugs: Iterable[str]) -> Iterable[CanvasFile]:
    """The canvases of users who go on; one that is gone or broken by now leaves its user out."""
    by_slug = {file.canvas.slug: file for file in context.files if file.canvas}
    for slug in sorted(slugs):
        if slug in by_slug:
            yield by_slug[slug]
        else:
            packed.skipped.append({"user": slug, "reason": "invalid_canvas", "detail": "the canvas is gone"})


def _score(context: FollowUp, linked: RunPlace, cases: list[Case]) -> None:
    """The score that the question was asked with; fetched again only where the item cannot be read."""
    again = []
    for case in cases:
        try:
            case.score = Score(str(read_item(context.workspace, linked, case.canvas.slug)["score_raw"]), "")
        except (KeyError, Malformed, Negative, Unreadable):
            again.append(case)
    ScoreFetcher(context.workspace).fetch_all(again)
