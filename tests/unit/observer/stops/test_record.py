"""A stop as a value: it stands once, it can be given another reason, and what was before stays told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mindloop.observer.stops.record import REASONS, is_stopped, resumed, stopped
from mindloop.store import schemas
from mindloop.store.documents import yaml_text
from mindloop.store.errors import WrongInput

FIRST = datetime(2026, 2, 1, 9, tzinfo=UTC)
LATER = datetime(2026, 2, 8, 9, tzinfo=UTC)


def first(reason: str = "declined") -> dict[str, Any]:
    return stopped(None, "Ann", reason, FIRST)


def test_a_new_stop_says_who_why_and_since_when() -> None:
    """The document of a user who was never stopped before."""
    assert first() == {
        "schema_version": 1,
        "user": "Ann",
        "state": "stopped",
        "reason": "declined",
        "since": "2026-02-01T09:00:00Z",
        "history": [],
    }


def test_the_same_reason_again_changes_nothing() -> None:
    """The stop still stands since the day on which it began."""
    assert stopped(first(), "Ann", "declined", LATER) == first()


def test_another_reason_ends_the_first_and_begins_anew() -> None:
    """The first reason goes into the history with both its ends."""
    found = stopped(first(), "Ann", "opted_out", LATER)

    assert (found["state"], found["reason"], found["since"]) == ("stopped", "opted_out", "2026-02-08T09:00:00Z")
    assert found["history"] == [{"reason": "declined", "from": "2026-02-01T09:00:00Z", "until": "2026-02-08T09:00:00Z"}]


def test_a_lifted_stop_is_told_in_the_history() -> None:
    """Nobody is stopped afterwards, and the user can be stopped again for the same reason."""
    lifted = resumed(first(), LATER)
    again = stopped(lifted, "Ann", "declined", datetime(2026, 2, 9, 9, tzinfo=UTC))

    assert (lifted["state"], lifted["reason"], lifted["since"]) == ("running", None, "2026-02-08T09:00:00Z")
    assert (is_stopped(first()), is_stopped(lifted), is_stopped(again), is_stopped(None)) == (True, False, True, False)
    assert (
        lifted["history"]
        == again["history"]
        == [{"reason": "declined", "from": "2026-02-01T09:00:00Z", "until": "2026-02-08T09:00:00Z"}]
    )
    assert again["since"] == "2026-02-09T09:00:00Z"


def test_lifting_what_does_not_stand_changes_nothing() -> None:
    """The document of a user who is written to stays as it is."""
    lifted = resumed(first(), LATER)

    assert resumed(lifted, datetime(2026, 3, 1, tzinfo=UTC)) == lifted


@pytest.mark.parametrize("reason", ["", "Declined", "because", "opted out", "x" * 500])
def test_a_reason_that_does_not_exist_is_refused_with_the_list(reason: str) -> None:
    """The error names every reason and what it means."""
    with pytest.raises(WrongInput) as caught:
        stopped(None, "Ann", reason, FIRST)

    assert all(word in caught.value.hint for word in REASONS)
    assert len(caught.value.message) < 100


def test_fields_of_later_versions_stay() -> None:
    """What this version does not know survives a stop and its end, beside what it does."""
    known = {**first(), "channel": "discord", "history": [{**history(), "by": "kim"}]}

    assert resumed(known, LATER)["channel"] == "discord"
    assert stopped(known, "Ann", "converted", LATER)["history"][0] == {**history(), "by": "kim"}


def history() -> dict[str, str]:
    return {"reason": "escalated", "from": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}


def test_a_stop_that_never_said_why_leaves_no_reason_behind() -> None:
    """A file made by hand may have no reason and no history: it stops, and its end is not told as something else's."""
    bare = {"schema_version": 1, "user": "Ann", "state": "stopped", "since": "2026-02-01"}

    assert is_stopped(bare)
    assert resumed(bare, LATER)["history"] == []


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_in_the_schema(reason: str) -> None:
    """What the code can write, the schema allows, and the other way round."""
    schema = schemas.load_schema("stop")["properties"]

    assert yaml_text(first(reason), "stop", "stops/ann.yaml")
    assert schema["reason"]["enum"] == [*REASONS, None]
    assert schema["history"]["items"]["properties"]["reason"]["enum"] == [*REASONS]
