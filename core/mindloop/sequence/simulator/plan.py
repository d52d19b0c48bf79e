"""A model made ready to run: follow-ups by id, who reads which property, what a template needs."""

from __future__ import annotations

from mindloop.sequence import words
from mindloop.sequence.loading import Names
from mindloop.sequence.scenario import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from mindloop.sequence.model import FollowUp, Model, Property, Runtime, Stage, Template
    from mindloop.sequence.simulator.terms import Blocked


class Sendable:
    """A template as delivery sees it: may it be sent, and where each parameter comes from."""

    __slots__ = ("approved", "countable", "params")

    def __init__(self, template: Template, names: Names, properties: dict[str, Property]) -> None:
        self.approved = template.status == words.APPROVED
        places = [(one.component, one.name) for one in template.params]
        self.countable = len(set(places)) == len(places)
        self.params: list[tuple[str | None, str | None]] = []
        for one in template.params:
            name = names.resolve(one.source) if one.source else ""
            known = name in properties
            literal = None if known else one.source
            self.params.append((name if known else None, literal or one.fallback))


class Rule:
    """One follow-up, its fields where the runner needs them.

    Attributes:
        index: its place among all, by id.
        clock: the property whose setting counts for ``activeFrom``: the anchor, else the stage's entry stamp.
        stage: its stage's place in the plan, -1 where no stage has that id.
    """

    __slots__ = (
        "active_from",
        "anchor",
        "channel",
        "clock",
        "conditions",
        "fallback",
        "id",
        "index",
        "interval",
        "live",
        "max_age",
        "max_repeats",
        "offset",
        "silence",
        "stage",
        "template",
        "templated",
    )

    def __init__(
        self, given: FollowUp, index: int, *, model: Model, epoch: datetime, templates: dict[str, Sendable]
    ) -> None:
        self.id = given.id
        self.index = index
        self.live = given.is_live
        self.conditions = given.conditions
        self.anchor = given.anchor
        self.offset = given.offset or 0
        self.silence = given.silence or 0
        self.interval = given.repeat.interval if given.repeat else None
        self.max_repeats = given.repeat.max_repeats if given.repeat else 0
        self.max_age = given.max_age
        self.active_from = _minute(given, epoch)
        self.stage = next((at for at, one in enumerate(model.stages) if one.id == given.stage_id), -1)
        self.clock = given.anchor or (model.stages[self.stage].entry_stamp_id if self.stage >= 0 else None)
        self.channel = given.channel or (model.agent.channels[0] if model.agent.channels else words.WHATSAPP)
        self.templated = given.destination.kind == words.WHATSAPP_TEMPLATE
        self.template = templates.get(given.destination.template_id or "")
        self.fallback = templates.get(given.destination.fallback_template_id or "")

    @property
    def endless(self) -> bool:
        """Whether nothing bounds its repeating."""
        return self.interval is not None and self.max_repeats is None and self.max_age is None


class StagePlan:
    """A stage, the stamps of all stages after it, and its id."""

    __slots__ = ("entry", "id", "later")

    def __init__(self, stage: Stage, model: Model) -> None:
        self.id = stage.id
        self.entry = stage.entry_stamp_id
        self.later = tuple(one.entry_stamp_id for one in model.downstream(stage.id))


class Plan:
    """One set of workflows as it stands between two changes of it."""

    __slots__ = (
        "agent_zone",
        "early",
        "evaluated",
        "limits",
        "max_per_24h",
        "min_between",
        "properties",
        "readers",
        "reasons",
        "rules",
        "runtime",
        "stages",
        "stops",
    )

    def __init__(self, model: Model, runtime: Runtime, epoch: datetime) -> None:
        self.runtime = runtime
        self.properties = model.properties
        self.agent_zone = model.agent.timezone
        self.max_per_24h = model.agent.max_per_24h
        self.min_between = model.agent.min_between or 0
        self.stops = tuple(model.stop_ids)
        self.stages = [StagePlan(one, model) for one in model.stages]
        self.limits = [one for one in model.contact_limits if one.active]
        names = Names(model.properties)
        templates = {name: Sendable(one, names, model.properties) for name, one in model.templates.items()}
        ordered = sorted(model.follow_ups, key=lambda one: one.id)
        self.rules = [Rule(one, at, model=model, epoch=epoch, templates=templates) for at, one in enumerate(ordered)]
        self.readers = _readers(self.rules)
        self.reasons: dict[tuple[str, str, str], Blocked] = {}
        on = [one for one in model.properties.values() if one.set_by == words.EVALUATOR and one.include_in_llm]
        self.evaluated = {one.id: one for one in on}
        self.early = [one.id for one in on if one.early_false]

    @property
    def live_count(self) -> int:
        """How many follow-ups the runner looks at in each tick, for each lead."""
        return sum(rule.live for rule in self.rules)


def _readers(rules: list[Rule]) -> dict[str, list[int]]:
    readers: dict[str, list[int]] = {}
    for rule in rules:
        for property_id in {one.property_id for one in rule.conditions}:
            readers.setdefault(property_id, []).append(rule.index)
    return readers


def _minute(given: FollowUp, epoch: datetime) -> int | None:
    """The minute from which stamps count; an instant before minute 0 is a negative one."""
    if isinstance(given.active_from, str):
        since = instant(given.active_from, f"{given.pointer}/activeFrom") - epoch
        return int(since.total_seconds() // 60)
    return None if given.active_from is None else int(given.active_from)
