"""Damage to models of follow-up sequences that can be mended without a decision, and a model of any size."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from tests.helpers.sequences import STOPS, a_property, equals, not_equals

OUTCOMES = ("NO_RESPONSE", "NO_RESPONSE", "HANDOFF", "NO_RESPONSE", "REPLY")


def a_funnel(stages: int, each: int) -> dict[str, Any]:
    """A conformant model: that many stages, that many follow-ups in each, the five stops."""
    stamps = [f"reached_{at}" for at in range(stages)]
    follow_ups = [
        {
            "id": f"f{at}_{number}",
            "type": "FOLLOW_UP",
            "stageId": f"s{at}",
            "active": True,
            "propertyConditions": [equals(stamp), *(not_equals(one) for one in (*stamps[at + 1 :], *STOPS))],
            "delayTriggerPropertyId": stamp,
            "delayMinutesAfterPropertySet": 30 + 60 * number,
            "minMinutesSinceLastInbound": 35 + 60 * number,
            "channel": "WHATSAPP",
            "destination": {"kind": "FREE_TEXT"},
        }
        for at, stamp in enumerate(stamps)
        for number in range(each)
    ]
    return {
        "schemaVersion": "fu-model/1",
        "agent": {"id": "a1", "channels": ["WHATSAPP"]},
        "runtime": {"minStaggerMinutes": 30},
        "properties": [a_property(one) for one in (*stamps, *STOPS)],
        "stages": [{"id": f"s{at}", "order": at * 10, "entryStampId": one} for at, one in enumerate(stamps)],
        "stops": [{"propertyId": one} for one in STOPS],
        "dropOutReasons": [
            {"id": f"reason_{one}", "agentOutcome": outcome, "stopPropertyId": one}
            for one, outcome in zip(STOPS, OUTCOMES, strict=True)
        ],
        "followUps": follow_ups,
    }


@st.composite
def damaged(draw: st.DrawFn, document: dict[str, Any], most: int = 6, *, badly: bool = False) -> dict[str, Any]:
    """A copy with 1 to ``most`` faults, any of which may hit the same place twice; ``badly``: some need a decision."""
    made = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, most))):
        draw(st.sampled_from((*FAULTS, *DECISIONS) if badly else FAULTS))(draw, made)
    return made


def _follow_up(draw: Any, made: dict[str, Any]) -> dict[str, Any]:
    return draw(st.sampled_from(made["followUps"]))


def _up_to(made: dict[str, Any], one: dict[str, Any]) -> list[str]:
    """The stamp of its stage and those before it; none where the stage is unknown."""
    stages = [stage["id"] for stage in made["stages"]]
    known = stages.index(one["stageId"]) + 1 if one["stageId"] in stages else 0
    return [stage["entryStampId"] for stage in made["stages"]][:known]


def _condition(draw: Any, made: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    one = _follow_up(draw, made)
    here = one.get("propertyConditions") or []
    return one, draw(st.sampled_from(here)) if here else None


def lose_a_condition(draw: Any, made: dict[str, Any]) -> None:
    one, condition = _condition(draw, made)
    if condition:
        one["propertyConditions"] = [each for each in one["propertyConditions"] if each is not condition]


def lose_all_conditions(draw: Any, made: dict[str, Any]) -> None:
    one = _follow_up(draw, made)
    if draw(st.booleans()):
        one["propertyConditions"] = []
    else:
        one.pop("propertyConditions", None)


def rewrite_a_condition(draw: Any, made: dict[str, Any]) -> None:
    """Blind to NULL, inverted, a text for a truth value."""
    _, condition = _condition(draw, made)
    if condition:
        condition["operator"] = draw(st.sampled_from(("EQUALS", "NOT_EQUALS")))
        condition["value"] = draw(st.sampled_from((True, False, "true", "false", "yes", 1)))


def add_a_condition(draw: Any, made: dict[str, Any]) -> None:
    """On a stamp at or above its own, or on what is excluded already."""
    one = _follow_up(draw, made)
    here = one.setdefault("propertyConditions", [])
    name = draw(st.sampled_from((*_up_to(made, one), *STOPS)))
    here.insert(draw(st.integers(0, len(here))), not_equals(name, draw(st.sampled_from((True, "true")))))


def tear_off_the_anchor(draw: Any, made: dict[str, Any]) -> None:
    one = _follow_up(draw, made)
    one["delayTriggerPropertyId"] = draw(st.sampled_from((None, *STOPS, *_up_to(made, one))))


def spoil_the_offset(draw: Any, made: dict[str, Any]) -> None:
    one = _follow_up(draw, made)
    offsets = [other.get("delayMinutesAfterPropertySet") for other in made["followUps"]]
    one["delayMinutesAfterPropertySet"] = draw(st.sampled_from((None, 0, -5, *offsets)))
    if draw(st.booleans()) and one["delayMinutesAfterPropertySet"] is None:
        del one["delayMinutesAfterPropertySet"]


def spoil_the_silence(draw: Any, made: dict[str, Any]) -> None:
    _follow_up(draw, made)["minMinutesSinceLastInbound"] = draw(st.sampled_from((None, 0, -1)))


def spoil_a_flag(draw: Any, made: dict[str, Any]) -> None:
    about = draw(st.sampled_from(made["properties"]))
    key, value = draw(
        st.sampled_from(
            (("checkUntilMatch", False), ("terminalValue", False), ("terminalValue", None), ("includeInLlm", False))
        )
    )
    about[key] = value


def repeat_for_ever(draw: Any, made: dict[str, Any]) -> None:
    _follow_up(draw, made)["repeat"] = {"intervalMinutes": draw(st.sampled_from((60, 300)))}


def lose_a_stop(draw: Any, made: dict[str, Any]) -> None:
    """Its reason still names it."""
    if len(made["stops"]) > 1:
        made["stops"].remove(draw(st.sampled_from(made["stops"])))


FAULTS = (
    lose_a_condition,
    lose_all_conditions,
    rewrite_a_condition,
    add_a_condition,
    tear_off_the_anchor,
    spoil_the_offset,
    spoil_the_silence,
    spoil_a_flag,
    repeat_for_ever,
    lose_a_stop,
)


def confuse_the_stages(draw: Any, made: dict[str, Any]) -> None:
    """Two of one order, or a stage opened by a stop, another stage's stamp or an unknown property."""
    stage = draw(st.sampled_from(made["stages"]))
    if draw(st.booleans()):
        stage["order"] = draw(st.sampled_from([one["order"] for one in made["stages"]]))
    else:
        stamps = [one["entryStampId"] for one in made["stages"]]
        stage["entryStampId"] = draw(st.sampled_from((*stamps, *STOPS, "nobody_knows")))


def move_a_follow_up(draw: Any, made: dict[str, Any]) -> None:
    one = _follow_up(draw, made)
    key = draw(st.sampled_from(("stageId", "type", "delayTriggerPropertyId")))
    stages, stamps = ([stage[name] for stage in made["stages"]] for name in ("id", "entryStampId"))
    one[key] = draw(
        st.sampled_from({"stageId": [*stages, "s99"], "type": ["CUSTOM_NOTIFICATION"]}.get(key, [*stamps, "gone"]))
    )


def change_a_property(draw: Any, made: dict[str, Any]) -> None:
    about = draw(st.sampled_from(made["properties"]))
    if draw(st.booleans()):
        about["type"] = draw(st.sampled_from(("STRING", "NUMBER", "DATE")))
    elif draw(st.booleans()):
        about["setBy"] = "AGENT"
    else:
        made["properties"] = [one for one in made["properties"] if one is not about] or made["properties"]


def any_condition(draw: Any, made: dict[str, Any]) -> None:
    here = _follow_up(draw, made).setdefault("propertyConditions", [])
    names = [one["id"] for one in made["properties"]]
    operators = ("EQUALS", "NOT_EQUALS", "GREATER_THAN", "IS_SET", "IS_NOT_SET")
    here.append(
        {
            "propertyId": draw(st.sampled_from((*names, "gone"))),
            "operator": draw(st.sampled_from(operators)),
            "value": draw(st.sampled_from((True, False, 3, "true", "maybe", None))),
        }
    )


def lose_a_reason(draw: Any, made: dict[str, Any]) -> None:
    reason = draw(st.sampled_from(made["dropOutReasons"]))
    reason["stopPropertyId"] = draw(st.sampled_from((None, "gone", made["stages"][0]["entryStampId"])))


def leave_the_window(draw: Any, made: dict[str, Any]) -> None:
    one = _follow_up(draw, made)
    one[draw(st.sampled_from(("delayMinutesAfterPropertySet", "minMinutesSinceLastInbound")))] = 2880


DECISIONS = (
    confuse_the_stages,
    move_a_follow_up,
    change_a_property,
    any_condition,
    lose_a_reason,
    leave_the_window,
)
