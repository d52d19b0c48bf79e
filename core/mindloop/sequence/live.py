"""What the platform runs, as somebody exported it: a model document, or rows of workflows and of properties."""

from __future__ import annotations

from mindloop.sequence.keys import canonical, joined
from mindloop.sequence.loading import Names, folded, model_of
from mindloop.sequence.pointers import copied
from mindloop.sequence.words import EQUALS, FOLLOW_UP
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.sequence.model import FollowUp, Model

    Row = dict[str, Any]

_SECTIONS = {"followUps": ("followUps", "workflows"), "properties": ("properties", "customProperties")}
_OBJECTS = ("destination", "repeat")
_OPTIONAL = ("stageId", "purpose", "channel", "destination", "repeat", "activeFrom", "maxAgeMinutes")
"""Columns that an export of workflows may leave out; then it says nothing about them."""


class Live:
    """An export beside the model that it should be.

    Attributes:
        document: what was given.
        whole: it is a model, in which a key that is left out has its default.
        raw: ``followUps`` and ``properties`` of it in the canonical spelling.
        ways: section to the way at which its rows stand in the document.
        pairs: id of a follow-up of the model to the position of its row.
        extra: positions of rows that no follow-up of the model has; other types of workflows are not counted.
        properties: id of a property of the model to the position of its row.
    """

    __slots__ = ("_named", "_names", "document", "extra", "pairs", "properties", "raw", "ways", "whole")

    def __init__(self, model: Model, document: Any) -> None:
        self.document = document
        self.whole = isinstance(document, dict) and "stages" in document
        self.ways, rows = _found(document)
        self.raw: dict[str, list[Row]] = canonical(rows, "fu-model")[0]
        self._names = Names(model.properties)
        self._named: dict[str, str] = {}
        self.properties: dict[str, int] = {}
        for at, row in enumerate(self.raw.get("properties", [])):
            self._add_property(model, row, at)
        self.pairs = _pairs(model, self.raw["followUps"])
        taken = set(self.pairs.values())
        self.extra = [
            at
            for at, row in enumerate(self.raw["followUps"])
            if at not in taken and row.get("type", FOLLOW_UP) == FOLLOW_UP
        ]

    def _add_property(self, model: Model, row: Row, at: int) -> None:
        spelled = [row[key] for key in ("id", "codename", "label") if isinstance(row.get(key), str)]
        meant = next((name for name in map(self._names.resolve, spelled) if name in model.properties), None)
        if meant and meant not in self.properties:
            self.properties[meant] = at
            self._named |= dict.fromkeys(spelled, meant)

    def resolve(self, name: str) -> str:
        """The model's id of a property that the export names."""
        return self._named.get(name) or self._names.resolve(name)

    def own_name(self, property_id: str) -> str:
        """How the export names a property of the model."""
        at = self.properties.get(property_id)
        own = self.raw["properties"][at].get("id") if at is not None else None
        return own if isinstance(own, str) else property_id

    def row(self, follow_up_id: str) -> Row | None:
        """The row of a follow-up of the model."""
        at = self.pairs.get(follow_up_id)
        return self.raw["followUps"][at] if at is not None else None

    def states(self, row: Row, key: str) -> bool:
        """Whether the export says what a column is."""
        return self.whole or key in row


def live_model(model: Model, document: Any) -> Model:
    """The export as a model of its own, to be checked: stages, stops and whatever it does not say are the model's.

    Raises:
        WrongInput: it is no export.
        Malformed: a value in it has a wrong type.
    """
    if isinstance(document, dict) and "stages" in document:
        return model_of(document, "the export").model
    live = Live(model, document)
    raw = copied({key: value for key, value in model.raw.items() if key != "waivers"})
    raw["followUps"] = [
        _filled(model, live, row)
        for at, row in enumerate(live.raw["followUps"])
        if at in live.extra or at in live.pairs.values()
    ]
    for property_id, at in live.properties.items():
        row = live.raw["properties"][at]
        entry = next(one for one in raw["properties"] if one["id"] == property_id)
        entry.update({key: value for key, value in row.items() if value is not None and key != "id"})
    return model_of(raw, "the export").model


def _filled(model: Model, live: Live, row: Row) -> Row:
    """A row with the model's names, and the columns that it leaves out as the model has them."""
    names = {at: name for name, at in live.pairs.items()}
    position = next(at for at, one in enumerate(live.raw["followUps"]) if one is row)
    known: Row = next((one for one in model.raw.get("followUps", []) if one["id"] == names.get(position)), {})
    made: Row = {key: copied(known[key]) for key in _OPTIONAL if key in known} | copied(row)
    made["id"] = names.get(position, str(row.get("id") or row.get("name")))
    made["propertyConditions"] = [
        {**one, "propertyId": live.resolve(one["propertyId"])} for one in row.get("propertyConditions") or []
    ]
    anchor = row.get("delayTriggerPropertyId")
    made["delayTriggerPropertyId"] = live.resolve(anchor) if anchor else None
    made.setdefault("stageId", _stage(model, made))
    return made


def _stage(model: Model, row: Row) -> str:
    """The stage whose gate a row has; the last one where it has several."""
    required = {one["propertyId"] for one in row["propertyConditions"] if _requires(one)}
    meant = [stage.id for stage in model.stages if stage.entry_stamp_id in required]
    return meant[-1] if meant else "unknown"


def _requires(one: Row) -> bool:
    return one.get("operator") == EQUALS and one.get("value") is True


def _found(document: Any) -> tuple[dict[str, tuple[str, ...]], dict[str, list[Row]]]:
    if isinstance(document, list):
        return {"followUps": ()}, {"followUps": _rows(document, "")}
    if not isinstance(document, dict):
        raise WrongInput(
            f"the export is a {type(document).__name__}, expected a model or a list of workflows",
            "Export the workflows with their conditions as JSON.",
        )
    ways: dict[str, tuple[str, ...]] = {}
    rows: dict[str, list[Row]] = {}
    for section, names in _SECTIONS.items():
        key = next((key for key in document if joined(key) in names), None)
        if key is not None:
            ways[section], rows[section] = (key,), _rows(document[key], f"/{key}")
    if "followUps" not in rows:
        raise WrongInput(
            "the export has neither followUps nor workflows, expected a model or a list of workflows",
            "Export the workflows with their conditions as JSON.",
        )
    return ways, rows


def _rows(value: Any, place: str) -> list[Row]:
    if not isinstance(value, list):
        raise WrongInput(f"{place}: found a {type(value).__name__}, expected a list", "Correct the export there.")
    for at, row in enumerate(value):
        if not isinstance(row, dict):
            raise WrongInput(f"{place}/{at}: found a {type(row).__name__}, expected an object", "Correct it there.")
        _refuse_conditions(row, f"{place}/{at}")
        _refuse_plain(row, f"{place}/{at}")
    return value


def _refuse_plain(row: Row, place: str) -> None:
    for key, value in row.items():
        if key in _OBJECTS and value is not None and not isinstance(value, dict):
            came = type(value).__name__
            raise WrongInput(f"{place}/{key}: found a {came}, expected an object or null", "Correct the export there.")


def _refuse_conditions(row: Row, place: str) -> None:
    for key, value in row.items():
        if joined(key) == "propertyConditions" and value is not None:
            given = value if isinstance(value, list) else [None]
            if not all(isinstance(one, dict) and _is_condition(one) for one in given):
                raise WrongInput(
                    f"{place}/{key}: expected a list of conditions, each with propertyId, operator and value",
                    "Export the workflows with their conditions.",
                )


def _is_condition(one: Row) -> bool:
    spelled = {joined(key): value for key, value in one.items()}
    return isinstance(spelled.get("propertyId"), str) and isinstance(spelled.get("operator"), str)


def _pairs(model: Model, rows: list[Row]) -> dict[str, int]:
    """Rows by the id of the follow-up that they are; by name where no id fits and the name is one row's alone."""
    ids: dict[object, int] = {}
    for at, row in enumerate(rows):
        if isinstance(row.get("id"), str):
            ids.setdefault(row["id"], at)
    pairs = {one.id: ids[one.id] for one in model.follow_ups if one.id in ids}
    free = [at for at in range(len(rows)) if at not in pairs.values()]
    for one in model.follow_ups:
        named = [at for at in free if _is_named(rows[at], one)]
        if one.id not in pairs and len(named) == 1:
            pairs[one.id] = named[0]
            free.remove(named[0])
    return pairs


def _is_named(row: Row, one: FollowUp) -> bool:
    name = row.get("name")
    return isinstance(name, str) and folded(name) in {folded(each) for each in (one.id, one.name) if each}
