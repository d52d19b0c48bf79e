"""When something was said: exact, to the day, or unknown; never guessed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mindloop.observer.exports.stamps import Stamps
from mindloop.store.errors import WrongInput

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
OPEN = "that can be DD/MM or MM/DD, and none written alike tells which: undated; pass --date-order"


def stamps(*learned, zone=None, order=None):
    made = Stamps(zone=zone, order=order, now=NOW)
    for raw in learned:
        made.learn(raw)
    return made


def resolved(raw, **given):
    return stamps(raw, **given).resolve(raw)


@pytest.mark.parametrize(
    ("raw", "instant"),
    [
        ("2026-02-11T14:23:05.123+00:00", "2026-02-11T14:23:05Z"),
        ("2026-02-11T14:23:05.1234567+00:00", "2026-02-11T14:23:05Z"),
        ("2026-02-11T14:23:05Z", "2026-02-11T14:23:05Z"),
        ("2026-02-11t14:23:05z", "2026-02-11T14:23:05Z"),
        ("2026-02-11T23:30:00-05:00", "2026-02-12T04:30:00Z"),
        ("2026-02-11T14:23+0530", "2026-02-11T08:53:00Z"),
        ("2026-02-11 14:23 UTC", "2026-02-11T14:23:00Z"),
        ("2026-02-11 14:23 +02", "2026-02-11T12:23:00Z"),
        ("2026/02/11 2:23 pm GMT+02:00", "2026-02-11T12:23:00Z"),
        ("11.02.2026, 14:23:05 +01:00", "2026-02-11T13:23:05Z"),
        ("Wed Feb 11 14:23:05 +0000 2026", "2026-02-11T14:23:05Z"),
        ("Wednesday, 11 February 2026 at 2:23 p.m. UTC", "2026-02-11T14:23:00Z"),
    ],
)
def test_a_time_with_a_zone_is_exact(raw: str, instant: str) -> None:
    """The zone that the stamp names counts, whatever --tz says."""
    assert resolved(raw) == (instant, "exact")
    assert resolved(raw, zone="Asia/Tokyo", order="mdy") == (instant, "exact")


@pytest.mark.parametrize(
    ("raw", "day", "local"),
    [
        ("2026-02-11T14:23:05", "2026-02-11", "13:23:05"),
        ("2026-02-11 14:23", "2026-02-11", "13:23:00"),
        ("2026.2.11 14:23", "2026-02-11", "13:23:00"),
        ("11.02.26, 14:23", "2026-02-11", "13:23:00"),
        ("11. 2. 2026 14:23", "2026-02-11", "13:23:00"),
        ("11-Feb-26 02:23 PM", "2026-02-11", "13:23:00"),
        ("Feb 11, 2026 2:23 PM", "2026-02-11", "13:23:00"),
        ("February 11th 2026, 2:23:09 pm", "2026-02-11", "13:23:09"),
        ("14:23, 11 Feb 2026", "2026-02-11", "13:23:00"),
        ("2:23\u202fPM, 11.02.2026", "2026-02-11", "13:23:00"),
        ("\u200e11.02.2026\xa014:23", "2026-02-11", "13:23:00"),
        ("11 Feb 2026 12:05 AM", "2026-02-11", None),
        ("11 Feb 2026 12:05 PM", "2026-02-11", "11:05:00"),
        ("11 Feb 2026 13:05 PM", "2026-02-11", "12:05:00"),
        ("11 Feb 1999 13:05", "1999-02-11", "12:05:00"),
        ("11 Feb 99 13:05", "1999-02-11", "12:05:00"),
    ],
)
def test_a_time_without_a_zone_counts_to_the_day(raw: str, day: str, local: str | None) -> None:
    """Without --tz the written day is all that is known; with it the time is exact."""
    assert resolved(raw) == (f"{day}T00:00:00Z", "day_level")
    assert resolved(raw, zone="Europe/Berlin") == (
        f"{day}T{local}Z" if local else "2026-02-10T23:05:00Z",
        "exact",
    )


@pytest.mark.parametrize("raw", ["2026-02-11", "11.02.2026", "11 February 2026", "Feb 11, 2026", "2026/2/11"])
def test_a_bare_date_counts_to_the_day(raw: str) -> None:
    """A zone does not make it more exact."""
    for zone in (None, "America/New_York"):
        assert resolved(raw, zone=zone) == ("2026-02-11T00:00:00Z", "day_level")


@pytest.mark.parametrize(
    "raw",
    [
        "", "soon", "Today at 2:23 PM", "1677183", "2026-02-30", "2026-13-01 10:00", "30/02/2026", "31.02.2026 10:00",
        "2026-02-11 25:00", "2026-02-11 10:60", "2026-02-11 13:00 am", "2026-02-11T14:23:61Z", "0000-01-01",
        "2026-02-11 14:23 +99:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "11 Fbr 2026", "1/2/3/4",
        "2026-02-11 14:23 x", "\ud83d", "٢٠٢٦-٠٢-١١", "99/99/2026",
    ],
)  # fmt: skip
def test_what_is_no_time_is_unknown(raw: str) -> None:
    """Days and hours that do not exist are not bent into others."""
    for given in ({}, {"zone": "Europe/Berlin", "order": "dmy"}):
        assert resolved(raw, **given) == (None, "unknown")


@pytest.mark.parametrize("raw", ["14:23", "2:23 PM", "23:59:59 +02:00"])
def test_a_bare_time_is_unknown_and_said(raw: str) -> None:
    """No day is made up for it."""
    made = stamps(raw, zone="UTC")
    assert made.resolve(raw) == (None, "unknown")
    assert made.notes == ["1 stamp with a time but no day: undated"]


def test_a_date_that_can_be_read_in_two_ways_is_not_read() -> None:
    """Without anything that tells, the day stays open and the note says what to do."""
    made = stamps("02/11/2026 2:23 PM", "03/04/2026")
    assert made.resolve("02/11/2026 2:23 PM") == (None, "day_level")
    assert made.resolve("03/04/2026") == (None, "day_level")
    assert made.notes == [f"2 dates {OPEN}"]


@pytest.mark.parametrize(("order", "day"), [("dmy", "2026-04-03"), ("mdy", "2026-03-04")])
def test_whoever_knows_the_order_says_it(order: str, day: str) -> None:
    """With --date-order nothing is left open, and a date that does not fit it is none."""
    made = stamps("03/04/2026", order=order)
    unfit = "31/12/2025" if order == "mdy" else "12/31/2025"
    assert made.resolve("03/04/2026") == (f"{day}T00:00:00Z", "day_level")
    assert made.resolve(unfit) == (None, "unknown")
    assert made.notes == [f"1 stamp not understood, as {unfit!r}: undated"]


@pytest.mark.parametrize(
    ("other", "day"), [("25/03/2026", "2026-04-03"), ("03/25/2025", "2026-03-04"), ("3/25/2026 10:00", "2026-03-04")]
)
def test_one_date_that_only_one_order_fits_tells_all(other: str, day: str) -> None:
    """It may stand anywhere in the export; nothing needs to be said."""
    made = stamps("03/04/2026", other)
    assert made.resolve("03/04/2026") == (f"{day}T00:00:00Z", "day_level")
    assert made.notes == []


@pytest.mark.parametrize("other", ["25/03/26", "25-03-2026", "25/03/2026 1:00 PM"])
def test_a_date_that_is_written_otherwise_tells_nothing(other: str) -> None:
    """Another separator, another year or another clock may have another order."""
    made = stamps("03/04/2026", other)
    assert made.resolve("03/04/2026") == (None, "day_level")
    assert made.notes == [f"1 date {OPEN}"]


def test_each_way_of_writing_has_its_own_order() -> None:
    """A log that changed its clock is read part by part: what only one order fits, what only one puts in the past."""
    written = ["20/02/2026 14:23", "21/02/2026 14:23", "2/11/2026 2:23:00 PM", "3/12/2026 2:23:00 PM"]
    made = Stamps(zone="UTC", order=None, now=datetime(2026, 11, 22, tzinfo=UTC))
    for raw in written:
        made.learn(raw)
    days = ["2026-02-20", "2026-02-21", "2026-02-11", "2026-03-12"]
    assert [made.resolve(raw) for raw in written] == [(f"{day}T14:23:00Z", "exact") for day in days]
    (note,) = made.notes
    assert note.startswith("dates written n/n/yyyy AM/PM are read as MM/DD: any other reading lies in the future;")


@pytest.mark.parametrize(
    ("zone", "raw", "taken"),
    [
        ("UTC", "01/12/2026 12:00", True), ("UTC", "01/12/2026 12:01", False), ("+14:00", "02/12/2026 01:00", True),
        (None, "01/12/2026 23:00", True), (None, "02/12/2026 00:00", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("order", ["dmy", None])
def test_no_order_puts_a_date_into_the_future(order: str | None, zone: str | None, raw: str, taken: bool) -> None:
    """Be it learned or said: what would be more than a day after now is not taken, and has no place in time."""
    made = stamps("25/03/2026 10:00", zone=zone, order=order)
    assert (made.resolve(raw)[0] is not None, made.seconds(raw) is not None) == (taken, taken)
    ahead = "1 date that would lie in the future, in the order that counts for it: undated; check --date-order"
    assert (ahead in made.notes) is not taken
    assert taken or made.resolve(raw) == (None, "day_level")


def test_dates_that_contradict_each_other_tell_nothing() -> None:
    """Each is read by itself; what can be read in two ways stays open."""
    made = stamps("25/03/2026", "03/26/2026", "03/04/2026")
    assert [made.resolve(raw)[0] for raw in ("25/03/2026", "03/26/2026", "05/05/2026", "03/04/2026")] == [
        "2026-03-25T00:00:00Z", "2026-03-26T00:00:00Z", "2026-05-05T00:00:00Z", None,
    ]  # fmt: skip
    assert made.notes == [
        "some dates can only be DD/MM and some only MM/DD: the others are undated; pass --date-order",
        f"1 date {OPEN}",
    ]


def test_nothing_was_said_in_the_future() -> None:
    """A reading that would put some message after now is none; that it was concluded is said."""
    made = stamps("11/12/2026", "10/01/2026")
    assert made.resolve("10/01/2026") == ("2026-10-01T00:00:00Z", "day_level")
    assert made.notes == [
        "dates are read as MM/DD: any other reading lies in the future; if that is wrong, pass --date-order"
    ]
    assert stamps("12/11/2027", "11/12/2027").resolve("11/12/2027")[0] is None


@pytest.mark.parametrize("is_newest_first", [False, True])
def test_that_dates_come_in_order_tells_nothing(is_newest_first: bool) -> None:
    """Dates may come in order under the wrong reading too: where nothing else tells, they stay open."""
    written = ["01/05/2025", "02/03/2025", "03/04/2025"][:: -1 if is_newest_first else 1]
    made = stamps(*written)
    assert [made.resolve(raw) for raw in written] == [(None, "day_level")] * 3
    assert made.notes == [f"3 dates {OPEN}"]


@pytest.mark.parametrize(
    ("raw", "instant"),
    [
        ("2026-04-06 10:00 UTC+9:30", "2026-04-06T00:30:00Z"),
        ("2026-04-06 10:00 GMT-3", "2026-04-06T13:00:00Z"),
        ("2026-04-06 10:00 utc+10:30", "2026-04-05T23:30:00Z"),
        ("2026-04-06 10:00 UTC+530", "2026-04-06T04:30:00Z"),
        ("2026-04-06 10:00 UTC+0530", "2026-04-06T04:30:00Z"),
    ],
)
def test_a_zone_may_have_one_digit(raw: str, instant: str) -> None:
    """After UTC or GMT, as clocks of people write it."""
    assert resolved(raw) == (instant, "exact")
    assert stamps(zone=raw[17:]).resolve("2026-04-06 10:00") == (instant, "exact")


@pytest.mark.parametrize("last", [datetime(9999, 12, 31, 23, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)])
def test_any_now_will_do(last: datetime) -> None:
    """The last day that there is has no tomorrow."""
    made = Stamps(zone=None, order=None, now=last)
    made.learn("03/04/2026")
    assert made.resolve("03/04/2026") == (None, "day_level")


def test_stamps_of_one_export_have_an_order() -> None:
    """Finer than seconds, by the clock where no zone is known; what cannot be placed has no place."""
    made = stamps("25/03/2026 1:00 PM")
    written = [
        "2026-02-11T14:23:05.123+01:00", "2026-02-11T14:23:05.124+01:00", "2026-02-11T13:24:00", "2026-02-11 13:25",
        "11/02/2026 1:26 PM", "2026-02-12",
    ]  # fmt: skip
    places = [made.seconds(raw) for raw in written]
    assert None not in places
    assert places == sorted(places)
    assert len(set(places)) == len(places)
    for raw in ("", "soon", "14:23", "30/02/2026", "9999-12-31T23:59:59-14:00x", "2026-02-11 25:00"):
        assert made.seconds(raw) is None
    assert stamps().seconds("03/04/2026") is None
    assert made.notes == []


def test_times_that_do_not_exist_or_exist_twice_count_to_the_day() -> None:
    """Where clocks change, a zone is not enough."""
    made = stamps(zone="Europe/Berlin")
    for raw in ("2026-03-29 02:30", "2026-10-25 02:30"):
        assert made.resolve(raw) == (f"{raw[:10]}T00:00:00Z", "day_level")
    assert made.resolve("2026-10-25 03:30") == ("2026-10-25T02:30:00Z", "exact")
    assert made.notes == ["2 times in an hour that clocks skip or repeat: only the day counts"]


def test_what_is_missing_is_said_once_with_its_count() -> None:
    """A zone that nobody named, and the first stamp that was not understood."""
    made = stamps()
    for raw in ("2026-02-11 14:23", "2026-02-12 14:23", "so\x1bon", "later"):
        made.resolve(raw)
    assert made.notes == [
        "2 times without a time zone: only the day counts; pass --tz",
        "2 stamps not understood, as 'so on': undated",
    ]


@pytest.mark.parametrize(
    ("zone", "instant"),
    [("UTC", "14:23"), ("+02:00", "12:23"), ("-0530", "19:53"), ("Asia/Kolkata", "08:53"), ("Etc/GMT+2", "16:23")],
)
def test_a_zone_is_a_name_or_an_offset(zone: str, instant: str) -> None:
    """As --tz takes it."""
    assert stamps(zone=zone).resolve("2026-02-11 14:23") == (f"2026-02-11T{instant}:00Z", "exact")


@pytest.mark.parametrize(
    ("zone", "hint"),
    [
        ("Europe/Berln", "Did you mean Europe/Berlin"),
        ("europe/berlin", "Did you mean Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("America", "Write it as Europe/Berlin, UTC or +02:00."),
        ("../../etc/passwd", "Write it as Europe/Berlin, UTC or +02:00."),
        ("/etc/passwd", "Write it as Europe/Berlin, UTC or +02:00."),
        ("", "Write it as Europe/Berlin, UTC or +02:00."),
        ("a\0b", "Write it as Europe/Berlin, UTC or +02:00."),
        ("\ud83d", "Write it as Europe/Berlin, UTC or +02:00."),
        ("x" * 5000, "Write it as Europe/Berlin, UTC or +02:00."),
        ("+99:00", "Write it as Europe/Berlin, UTC or +02:00."),
    ],
)
def test_an_unknown_zone_is_refused_with_what_is_spelled_alike(zone: str, hint: str) -> None:
    """The name goes nowhere near a file outside the time zones."""
    with pytest.raises(WrongInput) as caught:
        stamps(zone=zone)
    assert caught.value.message == f"there is no time zone {zone[:40]!r}"
    assert hint in caught.value.hint


def test_an_unknown_order_is_refused() -> None:
    """Two are known."""
    with pytest.raises(WrongInput, match="ymd"):
        stamps(order="ymd")
