"""Laws of the release windows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.chronicle.temporal import Windows, temporal_lookup
from mindloop.store.clock import parse_instant, stamp

HASHES = ["a" * 64, "b" * 64]
START = datetime(2026, 2, 1, tzinfo=UTC)
LAWS = settings(deadline=None, max_examples=200)

instants = st.integers(-5, 40).map(lambda hours: START + timedelta(hours=hours))
starts = st.lists(st.tuples(st.sampled_from("ABCDEFG"), instants), max_size=6, unique_by=lambda pair: pair[0])
spellings = st.one_of(
    st.none(),
    st.sampled_from(["", "soon", "2026-02-01", "2026-02-02", "0000-01-01", "12:30"]),
    instants.map(stamp),
    instants.map(lambda instant: instant.replace(tzinfo=None).isoformat(" ")),
    instants.map(lambda instant: instant.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat()),
)
records = st.lists(
    st.fixed_dictionaries(
        {
            "content_hash": st.sampled_from(HASHES),
            "source_timestamp": spellings,
            "source_timestamp_confidence": st.sampled_from(
                ["exact", "day_level", "inferred", "unknown", None, "Exact"]
            ),
        }
    ),
    max_size=5,
)


def releases(pairs):
    return [
        {"id": name, "taxonomy": "system.app.released", "title": f"v{name}", "start": stamp(start), "end": None,
         "confidence": None, "source": "x.md", "url": None, "summary": ""}
        for name, start in pairs
    ]  # fmt: skip


def by_the_book(record, listed):
    """One record's entry, as the source document words it."""
    if record["source_timestamp_confidence"] not in {"exact", "day_level"}:
        return "insufficient_confidence"
    instant = parse_instant(record["source_timestamp"])
    if instant is None:
        return "no_timestamp"
    ordered = sorted(listed, key=lambda one: (parse_instant(one["start"]), one["id"]))
    for place, one in enumerate(ordered):
        following = ordered[place + 1] if place + 1 < len(ordered) else None
        begun = parse_instant(one["start"]) <= instant
        if begun and (following is None or instant < parse_instant(following["start"])):
            return one
    return "no_enclosing_release_window"


@LAWS
@given(records.filter(lambda made: len(made) == 1) | st.builds(lambda r: r[:1], records), starts)
def test_one_record_is_judged_as_the_source_document_says(made, pairs):
    """The look-up equals a literal walk over the windows."""
    listed = releases(pairs)
    for record, entry in zip(made, temporal_lookup(made, listed).values(), strict=True):
        verdict = by_the_book(record, listed)
        if isinstance(verdict, str):
            assert entry == {"version_attribution_allowed": False, "reason": verdict}
        else:
            expected = {"version_attribution_allowed": True, "chronicle_ref": verdict["id"]}
            assert entry == {**expected, "release_name": verdict["title"]}


@LAWS
@given(records, starts, st.randoms(use_true_random=False))
def test_the_order_of_records_and_releases_does_not_matter(made, pairs, random):
    """Shuffled input gives the same table; so do prepared windows."""
    listed = releases(pairs)
    expected = temporal_lookup(made, listed)
    mixed, shuffled = list(made), list(listed)
    random.shuffle(mixed)
    random.shuffle(shuffled)
    assert temporal_lookup(mixed, shuffled) == temporal_lookup(made, Windows(shuffled)) == expected


@LAWS
@given(records, starts)
def test_a_hash_is_allowed_exactly_when_one_of_its_records_is(made, pairs):
    """One usable record is enough and none is not; every hash has an entry."""
    listed = releases(pairs)
    table = temporal_lookup(made, listed)
    assert set(table) == {record["content_hash"] for record in made}
    for digest, entry in table.items():
        own = [record for record in made if record["content_hash"] == digest]
        allowed = any(not isinstance(by_the_book(record, listed), str) for record in own)
        assert entry["version_attribution_allowed"] == allowed


@LAWS
@given(instants, starts.filter(bool))
def test_a_new_release_never_changes_what_was_said_before_it(instant, pairs):
    """Adding a later release leaves earlier quotes with their release."""
    before = Windows(releases(pairs)).at(instant)
    later = [*pairs, ("Z", instant + timedelta(seconds=1))]
    assert Windows(releases(later)).at(instant) == before
