"""Steps 2c.5 and 2g.5: what earlier cycles learned of the user, and what was thought about them."""

from __future__ import annotations

from mindloop.observer.canvas.triggers import drop_stale
from mindloop.observer.growth.cycle import advance_cycle
from mindloop.observer.growth.reading import read_user
from mindloop.observer.growth.state import stale_ids
from mindloop.observer.growth.summary import summary
from mindloop.protocol.step import Ask, Done, Skip
from mindloop.store.clock import stamp
from mindloop.store.documents import write_yaml
from mindloop.store.errors import Malformed, Unreadable, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.types import GrowthState
    from mindloop.skills.follow_up.case import Case, FollowUp
    from mindloop.store.transaction import Transaction


def load_cognition(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2c.5: the user's cognition sidecar, where there is a valid one.

    It runs after 2f because staleness compares the score. A stale sidecar is refreshed through a question of its own,
    in a run beside this one (`refresh`), unless the run allows stale ones.
    """
    if not context.workspace.exists(context.layout.cognition(case.canvas.slug)):
        return Done(f"No cognition file for {case.user} — run /think for better steering")
    cognition = _valid_cognition(context, case)
    if cognition is None:
        return Done("cognition not used")
    case.cognition = cognition
    if case.thought:
        case.cognition_status = case.thought
        return Done(f"cognition {case.thought}")
    growth = _readable_growth(context, case) if context.growth_enabled else None
    reasons = _stale_reasons(context, case, growth)
    if reasons and not context.flags.get("allow_stale"):
        return _refresh(context, case, growth, reasons)
    case.cognition_status = "stale" if reasons else "fresh"
    return Done(f"cognition {case.cognition_status}" + (f": {reasons}" if reasons else ""))


def _valid_cognition(context: FollowUp, case: Case) -> dict[str, Any] | None:
    """The sidecar, or None where nothing of it may be used; why goes to the log."""
    from mindloop.observer.cognition.reading import read_usable  # few users have a sidecar

    path = context.layout.cognition(case.canvas.slug)
    cognition, why_not = read_usable(context.workspace, path, case.user, context.settings)
    case.log += [why_not] if why_not else []
    return cognition


def _stale_reasons(context: FollowUp, case: Case, growth: GrowthState | None) -> str:
    from mindloop.observer.cognition.staleness import staleness

    limit = context.settings.get("observer.cognition.stale_after_cycles")
    cognition = case.cognition or {}
    return ", ".join(staleness(cognition, case.canvas.last_enriched, growth, case.score_raw, default_limit=limit))


def _refresh(context: FollowUp, case: Case, growth: GrowthState | None, reasons: str) -> Done | Ask:
    """Ask for a new cognition in the way of /think; where it cannot be asked for, the stale one is used."""
    from mindloop.skills.think.begun import ThinkImpossible
    from mindloop.skills.think.question import question_of

    try:
        case.question = question_of(
            canvas=case.canvas,
            registry=case.registry,
            records=case.records,
            score_raw=case.score_raw,
            growth=growth,
            settings=context.settings,
            others=context.others,
        )
    except ThinkImpossible as impossible:
        case.cognition_status = "stale_used"
        return Done(f"cognition stale_used: {reasons}; not refreshed: {impossible}")
    return Ask(case.question.gap)


def _readable_growth(context: FollowUp, case: Case) -> GrowthState | None:
    """The growth state as far as it can be read; 2g.5 says what is wrong with one that cannot."""
    try:
        return read_user(context.workspace, case.user)
    except (Malformed, Unreadable):
        return None


def load_growth(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2g.5, under the user's lock: expire, decay, score delta, then the summary and the stale filter.

    The cycle is counted at most once a recorded batch, so that a user who is skipped below loses nothing. Without the
    lock (growth off, no file yet, or the lock busy) the packet simply has no growth section; nor does it where the file
    cannot be read, which is left as it is.
    """
    if context.tx is None:
        return Done()
    path = context.layout.growth(case.canvas.slug)
    try:
        moved = _moved(context, context.tx, case, path)
    except (WrongInput, Unreadable) as error:
        context.warnings.append(f"{case.user}: growth left out of this packet: {error.message}")
        return Done("growth cannot be used")
    if moved is None:
        return Done()
    case.cycle_started_at = stamp(context.now)
    case.growth_section = summary(moved)
    case.triggers = drop_stale(case.triggers, stale_ids(moved))
    if not case.triggers:
        return Skip("no_triggers", "all triggers are stale")
    return Done("growth loaded")


def _moved(context: FollowUp, tx: Transaction, case: Case, path: str) -> GrowthState | None:
    """The state with its cycle counted, staged where that changed it."""
    state = read_user(tx, case.user)
    if state is None:
        return None
    moved = advance_cycle(state, context.settings, context.now, case.snapshot, case.canvas.hypotheses)
    if moved != state:
        write_yaml(tx, path, moved, "growth")
    return moved
