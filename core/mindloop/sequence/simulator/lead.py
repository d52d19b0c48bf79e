"""What is known of one lead at a minute: stamped values, ground truth, what was sent; and how each event changes it."""

from __future__ import annotations

from collections import deque

from mindloop.sequence import scenario, words
from mindloop.sequence.simulator.conditions import holds
from mindloop.sequence.simulator.terms import NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.sequence.model import Value
    from mindloop.sequence.scenario import LeadGiven
    from mindloop.sequence.simulator.plan import Plan
    from mindloop.sequence.simulator.terms import Blocked

    Look = tuple[int, str | None, bool]
    """(tick, block reason or None where it was not looked at, whether it was entitled)."""
    Message = tuple[int, int, int, str | None]
    """(minute, follow-up's place, its stage's place, why it did not reach the lead or None)."""


class Lead:
    """One lead.

    Attributes:
        values, set_at, frozen: what is stamped, since when it counts as set, what the evaluator leaves alone.
        truth, arrived: how things are, and when a healthy pipeline would have stamped a truth.
        flying: answers of the evaluator that have not been written yet, by property.
        dropped: the agent chose not to answer, and has not answered since.
        stages, over: per stage when it was entered and whether it has ended, and what ended all; None is not known.
        messages: minutes of all messages, in order; sent, had: what they were, and how many of each follow-up.
        marks, marked_at: repetitions of each that the runner knows of, and the minute of the last.
        collapsed: follow-ups of which a release of quiet hours let a repetition go.
        wake: the tick at which each follow-up is to be looked at again.
        looks: for each follow-up the ticks at which what a look says changed.
        held_until: the end of the quiet hours that hold a message back, or None.
    """

    __slots__ = (
        "arrived",
        "collapsed",
        "conditions",
        "dropped",
        "flying",
        "found",
        "frozen",
        "had",
        "held_until",
        "id",
        "last_inbound",
        "looks",
        "marked_at",
        "marks",
        "messages",
        "muted",
        "needs_attention",
        "over",
        "quiet",
        "reachable",
        "sent",
        "set_at",
        "stages",
        "truth",
        "used_keys",
        "values",
        "wake",
        "writes",
    )

    def __init__(self, given: LeadGiven, count: int, quiet: list[tuple[int, int]]) -> None:
        self.id = given.id
        self.reachable = given.reachable
        self.quiet = quiet
        self.values: dict[str, Value] = {}
        self.truth: dict[str, Value] = {}
        self.set_at: dict[str, int] = {}
        self.arrived: dict[str, int] = {}
        self.frozen: set[str] = set()
        self.flying: dict[str, int] = {}
        self.writes: deque[tuple[int, list[tuple[str, Value]]]] = deque()
        self.last_inbound: int | None = None
        self.needs_attention = self.muted = self.dropped = False
        self.messages: list[int] = []
        self.sent: list[Message] = []
        self.used_keys: set[tuple[int, int]] = set()
        self.found: set[tuple[int, str, tuple[str, ...]]] = set()
        self.marks = [0] * count
        self.marked_at = [0] * count
        self.had = [0] * count
        self.collapsed: set[int] = set()
        self.wake = [0] * count
        self.conditions: list[Blocked | str | None] = [None] * count
        self.looks: list[list[Look]] = [[] for _ in range(count)]
        self.stages: list[tuple[int | None, bool] | None] | None = None
        self.over = False
        self.held_until: int | None = None

    def stage_state(self, plan: Plan, at: int) -> tuple[int | None, bool]:
        """(when the lead entered a stage in truth or None, whether anything has ended it: advance, stop, mute)."""
        if at < 0:
            return None, True
        if self.stages is None:
            self.stages = [None] * len(plan.stages)
            self.over = self.muted or self.dropped or any(map(self.is_so, plan.stops))
        known = self.stages[at]
        if known is None:
            stage = plan.stages[at]
            ended = self.over or any(map(self.is_so, stage.later))
            known = self.stages[at] = (self.arrived.get(stage.entry), ended)
        return known

    def is_so(self, property_id: str) -> bool:
        """Whether a boolean is true, in truth or as stamped."""
        return self.truth.get(property_id) is True or self.values.get(property_id) is True


def write(lead: Lead, plan: Plan, property_id: str, value: Value, at: int) -> bool:
    """Write a row; None removes it. Returns whether anything that a look reads has changed (spec 3.4, setAt)."""
    old = lead.values.get(property_id)
    if value is None:
        lead.values.pop(property_id, None)
        lead.set_at.pop(property_id, None)
        changed = old is not None
    else:
        lead.values[property_id] = value
        other = old is None or old != value or isinstance(old, bool) != isinstance(value, bool)
        changed = _clock(lead, plan.runtime.set_at_policy, property_id, at, other=other) or other
    if changed:
        lead.stages = None
        for reader in plan.readers.get(property_id, ()):
            lead.conditions[reader] = None
    return changed


def _clock(lead: Lead, policy: str, property_id: str, at: int, *, other: bool) -> bool:
    """Set what an anchor counts from; whether it moved."""
    before = lead.set_at.get(property_id)
    if policy == words.EVERY_WRITE or (policy == words.FIRST_WRITE and before is None):
        lead.set_at[property_id] = at
    elif policy == words.TRUE_TRANSITION and other:
        if lead.values[property_id]:
            lead.set_at[property_id] = at
        else:
            lead.set_at.pop(property_id, None)
    return lead.set_at.get(property_id) != before


def mute_by_limits(lead: Lead, plan: Plan) -> None:
    """Mute a contact for good where a contact limit holds."""
    semantics = plan.runtime.null_semantics
    for limit in plan.limits:
        if all(holds(one, lead.values.get(one.property_id), semantics) for one in limit.conditions):
            lead.muted = True
            lead.stages = None


def learn_truth(lead: Lead, plan: Plan, property_id: str, value: Value, at: int) -> bool:
    """Make something so; what no evaluator has to read is written at once. Returns whether a batch may have to look."""
    known = plan.properties.get(property_id)
    if (value is True) != (lead.truth.get(property_id) is True):
        _arrive(lead, plan, property_id, at, so=value is True)
    if value is None:
        lead.truth.pop(property_id, None)
    else:
        lead.truth[property_id] = value
    lead.stages = None
    if known is not None and known.set_by in {words.INTEGRATION, words.SYSTEM, words.HUMAN}:
        write(lead, plan, property_id, value, at)
    return property_id in plan.evaluated


def _arrive(lead: Lead, plan: Plan, property_id: str, at: int, *, so: bool) -> None:
    """Note when a healthy pipeline stamps what has become true; what lapses before a batch could read it was nothing.

    What lapses later has been: a lead who entered a stage is in it until something ends it (spec 3.9).
    """
    known = plan.properties.get(property_id)
    read_late = known is not None and known.set_by == words.EVALUATOR
    batch, lag = plan.runtime.evaluator_batch, plan.runtime.evaluator_run
    if so:
        lead.arrived[property_id] = -(-at // batch) * batch + lag if read_late else at
    elif read_late and lead.arrived.get(property_id, 0) - lag >= at:
        del lead.arrived[property_id]


def next_write(lead: Lead) -> int:
    """The minute at which the evaluator's next answers land."""
    return lead.writes[0][0] if lead.writes else NEVER


def happen(lead: Lead, plan: Plan, event: tuple[int, str, str, Value]) -> bool:
    """Let an event of the lead's happen; returns whether an evaluator's batch may have to look."""
    at, kind, property_id, value = event
    if kind == scenario.TRUTH:
        return learn_truth(lead, plan, property_id, value, at)
    spoke_last = plan.runtime.needs_attention_policy == words.LEAD_SPOKE_LAST
    if kind == scenario.INBOUND:
        lead.last_inbound = at
        lead.needs_attention = lead.needs_attention or spoke_last
    elif kind == scenario.AGENT_OUT:
        lead.dropped = False
        lead.needs_attention = lead.needs_attention and not spoke_last
    elif kind == scenario.NEEDS_ATTENTION:
        lead.needs_attention = value is True
    elif kind == scenario.MUTE:
        lead.muted = value is True
    elif kind == scenario.NO_RESPONSE:
        lead.dropped = True  # and no property is written: that is what is wrong with it (section 7)
    lead.stages = None
    return False
