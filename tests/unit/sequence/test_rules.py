"""Every rule on the complete model: the edit that breaks it, exactly the rules that speak, the edit that keeps it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mindloop.sequence.check import check
from mindloop.sequence.findings import rule_ids
from mindloop.sequence.loading import model_of
from mindloop.sequence.rules.table import BY_ID, RULES
from mindloop.sequence.words import DOCTRINE, STRICT
from tests.helpers.sequences import a_follow_up, a_property, base_model, changed, equals, find, not_equals, without

M0 = base_model()
TODAY = "2026-11-30"
BY_DESIGN = {"X4", "X5", "X18"}
"""What the complete model itself draws in the strict profile."""


def found(document: dict[str, Any], profile: str = DOCTRINE, **more: Any) -> set[str]:
    return rule_ids(check(model_of(document).model, profile=profile, today=TODAY, **more))


def edit(**values: Any) -> dict[str, Any]:
    """M0 with values at paths, ``__`` for a dot."""
    return changed(M0, {path.replace("__", "."): value for path, value in values.items()})


def rewritten(follow_up: str, literal: dict[str, Any], document: dict[str, Any] = M0) -> dict[str, Any]:
    """The condition on that property is now this one."""
    made = copy.deepcopy(document)
    one = find(made, "followUps", follow_up)
    name = literal["propertyId"]
    one["propertyConditions"] = [literal if each["propertyId"] == name else each for each in one["propertyConditions"]]
    return made


def added(follow_up: str, literal: dict[str, Any], document: dict[str, Any] = M0) -> dict[str, Any]:
    made = copy.deepcopy(document)
    find(made, "followUps", follow_up)["propertyConditions"].append(literal)
    return made


def plus(section: str, *entries: dict[str, Any], document: dict[str, Any] = M0) -> dict[str, Any]:
    return document | {section: [*document.get(section, []), *entries]}


def less(section: str, entry_id: str) -> dict[str, Any]:
    return M0 | {section: [one for one in M0[section] if one["id"] != entry_id]}


def with_stage(*, retrofitted: bool) -> dict[str, Any]:
    """A stage between the second and the third, with a follow-up of its own."""
    made = changed(M0, {"stages.s2.order": 3})
    made["properties"].append(a_property("docs_uploaded"))
    made["stages"].insert(2, {"id": "s1b", "order": 2, "entryStampId": "docs_uploaded"})
    new = a_follow_up("e1b_30", 1, 30, 35, stageId="s1b", delayTriggerPropertyId="docs_uploaded")
    new["propertyConditions"][0] = equals("docs_uploaded")
    made["followUps"].append(new)
    for name in ("e0_20", "e0_120", "e1_30") if retrofitted else ():
        find(made, "followUps", name)["propertyConditions"].append(not_equals("docs_uploaded"))
    return made


def with_deposit_stage(*, terminal: bool) -> dict[str, Any]:
    """A last stage whose entry stamp is a stop."""
    made = plus("stages", {"id": "s3", "order": 3, "entryStampId": "deposit_confirmed", "terminal": terminal})
    if not terminal:
        new = a_follow_up("e3_60", 2, 60, 35, stageId="s3", delayTriggerPropertyId="deposit_confirmed")
        new["propertyConditions"][0] = equals("deposit_confirmed")
        made = plus("followUps", new, document=made)
    return made


def with_template(status: str = "APPROVED", *, params: tuple[dict[str, Any], ...] = (), **more: Any) -> dict[str, Any]:
    """The last follow-up two days later, as a template."""
    destination = {"kind": "WHATSAPP_TEMPLATE", "templateId": "t1"}
    edits = {"delayMinutesAfterPropertySet": 2880, "destination": destination} | more
    made = changed(M0, {f"followUps.e2_60.{key}": value for key, value in edits.items()})
    made["properties"].append(a_property("name", type="STRING", checkUntilMatch=False, terminalValue=None))
    return plus("templates", {"id": "t1", "status": status, "params": list(params)}, document=made)


def with_score(literal: dict[str, Any], **more: Any) -> dict[str, Any]:
    score = a_property("score", type="NUMBER", **{"terminalValue": None, "nullRate": 0} | more)
    return added("e0_20", literal, plus("properties", score))


NULL_BLIND = rewritten("e0_20", equals("age_qualified", False))
FAILING: list[tuple[str, dict[str, Any], set[str]]] = [
    ("R1 entry gate deleted", without(M0, "e0_20", "welcome_sent"), {"R1"}),
    ("R1 entry gate is NOT_EQUALS false", rewritten("e0_20", not_equals("welcome_sent", False)), {"R1"}),
    ("R1 later entry gate deleted", without(M0, "e1_30", "age_qualified"), {"R1", "R18"}),
    ("R2 next stage deleted", without(M0, "e0_20", "age_qualified"), {"R2", "R18"}),
    ("R2 last stage deleted", without(M0, "e0_20", "registration_link_sent"), {"R2", "R18"}),
    ("R2 stage inserted", with_stage(retrofitted=False), {"R2", "R18"}),
    ("R3 stop deleted", without(M0, "e1_30", "lead_declined"), {"R3"}),
    ("R4 no anchor", edit(followUps__e0_120__delayTriggerPropertyId=None), {"R4"}),
    ("R4 earlier anchor", edit(followUps__e1_30__delayTriggerPropertyId="welcome_sent"), {"R4"}),
    ("R4 anchored to a stop", edit(followUps__e1_30__delayTriggerPropertyId="is_minor"), {"R4", "R17"}),
    ("R4 later anchor", edit(followUps__e0_20__delayTriggerPropertyId="age_qualified"), {"R4", "R17"}),
    ("R5 one offset", edit(followUps__e0_120__delayMinutesAfterPropertySet=20), {"R5", "X1"}),
    ("R5 offsets too close", edit(followUps__e0_120__delayMinutesAfterPropertySet=49), {"R5", "X1"}),
    ("R5 no offset", edit(followUps__e1_30__delayMinutesAfterPropertySet=None), {"R5"}),
    ("R6 no silence gate", edit(followUps__e0_20__minMinutesSinceLastInbound=None), {"R6"}),
    ("R6 silence gate of 0", edit(followUps__e2_60__minMinutesSinceLastInbound=0), {"R6"}),
    ("R6 negative silence gate", edit(followUps__e2_60__minMinutesSinceLastInbound=-5), {"R6"}),
    ("R7 blind to NULL", NULL_BLIND, {"R7", "X11"}),
    ("R8 a text for a stop", edit(properties__lead_declined__type="STRING"), {"R8", "R14"}),
    ("R8 a number for a stamp", edit(properties__age_qualified__type="NUMBER"), {"R8", "X8"}),
    ("R9 stop not checked until match", edit(properties__deposit_confirmed__checkUntilMatch=False), {"R9"}),
    ("R9 stop's target is false", edit(properties__deposit_confirmed__terminalValue=False), {"R9"}),
    ("R10 pipeline off", edit(properties__age_qualified__includeInLlm=False), {"R10"}),
    ("R11 two days of free text", edit(followUps__e2_60__delayMinutesAfterPropertySet=2880), {"R11"}),
    ("R11 a day of silence", edit(followUps__e2_60__minMinutesSinceLastInbound=1440), {"R11"}),
    ("R11 template not approved", with_template("PENDING"), {"R11"}),
    ("R11 template unknown", with_template(destination={"kind": "WHATSAPP_TEMPLATE", "templateId": "t9"}), {"R11"}),
    ("R11 the kind decides", with_template(destination={"kind": "FREE_TEXT", "templateId": "t1"}), {"R11"}),
    ("R12 rescue", edit(followUps__e0_20__purpose="RESCUE"), {"R12"}),
    ("R13 reason without stop", plus("dropOutReasons", {"id": "price", "stopPropertyId": None}), {"R13"}),
    ("R13 no stop", plus("dropOutReasons", {"id": "price", "stopPropertyId": "welcome_sent"}), {"R13"}),
    (
        "R14 silence without stop",
        plus("dropOutReasons", {"id": "hostile", "agentOutcome": "NO_RESPONSE", "stopPropertyId": None}),
        {"R14"},
    ),
    ("R14 nothing covers silence", M0 | {"dropOutReasons": []}, {"R14"}),
    ("R15 a notification", edit(followUps__e2_60__type="CUSTOM_NOTIFICATION"), {"R15", "R19"}),
    ("R16 no conditions", edit(followUps__e0_20__propertyConditions=[]), {"R1", "R2", "R3", "R16", "R18"}),
    ("R17 contradiction", added("e0_20", not_equals("welcome_sent")), {"R17", "R20"}),
    ("R19 inactive", edit(followUps__e1_30__active=False), {"R19"}),
    ("R19 nobody reached", added("e1_30", equals("vip"), plus("properties", a_property("vip"))), {"R19"}),
    ("R19 NULL blocks", edit(runtime__nullSemantics="SQL_STRICT"), {"R19"}),
    ("R20 excludes above", added("e1_30", not_equals("welcome_sent")), {"R20"}),
    ("R21 unknown stop", less("properties", "bad_fit"), {"R21"}),
    ("R21 unknown stamp", less("properties", "age_qualified"), {"R21"}),
    ("R21 unknown stage", edit(followUps__e2_60__stageId="s9"), {"R19", "R21"}),
    ("R21b one label twice", edit(properties__bad_fit__label="Lead declined"), {"R21b"}),
    ("R22 set by the agent", edit(properties__welcome_sent__setBy="AGENT"), {"R22"}),
    ("R22 claimed", edit(agent__promptFlags={"claimsAgentSetsProperties": ["is_minor"]}), {"R22"}),
    ("R23 stamp and stop", with_deposit_stage(terminal=False), {"R17", "R20", "R23"}),
    ("R24 one order twice", edit(stages__s1__order=0), {"R24"}),
    ("R25 stamp not checked until match", edit(properties__age_qualified__checkUntilMatch=False), {"R25", "X8"}),
    ("R25 stamp's target is false", edit(properties__age_qualified__terminalValue=False), {"R25", "X8"}),
    (
        "R26 default is false",
        changed(NULL_BLIND, {"properties.age_qualified.defaultValue": False}),
        {"R7", "R26", "X11"},
    ),
    (
        "R27 the wrong switch",
        edit(properties__age_qualified__includeInLlm=False, properties__age_qualified__includeInAgentContext=True),
        {"R10", "R27"},
    ),
    ("R29 agent asked", edit(agent__promptFlags={"asksAgentToFollowUp": True}), {"R29"}),
    ("R30 for ever", edit(followUps__e2_60__repeat={"intervalMinutes": 60}), {"R30"}),
    ("R31 runs counted", plus("metrics", {"id": "m1", "source": "workflow_runs"}), {"R31"}),
    (
        "R31 windows counted",
        plus("metrics", {"id": "m1", "source": "messages.source_workflow_id", "grain": "WINDOW_COUNT"}),
        {"R31"},
    ),
    ("R32 no fallback", with_template(params=({"name": "name", "source": "name"},)), {"R32"}),
    ("R32 no source", with_template(params=({"name": "name", "component": "BUTTON"},)), {"R32"}),
    ("R32 twice", with_template(params=({"name": "a", "source": "x"}, {"name": "a", "source": "y"})), {"R32"}),
    ("R33 a text for true", rewritten("e0_20", equals("welcome_sent", "true")), {"R1", "R33"}),
    ("R33 a text in an exclusion", rewritten("e0_20", not_equals("lead_declined", "true")), {"R33"}),
    ("R33 a number in an exclusion", rewritten("e0_20", not_equals("age_qualified", 1)), {"R33"}),
    ("R34 chases who is stopped", rewritten("e0_20", equals("lead_declined")), {"R34"}),
    ("R34 lets true pass", rewritten("e0_20", not_equals("lead_declined", False)), {"R34"}),
    ("R35 two stages", added("e0_20", equals("age_qualified")), {"R34", "R35"}),
    ("R35 two stages, rewritten", rewritten("e0_20", equals("age_qualified")), {"R34", "R35"}),
    ("R35 an earlier stage too", added("e1_30", equals("welcome_sent")), {"R35"}),
    (
        "R36 latch short of it",
        with_score({"propertyId": "score", "operator": "GREATER_THAN", "value": 50}, terminalValue=10),
        {"R36"},
    ),
    (
        "R36 NULL blocks",
        with_score({"propertyId": "score", "operator": "LESS_THAN", "value": 50}, nullRate=0.5),
        {"R36"},
    ),
    ("X1 one silence gate", edit(followUps__e0_120__minMinutesSinceLastInbound=35), {"X1"}),
    ("X2 silence under the lag", edit(followUps__e0_20__minMinutesSinceLastInbound=15), {"X2"}),
    ("X3 nearly a day", edit(followUps__e2_60__delayMinutesAfterPropertySet=1410), {"X3"}),
    (
        "X3 quiet hours",
        edit(
            followUps__e2_60__delayMinutesAfterPropertySet=1200, runtime__quietHours={"start": "20:00", "end": "08:00"}
        ),
        {"X3"},
    ),
    (
        "X6 no template there",
        edit(followUps__e2_60__delayMinutesAfterPropertySet=2880, followUps__e2_60__channel="INSTAGRAM"),
        {"R11", "X6"},
    ),
    ("X6 a template does not help", with_template(channel="MESSENGER"), {"X6"}),
    (
        "X7 a slow notification",
        edit(followUps__e2_60__type="CUSTOM_NOTIFICATION", followUps__e2_60__delayMinutesAfterPropertySet=2880),
        {"R15", "R19", "X7"},
    ),
    ("X8 early false", edit(properties__welcome_sent__earlyFalse=True), {"X8"}),
    (
        "X9 repeats collide",
        edit(
            followUps__e0_20__repeat={"intervalMinutes": 50, "maxRepeats": 3},
            followUps__e0_120__repeat={"intervalMinutes": 50, "maxRepeats": 3},
        ),
        {"X9"},
    ),
    (
        "X10 finer than a tick",
        edit(followUps__e0_120__delayMinutesAfterPropertySet=22),
        {"R5", "X1", "X10"},
    ),
    ("X12 too many a day", edit(agent__maxFollowUpsPerLeadPer24h=3), {"X12"}),
    (
        "X13 conversion read from words",
        edit(stops__deposit_confirmed__meaning="CONVERTED"),
        {"X13"},
    ),
    (
        "X14 a mute on what is revocable",
        plus(
            "contactLimits",
            {"id": "c1", "propertyConditions": [equals("lead_declined")]},
            document=edit(stops__lead_declined__revocable=True),
        ),
        {"X14"},
    ),
    ("X14 a mute of everyone", plus("contactLimits", {"id": "c1", "propertyConditions": []}), {"X14"}),
    (
        "X14 a mute on a stamp",
        plus("contactLimits", {"id": "c1", "propertyConditions": [equals("age_qualified")]}),
        {"X14"},
    ),
    (
        "X14 a mute on a text",
        plus(
            "contactLimits",
            {"id": "c1", "propertyConditions": [equals("why", "rude")]},
            document=plus("properties", a_property("why", type="STRING")),
        ),
        {"X14"},
    ),
    (
        "X14 converted and chased",
        changed(
            without(M0, "e2_60", "deposit_confirmed"),
            {"stops.deposit_confirmed.meaning": "CONVERTED", "properties.deposit_confirmed.setBy": "INTEGRATION"},
        ),
        {"R3", "X14"},
    ),
    (
        "X15 nobody's clock",
        edit(runtime__quietHours={"start": "22:00", "end": "08:00"}, agent__timezone=None),
        {"X15"},
    ),
    (
        "X15 open where unknown",
        edit(runtime__quietHours={"start": "22:00", "end": "08:00", "onUnknownTz": "SEND"}),
        {"X15"},
    ),
    (
        "X17 sent is not reached",
        plus(
            "metrics",
            {"id": "m1", "source": "messages.source_workflow_id"},
            document=edit(followUps__e2_60__delayMinutesAfterPropertySet=2880),
        ),
        {"R11", "X17"},
    ),
]
PASSING: list[tuple[str, dict[str, Any]]] = [
    ("the complete model", M0),
    ("R2 stage inserted and retrofitted", with_stage(retrofitted=True)),
    (
        "R9 set by an integration",
        edit(properties__deposit_confirmed__checkUntilMatch=False, properties__deposit_confirmed__setBy="INTEGRATION"),
    ),
    ("R10 shown or not", edit(properties__age_qualified__includeInAgentContext=True)),
    ("R11 approved template", with_template()),
    (
        "R11 no window on the web",
        edit(followUps__e2_60__delayMinutesAfterPropertySet=2880, followUps__e2_60__channel="WEB"),
    ),
    ("R13 reason with a stop", plus("dropOutReasons", {"id": "price", "stopPropertyId": "lead_declined"})),
    (
        "R14 silence with a stop",
        plus("dropOutReasons", {"id": "hostile", "agentOutcome": "NO_RESPONSE", "stopPropertyId": "bad_fit"}),
    ),
    ("R19 terminal", edit(followUps__e1_30__active=False, stages__s1__terminal=True)),
    ("R22 an integration", edit(properties__welcome_sent__setBy="INTEGRATION")),
    ("R23 terminal", with_deposit_stage(terminal=True)),
    ("R29 not asked", edit(agent__promptFlags={"asksAgentToFollowUp": False})),
    ("R30 bounded", edit(followUps__e2_60__repeat={"intervalMinutes": 60, "maxRepeats": 2})),
    ("R30 bounded by age", edit(followUps__e2_60__repeat={"intervalMinutes": 60}, followUps__e2_60__maxAgeMinutes=600)),
    ("R31 messages", plus("metrics", {"id": "m1", "source": "messages.source_workflow_id"})),
    ("R32 fallback", with_template(params=({"name": "name", "source": "name", "fallback": "there"},))),
    ("R32 a text", with_template(params=({"name": "brand", "source": "Our shop"},))),
    (
        "R36 target consistent",
        with_score({"propertyId": "score", "operator": "GREATER_THAN", "value": 50}, terminalValue=60),
    ),
    ("X3 twenty hours", edit(followUps__e2_60__delayMinutesAfterPropertySet=1200)),
    ("X12 as many as allowed", edit(agent__maxFollowUpsPerLeadPer24h=4)),
    ("X15 the agent's clock", edit(runtime__quietHours={"start": "22:00", "end": "08:00", "tz": "AGENT"})),
    (
        "an inactive follow-up without a gate",
        edit(followUps__e0_120__active=False, followUps__e0_120__propertyConditions=[]),
    ),
]


@pytest.mark.parametrize(("document", "rules"), [case[1:] for case in FAILING], ids=[case[0] for case in FAILING])
def test_an_edit_breaks_exactly_these_rules(document: dict[str, Any], rules: set[str]) -> None:
    """Of the rules that speak about the edit there are these, in both profiles, and no others."""
    assert found(document) == {rule for rule in rules if rule.startswith("R")}
    assert found(document, STRICT) - BY_DESIGN == rules


@pytest.mark.parametrize("document", [case[1] for case in PASSING], ids=[case[0] for case in PASSING])
def test_an_edit_breaks_nothing(document: dict[str, Any]) -> None:
    """What conforms draws nothing, and in the strict profile only what the complete model draws."""
    assert found(document) == set()
    assert found(document, STRICT) <= BY_DESIGN


def test_the_complete_model_draws_what_it_draws_by_design() -> None:
    """In the strict profile the complete model may burst after a release, has no activeFrom and relies on NULL."""
    assert found(M0, STRICT) == BY_DESIGN


def test_bounds_against_releases_and_backlogs_leave_the_note_alone() -> None:
    """With a spacing and activeFrom only the note about NULL remains."""
    spaced = edit(
        agent__minMinutesBetweenFollowUps=30, **{f"followUps__{one['id']}__activeFrom": 0 for one in M0["followUps"]}
    )
    assert found(spaced, STRICT) == {"X18"}


def test_collapse_is_a_bound_against_releases() -> None:
    """Quiet hours that release the latest message alone are one of the three ways out of the burst."""
    quiet = {"start": "22:00", "end": "08:00", "release": "COLLAPSE"}
    assert "X4" not in found(edit(runtime__quietHours=quiet), STRICT)
    assert "X4" in found(edit(runtime__quietHours=quiet | {"release": "FLUSH"}), STRICT)


def test_every_rule_is_registered_once_in_order() -> None:
    """R1 to R36 with R21b, then X1 to X18, each with a name, a statement, severities and a fix."""
    wanted = [f"R{number}" for number in range(1, 22)] + ["R21b"] + [f"R{number}" for number in range(22, 37)]
    assert [rule.id for rule in RULES] == [*wanted, *(f"X{number}" for number in range(1, 19))]
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.statement.endswith(".") and rule.fix.endswith(".") and rule.severities for rule in RULES)
    assert all(rule.section == "" for rule in RULES if rule.id.startswith("X"))
    derived = {"R21", "R21b"}
    assert {rule.id for rule in RULES if rule.id.startswith("R") and not rule.section} == derived


def test_profiles_and_severities() -> None:
    """The doctrine runs R rules; the strict profile runs all and raises R25, X1 and X2 to ERROR."""
    assert {rule.id for rule in RULES if DOCTRINE in rule.severities} == {one for one in BY_ID if one.startswith("R")}
    assert all(STRICT in rule.severities for rule in RULES)
    assert BY_ID["R25"].severities == {DOCTRINE: "WARN", STRICT: "ERROR"}
    assert BY_ID["X1"].severities == BY_ID["X2"].severities == {STRICT: "ERROR"}
    assert BY_ID["X18"].severities == {STRICT: "INFO"}
    warned = {rule.id for rule in RULES if rule.severities.get(DOCTRINE) == "WARN"}
    assert warned == {"R12", "R19", "R21b", "R25", "R26", "R29", "R31", "R36"}


def test_every_rule_is_seen_to_fail() -> None:
    """No rule is without a case; R28 and X16 need a second model, X4, X5 and X18 speak of the complete one."""
    seen = set().union(*(rules for _, _, rules in FAILING))
    assert set(BY_ID) - seen == {"R28", "X16"} | BY_DESIGN
