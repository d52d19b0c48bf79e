"""What rules ask about a model, computed once: roles of properties, boxes of follow-ups, which of them overlap."""

from __future__ import annotations

from functools import cached_property

from mindloop.sequence.boxes import fits, space_of
from mindloop.sequence.loading import Names
from mindloop.sequence.words import (
    EQUALS,
    GATE_TYPES,
    NOT_EQUALS,
    NUMBER,
    WINDOWED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.sequence.boxes import Box
    from mindloop.sequence.model import Condition, FollowUp, Model, Property, Stage, Stop

OWN, STOP, DOWNSTREAM, UPSTREAM, OTHER = "own", "stop", "downstream", "upstream", "other"
"""What a property is to a follow-up: its stage's entry stamp, a stop, a later or an earlier stamp, or none of these."""


class Seen:
    """A live follow-up and what its conditions say.

    Attributes:
        requires: properties with a literal ``EQUALS true``.
        excludes: properties with a literal ``NOT_EQUALS true``.
        wrong: properties with a literal that another rule names: inverted, of a wrong type, unknown, blind to NULL.
    """

    __slots__ = ("_example", "box", "excludes", "follow_up", "requires", "stage", "wrong")

    def __init__(self, follow_up: FollowUp, stage: Stage | None, box: Box) -> None:
        self.follow_up = follow_up
        self.stage = stage
        self.box = box
        self._example: dict[str, Any] | None = None
        self.requires: set[str] = set()
        self.excludes: set[str] = set()
        self.wrong: set[str] = set()

    @property
    def id(self) -> str:
        """The follow-up's id."""
        return self.follow_up.id

    @property
    def pointer(self) -> str:
        """Where the follow-up stands."""
        return self.follow_up.pointer

    def example(self) -> dict[str, Any] | None:
        """A lead that its conditions let through; None where there is none."""
        if self._example is None:
            self._example = self.box.example()
        return self._example

    @property
    def own(self) -> str | None:
        """The entry stamp of its stage; None where the stage is unknown."""
        return self.stage.entry_stamp_id if self.stage else None

    @property
    def offset(self) -> int:
        """Minutes after the anchor; none is 0, the next tick."""
        return self.follow_up.offset or 0

    @property
    def silence(self) -> int:
        """Minutes since the last inbound; none is 0."""
        return max(self.follow_up.silence or 0, 0)


class Facts:
    """A model as rules see it.

    Attributes:
        live: what the platform runs now, where somebody exported it.
        entrants: leads that have entered each stage so far (stage id to count), where somebody counted.
    """

    def __init__(self, model: Model, live: Model | None = None, entrants: dict[str, int] | None = None) -> None:
        self.model = model
        self.live = live
        self.entrants = entrants or {}
        self.properties: dict[str, Property] = model.properties
        self.runtime = model.runtime
        self.space = space_of(model)
        self.stages: dict[str, Stage] = {stage.id: stage for stage in model.stages}
        self.stops: dict[str, Stop] = {}
        for stop in model.stops:
            self.stops.setdefault(stop.property_id, stop)
        self.stamps: dict[str, list[Stage]] = {}
        for stage in model.stages:
            self.stamps.setdefault(stage.entry_stamp_id, []).append(stage)
        self.seen: list[Seen] = [self._see(one) for one in model.follow_ups if one.is_live]
        self.of_stage: dict[str, list[Seen]] = {stage.id: [] for stage in model.stages}
        for seen in self.seen:
            if seen.stage:
                self.of_stage[seen.stage.id].append(seen)

    @property
    def agent(self) -> str:
        """The id under which findings about the whole set stand."""
        return self.model.agent.id or "agent"

    @cached_property
    def names(self) -> Names:
        """Finds a property by id, codename or label."""
        return Names(self.properties)

    @cached_property
    def upstream(self) -> dict[str, set[str]]:
        """Of every stage: the entry stamps of the stages before it."""
        found: dict[str, set[str]] = {stage.id: set() for stage in self.model.stages}
        for stage in self.model.stages:
            for later in self.model.downstream(stage.id):
                found[later.id].add(stage.entry_stamp_id)
        return found

    @cached_property
    def downstream(self) -> dict[str, set[str]]:
        """Of every stage: the entry stamps of the stages after it."""
        return {one.id: {later.entry_stamp_id for later in self.model.downstream(one.id)} for one in self.model.stages}

    @cached_property
    def gates(self) -> dict[str, str]:
        """Every property that decides whether or when something is sent, and the pointer of its first use."""
        found = {stop.property_id: stop.pointer for stop in self.model.stops}
        for stage in self.model.stages:
            found.setdefault(stage.entry_stamp_id, stage.pointer)
        for seen in self.seen:
            for condition in seen.follow_up.conditions:
                found.setdefault(condition.property_id, condition.pointer)
            if seen.follow_up.anchor:
                found.setdefault(seen.follow_up.anchor, seen.pointer)
        return found

    @cached_property
    def known_gates(self) -> list[Property]:
        """The gates that the model describes."""
        return [self.properties[name] for name in self.gates if name in self.properties]

    def role(self, seen: Seen, property_id: str) -> str:
        """What a property is to a follow-up."""
        if property_id == seen.own:
            return OWN
        if property_id in self.stops:
            return STOP
        if seen.stage and property_id in self.stamps:
            if property_id in self.downstream[seen.stage.id]:
                return DOWNSTREAM
            if property_id in self.upstream[seen.stage.id]:
                return UPSTREAM
        return OTHER

    def is_binary(self, property_id: str) -> bool:
        """Whether it is a stamp or a stop: those must be booleans."""
        return property_id in self.stamps or property_id in self.stops

    def wrong_type(self, about: Property) -> bool:
        """Whether no condition can rely on the property's type (section 9)."""
        return about.type not in GATE_TYPES or (about.type == NUMBER and self.is_binary(about.id))

    def mismatched(self, condition: Condition) -> bool:
        """Whether operator and value are not of the property's type, which itself is one for gates."""
        about = self.properties.get(condition.property_id)
        return about is not None and not self.wrong_type(about) and not fits(condition, about)

    def inverted(self, seen: Seen, condition: Condition) -> bool:
        """Whether an exclusion is written so that it lets through whom it should keep out."""
        if self.role(seen, condition.property_id) not in {STOP, DOWNSTREAM}:
            return False
        pairs = ((EQUALS, True), (NOT_EQUALS, False))
        return any(condition.operator == operator and condition.value is value for operator, value in pairs)

    def _see(self, follow_up: FollowUp) -> Seen:
        seen = Seen(follow_up, self.stages.get(follow_up.stage_id), self.space.box(follow_up.conditions))
        for condition in follow_up.conditions:
            name, operator, value = condition.property_id, condition.operator, condition.value
            if operator == NOT_EQUALS and value is True:
                seen.excludes.add(name)
            elif operator == EQUALS and value is True:
                seen.requires.add(name)
            about = self.properties.get(name)
            if about is None or self.wrong_type(about) or not fits(condition, about):
                seen.wrong.add(name)
            elif value is not True or operator != NOT_EQUALS:
                self._add_wrong(seen, condition)
        return seen

    def _add_wrong(self, seen: Seen, condition: Condition) -> None:
        blind = condition.operator == EQUALS and condition.value is False
        if blind or self.inverted(seen, condition):
            seen.wrong.add(condition.property_id)

    def channels(self, follow_up: FollowUp) -> list[str]:
        """On what it may go out: its own channel, else any of the agent's."""
        return [follow_up.channel] if follow_up.channel else self.model.agent.channels

    def has_window(self, follow_up: FollowUp) -> bool:
        """Whether free text reaches a lead for a day only; where no channel is known, it is assumed."""
        channels = self.channels(follow_up)
        return not channels or any(channel in WINDOWED for channel in channels)

    @cached_property
    def overlaps(self) -> dict[str, dict[str, list[Seen]]]:
        """Follow-up to the other stages of whose follow-ups some can go to the same lead at the same time.

        Each pair of stages stands once, at the follow-up of the earlier stage; boxes that are equal are compared once.
        """
        groups = {name: _by_box(seens) for name, seens in self.of_stage.items()}
        found: dict[str, dict[str, list[Seen]]] = {}
        for first, second in self._stage_pairs():
            for one in groups[first]:
                others = [other for other in groups[second] if not one[0].box.disjoint(other[0].box)]
                if others:
                    hit = [each for other in others for each in other]
                    for seen in one:
                        found.setdefault(seen.id, {})[second] = hit
        return found

    def _stage_pairs(self) -> Iterator[tuple[str, str]]:
        names = [stage.id for stage in self.model.stages if self.of_stage[stage.id]]
        later = {name: {stage.id for stage in self.model.downstream(name)} for name in names}
        for at, first in enumerate(names):
            for second in names[at + 1 :]:
                yield (second, first) if first in later[second] else (first, second)


def _by_box(seens: list[Seen]) -> list[list[Seen]]:
    groups: dict[object, list[Seen]] = {}
    for seen in seens:
        groups.setdefault(seen.box.key, []).append(seen)
    return list(groups.values())
