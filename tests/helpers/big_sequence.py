"""Sequences, scenarios and exports of any size, the same bytes each time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.helpers.sequences import a_property, equals, event, inbound, not_equals, truth

if TYPE_CHECKING:
    from pathlib import Path

_STEP, _FIRST = 40, 35
_ANSWERS = 5


def big_model(stages: int, follow_ups: int, stops: int) -> dict[str, Any]:
    """A conformant model; its follow-ups are spread evenly over the stages."""
    stamps = [f"stamp_{at:03}" for at in range(stages)]
    ends = [f"stop_{at:03}" for at in range(stops)]
    made: list[dict[str, Any]] = []
    for number in range(follow_ups):
        at, place = number % stages, number // stages
        excluded = (*stamps[at + 1 :], *ends)
        made.append(
            {
                "id": f"f{number:04}",
                "stageId": f"s{at:03}",
                "propertyConditions": [equals(stamps[at]), *(not_equals(one) for one in excluded)],
                "delayTriggerPropertyId": stamps[at],
                "delayMinutesAfterPropertySet": _FIRST + _STEP * place,
                "minMinutesSinceLastInbound": _FIRST + _STEP * place,
                "channel": "WHATSAPP",
                "destination": {"kind": "FREE_TEXT"},
            }
        )
    return {
        "schemaVersion": "fu-model/1",
        "agent": {"id": "big", "channels": ["WHATSAPP"]},
        "properties": [a_property(one) for one in (*stamps, *ends)],
        "stages": [{"id": f"s{at:03}", "order": at, "entryStampId": one} for at, one in enumerate(stamps)],
        "stops": [{"propertyId": one} for one in ends],
        "dropOutReasons": [
            {"id": name, "agentOutcome": "NO_RESPONSE", "stopPropertyId": ends[0]}
            for name in ("hostile", "off_topic", "converted")
        ],
        "followUps": made,
    }


def big_scenario(model: dict[str, Any], leads: int, horizon: int) -> dict[str, Any]:
    """Leads who go different ways: some stop early, some drop out, a few wait for a person."""
    stamps = [one["entryStampId"] for one in model["stages"]]
    stops = [one["propertyId"] for one in model["stops"]]
    made = []
    for number in range(leads):
        events = []
        for at, stamp in enumerate(stamps[: 1 + number % len(stamps)]):
            minute = (number % 97) + at * (60 + number % 1300)
            events += [*inbound(minute), truth(minute + 1, stamp)]
        last = events[-1]["t"]
        if number % 5 == 0:
            events += [*inbound(last + 200), truth(last + 201, stops[number % len(stops)])]
        if number % 7 == 0:
            events += [
                event(last + 20, "NEEDS_ATTENTION", value=True),
                event(last + 900, "NEEDS_ATTENTION", value=False),
            ]
        kept = sorted((one for one in events if one["t"] <= horizon), key=lambda one: one["t"])
        made.append({"id": f"lead-{number:05}", "events": kept})
    return {"horizonMinutes": horizon, "leads": made}


def write_json(path: Path, document: object) -> str:
    """Write it; return the path as text."""
    path.write_text(json.dumps(document), "utf-8")
    return str(path)


def write_exports(folder: Path, model: dict[str, Any], rows: int) -> tuple[str, str]:
    """Messages (``rows`` of them) and the property history of the leads who got them; return both paths."""
    follow_ups = [one["id"] for one in model["followUps"]]
    stamps = [one["entryStampId"] for one in model["stages"]]
    messages, history = folder / "messages.csv", folder / "history.csv"
    with messages.open("w", encoding="utf-8") as file:
        file.write("lead,workflow,t,status,direction\n")
        for number in range(rows):
            lead, turn = divmod(number, _ANSWERS)
            day = f"2026-01-{1 + turn * 3:02}T{lead % 24:02}:{number % 60:02}:00Z"
            if turn % 2:
                file.write(f"lead-{lead},,{day},OK,INBOUND\n")
            else:
                file.write(f"lead-{lead},{follow_ups[number % len(follow_ups)]},{day},OK,OUTBOUND\n")
    with history.open("w", encoding="utf-8") as file:
        file.write("lead,prop,value,t\n")
        for lead in range(rows // _ANSWERS):
            file.write(f"lead-{lead},{stamps[lead % len(stamps)]},true,2026-01-01T00:00:00Z\n")
    return str(messages), str(history)
