"""Laws of the check: any model that loads is checked, in one way, and overlaps are exactly the boxes that meet."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.sequence.check import examine, rank
from mindloop.sequence.findings import flat
from mindloop.sequence.loading import model_of
from mindloop.sequence.rules.facts import Facts
from mindloop.sequence.words import PROFILES, SEVERITIES
from mindloop.store.errors import Malformed
from tests.helpers.sequences import STAMPS, STOPS, base_model

LAWFUL = settings(deadline=None, max_examples=150)
NAME = st.sampled_from([*STAMPS, *STOPS, "score", "why", "gone", "Deposit Confirmed", "a\n\x1b[1m", "\u202ex"])
VALUE = st.booleans() | st.none() | st.integers(-5, 5) | st.sampled_from([10**400, -1e308, 0.5, "true", "", "\ud800"])
MINUTES = st.none() | st.integers(-10, 3000)
OPERATOR = st.sampled_from(
    ["EQUALS", "NOT_EQUALS", "GREATER_THAN", "GREATER_OR_EQUAL", "LESS_THAN", "LESS_OR_EQUAL", "IS_SET", "IS_NOT_SET"]
)
CONDITIONS = st.lists(
    st.fixed_dictionaries({"propertyId": NAME, "operator": OPERATOR}, optional={"value": VALUE}), max_size=9
)
STAMP = st.none() | st.sampled_from(["2026-10-01", "2026-10-01T10:00:00Z", "9999-99-99", "never", ""])
CHANNEL = st.sampled_from(["WHATSAPP", "INSTAGRAM", "MESSENGER", "WEB", "OTHER"])
FOLLOW_UP = st.fixed_dictionaries(
    {"stageId": st.sampled_from(["s0", "s1", "s2", "s3", "sx"])},
    optional={
        "type": st.sampled_from(["FOLLOW_UP", "CUSTOM_NOTIFICATION", "x"]),
        "active": st.booleans(),
        "purpose": st.sampled_from(["NUDGE", "RESCUE"]),
        "propertyConditions": CONDITIONS,
        "delayTriggerPropertyId": st.none() | NAME,
        "delayMinutesAfterPropertySet": MINUTES,
        "minMinutesSinceLastInbound": MINUTES,
        "channel": st.none() | CHANNEL,
        "destination": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "kind": st.sampled_from(["FREE_TEXT", "WHATSAPP_TEMPLATE"]),
                "templateId": st.sampled_from([None, "", "t1", "t9"]),
                "fallbackTemplateId": st.sampled_from([None, "t1", "t9"]),
            },
        ),
        "repeat": st.none()
        | st.fixed_dictionaries(
            {"intervalMinutes": st.integers(1, 2000)}, optional={"maxRepeats": st.none() | st.integers(0, 100000)}
        ),
        "activeFrom": st.none() | st.just(5),
        "maxAgeMinutes": st.none() | st.integers(0, 3000),
        "updatedAt": STAMP,
    },
)
PROPERTY = st.fixed_dictionaries(
    {},
    optional={
        "codename": st.none() | NAME,
        "label": st.none() | NAME,
        "type": st.sampled_from(["BOOLEAN", "BOOLEAN", "NUMBER", "STRING", "DATE"]),
        "setBy": st.sampled_from(["EVALUATOR", "INTEGRATION", "SYSTEM", "HUMAN", "AGENT"]),
        "checkUntilMatch": st.booleans(),
        "terminalValue": VALUE,
        "includeInLlm": st.booleans(),
        "includeInAgentContext": st.booleans(),
        "defaultValue": VALUE,
        "nullRate": st.none() | st.floats(0, 1),
        "earlyFalse": st.booleans(),
    },
)
STAGE = st.fixed_dictionaries(
    {"entryStampId": NAME, "order": st.integers(0, 4)}, optional={"terminal": st.booleans(), "createdAt": STAMP}
)
PARAM = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b"])},
    optional={"source": st.none() | NAME, "fallback": st.sampled_from([None, "", "x"])},
)
RUNTIME = st.fixed_dictionaries(
    {},
    optional={
        "runnerTickMinutes": st.integers(1, 60),
        "nullSemantics": st.sampled_from(["PLATFORM", "SQL_STRICT"]),
        "setAtPolicy": st.sampled_from(["TRUE_TRANSITION", "FIRST_WRITE", "EVERY_WRITE"]),
        "needsAttentionPolicy": st.sampled_from(["EXPLICIT", "LEAD_SPOKE_LAST"]),
        "noInboundPolicy": st.sampled_from(["BLOCK", "ALLOW"]),
        "minStaggerMinutes": st.integers(1, 300),
        "quietHours": st.none()
        | st.fixed_dictionaries(
            {"start": st.just("22:00"), "end": st.sampled_from(["08:00", "22:00"])},
            optional={"tz": st.sampled_from(["LEAD", "AGENT"]), "onUnknownTz": st.sampled_from(["BLOCK", "SEND"])},
        ),
    },
)
WAIVER = st.fixed_dictionaries(
    {
        "rule": st.sampled_from(["R1", "R2", "R3", "R18", "X4", "R99"]),
        "reason": st.just("because"),
        "expires": st.sampled_from(["2026-11-30", "2020-01-01", "2027-99-99"]),
    },
    optional={"target": st.none() | st.sampled_from(["f0", "f1", "s0"])},
)


def numbered(entries: list[dict[str, Any]], letter: str) -> list[dict[str, Any]]:
    return [one | {"id": f"{letter}{number}"} for number, one in enumerate(entries)]


@st.composite
def documents(draw: Any) -> dict[str, Any]:
    """Any model: properties of all kinds, gates of all kinds, names that nothing has."""
    names = draw(st.lists(NAME, unique=True, max_size=10))
    limits = [{"propertyConditions": draw(CONDITIONS)} for _ in range(draw(st.integers(0, 2)))]
    reasons = st.fixed_dictionaries(
        {"stopPropertyId": st.none() | NAME}, optional={"agentOutcome": st.sampled_from(["REPLY", "NO_RESPONSE"])}
    )
    template = {"status": draw(st.sampled_from(["APPROVED", "PAUSED"])), "params": draw(st.lists(PARAM, max_size=3))}
    return {
        "schemaVersion": "fu-model/1",
        "agent": {
            "channels": draw(st.lists(CHANNEL, max_size=2)),
            "maxFollowUpsPerLeadPer24h": draw(st.none() | st.just(1)),
        },
        "runtime": draw(RUNTIME),
        "properties": [draw(PROPERTY) | {"id": name} for name in names],
        "stages": numbered(draw(st.lists(STAGE, min_size=1, max_size=4)), "s"),
        "stops": [
            {"propertyId": name, "meaning": "CONVERTED"} for name in draw(st.lists(NAME, unique=True, max_size=4))
        ],
        "dropOutReasons": numbered(draw(st.lists(reasons, max_size=3)), "r"),
        "followUps": numbered(draw(st.lists(FOLLOW_UP, max_size=6)), "f"),
        "templates": numbered([template], "t"),
        "contactLimits": numbered(limits, "c"),
        "metrics": [{"id": "m", "source": "messages.source_workflow_id"}],
        "waivers": draw(st.lists(WAIVER, max_size=2)),
    }


@LAWFUL
@given(documents(), documents())
def test_any_model_that_loads_is_checked(document: dict[str, Any], other: dict[str, Any]) -> None:
    """No model makes a rule break; every finding is whole, printable, ordered, and the same the second time."""
    model, live = model_of(document).model, model_of(other).model
    for profile in PROFILES:
        told = examine(model, profile=profile, today="2026-11-30", live=live, entrants={"s0": 3})
        again = examine(
            model_of(copy.deepcopy(document)).model, profile=profile, today="2026-11-30", live=live, entrants={"s0": 3}
        )
        assert [rank(one) for one in told.findings] == sorted(rank(one) for one in told.findings)
        assert [rank(one) for one in told.findings] == [rank(one) for one in again.findings]
        for one in flat(told.findings):
            assert one.severity in SEVERITIES
            assert one.message.isprintable()
            assert one.fix.isprintable()
            assert one.fix.endswith(".")
            assert one.rule
            assert one.target


@LAWFUL
@given(documents())
def test_overlaps_are_the_boxes_that_meet(document: dict[str, Any]) -> None:
    """Grouping equal boxes by stage finds each pair of follow-ups of different stages that share a lead, once."""
    facts = Facts(model_of(document).model)
    found = {
        frozenset((name, other.id))
        for name, stages in facts.overlaps.items()
        for others in stages.values()
        for other in others
    }
    staged = [seen for seen in facts.seen if seen.stage]
    pairs = [(one, other) for at, one in enumerate(staged) for other in staged[at + 1 :]]
    wanted = {
        frozenset((one.id, other.id))
        for one, other in pairs
        if one.stage is not other.stage and not (one.box & other.box).is_empty
    }
    assert found == wanted


@LAWFUL
@given(documents())
def test_states_are_leads_of_the_boxes_they_are_about(document: dict[str, Any]) -> None:
    """The lead of an overlap is in both boxes; the lead of a missing exclusion is in the box it should be out of."""
    facts = Facts(model_of(document).model)
    boxes = {seen.id: seen.box for seen in facts.seen}
    for one in flat(examine(facts.model, today="2026-11-30").findings):
        if one.state is not None and one.rule in {"R2", "R3", "R18"} and not one.message.startswith("on the platform"):
            for name in one.involved[:2]:
                assert boxes[name].holds(one.state)


@LAWFUL
@given(st.sets(st.integers(0, 28), min_size=1))
def test_deleted_literals_are_all_told(gone: set[int]) -> None:
    """Whatever set of the 29 literals is deleted, the fixes name each of them on its follow-up."""
    made = base_model()
    number = 0
    deleted: list[tuple[str, str]] = []
    for one in made["followUps"]:
        kept = []
        for condition in one["propertyConditions"]:
            if number in gone:
                deleted.append((one["id"], condition["propertyId"]))
            else:
                kept.append(condition)
            number += 1
        one["propertyConditions"] = kept
    told = {
        (one.target, literal["propertyId"])
        for one in examine(model_of(made).model, today="2026-11-30").findings
        for literal in one.detail.get("add", [])
    }
    assert told == set(deleted)


def test_a_model_that_does_not_load_is_refused_before() -> None:
    """What is no model never reaches a rule."""
    with pytest.raises(Malformed, match="stages"):
        model_of({"schemaVersion": "fu-model/1"})
