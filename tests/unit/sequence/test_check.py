"""The run of the rules: order of causes, evidence, waivers, unknown keys, a second model, what findings say."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from mindloop.sequence.check import Checked, check, examine, rule_name
from mindloop.sequence.findings import Finding, flat, listed, literal, named, rule_ids
from mindloop.sequence.loading import load_model, model_of
from mindloop.sequence.words import DOCTRINE, STRICT
from tests.helpers.sequences import base_model, changed, equals, find, not_equals, without

M0 = base_model()
TODAY = "2026-11-30"


def run(document: dict[str, Any], profile: str = DOCTRINE, live: dict[str, Any] | None = None, **more: Any) -> Checked:
    loaded = model_of(document)
    other = model_of(live).model if live else None
    return examine(loaded.model, profile=profile, today=TODAY, live=other, warnings=loaded.warnings, **more)


def rows(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(one.rule, one.severity, one.target) for one in findings]


def only(document: dict[str, Any], rule: str, **more: Any) -> Finding:
    (found,) = [one for one in flat(run(document, **more).findings) if one.rule == rule]
    return found


def with_waiver(document: dict[str, Any], **waiver: Any) -> dict[str, Any]:
    given = {"rule": "R3", "target": "e1_30", "reason": "agreed with the client", "expires": "2026-12-31"} | waiver
    return document | {"waivers": [given]}


WITHOUT_STOP = without(M0, "e1_30", "lead_declined")


def test_a_missing_exclusion_names_the_condition_and_keeps_the_overlap_as_evidence() -> None:
    """R2 says what to add; R18 stands under it with the lead who would get both."""
    (cause,) = run(without(M0, "e0_20", "age_qualified")).findings
    assert (cause.rule, cause.severity, cause.target, cause.pointer) == ("R2", "ERROR", "e0_20", "/followUps/0")
    assert cause.fix == "Add to e0_20: age_qualified NOT_EQUALS true."
    assert cause.message == (
        "e0_20 does not exclude the later stage s1 (age_qualified); expected NOT_EQUALS true on each, so leads who "
        "advanced are still chased for an earlier stage"
    )
    assert cause.detail["add"] == [not_equals("age_qualified")]
    (overlap,) = cause.evidence
    assert (overlap.rule, overlap.target, overlap.involved) == ("R18", "e0_20", ["e0_20", "e1_30"])
    assert overlap.state == {"welcome_sent": True, "age_qualified": True}
    assert cause.witness is None


def test_an_inserted_stage_touches_every_earlier_follow_up() -> None:
    """A stage that nobody retrofitted is missing in each follow-up before it, and in none after it."""
    inserted = changed(M0, {"stages.s2.order": 3})
    inserted["properties"].append(inserted["properties"][0] | {"id": "docs_uploaded"})
    inserted["stages"].append({"id": "s1b", "order": 2, "entryStampId": "docs_uploaded", "terminal": True})
    assert rows(run(inserted).findings) == [("R2", "ERROR", name) for name in ("e0_120", "e0_20", "e1_30")]


def test_an_overlap_that_no_missing_exclusion_explains_stands_alone() -> None:
    """Where the later follow-up lost its entry gate, the overlap is a finding of its own beside R1."""
    found = run(without(M0, "e1_30", "age_qualified")).findings
    assert [(one.rule, one.target) for one in found] == [("R1", "e1_30"), ("R18", "e0_120"), ("R18", "e0_20")]
    assert found[1].state == {"welcome_sent": True}


def test_an_indirect_exclusion_is_a_warning() -> None:
    """R2 is a WARN where another property keeps the two stages apart, an ERROR where nobody is there to compare."""
    apart = copy.deepcopy(without(M0, "e1_30", "registration_link_sent"))
    apart["properties"].append(apart["properties"][0] | {"id": "in_person"})
    find(apart, "followUps", "e1_30")["propertyConditions"].append(equals("in_person"))
    find(apart, "followUps", "e2_60")["propertyConditions"].append(not_equals("in_person"))
    told = [one for one in run(apart).findings if one.rule == "R2"]
    assert rows(told) == [("R2", "WARN", "e1_30")]
    assert "only indirectly" in told[0].message
    assert "R18" not in rule_ids(run(apart).findings)
    alone = changed(apart, {"followUps.e2_60.active": False, "stages.s2.terminal": True})
    assert ("R2", "ERROR", "e1_30") in rows(run(alone).findings)


def test_a_stop_excluded_by_is_not_set_is_a_warning() -> None:
    """Who is stopped gets nothing, but whoever has an explicit false neither: WARN."""
    made = copy.deepcopy(WITHOUT_STOP)
    find(made, "followUps", "e1_30")["propertyConditions"].append(
        {"propertyId": "lead_declined", "operator": "IS_NOT_SET"}
    )
    assert rows(run(made).findings) == [("R3", "WARN", "e1_30")]


def test_causes_stand_before_consequences() -> None:
    """The order of a report is that of the causes, then rule, then target."""
    broken = changed(
        M0,
        {
            "followUps.e0_20.propertyConditions": [],
            "followUps.e1_30.minMinutesSinceLastInbound": 0,
            "followUps.e2_60.delayMinutesAfterPropertySet": 2880,
            "properties.is_minor.checkUntilMatch": False,
            "properties.lead_declined.type": "STRING",
            "agent.promptFlags": {"asksAgentToFollowUp": True},
        },
    )
    broken["dropOutReasons"][0]["notePropertyId"] = "why"
    wanted = ["R21", "R8", "R16", "R1", "R2", "R3", "R6", "R9", "R11", "R14", "R29"]
    assert [one.rule for one in run(broken).findings] == wanted
    strict = [one.rule for one in run(broken, STRICT).findings]
    assert [one for one in strict if one in wanted] == wanted
    assert strict.index("R29") < strict.index("X4") < strict.index("X5") < strict.index("X18")


def test_a_check_of_the_same_model_is_the_same_list() -> None:
    """Findings do not depend on the order of follow-ups, conditions or properties in the document."""
    broken = without(without(M0, "e0_20", "age_qualified"), "e2_60", "is_minor")
    turned = copy.deepcopy(broken)
    for one in turned["followUps"]:
        one["propertyConditions"].reverse()
    turned["properties"].reverse()
    turned["followUps"].reverse()
    told = [
        [(one.rule, one.target, one.severity, one.message) for one in run(each).findings] for each in (broken, turned)
    ]
    assert told[0] == told[1]


def test_a_waiver_takes_out_its_finding_and_says_so() -> None:
    """A waived finding does not stand, is kept beside its waiver, and no other is touched."""
    checked = run(with_waiver(WITHOUT_STOP))
    assert checked.findings == []
    assert not checked.failed
    ((finding, waiver),) = checked.waived
    assert (finding.rule, finding.target, waiver.reason) == ("R3", "e1_30", "agreed with the client")
    other = run(with_waiver(without(WITHOUT_STOP, "e2_60", "is_minor")))
    assert rows(other.findings) == [("R3", "ERROR", "e2_60")]
    assert other.failed


def test_a_waiver_without_target_is_for_the_rule() -> None:
    """Without a target every finding of the rule is waived."""
    checked = run(with_waiver(without(WITHOUT_STOP, "e2_60", "is_minor"), target=None))
    assert checked.findings == []
    assert [finding.target for finding, _ in checked.waived] == ["e1_30", "e2_60"]


@pytest.mark.parametrize(("expires", "holds"), [("2026-11-30", True), ("2026-11-29", False), ("2026-13-45", False)])
def test_a_waiver_holds_through_its_last_day(expires: str, holds: bool) -> None:
    """From the day after, or where the day is none, it is an ERROR of its own and waives nothing."""
    found = rows(run(with_waiver(WITHOUT_STOP, expires=expires)).findings)
    assert found == ([] if holds else [("R3", "ERROR", "e1_30"), ("W1", "ERROR", "e1_30")])


def test_an_expired_waiver_says_when_it_ended() -> None:
    """The message names the rule, the target and the day, the pointer the place."""
    told = run(with_waiver(WITHOUT_STOP, expires="2026-11-29")).findings[-1]
    assert told.message == "the waiver of R3 for e1_30 ended on 2026-11-29; expected a day that has not passed"
    assert told.pointer == "/waivers/0/expires"


def test_a_waiver_that_waives_nothing_is_a_warning() -> None:
    """A typing error in a target, or a finding that is mended, does not stay unseen."""
    assert rows(run(with_waiver(M0)).findings) == [("W2", "WARN", "e1_30")]
    assert rows(run(with_waiver(WITHOUT_STOP, target="e1-30")).findings) == [
        ("R3", "ERROR", "e1_30"),
        ("W2", "WARN", "e1-30"),
    ]


def test_evidence_can_be_waived() -> None:
    """A waiver for the overlap alone leaves the missing exclusion and counts as used."""
    checked = run(with_waiver(without(M0, "e0_20", "age_qualified"), rule="R18", target="e0_20"))
    assert rows(checked.findings) == [("R2", "ERROR", "e0_20")]
    assert checked.findings[0].evidence == []
    assert [finding.rule for finding, _ in checked.waived] == ["R18"]


def test_an_unknown_key_is_a_warning_with_its_pointer() -> None:
    """What the loader found odd is among the findings."""
    (told,) = run(changed(M0, {"followUps.e0_20.delayMinutes": 5})).findings
    assert (told.rule, told.severity, told.pointer) == ("K1", "WARN", "/followUps/0/delayMinutes")
    assert rule_name("K1") == "UNKNOWN_KEY"
    assert rule_name("R2") == "EXCLUDE_ALL_DOWNSTREAM"


def test_a_live_set_that_lacks_an_exclusion() -> None:
    """R28 says what differs on the platform, with the live R2 as evidence; identical sets differ in nothing."""
    (told,) = run(M0, live=without(M0, "e0_20", "age_qualified")).findings
    assert (told.rule, told.severity, told.target) == ("R28", "ERROR", "e0_20")
    assert told.detail["changes"] == ["without age_qualified NOT_EQUALS true"]
    assert [(one.rule, one.severity) for one in told.evidence] == [("R2", "ERROR")]
    assert told.evidence[0].message.startswith("on the platform: e0_20 does not exclude")
    assert run(M0, live=M0).findings == []


def test_a_live_set_that_differs_in_rows_and_flags() -> None:
    """Missing and extra follow-ups, clocks and property flags are told, one finding each."""
    live = changed(
        M0, {"followUps.e0_120.delayMinutesAfterPropertySet": 90, "properties.is_minor.checkUntilMatch": False}
    )
    find(live, "followUps", "e2_60")["id"] = "e2_99"
    found = run(M0, live=live).findings
    assert [(one.rule, one.target) for one in found] == [
        ("R28", "e0_120"),
        ("R28", "e2_60"),
        ("R28", "e2_99"),
        ("R28", "is_minor"),
    ]
    assert found[0].detail["changes"] == ["delayMinutesAfterPropertySet 90 instead of 120"]
    assert found[3].detail["changes"] == ["checkUntilMatch False instead of True"]
    assert "is in the model and not on the platform" in found[1].message
    assert "runs on the platform and is not in the model" in found[2].message


def test_a_partial_update_is_recognised_in_the_strict_profile() -> None:
    """A live follow-up without conditions or anchor that the model has is what a partial update leaves (X16)."""
    live = changed(M0, {"followUps.e1_30.propertyConditions": [], "followUps.e1_30.delayTriggerPropertyId": None})
    told = only(M0, "X16", profile=STRICT, live=live)
    assert (told.target, told.detail["lost"]) == ("e1_30", ["propertyConditions", "delayTriggerPropertyId"])
    assert "X16" not in rule_ids(run(M0, STRICT, live=without(M0, "e0_20", "age_qualified")).findings)


def test_a_follow_up_older_than_a_stage_it_does_not_exclude() -> None:
    """R28 speaks without a live set too: edited before the stage was made, and R2 fails."""
    made = changed(without(M0, "e0_20", "age_qualified"), {"stages.s1.createdAt": "2026-10-02T00:00:00Z"})
    stale = changed(made, {"followUps.e0_20.updatedAt": "2026-10-01T23:59:00Z"})
    assert rows(run(stale).findings) == [("R2", "ERROR", "e0_20"), ("R28", "ERROR", "e0_20")]
    fresh = changed(made, {"followUps.e0_20.updatedAt": "2026-10-03"})
    assert rows(run(fresh).findings) == [("R2", "ERROR", "e0_20")]
    odd = changed(made, {"followUps.e0_20.updatedAt": "yesterday"})
    assert rows(run(odd).findings) == [("R2", "ERROR", "e0_20")]


def test_a_backlog_is_counted_where_entrants_are_given() -> None:
    """X5 says how many have entered the stage so far."""
    found = {one.target: one for one in run(M0, STRICT, entrants={"s0": 812}).findings if one.rule == "X5"}
    assert "(812 so far)" in found["s0"].message
    assert "so far" not in found["s1"].message


def test_reach_under_null_is_told_in_numbers() -> None:
    """X11: at most the smallest share, about the product; an unknown rate is the doctrine's band."""
    seven = copy.deepcopy(M0)
    one = find(seven, "followUps", "e0_20")
    for each in one["propertyConditions"][1:]:
        each["operator"], each["value"] = "EQUALS", False
    for each in seven["properties"]:
        each["nullRate"] = None
    told = only(seven, "X11", profile=STRICT)
    assert told.detail["gates"] == 7
    assert told.detail["atMost"] == pytest.approx([0.02, 0.19])
    assert told.detail["independent"] == pytest.approx([1.28e-12, 8.94e-6], rel=1e-2)
    known = only(
        changed(seven, {f"properties.{one['id']}.nullRate": 0.9 for one in M0["properties"]}), "X11", profile=STRICT
    )
    assert known.detail["atMost"] == pytest.approx([0.1, 0.1])
    assert known.detail["independent"] == pytest.approx([1e-7, 1e-7])
    assert "at most 0.1 of leads can get it, about 1e-07 if" in known.message


def test_the_window_bound_is_told_in_minutes() -> None:
    """X3: lag 34, offset 1410, a tick less a minute: 1448."""
    told = only(changed(M0, {"followUps.e2_60.delayMinutesAfterPropertySet": 1410}), "X3", profile=STRICT)
    assert told.detail == {"bound": 1448, "window": 1440}
    assert told.fix.startswith("Shorten the wait of e2_60 by 9 minutes")


def test_the_budget_is_told_in_numbers() -> None:
    """X12: four messages within a day, four in all; a repeat adds to both."""
    told = only(changed(M0, {"agent.maxFollowUpsPerLeadPer24h": 3}), "X12", profile=STRICT)
    assert told.detail == {"perDay": 4, "total": 4, "limit": 3}
    edits = {"agent.maxFollowUpsPerLeadPer24h": 3, "followUps.e2_60.repeat": {"intervalMinutes": 1440, "maxRepeats": 5}}
    assert only(changed(M0, edits), "X12", profile=STRICT).detail == {"perDay": 4, "total": 9, "limit": 3}


def test_states_are_leads_for_whom_it_goes_wrong() -> None:
    """Findings about boxes carry the lead they are about: never entered, advanced, stopped, unknown, inverted."""
    assert only(without(M0, "e0_20", "welcome_sent"), "R1").state == {}
    assert only(WITHOUT_STOP, "R3").state == {"age_qualified": True, "lead_declined": True}
    assert only(without(M0, "e1_30", "registration_link_sent"), "R2").state == {
        "age_qualified": True,
        "registration_link_sent": True,
    }
    above = copy.deepcopy(M0)
    find(above, "followUps", "e1_30")["propertyConditions"].append(not_equals("welcome_sent"))
    assert only(above, "R20").state == {"age_qualified": True, "welcome_sent": True}


def test_names_are_shown_as_values() -> None:
    """A hostile id is one quoted, bounded word of a sentence and never a line or a colour of its own."""
    assert named("e0_20") == "e0_20"
    assert named("Deposit confirmed") == '"Deposit confirmed"'
    assert named("a\n\x1b[31mb") == '"a\\n\\u001b[31mb"'
    assert named("\u202egpj") == '"\\u202egpj"'
    assert named("x" * 300) == "x" * 79 + "…"
    assert listed([f"s{number}" for number in range(15)]).endswith("s11 and 3 more")
    assert literal("p", "IS_SET") == "p IS_SET"
    assert literal("p", "EQUALS", "a\nb") == 'p EQUALS "a\\nb"'
    hostile = json.loads(json.dumps(M0).replace("age_qualified", "x\\n\\u001b[31m`|<script>"))
    broken = without(hostile, "e0_20", "x\n\x1b[31m`|<script>")
    for one in flat(run(broken, STRICT).findings):
        assert (one.message + one.fix).isprintable()


def test_a_model_from_bytes_is_checked_like_one_from_a_document() -> None:
    """The findings are those of the document, whatever way it came."""
    data = json.dumps(WITHOUT_STOP).encode()
    assert rows(check(load_model(data, "m.json").model, today=TODAY)) == [("R3", "ERROR", "e1_30")]
