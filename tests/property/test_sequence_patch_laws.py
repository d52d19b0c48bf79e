"""Laws of mending: nothing mechanical is left, the second patch is empty, every operation is needed."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.sequence.check import check
from mindloop.sequence.loading import model_of
from mindloop.sequence.patch import guarded, patch
from mindloop.sequence.pointers import apply
from tests.helpers.damage import a_funnel, damaged
from tests.helpers.sequences import base_model

TODAY = "2026-11-30"
FUNNEL = a_funnel(5, 3)


def errors(document: dict[str, Any], profile: str = "doctrine") -> list[tuple[str, str]]:
    """Rule and target of every ERROR."""
    found = check(model_of(document).model, profile=profile, today=TODAY)
    return [(one.rule, one.target) for one in found if one.severity == "ERROR"]


@pytest.mark.parametrize("document", [base_model(), FUNNEL], ids=["M0", "5 stages"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damage_is_mended_by_the_least_that_mends_it(document: dict[str, Any], data: st.DataObject) -> None:
    """No ERROR is left, the next patch is empty, and without any one operation something is wrong again."""
    broken = data.draw(damaged(document))
    came = copy.deepcopy(broken)
    made = patch(model_of(broken).model, today=TODAY)
    assert broken == came
    assert [one.as_json() for one in made.unresolved] == []
    assert errors(made.document) == []
    assert apply(broken, made.operations) == made.document == made.model.written
    assert apply(broken, guarded(broken, made.operations)) == made.document
    again = patch(made.model, today=TODAY)
    assert (again.operations, again.payloads, again.unresolved) == ([], [], [])
    for left_out in range(len(made.operations)):
        rest = [one for at, one in enumerate(made.operations) if at != left_out]
        assert errors(apply(broken, rest)), made.operations[left_out]


@settings(max_examples=40, deadline=None)
@given(broken=damaged(FUNNEL))
def test_a_strict_patch_mends_what_the_strict_profile_says(broken: dict[str, Any]) -> None:
    """Silence gates are staggered and cover the lag, stamps are latched; the second patch is empty."""
    made = patch(model_of(broken).model, today=TODAY, profile="strict")
    assert errors(made.document, "strict") == []
    assert patch(made.model, today=TODAY, profile="strict").operations == []
    for left_out in range(len(made.operations)):
        rest = [one for at, one in enumerate(made.operations) if at != left_out]
        assert errors(apply(broken, rest), "strict"), made.operations[left_out]


@settings(max_examples=40, deadline=None)
@given(broken=damaged(base_model()))
def test_payloads_write_what_the_patch_says(broken: dict[str, Any]) -> None:
    """Their replacements alone mend every follow-up and property, and every write holds all conditions and knobs."""
    made = patch(model_of(broken).model, today=TODAY)
    document = broken
    for payload in made.payloads:
        document = apply(document, payload.operations)
    assert {key: document.get(key) for key in ("properties", "followUps")} == {
        key: made.document.get(key) for key in ("properties", "followUps")
    }
    for payload in made.payloads:
        if payload.tool == "upsert_workflow":
            one = made.model.follow_up(payload.target)
            assert one is not None
            given = [
                (each["propertyId"], each["operator"], each["value"])
                for each in payload.arguments["propertyConditions"]
            ]
            assert given == [(each.property_id, each.operator, each.value) for each in one.conditions]
            assert payload.arguments["delayTriggerPropertyId"] == one.anchor
            assert payload.arguments["minMinutesSinceLastInbound"] == one.silence
