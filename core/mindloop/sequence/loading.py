"""Reads a model: JSON or YAML into values, with every mistake named by its JSON pointer.

Shapes are checked here; what a model means is for the rules. Unknown keys are kept and warned about, both spellings of
a key (``checkUntilMatch``, ``check_until_match``) are one, and names resolve by id, codename, then label.
"""

from __future__ import annotations

from mindloop.sequence.document import read_document
from mindloop.sequence.keys import canonical
from mindloop.sequence.model import (
    Condition,
    ContactLimit,
    FollowUp,
    Metric,
    Model,
    Property,
    Reason,
    Stage,
    Stop,
    Template,
    Waiver,
)
from mindloop.sequence.zones import zone_problems
from mindloop.store import schemas
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SCHEMA = "fu-model"
_MOST_PROBLEMS = 20
_HINT = "Correct the model; core/config/schemas/fu-model.json says what it may hold."


class Loaded:
    """A model, and what is odd about the document: ``(pointer, sentence)`` each."""

    __slots__ = ("model", "warnings")

    def __init__(self, model: Model, warnings: list[tuple[str, str]]) -> None:
        self.model = model
        self.warnings = warnings


def load_model(data: bytes, name: str) -> Loaded:
    """Read a model from the bytes of its file.

    Args:
        data: JSON, with or without a byte order mark, or YAML.
        name: the file's name, for errors; ``.yaml`` and ``.yml`` are read as YAML.

    Raises:
        Malformed: it does not parse, has a wrong type somewhere, names an id twice, or its stages go in a circle; the
            message holds JSON pointers, what came and what was expected.
    """
    return model_of(read_document(data, name), name)


def model_of(document: object, name: str = "the model") -> Loaded:
    """Make a model of a parsed document; raises as `load_model` does."""
    try:
        raw, warnings = canonical(document, SCHEMA)
    except Malformed as refused:
        raise Malformed(f"{name}: {refused.message}", refused.hint) from None
    problems = schemas.pointer_problems(raw, SCHEMA)
    _refuse(name, [f"{pointer or '/'}: {sentence}" for pointer, sentence in problems])
    _refuse(name, list(_duplicates(raw)))
    _refuse(name, list(zone_problems(raw.get("agent") or {}, "/agent")))
    model = _built(raw)
    model.written = document
    _refuse(name, list(_order_problems(model)))
    successors = _successors(model)
    model.downstream_of = {stage.id: tuple(_after(successors, stage)) for stage in model.stages}
    return Loaded(model, warnings)


def _refuse(name: str, problems: list[str]) -> None:
    problems = list(dict.fromkeys(problems))
    if problems:
        more = f"; and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
        raise Malformed(f"{name}: " + "; ".join(problems[:_MOST_PROBLEMS]) + more, _HINT)


_IDS = {
    "properties": "id",
    "stages": "id",
    "stops": "propertyId",
    "dropOutReasons": "id",
    "followUps": "id",
    "templates": "id",
    "contactLimits": "id",
    "metrics": "id",
}


def _duplicates(raw: dict[str, Any]) -> Iterator[str]:
    for section, key in _IDS.items():
        first: dict[str, int] = {}
        for number, entry in enumerate(raw.get(section, [])):
            if entry[key] in first:
                where = f"/{section}/{number}/{key}"
                yield f"{where}: {entry[key]!r} is taken by /{section}/{first[entry[key]]}, expected an id of its own"
            first.setdefault(entry[key], number)


class Names:
    """Finds a property by id, codename or label; what nothing has is returned as it was written."""

    __slots__ = ("_known",)

    def __init__(self, properties: dict[str, Property]) -> None:
        self._known: dict[str, str] = {}
        for one in properties.values():
            self._known.setdefault(one.id, one.id)
        for one in properties.values():
            if one.codename:
                self._known.setdefault(one.codename, one.id)
        for one in properties.values():
            if one.label:
                self._known.setdefault(folded(one.label), one.id)

    def resolve(self, name: str) -> str:
        """The id of the property that is meant."""
        return self._known.get(name) or self._known.get(folded(name), name)

    def or_none(self, name: str | None) -> str | None:
        """The same for a reference that may be missing."""
        return self.resolve(name) if name else None


def folded(label: str) -> str:
    """The key under which labels are compared: case, spaces, dashes and underscores do not count."""
    return "".join(char for char in label.casefold() if char not in " _-\t")


def _built(raw: dict[str, Any]) -> Model:
    model = Model(raw)
    for number, given in enumerate(raw.get("properties", [])):
        model.properties[given["id"]] = Property(given["id"], given, f"/properties/{number}")
    names = Names(model.properties)
    for number, given in enumerate(raw["stages"]):
        stage = Stage(given["id"], given, f"/stages/{number}")
        stage.entry_stamp_id = names.resolve(stage.entry_stamp_id)
        model.stages.append(stage)
    for number, given in enumerate(raw.get("stops", [])):
        model.stops.append(Stop(names.resolve(given["propertyId"]), given, f"/stops/{number}"))
    for number, given in enumerate(raw.get("followUps", [])):
        model.follow_ups.append(_follow_up(given, f"/followUps/{number}", names))
    _build_the_rest(model, raw, names)
    return model


def _build_the_rest(model: Model, raw: dict[str, Any], names: Names) -> None:
    for number, given in enumerate(raw.get("dropOutReasons", [])):
        reason = Reason(given["id"], given, f"/dropOutReasons/{number}")
        reason.stop_property_id = names.or_none(reason.stop_property_id)
        reason.note_property_id = names.or_none(reason.note_property_id)
        model.reasons.append(reason)
    for number, given in enumerate(raw.get("templates", [])):
        model.templates[given["id"]] = Template(given["id"], given, f"/templates/{number}")
    for number, given in enumerate(raw.get("contactLimits", [])):
        pointer = f"/contactLimits/{number}"
        model.contact_limits.append(ContactLimit(given["id"], given, _conditions(given, pointer, names), pointer))
    model.metrics = [Metric(one["id"], one, f"/metrics/{number}") for number, one in enumerate(raw.get("metrics", []))]
    model.waivers = [Waiver(one, f"/waivers/{number}") for number, one in enumerate(raw.get("waivers", []))]
    model.agent.claims_agent_sets = [names.resolve(name) for name in model.agent.claims_agent_sets]


def _follow_up(given: dict[str, Any], pointer: str, names: Names) -> FollowUp:
    made = FollowUp(given["id"], given, _conditions(given, pointer, names), pointer)
    made.anchor = names.or_none(made.anchor)
    return made


def _conditions(given: dict[str, Any], pointer: str, names: Names) -> list[Condition]:
    return [
        Condition(
            names.resolve(one["propertyId"]), one["operator"], one.get("value"), f"{pointer}/propertyConditions/{at}"
        )
        for at, one in enumerate(given.get("propertyConditions", []))
    ]


def _order_problems(model: Model) -> Iterator[str]:
    known = {stage.id for stage in model.stages}
    for stage in model.stages:
        for at, name in enumerate(stage.after):
            if name not in known:
                ids = ", ".join(sorted(known))[:200]
                yield f"{stage.pointer}/after/{at}: {name!r} is no stage, expected one of {ids}"
    ranked = any(stage.after for stage in model.stages)
    for stage in model.stages:
        if stage.order is None and not ranked:
            yield f"{stage.pointer}: order missing, expected a whole number (or `after` with the stages before it)"
    circle = _circle(model)
    if circle:
        way = " -> ".join(one.id for one in circle)
        yield f"{circle[0].pointer}/after: stages follow each other in a circle: {way}"


def _successors(model: Model) -> dict[str, list[Stage]]:
    """Who comes directly after a stage: by ``after``, and by a greater order where both have one."""
    found: dict[str, list[Stage]] = {stage.id: [] for stage in model.stages}
    ordered = sorted((one for one in model.stages if one.order is not None), key=lambda one: one.order or 0)
    for stage in model.stages:
        for name in stage.after:
            if name in found:
                found[name].append(stage)
    for at, stage in enumerate(ordered):
        later = [one for one in ordered[at + 1 :] if (one.order or 0) > (stage.order or 0)]
        nearest = later[0].order if later else None
        found[stage.id] += [one for one in later if one.order == nearest and one not in found[stage.id]]
    return found


def _after(successors: dict[str, list[Stage]], stage: Stage) -> list[Stage]:
    """All stages downstream, the nearest first; each once."""
    found: dict[str, Stage] = {}
    front = [stage]
    while front:
        reached = {one.id: one for here in front for one in successors[here.id]}
        front = [one for name, one in reached.items() if name not in found and name != stage.id]
        found |= {one.id: one for one in front}
    return list(found.values())


def _circle(model: Model) -> list[Stage]:
    """Stages that follow each other in a circle, the first one repeated at the end; empty where there is none."""
    successors = _successors(model)
    state: dict[str, int] = {}
    for start in model.stages:
        path: list[tuple[Stage, Iterator[Stage]]] = []
        if start.id not in state:
            state[start.id] = 1
            path.append((start, iter(successors[start.id])))
        while path:
            stage, rest = path[-1]
            following = next(rest, None)
            if following is None:
                state[stage.id] = 2
                path.pop()
            elif state.get(following.id) == 1:
                names = [one for one, _ in path]
                return [*names[names.index(following) :], following]
            elif following.id not in state:
                state[following.id] = 1
                path.append((following, iter(successors[following.id])))
    return []
