"""The difference of two models as operations."""

from __future__ import annotations

import copy

from mindloop.sequence.changes import as_written, changes
from mindloop.sequence.pointers import apply
from tests.helpers.sequences import base_model, changed, equals, not_equals


def test_the_same_document_needs_no_operation() -> None:
    """Nothing differs, nothing is to be done; the order of conditions is no difference."""
    turned = base_model()
    turned["followUps"][0]["propertyConditions"].reverse()
    assert changes(base_model(), base_model()) == []
    assert changes(base_model(), turned) == []


def test_conditions_are_replaced_then_removed_then_added() -> None:
    """Each operation stands for one condition, and none moves another's target."""
    before, after = base_model(), base_model()
    conditions = before["followUps"][0]["propertyConditions"]
    conditions[0]["value"] = False
    conditions[3] = equals("bad_fit", False)
    del conditions[1]
    conditions += [not_equals("other"), not_equals("welcome_sent")]
    found = changes(before, after)
    base = "/followUps/0/propertyConditions"
    assert found == [
        {"op": "replace", "path": f"{base}/0/value", "value": True},
        {"op": "replace", "path": f"{base}/2", "value": not_equals("bad_fit")},
        {"op": "remove", "path": f"{base}/8"},
        {"op": "remove", "path": f"{base}/7"},
        {"op": "add", "path": f"{base}/1", "value": not_equals("age_qualified")},
    ]
    assert apply(before, found) == after


def test_entries_are_matched_by_their_id() -> None:
    """A follow-up that moved in the list is the same one."""
    before = changed(base_model(), {"followUps.e1_30.delayMinutesAfterPropertySet": 99})
    after = base_model()
    after["followUps"].reverse()
    assert changes(before, after) == [
        {"op": "replace", "path": "/followUps/2/delayMinutesAfterPropertySet", "value": 30}
    ]


def test_other_values_are_added_removed_and_replaced() -> None:
    """Keys of objects one by one, lists without names as a whole."""
    before = {"agent": {"id": "a", "channels": ["WEB"], "x": 1}, "stops": [{"propertyId": "p"}]}
    after = {"agent": {"id": "a", "channels": ["WEB", "OTHER"], "y": {}}, "stops": [{"propertyId": "q"}]}
    assert changes(before, after) == [
        {"op": "remove", "path": "/agent/x"},
        {"op": "replace", "path": "/agent/channels", "value": ["WEB", "OTHER"]},
        {"op": "add", "path": "/agent/y", "value": {}},
        {"op": "remove", "path": "/stops/0"},
        {"op": "add", "path": "/stops/-", "value": {"propertyId": "q"}},
    ]


def test_operations_are_spelled_as_the_document_is() -> None:
    """Column names stay column names, in pointers and in what is added; the rest is as in the canonical spelling."""
    document = {
        "properties": [{"id": "p", "check_until_match": False, "set_by": "EVALUATOR"}],
        "follow_ups": [
            {"id": "f", "workflow_property_conditions": [{"property_id": "p", "operator": "EQUALS", "value": False}]}
        ],
        "stops": [],
    }
    before = copy.deepcopy(document)
    found = as_written(
        document,
        [
            {"op": "replace", "path": "/properties/0/checkUntilMatch", "value": True},
            {"op": "add", "path": "/properties/0/terminalValue", "value": True},
            {"op": "replace", "path": "/followUps/0/propertyConditions/0", "value": not_equals("p")},
            {"op": "add", "path": "/followUps/0/propertyConditions/-", "value": not_equals("q")},
            {"op": "add", "path": "/stops/-", "value": {"propertyId": "q"}},
        ],
    )
    snake = {"operator": "NOT_EQUALS", "value": True}
    assert found == [
        {"op": "replace", "path": "/properties/0/check_until_match", "value": True},
        {"op": "add", "path": "/properties/0/terminal_value", "value": True},
        {
            "op": "replace",
            "path": "/follow_ups/0/workflow_property_conditions/0",
            "value": {"property_id": "p"} | snake,
        },
        {"op": "add", "path": "/follow_ups/0/workflow_property_conditions/-", "value": {"property_id": "q"} | snake},
        {"op": "add", "path": "/stops/-", "value": {"propertyId": "q"}},
    ]
    assert document == before
