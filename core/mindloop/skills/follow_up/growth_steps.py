"""Steps 2c.5 and 2g.5: what earlier cycles learned of the user, and what was thought about them."""

from __future__ import annotations

from mindloop.observer.canvas.triggers import drop_stale
from mindloop.observer.growth.cycle import advance_cycle
from mindloop.observer.growth.state import stale_ids
from mindloop.observer.growth.summary import summary
from mindloop.observer.names import fold
from mindloop.protocol.step import Done, Skip
from mindloop.store.clock import stamp
from mindloop.store.documents import read_yaml, write_yaml
from mindloop.store.errors import Malformed, Unreadable, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.types import GrowthState
    from mindloop.protocol.step import Ask
    from mindloop.skills.follow_up.case import Case, FollowUp
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace


def load_cognition(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2c.5: the user's cognition sidecar, where there is a valid one.

    It runs after 2f because staleness compares the score. A stale sidecar is used as it is and said to be stale.
    """
    from mindloop.observer.cognition.staleness import staleness  # few users have a sidecar
    from mindloop.observer.cognition.validity import problems

    path = context.layout.cognition(case.canvas.slug)
    if not context.workspace.exists(path):
        return Done(f"No cognition file for {case.user} — run /think for better steering")
    try:
        cognition = read_yaml(context.workspace, path, "cognition")
    except (Malformed, Unreadable) as error:
        return _unusable(case, error.message)
    if cognition is None:
        return Done()
    wrong = problems(
        cognition,
        case.user,
        max_fears=context.settings.get("observer.cognition.max_fears_per_user"),
        fear_types=context.settings.get("observer.cognition.fear_types"),
    )
    if wrong:
        return _unusable(case, f"{path}: " + "; ".join(wrong[:3]))
    growth = _readable_growth(context, case) if context.growth_enabled else None
    limit = context.settings.get("observer.cognition.stale_after_cycles")
    reasons = staleness(cognition, case.canvas.last_enriched, growth, case.score_raw, default_limit=limit)
    case.cognition = cognition
    case.cognition_status = _status(context, reasons)
    return Done(f"cognition {case.cognition_status}" + (f": {', '.join(reasons)}" if reasons else ""))


def _unusable(case: Case, why: str) -> Done:
    case.log.append(f"cognition not used: {why}")
    return Done(f"cognition not used: {why}")


def _status(context: FollowUp, reasons: list[str]) -> str:
    if not reasons:
        return "fresh"
    return "stale" if context.flags.get("allow_stale") else "stale_used"


def read_growth(files: Workspace | Transaction, path: str, user: str) -> GrowthState | None:
    """A user's growth state, or None where there is none.

    Raises:
        Malformed: it does not parse, or it is somebody else's.
        Unreadable: the system refuses.
    """
    state: GrowthState | None = read_yaml(files, path, "growth")  # type: ignore[assignment]  # the schema's shape
    if state is not None and fold(state["user"]) != fold(user):
        raise Malformed(f"{path}: it is the growth of another user", "Move it to that user's file, or remove it.")
    return state


def _readable_growth(context: FollowUp, case: Case) -> GrowthState | None:
    """The growth state as far as it can be read; 2g.5 says what is wrong with one that cannot."""
    try:
        return read_growth(context.workspace, context.layout.growth(case.canvas.slug), case.user)
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
    state = read_growth(tx, path, case.user)
    if state is None:
        return None
    moved = advance_cycle(state, context.settings, context.now, case.snapshot, case.canvas.hypotheses)
    if moved != state:
        write_yaml(tx, path, moved, "growth")
    return moved
