"""Mutations of the complete model: every change that breaks the doctrine is seen, whatever it is."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.sequence.check import check
from mindloop.sequence.findings import rule_ids
from mindloop.sequence.loading import model_of
from mindloop.sequence.words import ORDERED, STRICT
from tests.helpers.sequences import DOWNSTREAM, STAMPS, STOPS, base_model, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    Mutant = tuple[str, dict[str, Any], set[str]]

M0 = base_model()
TODAY = "2026-11-30"
LITERALS = [(at, number) for at, one in enumerate(M0["followUps"]) for number in range(len(one["propertyConditions"]))]


def found(document: dict[str, Any], profile: str = "doctrine") -> set[str]:
    return rule_ids(check(model_of(document).model, profile=profile, today=TODAY))


def literal_name(at: int, number: int) -> str:
    return f"{M0['followUps'][at]['id']}.{M0['followUps'][at]['propertyConditions'][number]['propertyId']}"


def mutated(at: int, number: int, **values: Any) -> dict[str, Any]:
    made = copy.deepcopy(M0)
    made["followUps"][at]["propertyConditions"][number] |= values
    return made


def test_the_complete_model_has_29_gate_literals() -> None:
    """4 entry gates, 2 + 2 + 1 exclusions of later stages, 20 of stops."""
    assert len(LITERALS) == 29


@pytest.mark.parametrize(("at", "number"), LITERALS, ids=[literal_name(*one) for one in LITERALS])
def test_a_deleted_literal_is_seen(at: int, number: int) -> None:
    """Deleting any of the 29 literals draws the rule of its role on that follow-up, and no stranger."""
    made = copy.deepcopy(M0)
    gone = made["followUps"][at]["propertyConditions"].pop(number)["propertyId"]
    follow_up = made["followUps"][at]
    findings = check(model_of(made).model, today=TODAY)
    rule = "R1" if number == 0 else "R3" if gone in STOPS else "R2"
    told = [one for one in findings if one.rule == rule]
    assert [one.target for one in told] == [follow_up["id"]]
    assert told[0].severity == "ERROR"
    assert gone in told[0].fix
    assert rule_ids(findings) <= {rule, "R18"}


OTHERS = ["EQUALS", "NOT_EQUALS", *ORDERED, "IS_SET", "IS_NOT_SET"]


@pytest.mark.parametrize(("at", "number"), LITERALS, ids=[literal_name(*one) for one in LITERALS])
def test_another_operator_or_value_is_seen(at: int, number: int) -> None:
    """No other operator and no other value of any of the 29 literals passes."""
    came = M0["followUps"][at]["propertyConditions"][number]
    for operator in OTHERS:
        if operator != came["operator"]:
            assert found(mutated(at, number, operator=operator)), operator
    for value in (False, "true", "false", 1, 0, None, ""):
        assert found(mutated(at, number, value=value)), value


@pytest.mark.parametrize(("at", "number"), LITERALS, ids=[literal_name(*one) for one in LITERALS])
def test_another_property_is_seen(at: int, number: int) -> None:
    """A literal that moves to any other property leaves a hole that is seen."""
    came = M0["followUps"][at]["propertyConditions"][number]["propertyId"]
    for name in (*STAMPS, *STOPS, "no_such_property"):
        if name != came:
            assert found(mutated(at, number, propertyId=name)), name


def clock_mutants() -> Iterator[Mutant]:
    for one in M0["followUps"]:
        path = f"followUps.{one['id']}"
        for name in (*STAMPS, *STOPS, None, "no_such_property"):
            if name != one["delayTriggerPropertyId"]:
                yield f"{path} anchor {name}", changed(M0, {f"{path}.delayTriggerPropertyId": name}), {"R4"}
        for key, values, rule in (
            ("delayMinutesAfterPropertySet", (None, 0, -20), "R5"),
            ("minMinutesSinceLastInbound", (None, 0, -20), "R6"),
            ("minMinutesSinceLastInbound", (1, 15, 33), "X2"),
            ("delayMinutesAfterPropertySet", (1440, 9999), "R11"),
            ("minMinutesSinceLastInbound", (1440, 9999), "R11"),
            ("repeat", ({"intervalMinutes": 30},), "R30"),
            ("type", ("REMINDER",), "R15"),
            ("purpose", ("RESCUE",), "R12"),
        ):
            for value in values:
                yield f"{path} {key} {value}", changed(M0, {f"{path}.{key}": value}), {rule}


def spacing_mutants() -> Iterator[Mutant]:
    for minutes in (1, 20, 48, 49):
        for key, rules in (("delayMinutesAfterPropertySet", {"R5", "X1"}), ("minMinutesSinceLastInbound", {"X1"})):
            yield f"e0_120 {key} {minutes}", changed(M0, {f"followUps.e0_120.{key}": minutes}), rules


def stage_mutants() -> Iterator[Mutant]:
    for one in M0["followUps"]:
        for stage in ("s0", "s1", "s2", "s9"):
            if stage != one["stageId"]:
                moved = changed(M0, {f"followUps.{one['id']}.stageId": stage})
                yield f"{one['id']} of {stage}", moved, {"R21"} if stage == "s9" else {"R4", "R35"}


def flag_mutants() -> Iterator[Mutant]:
    for name in (*STAMPS, *STOPS):
        path = f"properties.{name}"
        latch = {"R9"} if name in STOPS else {"R25"}
        yield f"{name} latch off", changed(M0, {f"{path}.checkUntilMatch": False}), latch
        for value in (False, None, "true", 1):
            yield f"{name} target {value!r}", changed(M0, {f"{path}.terminalValue": value}), latch
        yield f"{name} pipeline off", changed(M0, {f"{path}.includeInLlm": False}), {"R10"}
        yield f"{name} by the agent", changed(M0, {f"{path}.setBy": "AGENT"}), {"R22"}
        for kind in ("STRING", "DATE", "NUMBER"):
            yield f"{name} a {kind}", changed(M0, {f"{path}.type": kind}), {"R8"}
        renamed = changed(M0, {f"{path}.id": "renamed"})
        yield f"{name} renamed", renamed, {"R21"}
        label = changed(M0, {f"{path}.label": "is-minor" if name != "is_minor" else "Bad Fit"})
        yield f"{name} label taken", label, {"R21b"}


def set_mutants() -> Iterator[Mutant]:
    for at, stage in enumerate(M0["stages"]):
        for other in M0["stages"]:
            if other is not stage:
                yield f"{stage['id']} order", changed(M0, {f"stages.{at}.order": other["order"]}), {"R24"}
                stamp = changed(M0, {f"stages.{at}.entryStampId": other["entryStampId"]})
                yield f"{stage['id']} stamp of {other['id']}", stamp, {"R24"}
        yield f"{stage['id']} stamp a stop", changed(M0, {f"stages.{at}.entryStampId": "bad_fit"}), {"R23"}
    yield "stages turned", changed(M0, {"stages.s0.order": 9}), {"R2", "R20"}
    for at, stop in enumerate(STOPS):
        reasons = [one for one in M0["dropOutReasons"] if one["stopPropertyId"] == stop]
        wanted = {"R14" if reasons[0]["agentOutcome"] == "NO_RESPONSE" else "R13"}
        yield f"{stop} no stop", M0 | {"stops": [one for one in M0["stops"] if one["propertyId"] != stop]}, wanted
        yield f"{stop} a stamp too", changed(M0, {f"stops.{at}.propertyId": STAMPS[2]}), wanted | {"R23"}


MUTANTS = [*clock_mutants(), *spacing_mutants(), *stage_mutants(), *flag_mutants(), *set_mutants()]


@pytest.mark.parametrize(("document", "rules"), [one[1:] for one in MUTANTS], ids=[one[0] for one in MUTANTS])
def test_a_mutant_draws_its_rule(document: dict[str, Any], rules: set[str]) -> None:
    """Anchors, offsets, gates, flags, types, names, stages and stops: each change draws the rule that is about it."""
    assert rules <= found(document, STRICT)


def test_the_exclusions_of_the_complete_model_are_all_that_it_needs() -> None:
    """The literals are the entry stamp, the later stamps and the stops of each follow-up, no more."""
    for one in M0["followUps"]:
        names = [each["propertyId"] for each in one["propertyConditions"]]
        stamp = one["delayTriggerPropertyId"]
        assert names == [stamp, *DOWNSTREAM[stamp], *STOPS]
