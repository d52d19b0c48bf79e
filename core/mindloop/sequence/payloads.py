"""What a write tool of the platform is given: always the whole object, so that nothing is nulled by being left out.

A workflow carries its complete array of conditions and every knob, a property every flag, on every write.
"""

from __future__ import annotations

from mindloop.sequence.pointers import copied, pointer, same
from mindloop.store.schemas import load_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.sequence.model import Condition, FollowUp, Model, Property

WORKFLOW, PROPERTY = "upsert_workflow", "upsert_custom_property"
_OURS = {"followUp": {"updatedAt"}, "property": {"nullRate", "earlyFalse"}}
"""What a model knows about an object and the platform does not take from anybody."""


class Payload:
    """One call of a write tool.

    Attributes:
        tool: ``upsert_workflow`` or ``upsert_custom_property``.
        target: the id of the follow-up or property.
        arguments: the whole object, every key stated.
        operations: the same for the document: a ``test`` of the whole entry as it was, then its replacement; an ``add``
            where it is new.
    """

    __slots__ = ("arguments", "operations", "target", "tool")

    def __init__(self, tool: str, target: str, arguments: dict[str, Any], operations: list[dict[str, Any]]) -> None:
        self.tool = tool
        self.target = target
        self.arguments = arguments
        self.operations = operations

    def as_json(self) -> dict[str, Any]:
        """The payload as an object for ``--json``."""
        return {name: getattr(self, name) for name in ("tool", "target", "arguments", "operations")}


def payloads(before: Model, after: Model) -> list[Payload]:
    """A payload for each property and each follow-up that is new or changed, properties first.

    Args:
        before: the model as it is.
        after: the model as it shall be; its entries may stand at other places.
    """
    made = [
        Payload(PROPERTY, one.id, property_arguments(one, after.raw), operations)
        for one, operations in _changed(before, after, "properties", after.properties.values())
    ]
    made += [
        Payload(WORKFLOW, one.id, workflow_arguments(one, after.raw), operations)
        for one, operations in _changed(before, after, "followUps", after.follow_ups)
    ]
    return made


def _changed(before: Model, after: Model, section: str, entities: Any) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    spelled_before, spelled_after = _entries(before, section), _entries(after, section)
    for entity in entities:
        at, old = spelled_before.get(entity.id, (None, None))
        _, new = spelled_after[entity.id]
        if at is None:
            path = pointer((*_steps(after, section), "-"))
            yield entity, [{"op": "add", "path": path, "value": copied(new)}]
        elif not same(old, new):
            path = pointer((*_steps(before, section), at))
            test = {"op": "test", "path": path, "value": copied(old)}
            yield entity, [test, {"op": "replace", "path": path, "value": copied(new)}]


def _steps(model: Model, section: str) -> tuple[str, ...]:
    from mindloop.sequence.keys import joined

    return (next((key for key in model.written if joined(key) == section), section),)


def _entries(model: Model, section: str) -> dict[str, tuple[int, Any]]:
    """Entries by id, as they are spelled in the document, and their positions."""
    written = model.written.get(_steps(model, section)[0], [])
    return {one["id"]: (at, one) for at, one in enumerate(written)}


def workflow_arguments(one: FollowUp, raw: dict[str, Any]) -> dict[str, Any]:
    """The whole of a follow-up: every condition, every knob, and what else the document knows of it."""
    stated = {
        "id": one.id,
        "name": one.name,
        "type": one.type,
        "stageId": one.stage_id,
        "active": one.active,
        "purpose": one.purpose,
        "propertyConditions": [_condition(condition, given) for condition, given in _with_raw(one, raw)],
        "delayTriggerPropertyId": one.anchor,
        "delayMinutesAfterPropertySet": one.offset,
        "minMinutesSinceLastInbound": one.silence,
        "channel": one.channel,
        "destination": {
            "kind": one.destination.kind,
            "templateId": one.destination.template_id,
            "fallbackTemplateId": one.destination.fallback_template_id,
        },
        "repeat": {"intervalMinutes": one.repeat.interval, "maxRepeats": one.repeat.max_repeats}
        if one.repeat
        else None,
        "activeFrom": one.active_from,
        "maxAgeMinutes": one.max_age,
    }
    return stated | _unknown(raw["followUps"], one.id, "followUp")


def _repeat(one: FollowUp) -> dict[str, Any] | None:
    return {"intervalMinutes": one.repeat.interval, "maxRepeats": one.repeat.max_repeats} if one.repeat else None


def property_arguments(one: Property, raw: dict[str, Any]) -> dict[str, Any]:
    """The whole of a property: every flag, and what else the document knows of it."""
    stated = {
        "id": one.id,
        "codename": one.codename,
        "label": one.label,
        "type": one.type,
        "setBy": one.set_by,
        "checkUntilMatch": one.check_until_match,
        "terminalValue": one.terminal_value,
        "includeInLlm": one.include_in_llm,
        "includeInAgentContext": one.include_in_agent_context,
        "defaultValue": one.default_value,
    }
    return stated | _unknown(raw["properties"], one.id, "property")


def _with_raw(one: FollowUp, raw: dict[str, Any]) -> Iterator[tuple[Condition, dict[str, Any]]]:
    entry = next(given for given in raw["followUps"] if given["id"] == one.id)
    return zip(one.conditions, entry.get("propertyConditions", []), strict=True)


def _condition(one: Condition, given: dict[str, Any]) -> dict[str, Any]:
    return {**given, "propertyId": one.property_id, "operator": one.operator, "value": one.value}


def _unknown(entries: list[dict[str, Any]], entry_id: str, kind: str) -> dict[str, Any]:
    known = load_schema("fu-model")["$defs"][kind]["properties"]
    entry = next(one for one in entries if one["id"] == entry_id)
    return {key: copied(value) for key, value in entry.items() if key not in known and key not in _OURS[kind]}
