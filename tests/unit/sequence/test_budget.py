"""How many messages one lead may get, how late, and when two series of repeats come too close."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.sequence.loading import model_of
from mindloop.sequence.rules.budget import MOST, longest_quiet, most_per_day, most_sends, oldest_inbound, reach, repeats
from mindloop.sequence.rules.collisions import collision, first_within
from tests.helpers.sequences import base_model, changed

M0 = base_model()


def model(**edits: Any) -> Any:
    return model_of(changed(M0, {path.replace("__", "."): value for path, value in edits.items()})).model


def test_repeats_are_bounded_by_number_and_by_age() -> None:
    """Once and no repeat is 0, no bound is None, an age counts as the repeats that fit into it."""
    assert repeats(model().follow_up("e2_60")) == 0
    assert repeats(model(followUps__e2_60__repeat={"intervalMinutes": 60}).follow_up("e2_60")) is None
    by_age = model(
        followUps__e2_60__repeat={"intervalMinutes": 60, "maxRepeats": 9}, followUps__e2_60__maxAgeMinutes=200
    )
    assert repeats(by_age.follow_up("e2_60")) == 3


def test_sends_in_all() -> None:
    """Each follow-up once and its repeats; one without end is without end."""
    assert most_sends(model().follow_ups) == 4
    assert most_sends(model(followUps__e2_60__repeat={"intervalMinutes": 60, "maxRepeats": 2}).follow_ups) == 6
    assert most_sends(model(followUps__e2_60__repeat={"intervalMinutes": 60}).follow_ups) is None
    assert most_sends([]) == 0


@pytest.mark.parametrize(
    ("edits", "most"),
    [
        ({}, 4),
        ({"followUps__e0_120__delayMinutesAfterPropertySet": 1369}, 4),
        ({"followUps__e0_120__delayMinutesAfterPropertySet": 1370}, 3),
        ({"followUps__e1_30__delayMinutesAfterPropertySet": 1279, "followUps__e2_60__active": False}, 3),
        ({"followUps__e1_30__delayMinutesAfterPropertySet": 1340, "followUps__e2_60__active": False}, 2),
        ({"followUps__e2_60__repeat": {"intervalMinutes": 60, "maxRepeats": 3}}, 7),
        ({"followUps__e2_60__repeat": {"intervalMinutes": 1440, "maxRepeats": 3}}, 4),
        ({"followUps__e2_60__repeat": {"intervalMinutes": 1439, "maxRepeats": 3}}, 4),
        ({"followUps__e2_60__repeat": {"intervalMinutes": 720}}, 5),
        ({"followUps__e2_60__repeat": {"intervalMinutes": 300}}, 8),
        ({"followUps__e2_60__repeat": {"intervalMinutes": 1}}, MOST),
        ({"agent__minMinutesBetweenFollowUps": 720}, 2),
        ({"agent__minMinutesBetweenFollowUps": 1440}, 1),
    ],
)
def test_sends_within_a_day(edits: dict[str, Any], most: int) -> None:
    """The day begins anywhere in one stage and takes the first minutes of later ones."""
    assert most_per_day(model(**edits)) == most


def test_a_set_without_follow_ups_sends_nothing() -> None:
    """Nobody is due, nothing is sent."""
    assert most_per_day(model_of(M0 | {"followUps": []}).model) == 0


@pytest.mark.parametrize(
    ("edits", "bound"),
    [
        ({}, 34 + 60 + 4),
        ({"followUps__e2_60__minMinutesSinceLastInbound": 500}, 500 + 4),
        ({"runtime__quietHours": {"start": "20:00", "end": "08:00"}}, 34 + 60 + 4 + 720),
        ({"followUps__e2_60__repeat": {"intervalMinutes": 60, "maxRepeats": 2}}, 34 + 180 + 4),
        ({"followUps__e2_60__repeat": {"intervalMinutes": 60}}, 34 + 60 + 4),
        ({"followUps__e2_60__delayMinutesAfterPropertySet": None}, 35 + 4),
    ],
)
def test_how_old_the_last_message_may_be(edits: dict[str, Any], bound: int) -> None:
    """max(lag + offset, silence), a tick less a minute, the longest quiet hours, and the last repeat."""
    made = model(**edits)
    assert oldest_inbound(made.follow_up("e2_60"), made.runtime) == bound


@pytest.mark.parametrize(
    ("start", "end", "minutes"), [("20:00", "08:00", 720), ("09:00", "17:30", 510), ("08:00", "08:00", 0)]
)
def test_quiet_hours_last(start: str, end: str, minutes: int) -> None:
    """Over midnight too."""
    assert longest_quiet(model(runtime__quietHours={"start": start, "end": end}).runtime) == minutes


def test_reach() -> None:
    """No literal reaches all; the bound is the smallest share, the estimate the product."""
    assert reach([]) == (1.0, 1.0)
    assert reach([0.5, 0.9]) == (pytest.approx(0.1), pytest.approx(0.05))


def test_series_collide() -> None:
    """The repeats of 20 + 50k and 120 + 50m share the minute 120; 30 apart is no collision at 30."""
    assert collision((20, 50, 3), (120, 50, 3), 30) == (120, 120)
    assert collision((0, 60, None), (30, 60, None), 30) is None
    assert collision((0, 60, None), (30, 60, None), 31) == (60, 30)
    assert collision((20, 1, 0), (120, 1, 0), 30) is None
    assert collision((165, 1, 0), (20, 30, 5), 15) == (165, 170)


def test_first_within() -> None:
    """The smallest multiple whose remainder is small enough."""
    assert first_within(7, 5, 10, 1) == 5
    assert first_within(0, 5, 10, 1) is None
    assert first_within(4, 5, 10, 0) is None
    assert first_within(3, 0, 10, 0) == 0
