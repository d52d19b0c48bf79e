"""What a provenance record is made of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.provenance.record import MAX_TEXT, make_record, timestamp_fields
from mindloop.store.errors import WrongInput

NOW = datetime(2026, 2, 11, 14, 23, tzinfo=UTC)


def record(text: str = "gm", **fields: object) -> dict[str, object]:
    given = {"source_type": "discord_dm", "ingested_by": "ingest-dm", "now": NOW, **fields}
    return dict(make_record("@Bob", text, **given))  # type: ignore[arg-type]  # a test may spoil a field


def test_all_fields() -> None:
    """A record holds every field of its format, hashes bare, instants in UTC."""
    made = record(
        "  GM all ",
        timestamp="2026-02-11T16:23:00+02:00",
        raw_source_ref="dm-exports/x.txt",
        thread_id="thread-discord-bob-2026-02-11",
        message_index=0,
        parent_hash=f"sha256:{'A' * 64}",
    )
    assert made == {
        "content_hash": content_hash("gm all"),
        "normalization_version": 1,
        "source_type": "discord_dm",
        "source_timestamp": "2026-02-11T14:23:00Z",
        "source_timestamp_raw": "2026-02-11T16:23:00+02:00",
        "source_timestamp_confidence": "exact",
        "canvas_target": "Bob",
        "raw_source_ref": "dm-exports/x.txt",
        "ingested_by": "ingest-dm",
        "ingested_at": "2026-02-11T14:23:00Z",
        "thread_id": "thread-discord-bob-2026-02-11",
        "message_index": 0,
        "parent_hash": "a" * 64,
        "text": "  GM all ",
    }


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, (None, "unknown")),
        (" ", (None, "unknown")),
        ("2026-02-11", ("2026-02-11T00:00:00Z", "day_level")),
        ("2026-02-11T14:23:00Z", ("2026-02-11T14:23:00Z", "exact")),
        ("2026-02-11T14:23:00-05:00", ("2026-02-11T19:23:00Z", "exact")),
        ("2026-02-11T14:23:00", ("2026-02-11T14:23:00Z", "day_level")),
        ("2026-02-11 14:23", ("2026-02-11T14:23:00Z", "day_level")),
    ],
)
def test_timestamps(raw: str | None, expected: tuple[str | None, str]) -> None:
    """A time with a zone is exact; a day, or a time without one, is known to the day; nothing is unknown."""
    assert timestamp_fields(raw) == expected


@pytest.mark.parametrize("raw", ["02/11/26, 2:23 PM", "yesterday", "1770819780", "2026-13-45", "2026-02-30"])
def test_other_timestamps_are_refused(raw: str) -> None:
    """What cannot be read is asked again, not guessed."""
    with pytest.raises(WrongInput, match="the timestamp is"):
        timestamp_fields(raw)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is no text"),
        (" \u2028\t", "there is no text"),
        ("a\0b", r"control character \(U\+0000\) at character 2"),
        ("a\x1b[31m", r"control character \(U\+001B\)"),
        ("hi \ud83d", "lone surrogate"),
        ("x" * (MAX_TEXT + 1), "the text has 200001 characters"),
    ],
)
def test_texts_that_may_not_enter(text: str, reason: str) -> None:
    """Nothing, too much, control characters and half an emoji are refused by name."""
    with pytest.raises(WrongInput, match=reason):
        record(text)


@pytest.mark.parametrize("field", ["source_type", "ingested_by"])
def test_enumerations(field: str) -> None:
    """A source type or ingester outside its list is refused and the list is shown."""
    with pytest.raises(WrongInput, match="is 'pigeon'") as caught:
        record(**{field: "pigeon"})
    assert caught.value.hint.startswith("Use one of ")


def test_unsafe_user() -> None:
    """A record is of a person, not of a path."""
    with pytest.raises(WrongInput, match="unsafe user name"):
        make_record("../x", "gm", source_type="discord_dm", ingested_by="observe", now=NOW)
