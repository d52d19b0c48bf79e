"""A person's word on proposed matches: the reply is recorded, the other guesses go, a judge is asked what it says."""

from __future__ import annotations

from mindloop.observer.growth import proposals
from mindloop.observer.growth.confidence import has_evidence, replied_message, take_evidence
from mindloop.observer.growth.evidence import RATIONALE, evidence_of, first_span
from mindloop.observer.growth.files import read_proposals, write_proposals, write_state
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.reading import known_user
from mindloop.observer.growth.state import stale_ids
from mindloop.observer.names import display_name, slug
from mindloop.observer.sanitizer import sanitize
from mindloop.skills.grow.reply import signal_text
from mindloop.store.errors import Negative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from mindloop.observer.types import GrowthState, Proposals, ProposedMatch
    from mindloop.skills.grow.question import Keeping
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

ALONE = "it names no hypothesis, so it counts for its question alone"
_LIST = "See what waits with: growth.py list USER"


class Verdict:
    """How a person classifies a reply: direction, strength, and why."""

    __slots__ = ("direction", "rationale", "strength")

    def __init__(self, direction: str, strength: str, rationale: str = "") -> None:
        self.direction = direction
        self.strength = strength
        self.rationale = rationale


class Confirmed:
    """What confirming came to.

    Attributes:
        confirmed: the matches, as they stand now.
        rejected: other guesses for the same replies.
        told: a line for each match: what became of the message, and what it taught.
        run: the run in which a judge is asked, or None.
        packets: references of what the judge is asked.
        stale: hypotheses that were stale before the replies, which make what they are about active again.
    """

    __slots__ = ("confirmed", "packets", "rejected", "run", "stale", "told", "user", "warnings")

    def __init__(self, user: str) -> None:
        self.user = user
        self.confirmed: list[ProposedMatch] = []
        self.rejected: list[ProposedMatch] = []
        self.told: list[str] = []
        self.warnings: list[str] = []
        self.stale: list[str] = []
        self.run: str | None = None
        self.packets: list[str] = []


def confirm(
    workspace: Workspace,
    user: str,
    references: list[str],
    now: datetime,
    *,
    preselected: bool = False,
    quality: str | None = None,
    verdict: Verdict | None = None,
) -> Confirmed:
    """Confirm matches in one transaction: proposals, growth and, where a judge is to be asked, the run.

    Args:
        workspace: the workspace.
        user: whose matches.
        references: ids (four characters or more), tokens or message ids.
        now: the instant of the command.
        preselected: confirm every pending match by token or thread as well.
        quality: how much the replies are worth: ``high``, ``medium``, ``low``.
        verdict: the classification, where a person gives it; without it a judge is asked.

    Raises:
        Negative: nothing of it waits, or growth no longer keeps the message; nothing is changed.
        WrongInput: a reference means several matches.
    """
    name = display_name(user)
    keeping = None if verdict else _keeping(workspace)
    scopes = [f"user:{slug(name)}", *([] if verdict else [f"agent:{workspace.settings.get('agent')}"])]
    with workspace.transaction(*scopes) as tx:
        state, document = _read(tx, name)
        result = Confirmed(state["user"])
        result.stale = stale_ids(state)
        chosen = _chosen(document, references, result, preselected=preselected)
        document, result.rejected = proposals.confirmed(document, [match["id"] for match in chosen], now)
        result.confirmed = [match for match in document["matches"] if match["id"] in {one["id"] for one in chosen}]
        state = _replied(state, result, quality, now)
        if verdict:
            state = _classified(tx, state, result, verdict, now)
        write_proposals(tx, document)
        write_state(tx, state)
        if keeping:
            _ask(tx, keeping, state, result, now)
    return result


def _read(tx: Transaction, name: str) -> tuple[GrowthState, Proposals]:
    state = known_user(tx, name)
    return state, read_proposals(tx, state["user"])


def _chosen(document: Proposals, references: list[str], result: Confirmed, *, preselected: bool) -> list[ProposedMatch]:
    """The matches that are meant and not confirmed yet; a rejected one that is named is taken after all."""
    meant = {match["id"]: match for match in (proposals.found(document, one) for one in references)}
    done = [match for match in meant.values() if match["status"] == proposals.CONFIRMED]
    result.warnings += [f"{match['id']} is confirmed already" for match in done]
    if preselected:
        meant |= {match["id"]: match for match in proposals.preselected(document)}
    chosen = [match for match in meant.values() if match["status"] != proposals.CONFIRMED]
    if not chosen:
        what = "; ".join(result.warnings) or "no match by token or thread waits"
        raise Negative(f"{what}: nothing was changed", _LIST)
    return chosen


def _replied(state: GrowthState, result: Confirmed, quality: str | None, now: datetime) -> GrowthState:
    for match in result.confirmed:
        message = match["follow_up_id"]
        state, warning = apply_outcome(
            state, message, "responded", quality, now, response_date=match["signal_timestamp"]
        )
        answered = replied_message(state, message)
        late = not warning and answered["late_response"]
        said = "has a reply already, which stays" if warning else f"answered{' (late)' * late}"
        alone = "" if warning or answered["hypothesis_ids"] else f"; {ALONE}"
        result.told.append(f"{match['id']}: {message} {said}{alone}")
    return state


def _classified(tx: Transaction, state: GrowthState, result: Confirmed, verdict: Verdict, now: datetime) -> GrowthState:
    for place, match in enumerate(result.confirmed):
        message = replied_message(state, match["follow_up_id"])
        if has_evidence(message):
            result.told[place] += "; its evidence stays"
            continue
        said: Any = {
            "direction": verdict.direction,
            "strength": verdict.strength,
            "quote_span": first_span(signal_text(tx, state["user"], match) or match["evidence_snippet"]),
            "rationale": sanitize(verdict.rationale, RATIONALE),
        }
        named = message["hypothesis_ids"][0] if message["hypothesis_ids"] else None
        evidence = evidence_of(said, signal_id=match["signal_id"], hypothesis_id=named, host="person", now=now)
        state, moved = take_evidence(state, message["id"], evidence, now, was_stale=named in result.stale)
        result.told[place] += f"; {moved}" if moved else ""
    return state


def _keeping(workspace: Workspace) -> Keeping:
    from mindloop.skills.grow.question import Keeping  # canvases are read only where a judge is asked

    return Keeping(workspace)


def _ask(tx: Transaction, keeping: Keeping, state: GrowthState, result: Confirmed, now: datetime) -> None:
    """Stage the run that asks what each reply says; where nobody can be asked it is only recorded, and that is told."""
    from mindloop.protocol.questions import stage_run
    from mindloop.protocol.run_files import packet_reference
    from mindloop.skills.grow import SKILL
    from mindloop.skills.grow.question import NoQuestion, question_of

    questions = []
    for match in result.confirmed:
        if has_evidence(replied_message(state, match["follow_up_id"])):
            continue
        try:
            questions.append(question_of(tx, keeping, state, match, result.stale))
        except NoQuestion as reason:
            result.warnings.append(f"{match['id']}: {reason}")
    if questions:
        result.run = stage_run(tx, str(tx.settings.get("agent")), SKILL, now, questions).run
        result.packets = [packet_reference(result.run, question.gap.id) for question in questions]
