"""A model: the stages, stops and follow-ups of one agent, as values. Loading checks shapes; rules judge what they mean.

Every entity knows its JSON pointer in the document that it came from. Minutes are integers everywhere.
"""

from __future__ import annotations

import json

from mindloop.sequence import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Value = bool | int | float | str | None


class Property:
    """A custom property of a lead; ``terminal_value`` is the match that freezes a property with check-until-match."""

    __slots__ = (
        "check_until_match",
        "codename",
        "default_value",
        "early_false",
        "id",
        "include_in_agent_context",
        "include_in_llm",
        "label",
        "null_rate",
        "pointer",
        "set_by",
        "terminal_value",
        "type",
    )

    def __init__(self, id: str, given: dict[str, Any], pointer: str) -> None:
        self.id = id
        self.codename: str | None = given.get("codename")
        self.label: str | None = given.get("label")
        self.type: str = given.get("type", words.BOOLEAN)
        self.set_by: str = given.get("setBy", words.EVALUATOR)
        self.check_until_match: bool = given.get("checkUntilMatch", False)
        self.terminal_value: Value = given.get("terminalValue")
        self.include_in_llm: bool = given.get("includeInLlm", True)
        self.include_in_agent_context: bool = given.get("includeInAgentContext", False)
        self.default_value: Value = given.get("defaultValue")
        self.null_rate: float | None = given.get("nullRate")
        self.early_false: bool = given.get("earlyFalse", False)
        self.pointer = pointer


class Stage:
    """A step of the funnel; ``order`` is unique, or ``after`` names the stages that come before it."""

    __slots__ = ("after", "created_at", "entry_stamp_id", "id", "label", "order", "pointer", "terminal")

    def __init__(self, id: str, given: dict[str, Any], pointer: str) -> None:
        self.id = id
        self.label: str | None = given.get("label")
        self.order: int | None = given.get("order")
        self.after: list[str] = list(given.get("after", []))
        self.entry_stamp_id: str = given["entryStampId"]
        self.terminal: bool = given.get("terminal", False)
        self.created_at: str | None = given.get("createdAt")
        self.pointer = pointer


class Stop:
    """A boolean after which a lead gets no more follow-ups, whatever the stage (section 4)."""

    __slots__ = ("meaning", "pointer", "property_id", "revocable")

    def __init__(self, property_id: str, given: dict[str, Any], pointer: str) -> None:
        self.property_id = property_id
        self.meaning: str = given.get("meaning", "OTHER")
        self.revocable: bool = given.get("revocable", False)
        self.pointer = pointer


class Reason:
    """A way in which a lead can drop out, and the stop that says so (section 7)."""

    __slots__ = ("agent_outcome", "description", "id", "note_property_id", "pointer", "stop_property_id")

    def __init__(self, id: str, given: dict[str, Any], pointer: str) -> None:
        self.id = id
        self.description: str | None = given.get("description")
        self.agent_outcome: str = given.get("agentOutcome", words.REPLY)
        self.stop_property_id: str | None = given.get("stopPropertyId")
        self.note_property_id: str | None = given.get("notePropertyId")
        self.pointer = pointer


class Condition:
    """One literal of a follow-up's conjunction."""

    __slots__ = ("operator", "pointer", "property_id", "value")

    def __init__(self, property_id: str, operator: str, value: Value, pointer: str) -> None:
        self.property_id = property_id
        self.operator = operator
        self.value = value
        self.pointer = pointer

    def says(self, property_id: str, operator: str, value: Value) -> bool:
        """Whether this is that literal; ``true`` is neither 1 nor ``"true"``."""
        same_value = self.value == value and type(self.value) is type(value)
        return self.property_id == property_id and self.operator == operator and same_value

    def __str__(self) -> str:
        if self.operator in {words.IS_SET, words.IS_NOT_SET}:
            return f"{self.property_id} {self.operator}"
        return f"{self.property_id} {self.operator} {json.dumps(self.value)}"


class Destination:
    """How a message goes out; the kind decides, not the presence of a template id."""

    __slots__ = ("fallback_template_id", "kind", "template_id")

    def __init__(self, given: dict[str, Any]) -> None:
        self.kind: str = given.get("kind", words.FREE_TEXT)
        self.template_id: str | None = given.get("templateId")
        self.fallback_template_id: str | None = given.get("fallbackTemplateId")


class Repeat:
    """Sends again every ``interval`` minutes, ``max_repeats`` times after the first; None is for ever."""

    __slots__ = ("interval", "max_repeats")

    def __init__(self, given: dict[str, Any]) -> None:
        self.interval: int = given["intervalMinutes"]
        self.max_repeats: int | None = given.get("maxRepeats")


class FollowUp:
    """One workflow: its conditions decide for whom, its anchor, offset and silence when (sections 1, 2, 5).

    Attributes:
        anchor: the property whose being set starts the clock; None is no clock.
        offset: minutes after that; None is none.
        silence: minutes since the lead's last inbound; None is no gate.
        active_from: None, or the minute (scenario time) or instant from which stamps count.
        max_age: minutes after the due time beyond which it is not sent any more.
    """

    __slots__ = (
        "active",
        "active_from",
        "anchor",
        "channel",
        "conditions",
        "destination",
        "id",
        "max_age",
        "name",
        "offset",
        "pointer",
        "purpose",
        "repeat",
        "silence",
        "stage_id",
        "type",
        "updated_at",
    )

    def __init__(self, id: str, given: dict[str, Any], conditions: list[Condition], pointer: str) -> None:
        self.id = id
        self.name: str | None = given.get("name")
        self.type: str = given.get("type", words.FOLLOW_UP)
        self.stage_id: str = given["stageId"]
        self.active: bool = given.get("active", True)
        self.purpose: str = given.get("purpose", words.NUDGE)
        self.conditions = conditions
        self.anchor: str | None = given.get("delayTriggerPropertyId")
        self.offset: int | None = given.get("delayMinutesAfterPropertySet")
        self.silence: int | None = given.get("minMinutesSinceLastInbound")
        self.channel: str | None = given.get("channel")
        self.destination = Destination(given.get("destination") or {})
        self.repeat = Repeat(given["repeat"]) if given.get("repeat") else None
        self.active_from: Any = given.get("activeFrom")
        self.max_age: int | None = given.get("maxAgeMinutes")
        self.updated_at: str | None = given.get("updatedAt")
        self.pointer = pointer

    @property
    def is_live(self) -> bool:
        """Whether the runner sends it at all: active, and of the type that follows up (section 1)."""
        return self.active and self.type == words.FOLLOW_UP

    def has(self, property_id: str, operator: str, value: Value) -> bool:
        """Whether one of the conditions is that literal."""
        return any(condition.says(property_id, operator, value) for condition in self.conditions)

    def on(self, property_id: str) -> list[Condition]:
        """The conditions on a property."""
        return [condition for condition in self.conditions if condition.property_id == property_id]


class Param:
    """One parameter of a template and where its value comes from: a property's id, or a literal."""

    __slots__ = ("component", "fallback", "name", "pointer", "source")

    def __init__(self, given: dict[str, Any], pointer: str) -> None:
        self.name: str = given["name"]
        self.component: str = given.get("component", "BODY")
        self.source: str | None = given.get("source")
        self.fallback: str | None = given.get("fallback")
        self.pointer = pointer


class Template:
    """A message template of the channel's owner, and whether it may be sent (section 10)."""

    __slots__ = ("category", "id", "language", "name", "params", "pointer", "status")

    def __init__(self, id: str, given: dict[str, Any], pointer: str) -> None:
        self.id = id
        self.name: str | None = given.get("name")
        self.language: str | None = given.get("language")
        self.category: str = given.get("category", "MARKETING")
        self.status: str = given.get("status", "PENDING")
        self.params = [Param(one, f"{pointer}/params/{number}") for number, one in enumerate(given.get("params", []))]
        self.pointer = pointer


class ContactLimit:
    """Mutes a contact for good where its conditions hold."""

    __slots__ = ("active", "conditions", "id", "pointer")

    def __init__(self, id: str, given: dict[str, Any], conditions: list[Condition], pointer: str) -> None:
        self.id = id
        self.active: bool = given.get("active", True)
        self.conditions = conditions
        self.pointer = pointer


class Metric:
    """How somebody counts: what it reads, and what one count is (section 8)."""

    __slots__ = ("grain", "id", "pointer", "source")

    def __init__(self, id: str, given: dict[str, Any], pointer: str) -> None:
        self.id = id
        self.source: str = given["source"]
        self.grain: str = given.get("grain", "LEAD_STAGE")
        self.pointer = pointer


class Waiver:
    """A finding that somebody has decided to live with until a day, ``YYYY-MM-DD``."""

    __slots__ = ("expires", "pointer", "reason", "rule", "target")

    def __init__(self, given: dict[str, Any], pointer: str) -> None:
        self.rule: str = given["rule"]
        self.target: str | None = given.get("target")
        self.reason: str = given["reason"]
        self.expires: str = given["expires"]
        self.pointer = pointer


class QuietHours:
    """Hours in which nothing is sent, ``HH:MM`` to ``HH:MM``; the end is the first minute that is not quiet."""

    __slots__ = ("end", "on_unknown_tz", "release", "start", "tz")

    def __init__(self, given: dict[str, Any]) -> None:
        self.start: str = given["start"]
        self.end: str = given["end"]
        self.tz: str = given.get("tz", "LEAD")
        self.on_unknown_tz: str = given.get("onUnknownTz", words.BLOCK)
        self.release: str = given.get("release", words.FLUSH)


class Runtime:
    """What is known and assumed of the engine, in minutes."""

    __slots__ = (
        "agent_reply",
        "evaluator_batch",
        "evaluator_run",
        "min_stagger",
        "needs_attention_policy",
        "no_inbound_policy",
        "null_semantics",
        "quiet_hours",
        "runner_tick",
        "sends_per_tick",
        "set_at_policy",
        "window",
    )

    def __init__(self, given: dict[str, Any]) -> None:
        self.runner_tick: int = given.get("runnerTickMinutes", 5)
        self.evaluator_batch: int = given.get("evaluatorBatchMinutes", 30)
        self.evaluator_run: int = given.get("evaluatorRunMinutes", 2)
        self.agent_reply: int = given.get("agentReplyMinutes", 2)
        self.null_semantics: str = given.get("nullSemantics", words.PLATFORM)
        self.set_at_policy: str = given.get("setAtPolicy", words.TRUE_TRANSITION)
        self.sends_per_tick: str = given.get("sendsPerTick", words.ALL)
        self.needs_attention_policy: str = given.get("needsAttentionPolicy", words.EXPLICIT)
        self.no_inbound_policy: str = given.get("noInboundPolicy", words.BLOCK)
        self.quiet_hours = QuietHours(given["quietHours"]) if given.get("quietHours") else None
        self.min_stagger: int = given.get("minStaggerMinutes", 15)
        self.window: int = given.get("windowMinutes", 1440)

    @property
    def lag(self) -> int:
        """Minutes within which whatever an inbound caused is stamped: agent's reply, batch, batch's run."""
        return self.agent_reply + self.evaluator_batch + self.evaluator_run


class Agent:
    """Whose sequence it is."""

    __slots__ = (
        "asks_agent_to_follow_up",
        "channels",
        "claims_agent_sets",
        "id",
        "max_per_24h",
        "min_between",
        "name",
        "pointer",
        "timezone",
    )

    def __init__(self, given: dict[str, Any]) -> None:
        flags = given.get("promptFlags") or {}
        self.id: str = given.get("id", "")
        self.name: str | None = given.get("name")
        self.channels: list[str] = list(given.get("channels", []))
        self.timezone: str | None = given.get("timezone")
        self.max_per_24h: int | None = given.get("maxFollowUpsPerLeadPer24h")
        self.min_between: int | None = given.get("minMinutesBetweenFollowUps")
        self.asks_agent_to_follow_up: bool = flags.get("asksAgentToFollowUp", False)
        self.claims_agent_sets: list[str] = list(flags.get("claimsAgentSetsProperties", []))
        self.pointer = "/agent"


class Model:
    """One agent's whole set.

    Attributes:
        raw: the document, canonical spelling, unknown keys kept.
        written: the document as its file has it; what a patch applies to.
    """

    __slots__ = (
        "agent",
        "contact_limits",
        "downstream_of",
        "follow_ups",
        "metrics",
        "properties",
        "raw",
        "reasons",
        "runtime",
        "stages",
        "stops",
        "templates",
        "waivers",
        "written",
    )

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.written: Any = raw
        self.agent = Agent(raw.get("agent") or {})
        self.runtime = Runtime(raw.get("runtime") or {})
        self.properties: dict[str, Property] = {}
        self.stages: list[Stage] = []
        self.stops: list[Stop] = []
        self.reasons: list[Reason] = []
        self.follow_ups: list[FollowUp] = []
        self.templates: dict[str, Template] = {}
        self.contact_limits: list[ContactLimit] = []
        self.metrics: list[Metric] = []
        self.waivers: list[Waiver] = []
        self.downstream_of: dict[str, tuple[Stage, ...]] = {}

    def stage(self, stage_id: str) -> Stage | None:
        """The stage with that id."""
        return next((one for one in self.stages if one.id == stage_id), None)

    def follow_up(self, follow_up_id: str) -> FollowUp | None:
        """The follow-up with that id."""
        return next((one for one in self.follow_ups if one.id == follow_up_id), None)

    def downstream(self, stage_id: str) -> tuple[Stage, ...]:
        """Every stage after one: of a greater order, or that follows it by ``after``; nearest first."""
        return self.downstream_of.get(stage_id, ())

    def of_stage(self, stage_id: str) -> list[FollowUp]:
        """The live follow-ups of a stage, in the document's order."""
        return [one for one in self.follow_ups if one.stage_id == stage_id and one.is_live]

    @property
    def stop_ids(self) -> list[str]:
        """The stops' properties, in order."""
        return [stop.property_id for stop in self.stops]
