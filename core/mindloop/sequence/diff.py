"""The model against what the platform runs, value by value, and what brings the platform back (sections 3 and 11)."""

from __future__ import annotations

import json

from mindloop.sequence.changes import as_written, changes
from mindloop.sequence.findings import Finding, named
from mindloop.sequence.live import Live
from mindloop.sequence.payloads import PROPERTY, WORKFLOW, Payload, property_arguments, workflow_arguments
from mindloop.sequence.pointers import apply, copied, pointer, same, steps_of, value_at
from mindloop.sequence.words import ERROR, FOLLOW_UP, FREE_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.sequence.model import FollowUp, Model

    Row = dict[str, Any]

RULE = "R28"
_DEFAULTS: dict[str, Any] = {
    "type": FOLLOW_UP,
    "active": True,
    "delayTriggerPropertyId": None,
    "delayMinutesAfterPropertySet": None,
    "minMinutesSinceLastInbound": None,
}
"""Knobs that are compared always: a column that is not there is a knob that is not set."""
_STATED: dict[str, Any] = {
    "channel": None,
    "destination": None,
    "repeat": None,
    "activeFrom": None,
    "maxAgeMinutes": None,
}
"""Knobs that are compared where the export has their column."""
_FLAGS: dict[str, Any] = {
    "type": "BOOLEAN",
    "setBy": "EVALUATOR",
    "checkUntilMatch": False,
    "terminalValue": None,
    "includeInLlm": True,
    "includeInAgentContext": False,
}


class Difference:
    """One value in which the two sides differ.

    Attributes:
        target: the id of the follow-up or property.
        kind: ``missing`` on the platform, ``extra`` there, ``condition``, ``value`` or ``flag``.
        key: which value; "" where the whole is missing or extra.
        model: what the model has; None where it has nothing.
        live: what the platform has.
        pointer: where it stands in the model (an extra one: in the export).
    """

    __slots__ = ("key", "kind", "live", "model", "pointer", "target")

    def __init__(self, target: str, kind: str, key: str, sides: tuple[Any, Any], pointer: str) -> None:
        self.target = target
        self.kind = kind
        self.key = key
        self.model, self.live = sides
        self.pointer = pointer

    def as_json(self) -> Row:
        """The same as an object for ``--json``."""
        return {name: getattr(self, name) for name in ("target", "kind", "key", "model", "live", "pointer")}


class Diff:
    """How the platform differs from the model.

    Attributes:
        differences: each value, follow-ups first, in the model's order.
        findings: the same as findings of R28.
        operations: RFC 6902, on the export: they make it agree with the model.
        payloads: the writes that do the same on the platform, whole objects; what is extra is switched off by its own.
        document: the export after the operations.
    """

    __slots__ = ("differences", "document", "findings", "operations", "payloads")

    def __init__(self, differences: list[Difference], operations: list[Row], document: Any) -> None:
        self.differences = differences
        self.findings = [_finding(one) for one in differences]
        self.operations = operations
        self.payloads: list[Payload] = []
        self.document = document

    def as_json(self) -> Row:
        """Differences, operations and payloads, for ``--json``."""
        return {
            "differences": [one.as_json() for one in self.differences],
            "operations": self.operations,
            "payloads": [one.as_json() for one in self.payloads],
        }


def diff(model: Model, live: Any) -> Diff:
    """Compare a model with an export; the order of conditions and of follow-ups is no difference.

    Args:
        model: what should run.
        live: what runs: a parsed model document, a list of rows of workflows (``workflow_property_conditions`` and the
            other columns in either spelling), or an object with ``workflows`` and ``customProperties``.

    Raises:
        WrongInput: it is no export; the message names the place.
    """
    export = Live(model, live)
    wanted = copied(export.raw)
    differences = list(_of_follow_ups(model, export, wanted["followUps"]))
    differences += _of_properties(model, export, wanted.get("properties", []))
    for at in reversed(export.extra):
        del wanted["followUps"][at]
    operations = _operations(export, wanted)
    made = Diff(differences, operations, apply(live, operations))
    made.payloads = list(_payloads(model, export, made))
    return made


def _of_follow_ups(model: Model, export: Live, wanted: list[Row]) -> Iterator[Difference]:
    """The differences; ``wanted`` is changed into rows as the model wants them."""
    new = []
    for one in model.follow_ups:
        at = export.pairs.get(one.id)
        if at is None:
            yield Difference(one.id, "missing", "", (_short(one), None), one.pointer)
            new.append(_new_row(model, export, one))
        else:
            yield from _of_row(model, export, one, wanted[at])
    for at in export.extra:
        row = export.raw["followUps"][at]
        target = str(row.get("id") or row.get("name") or at)
        yield Difference(target, "extra", "", (None, row.get("name") or target), _place(export, "followUps", at))
    wanted += new


def _short(one: FollowUp) -> str:
    return one.name or one.id


def _of_row(model: Model, export: Live, one: FollowUp, row: Row) -> Iterator[Difference]:
    yield from _of_conditions(export, one, row)
    entry = next(each for each in model.raw["followUps"] if each["id"] == one.id)
    for key, default in (_DEFAULTS | _STATED).items():
        if key in _STATED and not export.states(row, key):
            continue
        here, there = _value(entry, key, default), _value(row, key, default)
        if key == "delayTriggerPropertyId":
            here, there = one.anchor, export.resolve(there) if isinstance(there, str) else there
        if not same(here, there):
            yield Difference(
                one.id, "value", key, (here, there), f"{one.pointer}/{key}" if key in entry else one.pointer
            )
            spelled = export.own_name(here) if key == "delayTriggerPropertyId" and here else here
            row[key] = copied(spelled)


def _value(row: Row, key: str, default: Any) -> Any:
    """A knob; objects with their own defaults."""
    value = row.get(key, default)
    if key == "destination":
        given = value or {}
        return {"kind": given.get("kind", FREE_TEXT)} | {
            name: given.get(name) for name in ("templateId", "fallbackTemplateId")
        }
    if key == "repeat" and value:
        return {name: value.get(name) for name in ("intervalMinutes", "maxRepeats")}
    return value


def _of_conditions(export: Live, one: FollowUp, row: Row) -> Iterator[Difference]:
    here = row.get("propertyConditions") or []
    left = list(here)
    kept: list[Row] = []
    lost = []
    for condition in one.conditions:
        is_it = (each for each in left if condition.says(export.resolve(each["propertyId"]), *_says(each)))
        found = next(is_it, None)
        if found is None:
            yield Difference(one.id, "condition", "propertyConditions", (str(condition), None), condition.pointer)
            name = export.own_name(condition.property_id)
            lost.append({"propertyId": name, "operator": condition.operator, "value": condition.value})
        else:
            kept.append(found)
            left = [each for each in left if each is not found]
    for each in left:
        text = f"{export.resolve(each['propertyId'])} {each['operator']} {json.dumps(each.get('value'))}"
        yield Difference(one.id, "condition", "propertyConditions", (None, text), one.pointer)
    if lost or left:
        row["propertyConditions"] = [each for each in here if any(each is other for other in kept)] + lost


def _says(condition: Row) -> tuple[str, Any]:
    return condition["operator"], condition.get("value")


def _new_row(model: Model, export: Live, one: FollowUp) -> Row:
    entry: Row = copied(next(each for each in model.raw["followUps"] if each["id"] == one.id))
    for condition, given in zip(one.conditions, entry.get("propertyConditions", []), strict=True):
        given["propertyId"] = export.own_name(condition.property_id)
    if one.anchor:
        entry["delayTriggerPropertyId"] = export.own_name(one.anchor)
    return entry


def _of_properties(model: Model, export: Live, wanted: list[Row]) -> Iterator[Difference]:
    if "properties" not in export.raw:
        return
    for about in model.properties.values():
        entry = next(one for one in model.raw["properties"] if one["id"] == about.id)
        at = export.properties.get(about.id)
        if at is None:
            yield Difference(about.id, "missing", "", (about.label or about.id, None), about.pointer)
            wanted.append(copied(entry))
            continue
        for key, default in _FLAGS.items():
            here, there = entry.get(key, default), wanted[at].get(key, default)
            if export.states(wanted[at], key) and not same(here, there):
                place = f"{about.pointer}/{key}" if key in entry else about.pointer
                yield Difference(about.id, "flag", key, (here, there), place)
                wanted[at][key] = copied(here)


def _operations(export: Live, wanted: dict[str, list[Row]]) -> list[Row]:
    """The operations on the rows, spelled as they are, at the places where they stand."""
    written = {section: value_at(export.document, pointer(way)) for section, way in export.ways.items()}
    found = []
    for one in as_written(written, changes(export.raw, wanted)):
        section, *rest = steps_of(one["path"])
        found.append({**one, "path": pointer((*export.ways[section], *rest))})
    return found


def _payloads(model: Model, export: Live, made: Diff) -> Iterator[Payload]:
    targets = dict.fromkeys((one.target, one.kind == "flag") for one in made.differences)
    extra = {at: one.target for at, one in zip(export.extra, _extra(made), strict=True)}
    for one in model.properties.values():
        missing = "properties" in export.raw and one.id not in export.properties
        if (one.id, True) in targets or missing:
            arguments = property_arguments(one, model.raw) | {"id": export.own_name(one.id)}
            yield Payload(
                PROPERTY, one.id, arguments, _guarded(export, "properties", export.properties.get(one.id), made)
            )
    for follow_up in model.follow_ups:
        if (follow_up.id, False) in targets:
            row = export.row(follow_up.id) or {}
            arguments = workflow_arguments(follow_up, model.raw) | {"id": row.get("id", follow_up.id)}
            _spell(export, arguments)
            yield Payload(
                WORKFLOW, follow_up.id, arguments, _guarded(export, "followUps", export.pairs.get(follow_up.id), made)
            )
    for at, target in extra.items():
        row = copied(export.raw["followUps"][at]) | {"active": False}
        place = _place(export, "followUps", at)
        test = {"op": "test", "path": place, "value": copied(value_at(export.document, place))}
        yield Payload(WORKFLOW, target, row, [test, {"op": "remove", "path": place}])


def _extra(made: Diff) -> list[Difference]:
    return [one for one in made.differences if one.kind == "extra"]


def _spell(export: Live, arguments: Row) -> None:
    """Name properties in a write as the platform does."""
    for condition in arguments["propertyConditions"]:
        condition["propertyId"] = export.own_name(condition["propertyId"])
    if arguments["delayTriggerPropertyId"]:
        arguments["delayTriggerPropertyId"] = export.own_name(arguments["delayTriggerPropertyId"])


def _guarded(export: Live, section: str, at: int | None, made: Diff) -> list[Row]:
    """A test of the row as it is and its replacement; nothing where the export has no row to replace."""
    if at is None:
        return []
    place = _place(export, section, at)
    gone = sum(other < at for other in export.extra) if section == "followUps" else 0
    after = value_at(made.document, _place(export, section, at - gone))
    test = {"op": "test", "path": place, "value": copied(value_at(export.document, place))}
    return [test, {"op": "replace", "path": place, "value": copied(after)}]


def _place(export: Live, section: str, at: int) -> str:
    return pointer((*export.ways[section], at))


def _finding(one: Difference) -> Finding:
    return Finding(
        one.target,
        one.pointer,
        _message(one),
        f"Write {named(one.target)} to the platform in full, as the model has it."
        if one.kind != "extra"
        else f"Add {named(one.target)} to the model, or switch it off on the platform.",
        rule=RULE,
        severity=ERROR,
        involved=[one.target] if one.kind != "flag" else [],
        detail={"kind": one.kind, "key": one.key, "model": one.model, "live": one.live},
    )


def _message(one: Difference) -> str:
    who = named(one.target)
    if one.kind == "missing":
        return f"{who} is in the model and not on the platform; expected both to agree"
    if one.kind == "extra":
        return f"{who} runs on the platform and is not in the model; expected both to agree"
    if one.kind == "condition" and one.live is None:
        return f"{who} lacks {_said(one.model)} on the platform; expected it, as the model has it"
    if one.kind == "condition":
        return f"{who} has {_said(one.live)} on the platform; expected no such condition, as in the model"
    return f"{who} has {one.key} {_shown(one.live)} on the platform; expected {_shown(one.model)}, as in the model"


def _said(text: str) -> str:
    return text if text.isprintable() and len(text) <= 200 else named(text)


def _shown(value: object) -> str:
    return named(value) if isinstance(value, str) else _said(json.dumps(value))
