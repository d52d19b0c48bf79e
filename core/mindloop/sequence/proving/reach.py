"""Which states a lead can be in, as far as it matters: what gets written, what fires, what a contact limit shuts out.

A follow-up fires in its firing set: its conditions, and its anchor is set. States are taken as settled: where the
evaluator answers false before there is evidence, no value is none that stays (follow-up-sequences, sections 2 and 9).
"""

from __future__ import annotations

from mindloop.sequence import words
from mindloop.sequence.boxes import TRUE, fits, space_of
from mindloop.sequence.model import Condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from mindloop.sequence.boxes import Box
    from mindloop.sequence.model import FollowUp, Model, Property, Stage

    State = dict[str, Any]

NEVER, AT_ONCE, IN_BATCHES = "never", "at once", "in batches"
"""When a truth becomes a stamped value: not at all, in its own minute, when the evaluator's batch has run."""
_BY_OTHERS = frozenset((words.INTEGRATION, words.SYSTEM, words.HUMAN))
_OPPOSITE = {
    words.EQUALS: words.NOT_EQUALS,
    words.NOT_EQUALS: words.EQUALS,
    "GREATER_THAN": "LESS_OR_EQUAL",
    "LESS_OR_EQUAL": "GREATER_THAN",
    "LESS_THAN": "GREATER_OR_EQUAL",
    "GREATER_OR_EQUAL": "LESS_THAN",
}
_MOST_STEPS = 4000
"""Pieces into which a box is cut before one gives up and takes it that there is a state."""


def written(about: Property | None) -> str:
    """When a truth about a property becomes its value; what no property is, is never written."""
    if about is None or about.set_by == words.AGENT:
        return NEVER
    if about.set_by in _BY_OTHERS:
        return AT_ONCE
    return IN_BATCHES if about.include_in_llm else NEVER


def is_latch(about: Property | None) -> bool:
    """Whether it turns true when it is true, whatever was written before, and stays so."""
    if about is None or about.type != words.BOOLEAN:
        return False
    how = written(about)
    return how == AT_ONCE or (how == IN_BATCHES and about.check_until_match and about.terminal_value is True)


def answers_early(about: Property | None) -> bool:
    """Whether the evaluator writes false where it knows nothing."""
    return about is not None and about.early_false and written(about) == IN_BATCHES


def clock_moves(about: Property | None) -> bool:
    """Whether it matters what the engine takes for 'set' (X8)."""
    if about is None:
        return False
    latched = about.check_until_match and about.terminal_value is True
    return about.type != words.BOOLEAN or about.early_false or (about.set_by == words.EVALUATOR and not latched)


def so(about: Property | None) -> Any:
    """A value that says so, of the property's type."""
    kind = about.type if about is not None else words.BOOLEAN
    return {words.BOOLEAN: True, words.NUMBER: 1}.get(kind, "yes")


class Reach:
    """A model's follow-ups as sets of states, under its own engine facts or others.

    Attributes:
        space: of the boxes.
        live: follow-ups that the runner sends, in the model's order.
        limits: the conditions of each contact limit: who fulfils them is muted for good.
        stamps: entry stamp of each stage by the stage's id.
        later: of each stage the entry stamps of the stages after it.
    """

    __slots__ = (
        "_boxes",
        "_conditions",
        "_settled",
        "later",
        "limits",
        "live",
        "model",
        "needs_attention",
        "null_semantics",
        "policy",
        "space",
        "stamps",
    )

    def __init__(
        self,
        model: Model,
        null_semantics: str | None = None,
        policy: str | None = None,
        needs_attention: str | None = None,
    ) -> None:
        self.model = model
        self.needs_attention = needs_attention or model.runtime.needs_attention_policy
        self.null_semantics = null_semantics or model.runtime.null_semantics
        self.policy = policy or model.runtime.set_at_policy
        self.space = space_of(model, self.null_semantics)
        self.live = [one for one in model.follow_ups if one.is_live]
        self.limits = [one.conditions for one in model.contact_limits if one.active]
        self.stamps = {stage.id: stage.entry_stamp_id for stage in model.stages}
        self.later = {stage.id: [one.entry_stamp_id for one in model.downstream(stage.id)] for stage in model.stages}
        early = [one.id for one in model.properties.values() if answers_early(one)]
        self._settled = self.space.box(literal(name, words.IS_SET) for name in early)
        self._boxes: dict[str, Box] = {}
        self._conditions: dict[str, list[Condition]] = {}

    def own(self, follow_up: FollowUp) -> str | None:
        """The entry stamp of its stage; None where it names no stage."""
        return self.stamps.get(follow_up.stage_id)

    def later_stamps(self, follow_up: FollowUp) -> list[str]:
        """Entry stamps of the stages after its own."""
        return self.later.get(follow_up.stage_id, [])

    def about(self, property_id: str | None) -> Property | None:
        """What the model says of a property."""
        return self.model.properties.get(property_id or "")

    def conditions(self, follow_up: FollowUp) -> list[Condition]:
        """Its literals, and that its anchor is set."""
        if follow_up.id not in self._conditions:
            self._conditions[follow_up.id] = [*follow_up.conditions, *self._anchored(follow_up)]
        return self._conditions[follow_up.id]

    def _anchored(self, follow_up: FollowUp) -> list[Condition]:
        anchor = follow_up.anchor
        about = self.about(anchor)
        if anchor is None:
            return []
        if about is not None and self.is_rewritten(follow_up):
            return [literal(anchor, words.EQUALS, value=about.terminal_value)]
        if about is not None and self.policy != words.TRUE_TRANSITION:
            return [literal(anchor, words.IS_SET)]
        if about is None or about.type == words.BOOLEAN:
            return [literal(anchor, words.EQUALS, value=True)]
        nothing: Any = 0 if about.type == words.NUMBER else ""
        return [literal(anchor, words.IS_SET), literal(anchor, words.NOT_EQUALS, value=nothing)]

    def is_rewritten(self, follow_up: FollowUp) -> bool:
        """Whether each batch starts its clock anew, sooner than the offset runs out, until the match is there."""
        about = self.about(follow_up.anchor)
        every = self.policy == words.EVERY_WRITE and (follow_up.offset or 0) >= self.model.runtime.evaluator_batch
        return every and about is not None and written(about) == IN_BATCHES and about.check_until_match

    def box(self, follow_up: FollowUp) -> Box:
        """The states in which it fires once clock and silence have run out: settled ones, if it is no faster."""
        if follow_up.id not in self._boxes:
            box = self.space.box(self.conditions(follow_up))
            self._boxes[follow_up.id] = box if self._is_fast(follow_up) else box & self._settled
        return self._boxes[follow_up.id]

    def _is_fast(self, follow_up: FollowUp) -> bool:
        """Whether it can go out before the first batch has landed."""
        runtime = self.model.runtime
        waits = max(follow_up.offset or 0, follow_up.silence or 0, 0)
        return -(-waits // runtime.runner_tick) * runtime.runner_tick < runtime.evaluator_run

    def state(self, box: Box, without: Iterable[list[Condition]] = ()) -> State | None:
        """A state in a box that fulfils none of these conjunctions, nor a contact limit; None where there is none."""
        shut = [*self.limits, *without]
        settled = self._outside(box & self._settled, shut, [_MOST_STEPS])
        return settled if settled is not None else self._outside(box, shut, [_MOST_STEPS])

    def may_be_true(self, follow_up: FollowUp, property_id: str) -> bool:
        """Whether it fires for some lead of whom a boolean is true."""
        return not (self.box(follow_up) & self.space.box([literal(property_id, words.EQUALS, value=True)])).is_empty

    def in_stage(self, stage: Stage) -> Box:
        """The settled states of a lead who has entered a stage; of a stamp that is no boolean: has a value."""
        about = self.about(stage.entry_stamp_id)
        if about is None or about.type == words.BOOLEAN:
            return self.settled([literal(stage.entry_stamp_id, words.EQUALS, value=True)])
        return self.settled([literal(stage.entry_stamp_id, words.IS_SET)])

    def settled(self, conditions: Iterable[Condition]) -> Box:
        """The settled states that fulfil some conditions."""
        return self.space.box(conditions) & self._settled

    def with_literal(self, follow_up: FollowUp, property_id: str, operator: str, value: Any = None) -> State | None:
        """A state in which it fires and that literal holds."""
        return self.state(self.box(follow_up) & self.space.box([literal(property_id, operator, value)]))

    def fires(self, follow_up: FollowUp) -> State | None:
        """A state in which it fires; None where there is none."""
        return self.state(self.box(follow_up))

    def together(self, one: FollowUp, other: FollowUp) -> State | None:
        """A state in which both fire."""
        if self.box(one).disjoint(self.box(other)):
            return None
        return self.state(self.box(one) & self.box(other))

    def while_set(self, follow_up: FollowUp, property_id: str) -> State | None:
        """A state in which it fires although a stamp or stop is there; of what is no boolean: has a value."""
        about = self.about(property_id)
        if about is None or about.type == words.BOOLEAN:
            return self.with_literal(follow_up, property_id, words.EQUALS, value=True)
        return self.with_literal(follow_up, property_id, words.IS_SET)

    def _outside(self, box: Box, conjunctions: list[list[Condition]], budget: list[int]) -> State | None:
        budget[0] -= 1
        if box.is_empty:
            return None
        meeting = [one for one in conjunctions if not box.disjoint(self.space.box(one))]
        if not meeting or budget[0] < 0:
            return box.example()
        first, *rest = meeting
        for condition in first:
            for opposite in self._opposites(condition):
                found = self._outside(box & self.space.box(opposite), rest, budget)
                if found is not None:
                    return found
        return None

    def _opposites(self, condition: Condition) -> Iterator[list[Condition]]:
        """Conjunctions that together hold exactly where a literal does not."""
        name, operator, value = condition.property_id, condition.operator, condition.value
        is_set, is_not_set = literal(name, words.IS_SET), literal(name, words.IS_NOT_SET)
        if operator in {words.IS_SET, words.IS_NOT_SET}:
            yield [is_not_set if operator == words.IS_SET else is_set]
            return
        if operator != words.NOT_EQUALS or not self.space.null_passes:
            yield [is_not_set]
        about = self.about(name)
        if about is not None and fits(condition, about):
            yield [is_set, literal(name, _OPPOSITE[operator], value=value)]
        elif operator != words.NOT_EQUALS:
            yield [is_set]

    def barred(self, names: Iterable[str]) -> Box:
        """The states in which none of these booleans is true."""
        box = self.space.box(())
        for name in names:
            if name in self.space.places:
                box.barred |= TRUE << self.space.places[name]
        return box


def literal(property_id: str, operator: str, value: Any = None) -> Condition:
    """A condition that stands in no document."""
    return Condition(property_id, operator, value, "")


def upstream(model: Model, stage: Stage) -> list[str]:
    """Entry stamps of the stages before one."""
    return [one.entry_stamp_id for one in model.stages if any(each is stage for each in model.downstream(one.id))]
