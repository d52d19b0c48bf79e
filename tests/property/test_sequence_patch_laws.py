"""Laws of mending: nothing mechanical is left, the second patch is empty, every operation is needed."""

from __future__ import annotations

import contextlib
import copy
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.sequence.changes import as_written, changes
from mindloop.sequence.check import check
from mindloop.sequence.document import document_text, read_document
from mindloop.sequence.loading import model_of
from mindloop.sequence.patch import guarded, patch
from mindloop.sequence.pointers import PatchRefused, apply, pointer, same, steps_of, value_at
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


@pytest.mark.parametrize("profile", ["doctrine", "strict"])
@settings(max_examples=60, deadline=None)
@given(broken=damaged(a_funnel(3, 2), 8, badly=True))
def test_what_needs_a_decision_never_makes_a_patch_go_wrong(profile: str, broken: dict[str, Any]) -> None:
    """Whatever the damage: what is left is listed, every operation is needed, the next patch is empty."""
    made = patch(model_of(broken).model, today=TODAY, profile=profile)
    left = [(one.rule, one.target) for one in made.unresolved]
    assert left == errors(made.document, profile)
    assert apply(broken, made.operations) == made.document
    assert patch(made.model, today=TODAY, profile=profile).operations == []
    for left_out in range(len(made.operations)):
        rest = [one for at, one in enumerate(made.operations) if at != left_out]
        assert Counter(errors(apply(broken, rest), profile)) - Counter(left), made.operations[left_out]
    for one in made.unresolved:
        value_at(made.document, one.pointer.rpartition("/")[0])


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


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
)
KEYS = st.sampled_from(("a", "b", "~", "/", "~1", "", "id", "stages", "propertyConditions")) | st.text(max_size=2)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)


@settings(max_examples=200, deadline=None)
@given(steps=st.lists(KEYS | st.integers(0, 3).map(str), max_size=5))
def test_a_pointer_is_its_steps(steps: list[str]) -> None:
    """Whatever characters the steps are made of."""
    assert steps_of(pointer(steps)) == steps


def places(value: Any, way: tuple[object, ...] = ()) -> Any:
    """Every place of a document and what stands there."""
    yield way, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*way, key))


@settings(max_examples=150, deadline=None)
@given(document=VALUES)
def test_every_place_can_be_named_tested_removed_and_put_back(document: Any) -> None:
    """Removing and adding is replacing; the document itself never changes."""
    for way, value in places(document):
        path = pointer(way)
        assert value_at(document, path) is value
        assert apply(document, [{"op": "test", "path": path, "value": value}]) == document
        if way:
            again = [{"op": "remove", "path": path}, {"op": "add", "path": path, "value": value}]
            assert same(apply(document, again), document)
            assert same(apply(document, [{"op": "move", "from": path, "path": path}]), document)


OPERATIONS = st.fixed_dictionaries(
    {},
    optional={
        "op": st.sampled_from(("add", "remove", "replace", "move", "copy", "test")) | VALUES,
        "path": st.lists(KEYS | st.sampled_from(("0", "1", "-")), max_size=3).map(pointer) | VALUES,
        "from": st.lists(KEYS | st.sampled_from(("0", "1", "-")), max_size=3).map(pointer) | VALUES,
        "value": VALUES,
    },
)


@settings(max_examples=300, deadline=None)
@given(document=VALUES, operations=st.lists(OPERATIONS | VALUES, max_size=4))
def test_any_patch_is_applied_or_refused(document: Any, operations: list[Any]) -> None:
    """Nothing but a refusal is ever raised, and the document that came is as it was."""
    came = copy.deepcopy(document)
    with contextlib.suppress(PatchRefused):
        apply(document, operations)
    assert same(document, came)


@settings(max_examples=200, deadline=None)
@given(before=VALUES, after=VALUES)
def test_the_difference_of_any_two_documents_leads_from_one_to_the_other(before: Any, after: Any) -> None:
    """Documents without lists of conditions; those are compared without regard to order."""
    if any(way and way[-1] in {"stages", "propertyConditions"} for way, _ in (*places(before), *places(after))):
        return
    operations = changes(before, after)
    assert same(apply(before, operations), after)
    assert as_written(before, operations) == operations or "_" in repr(before)


@settings(max_examples=200, deadline=None)
@given(document=st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), name=st.sampled_from(("m.json", "m.yaml")))
def test_a_document_that_was_written_is_read_as_it_was(document: dict[str, Any], name: str) -> None:
    """In both formats, with the types of all values and the order of all keys."""
    text = document_text(document, b"{}" if name == "m.json" else b"a: 1", name)
    again = read_document(text.encode(), name)
    assert repr(again) == repr(document)
