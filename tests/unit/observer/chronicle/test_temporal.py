"""Release windows and what a quote may say of versions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mindloop.observer.chronicle.temporal import Windows, temporal_lookup

A, B = "a" * 64, "b" * 64


def release(name: str, start: str, title: str = "", end: str | None = None) -> dict:
    return {"id": name, "taxonomy": "system.app.released", "title": title or f"{name} title", "start": start,
            "end": end, "confidence": "exact", "source": f"{name}.md", "url": None, "summary": ""}  # fmt: skip


def record(digest: str = A, timestamp: object = "2026-02-11T14:23:00Z", confidence: str = "exact") -> dict:
    return {"content_hash": digest, "source_timestamp": timestamp, "source_timestamp_confidence": confidence}


ONE = release("R1", "2026-01-01T00:00:00Z")
TWO = release("R2", "2026-02-01T12:00:00Z")
ALLOWED_ONE = {"version_attribution_allowed": True, "chronicle_ref": "R1", "release_name": "R1 title"}
ALLOWED_TWO = {"version_attribution_allowed": True, "chronicle_ref": "R2", "release_name": "R2 title"}


def denied(reason: str) -> dict:
    return {"version_attribution_allowed": False, "reason": reason}


def test_the_last_window_is_open_ended():
    """A quote after the newest release belongs to it, however late it is."""
    assert temporal_lookup([record(timestamp="2031-01-01T00:00:00Z")], [TWO, ONE]) == {A: ALLOWED_TWO}


def test_a_window_ends_where_the_next_release_starts():
    """A start belongs to the window it opens, the instant before it to the one it closes."""
    at = temporal_lookup([record(timestamp="2026-02-01T12:00:00Z")], [ONE, TWO])
    before = temporal_lookup([record(timestamp="2026-02-01T11:59:59Z")], [ONE, TWO])
    assert (at, before) == ({A: ALLOWED_TWO}, {A: ALLOWED_ONE})


def test_the_end_of_a_release_is_not_looked_at():
    """A release that ended long before the quote still owns it while no other has started."""
    ended = release("R1", "2026-01-01T00:00:00Z", end="2026-01-02T00:00:00Z")
    assert temporal_lookup([record()], [ended]) == {A: ALLOWED_ONE}


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (record(confidence="inferred"), "insufficient_confidence"),
        (record(confidence="unknown", timestamp=None), "insufficient_confidence"),
        ({"content_hash": A}, "insufficient_confidence"),
        (record(timestamp=None), "no_timestamp"),
        (record(timestamp="last tuesday"), "no_timestamp"),
        (record(timestamp=1739283780), "no_timestamp"),
        (record(timestamp="2025-12-31T23:59:59Z"), "no_enclosing_release_window"),
    ],
)
def test_every_refusal_has_its_reason(made, reason):
    """A record that may name no version says why."""
    assert temporal_lookup([made], [ONE, TWO]) == {A: denied(reason)}


def test_without_releases_nothing_may_be_named():
    """An empty chronicle allows no attribution."""
    assert temporal_lookup([record()], []) == {A: denied("no_enclosing_release_window")}


def test_of_equal_starts_the_last_id_owns_the_window():
    """Two releases at one instant: the order of the list does not matter, the last id wins."""
    twin = release("R1b", "2026-01-01T00:00:00Z")
    quoted = [record(timestamp="2026-01-05")]
    expected = {A: {"version_attribution_allowed": True, "chronicle_ref": "R1b", "release_name": "R1b title"}}
    assert temporal_lookup(quoted, [twin, ONE]) == temporal_lookup(quoted, [ONE, twin]) == expected


@pytest.mark.parametrize(
    ("timestamp", "expected"),
    [
        ("2026-02-01T13:30:00+02:00", ALLOWED_ONE),  # 11:30 in UTC
        ("2026-02-01T07:30:00-05:00", ALLOWED_TWO),  # 12:30 in UTC
        ("2026-02-01T12:30:00", ALLOWED_TWO),  # without a zone: UTC
        ("2026-02-01", ALLOWED_ONE),  # midnight, before that day's release
        ("2026-02-02", ALLOWED_TWO),
    ],
)
def test_instants_are_compared_not_spellings(timestamp, expected):
    """Offsets are honoured; a day is its midnight, also on the day of a release."""
    made = record(timestamp=timestamp, confidence="day_level")
    assert temporal_lookup([made], [ONE, TWO]) == {A: expected}


def test_the_hash_is_compared_bare():
    """Prefixes and upper case in the index lead to the same key; what is no hash is passed over."""
    made = [record(digest="sha256:" + "A" * 64), record(digest="short"), record(digest=None)]
    assert list(temporal_lookup(made, [ONE])) == [A]


def test_of_several_records_an_allowed_one_wins():
    """One usable record is enough, wherever it stands."""
    made = [record(confidence="unknown"), record(), record(timestamp=None)]
    assert temporal_lookup(made, [ONE]) == temporal_lookup(made[::-1], [ONE]) == {A: ALLOWED_ONE}


def test_of_several_allowed_records_the_surest_then_the_earliest_wins():
    """Exact goes before day_level; among equals the earliest."""
    made = [
        record(timestamp="2026-01-10", confidence="day_level"),
        record(timestamp="2026-03-02T00:00:00Z"),
        record(timestamp="2026-02-20T00:00:00Z"),
    ]
    assert temporal_lookup(made, [ONE, TWO]) == {A: ALLOWED_TWO}


def test_of_several_refusals_the_most_telling_stays():
    """The record that got furthest gives the reason."""
    made = [record(confidence="unknown"), record(timestamp="2020-01-01"), record(timestamp=None)]
    assert temporal_lookup(made, [ONE]) == {A: denied("no_enclosing_release_window")}
    assert temporal_lookup(made[::2], [ONE]) == {A: denied("no_timestamp")}


def test_windows_are_built_once_for_many_users():
    """A prepared table answers like the list it was made of."""
    windows = Windows([TWO, ONE, release("bad", "soon")])
    assert temporal_lookup([record(), record(B, None)], windows) == {A: ALLOWED_TWO, B: denied("no_timestamp")}
    assert windows.at(datetime(2025, 1, 1, tzinfo=UTC)) is None
