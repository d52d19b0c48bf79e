"""Reading scenarios: what they may hold, and errors that name the place."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.sequence.loading import model_of
from mindloop.sequence.scenario import load_scenario, scenario_of
from mindloop.sequence.simulator.engine import simulate
from mindloop.store.errors import MindloopError, WrongInput
from tests.helpers.sequences import a_scenario, golden_model, inbound, truth


def test_a_scenario_has_its_defaults() -> None:
    """Minute 0 is a Monday at midnight UTC; one runner, no fault; an event's value is true."""
    read = scenario_of(a_scenario([{"t": 3, "type": "TRUTH", "propertyId": "p"}])).scenario
    assert read.epoch == datetime(2026, 1, 5, tzinfo=UTC)
    assert read.epoch.weekday() == 0
    assert (read.faults.runners, read.faults.once_key, read.faults.outages) == (1, False, [])
    assert (read.leads[0].reachable, read.leads[0].events[0].value) == (True, True)


def test_json_and_yaml_say_the_same() -> None:
    """A scenario in YAML plays like the one in JSON; an epoch with an offset is turned to UTC."""
    yaml = b"""
horizonMinutes: 200
epoch: "2026-01-05T02:00:00+02:00"
leads:
  - id: l1
    events:
      - {t: 0, type: INBOUND}
      - {t: 1, type: TRUTH, property_id: welcome_sent, value: true}
"""
    model = model_of(golden_model()).model
    document = a_scenario([*inbound(0), truth(1, "welcome_sent")], 200)
    from_yaml = load_scenario(yaml, "s.yaml")
    assert from_yaml.warnings == []
    from_json = load_scenario(json.dumps(document).encode(), "s.json")
    assert simulate(model, from_yaml.scenario).as_document() == simulate(model, from_json.scenario).as_document()


def test_an_unknown_key_is_a_warning() -> None:
    """With the key that was probably meant."""
    loaded = scenario_of(a_scenario([{"t": 0, "type": "INBOUND", "followUp": "x"}]))
    assert loaded.warnings == [
        ("/leads/0/events/0/followUp", "unknown key 'followUp'; did you mean followUpId?; it is kept and not used")
    ]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (None, ["found nothing, expected an object"]),
        ({"leads": []}, ["horizonMinutes missing"]),
        ({"horizonMinutes": 1.5, "leads": []}, ["/horizonMinutes", "integer"]),
        ({"horizonMinutes": True, "leads": []}, ["/horizonMinutes"]),
        (a_scenario([{"t": -1, "type": "INBOUND"}]), ["/leads/0/events/0/t", "at least 0"]),
        (a_scenario([{"t": 0, "type": "PHONE"}]), ["/leads/0/events/0/type", "INBOUND"]),
        (a_scenario([{"t": 0, "type": "TRUTH"}]), ["/leads/0/events/0", "propertyId missing"]),
        (a_scenario([{"t": 0, "type": "CONFIG_CHANGE", "changes": {"a": 1}}]), ["followUpId missing"]),
        (a_scenario([{"t": 0, "type": "CONFIG_CHANGE", "followUpId": "f"}]), ["changes missing"]),
        (a_scenario([{"t": 0, "type": "MUTE", "value": 1}]), ["/leads/0/events/0/value", "true or false"]),
        (a_scenario([], epoch="yesterday"), ["/epoch", "'yesterday'", "2026-01-05T00:00:00Z"]),
        (a_scenario([], epoch="9999-01-01T00:00:00Z"), ["/epoch", "1970 to 2200"]),
        (a_scenario([], faults={"outages": [{"from": 9, "to": 2}]}), ["/faults/outages/0", "expected 9 or later"]),
        ({"horizonMinutes": 1, "leads": [{"id": "a"}, {"id": "a"}]}, ["/leads/1/id", "taken by /leads/0"]),
        (
            {"horizonMinutes": 1, "leads": [{"id": "a", "properties": {"p": [1]}}]},
            ["/leads/0/properties", "holds a list"],
        ),
    ],
)
def test_a_mistake_is_named_by_its_pointer(document: Any, words: list[str]) -> None:
    """What came and what was expected."""
    with pytest.raises(WrongInput) as refused:
        scenario_of(document)
    assert [one for one in words if one not in str(refused.value)] == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["horizonMinutes", "leads", "events", "id", "t", "type", "faults", "epoch", "value", "runtime"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=200) | st.builds(lambda value: json.dumps(value).encode(), JSON))
def test_nothing_but_an_error_that_says_what_to_do_comes_of_any_bytes(data: bytes) -> None:
    """Bytes of anybody's: a scenario that plays, or a MindloopError."""
    try:
        read = load_scenario(data, "any").scenario
    except MindloopError:
        return
    if read.horizon < 10_000:
        assert simulate(model_of(golden_model()).model, read).counts["messages"] >= 0


@settings(deadline=None, max_examples=300)
@given(st.lists(st.integers(0, 9), max_size=3), JSON)
def test_a_scenario_with_anything_in_it_plays_or_is_refused(path: list[int], value: Any) -> None:
    """A value of a sound scenario replaced by any other."""
    document = a_scenario([*inbound(0), truth(1, "welcome_sent")], 60, faults={"runners": 1, "outages": []})
    here: Any = document
    for at, step in enumerate(path):
        keys = list(here) if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else []
        if not keys:
            break
        key = keys[step % len(keys)]
        if at == len(path) - 1 or not isinstance(here[key], dict | list):
            here[key] = value
            break
        here = here[key]
    try:
        read = scenario_of(document).scenario
        timeline = simulate(model_of(golden_model()).model, read) if read.horizon < 10_000 else None
    except MindloopError:
        return
    assert timeline is None or timeline.counts["runs"] >= 0
