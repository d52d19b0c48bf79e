"""The conditions that the doctrine wants of a follow-up, and how a document gets them (section 2)."""

from __future__ import annotations

from mindloop.sequence.words import EQUALS, IS_NOT_SET, NOT_EQUALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mindloop.sequence.model import FollowUp, Model

    Conditions = list[dict[str, Any]]
    Resolve = Callable[[str], str]

_REWRITABLE = frozenset((EQUALS, NOT_EQUALS))


def entry(property_id: str) -> dict[str, Any]:
    """The literal that lets in who has entered a stage."""
    return {"propertyId": property_id, "operator": EQUALS, "value": True}


def exclusion(property_id: str) -> dict[str, Any]:
    """The literal that keeps out who has gone further or dropped out, and lets in who has no row."""
    return {"propertyId": property_id, "operator": NOT_EQUALS, "value": True}


def own_stamp(model: Model, follow_up: FollowUp) -> str | None:
    """The entry stamp of a follow-up's stage; None where the stage is unknown."""
    stage = model.stage(follow_up.stage_id)
    return stage.entry_stamp_id if stage else None


def upstream(model: Model, stage_id: str) -> set[str]:
    """The entry stamps of the stages before one."""
    before = (one for one in model.stages if any(later.id == stage_id for later in model.downstream(one.id)))
    return {one.entry_stamp_id for one in before}


def exclusions(model: Model, stage_id: str, own: str | None) -> list[str]:
    """What a stage's follow-ups exclude: the stamps after it, the nearest first, then the stops; each once."""
    later = [stage.entry_stamp_id for stage in model.downstream(stage_id)]
    before = upstream(model, stage_id) - set(later)
    wanted = dict.fromkeys((*(one for one in later if one not in before), *model.stop_ids))
    return [one for one in wanted if one != own]


def complete(model: Model, stage_id: str, own: str) -> Conditions:
    """The whole array of conditions of a follow-up of a stage."""
    return [entry(own), *(exclusion(one) for one in exclusions(model, stage_id, own))]


def ensure(conditions: Conditions, wanted: dict[str, Any], resolve: Resolve, *, first: bool = False) -> None:
    """Let the literal stand among the conditions, and no comparison with a value of its property that contradicts it.

    A comparison that says something else is rewritten where it stands, as is ``IS_NOT_SET`` where a value is wanted;
    ``IS_SET`` is left alone, and so is what the literal implies anyway.

    Args:
        conditions: raw conditions, changed in place.
        wanted: `entry` or `exclusion`.
        resolve: a property's name as written to its id.
        first: put a new literal before the others.
    """
    about = [one for one in conditions if resolve(one["propertyId"]) == wanted["propertyId"]]
    compared = [one for one in about if one["operator"] in _REWRITABLE or _denies(one, wanted)]
    kept = next((one for one in compared if _says(one, wanted)), compared[0] if compared else None)
    if kept is None:
        conditions.insert(0 if first else len(conditions), dict(wanted))
        return
    kept["operator"], kept["value"] = wanted["operator"], wanted["value"]
    wrong = [one for one in compared if one is not kept and not _implied(one, wanted)]
    conditions[:] = [one for one in conditions if all(one is not other for other in wrong)]


def _denies(one: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether nothing can satisfy both: no value, and a value."""
    return bool(one["operator"] == IS_NOT_SET and wanted["operator"] == EQUALS)


def _implied(one: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether a literal holds wherever the wanted one does, and is no fault of its own."""
    passes_true = one["operator"] == NOT_EQUALS and one.get("value") is False and wanted["operator"] == EQUALS
    return passes_true or _says(one, wanted)


def drop(conditions: Conditions, property_id: str, resolve: Resolve) -> None:
    """Take out every literal ``property NOT_EQUALS true``."""
    unwanted = exclusion(property_id)
    conditions[:] = [
        one for one in conditions if not (resolve(one["propertyId"]) == property_id and _says(one, unwanted))
    ]


def _says(one: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return bool(one["operator"] == wanted["operator"]) and one.get("value") is wanted["value"]
