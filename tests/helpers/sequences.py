"""Models of follow-up sequences for tests: a complete one, the one of the golden timelines, edits and scenarios."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

STAMPS = ("welcome_sent", "age_qualified", "registration_link_sent")
STOPS = ("bad_fit", "lead_declined", "escalation_needed", "deposit_confirmed", "is_minor")
DOWNSTREAM = {stamp: STAMPS[at + 1 :] for at, stamp in enumerate(STAMPS)}


def equals(property_id: str, value: Any = True) -> dict[str, Any]:
    """The literal ``property EQUALS value``."""
    return {"propertyId": property_id, "operator": "EQUALS", "value": value}


def not_equals(property_id: str, value: Any = True) -> dict[str, Any]:
    """The literal ``property NOT_EQUALS value``."""
    return {"propertyId": property_id, "operator": "NOT_EQUALS", "value": value}


def a_property(property_id: str, **changes: Any) -> dict[str, Any]:
    """A boolean that the evaluator fills and that latches on true."""
    return {
        "id": property_id,
        "type": "BOOLEAN",
        "setBy": "EVALUATOR",
        "checkUntilMatch": True,
        "terminalValue": True,
        "includeInLlm": True,
        "includeInAgentContext": False,
        "nullRate": 0.9,
    } | changes


def a_follow_up(follow_up_id: str, stage: int, offset: int, silence: int, **changes: Any) -> dict[str, Any]:
    """A follow-up of stage 0, 1 or 2 that excludes everything downstream and every stop."""
    stamp = STAMPS[stage]
    excluded = (*DOWNSTREAM[stamp], *STOPS)
    return {
        "id": follow_up_id,
        "type": "FOLLOW_UP",
        "stageId": f"s{stage}",
        "active": True,
        "purpose": "NUDGE",
        "propertyConditions": [equals(stamp), *(not_equals(one) for one in excluded)],
        "delayTriggerPropertyId": stamp,
        "delayMinutesAfterPropertySet": offset,
        "minMinutesSinceLastInbound": silence,
        "channel": "WHATSAPP",
        "destination": {"kind": "FREE_TEXT"},
        "repeat": None,
    } | changes


def base_model() -> dict[str, Any]:
    """M0: five stops, three stages, four follow-ups, nothing to find in it; a new copy each time."""
    return {
        "schemaVersion": "fu-model/1",
        "agent": {"id": "a1", "channels": ["WHATSAPP"], "timezone": "UTC"},
        "runtime": {
            "runnerTickMinutes": 5,
            "evaluatorBatchMinutes": 30,
            "evaluatorRunMinutes": 2,
            "agentReplyMinutes": 2,
            "minStaggerMinutes": 30,
        },
        "properties": [a_property(one) for one in (*STAMPS, *STOPS)],
        "stages": [{"id": f"s{at}", "order": at, "entryStampId": stamp} for at, stamp in enumerate(STAMPS)],
        "stops": [{"propertyId": one} for one in STOPS],
        "dropOutReasons": [
            {"id": "declined", "agentOutcome": "NO_RESPONSE", "stopPropertyId": "lead_declined"},
            {"id": "converted", "agentOutcome": "NO_RESPONSE", "stopPropertyId": "deposit_confirmed"},
            {"id": "off_topic", "agentOutcome": "NO_RESPONSE", "stopPropertyId": "bad_fit"},
            {"id": "minor", "agentOutcome": "REPLY", "stopPropertyId": "is_minor"},
            {"id": "human", "agentOutcome": "HANDOFF", "stopPropertyId": "escalation_needed"},
        ],
        "followUps": [
            a_follow_up("e0_20", 0, 20, 35),
            a_follow_up("e0_120", 0, 120, 120),
            a_follow_up("e1_30", 1, 30, 35),
            a_follow_up("e2_60", 2, 60, 35),
        ],
    }


def golden_model() -> dict[str, Any]:
    """The set of the golden timelines: M0 with P=5, E=30, D=0, A=0, silence 15/90, 15 and 15."""
    made = base_model()
    made["runtime"] = {
        "runnerTickMinutes": 5,
        "evaluatorBatchMinutes": 30,
        "evaluatorRunMinutes": 0,
        "agentReplyMinutes": 0,
    }
    for one, silence in zip(made["followUps"], (15, 90, 15, 15), strict=True):
        one["minMinutesSinceLastInbound"] = silence
    return made


def find(document: dict[str, Any], section: str, entry_id: str) -> dict[str, Any]:
    """The entry of a section with that id (a stop: with that property), to be changed in place."""
    key = "propertyId" if section == "stops" else "id"
    return next(one for one in document[section] if one[key] == entry_id)


def changed(document: dict[str, Any], edits: dict[str, Any]) -> dict[str, Any]:
    """A copy with values put at paths: ``"followUps.e0_20.repeat"``, ``"runtime.nullSemantics"``.

    An entry of a list is named by its id, or by its position; the last step is the key that is set.
    """
    made = copy.deepcopy(document)
    for path, value in edits.items():
        *steps, last = path.split(".")
        here: Any = made
        for step in steps:
            here = _entry(here, step)
        if isinstance(here, list):
            here[int(last)] = value
        else:
            here[last] = value
    return made


def _entry(here: Any, step: str) -> Any:
    if isinstance(here, dict):
        return here.setdefault(step, {})
    if step.isdigit():
        return here[int(step)]
    return next(one for one in here if step in {one.get("id"), one.get("propertyId")})


def without(document: dict[str, Any], follow_up_id: str, property_id: str) -> dict[str, Any]:
    """A copy in which a follow-up has no condition on that property."""
    made = copy.deepcopy(document)
    one = find(made, "followUps", follow_up_id)
    one["propertyConditions"] = [each for each in one["propertyConditions"] if each["propertyId"] != property_id]
    return made


def only(document: dict[str, Any], *follow_up_ids: str) -> dict[str, Any]:
    """A copy that has these follow-ups alone."""
    made = copy.deepcopy(document)
    made["followUps"] = [one for one in made["followUps"] if one["id"] in follow_up_ids]
    return made


def inbound(*minutes: int) -> list[dict[str, Any]]:
    """The lead writes at each of these minutes."""
    return [{"t": minute, "type": "INBOUND"} for minute in minutes]


def truth(minute: int, property_id: str, value: Any = True) -> dict[str, Any]:
    """From that minute on the property is so, whether or not anybody has stamped it."""
    return {"t": minute, "type": "TRUTH", "propertyId": property_id, "value": value}


def event(minute: int, kind: str, **more: Any) -> dict[str, Any]:
    """Any other event."""
    return {"t": minute, "type": kind, **more}


def a_scenario(events: Sequence[dict[str, Any]], horizon: int = 600, **more: Any) -> dict[str, Any]:
    """One lead, ``l1``, to whom this happens."""
    return {"horizonMinutes": horizon, "leads": [{"id": "l1", "events": list(events)}]} | more
