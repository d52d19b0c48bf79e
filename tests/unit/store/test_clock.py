"""The clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from mindloop.store import clock
from mindloop.store.errors import WrongInput

NOON = datetime(2026, 2, 11, 12, 0, tzinfo=UTC)


def test_now_is_aware_utc_without_fraction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock gives whole seconds in UTC, so what is written equals what was in memory."""
    monkeypatch.delenv("MINDLOOP_NOW", raising=False)

    assert clock.now().tzinfo is UTC
    assert clock.now().microsecond == 0


def test_now_can_be_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """MINDLOOP_NOW replaces the clock."""
    monkeypatch.setenv("MINDLOOP_NOW", "2026-02-11T13:00:00.75+01:00")

    assert clock.now() == NOON


@pytest.mark.parametrize("bad", ["now", "1770811380", "2026-02-30", "2026-02-11T25:00Z"])
def test_a_bad_fixed_clock_is_refused(bad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A MINDLOOP_NOW that is no instant is an error, not a silent fall-back."""
    monkeypatch.setenv("MINDLOOP_NOW", bad)

    with pytest.raises(WrongInput, match="MINDLOOP_NOW is"):
        clock.now()


def test_stamp_and_day() -> None:
    """Files hold whole seconds with a Z; the day is the UTC day."""
    late = datetime(2026, 2, 11, 0, 30, 15, 999999, tzinfo=timezone(timedelta(hours=2)))

    assert clock.stamp(late) == "2026-02-10T22:30:15Z"
    assert clock.day(late) == "2026-02-10"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2026-02-11", datetime(2026, 2, 11, tzinfo=UTC), id="date is midnight"),
        pytest.param("2026-02-11T12:00:00Z", NOON, id="Z"),
        pytest.param("2026-02-11t12:00:00z", NOON, id="lower case"),
        pytest.param("2026-02-11 12:00", NOON, id="naive is UTC"),
        pytest.param("2026-02-11T14:00+02:00", NOON, id="offset"),
        pytest.param("  2026-02-11T12:00:00Z\n", NOON, id="blanks"),
        pytest.param("2026-02-11T12:00:00.000001Z", NOON.replace(microsecond=1), id="fraction"),
        pytest.param("2026-13-45", None, id="no such day"),
        pytest.param("20260211", None, id="digits only"),
        pytest.param("2026-W07-3", None, id="week"),
        pytest.param("2026-02-11x12:00", None, id="odd separator"),
        pytest.param("٢٠٢٦-02-11", None, id="other digits"),
        pytest.param("0001-01-01T00:00:00+10:00", None, id="before the first year"),
        pytest.param("", None, id="empty"),
        pytest.param(None, None, id="null"),
        pytest.param(5, None, id="number"),
    ],
)
def test_parse_instant(text: object, expected: datetime | None) -> None:
    """ISO dates and times become aware UTC; everything else is None."""
    assert clock.parse_instant(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("2026-02-11", True), (" 2026-02-11 ", True), ("2026-02-11T00:00Z", False), ("", False)]
)
def test_is_date_only(text: str, expected: bool) -> None:
    """Only the bare form YYYY-MM-DD is a date without a time."""
    assert clock.is_date_only(text) is expected
