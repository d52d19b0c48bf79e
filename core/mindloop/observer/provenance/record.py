"""What a provenance record is made of, and what may not enter one."""

from __future__ import annotations

from mindloop.observer.canonical import EMPTY_HASH, NORMALIZATION_VERSION, content_hash, norm_hash
from mindloop.observer.lines import CONTROL, shows_something
from mindloop.observer.names import display_name
from mindloop.store.clock import is_date_only, parse_instant, stamp
from mindloop.store.errors import WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from mindloop.observer.types import ProvenanceRecord

SOURCE_TYPES = ("discord_dm", "twitter_dm", "telegram_dm", "dm_log", "manual_quote", "supabase_feedback")
INGESTERS = ("ingest-dm", "observe", "daily-synthesis")
MAX_TEXT = 200_000
"""Longest text of one record, in characters."""

_ZONE = when_used(r"(?:[zZ]|[+-][0-9]{2}(?::?[0-9]{2})?)\Z")


def timestamp_fields(raw: str | None) -> tuple[str | None, str]:
    """Return source timestamp and confidence of what was said when.

    A full time with a zone is exact; a date, or a time whose zone is not known, is day_level; nothing is unknown.

    Raises:
        WrongInput: the text is no ISO 8601 date or time.
    """
    if raw is None or not raw.strip():
        return None, "unknown"
    instant = parse_instant(raw)
    if instant is None:
        raise WrongInput(f"the timestamp is {raw[:80]!r}", "Write it as 2026-02-11 or 2026-02-11T14:23:00Z.")
    zoned = not is_date_only(raw) and _ZONE.search(raw.strip()) is not None
    return stamp(instant), "exact" if zoned else "day_level"


def make_record(
    user: str,
    text: str,
    *,
    source_type: str,
    ingested_by: str,
    now: datetime,
    timestamp: str | None = None,
    raw_source_ref: str = "",
    thread_id: str | None = None,
    message_index: int | None = None,
    parent_hash: str | None = None,
) -> ProvenanceRecord:
    """Build the record of something a user said; ``ingest`` gives it its id.

    Args:
        user: who said it, as a name.
        text: the words, exactly; the hash is of these.
        source_type: one of ``SOURCE_TYPES``.
        ingested_by: one of ``INGESTERS``.
        now: the instant of ingestion.
        timestamp: when it was said, as written at the source (see ``timestamp_fields``).
        raw_source_ref: where it came from: a path, a row id.
        thread_id: the conversation, if there is one.
        message_index: its place in the export, from 0.
        parent_hash: hash of the message before it.

    Raises:
        WrongInput: an unsafe name, no text, too much text, control characters, a value outside its list.
    """
    _one_of("source type", source_type, SOURCE_TYPES)
    _one_of("ingester", ingested_by, INGESTERS)
    return {
        **_said(text, timestamp),
        "source_type": source_type,
        "canvas_target": display_name(user),
        "raw_source_ref": raw_source_ref,
        "ingested_by": ingested_by,
        "ingested_at": stamp(now),
        "thread_id": thread_id,
        "message_index": message_index,
        "parent_hash": norm_hash(parent_hash),
    }


def _said(text: str, timestamp: str | None) -> ProvenanceRecord:
    """Return the fields that the words and their time give."""
    moment, confidence = timestamp_fields(timestamp)
    return {
        "content_hash": checked_hash(text),
        "normalization_version": NORMALIZATION_VERSION,
        "source_timestamp": moment,
        "source_timestamp_raw": timestamp or None,
        "source_timestamp_confidence": confidence,
        "text": text,
    }


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise WrongInput(f"the {what} is {value[:80]!r}", f"Use one of {', '.join(allowed)}.")


def checked_hash(text: str) -> str:
    """Return the hash of a text that may enter the index.

    Raises:
        WrongInput: it is empty, too long, or holds control characters or half a surrogate pair.
    """
    if len(text) > MAX_TEXT:
        raise WrongInput(f"the text has {len(text)} characters, at most {MAX_TEXT} are kept", "Split it.")
    unwanted = CONTROL.search(text)
    if unwanted:
        raise WrongInput(
            f"the text holds a control character (U+{ord(unwanted[0]):04X}) at character {unwanted.start() + 1}",
            "Remove it: a canvas is read by people and editors.",
        )
    digest = content_hash(text)
    if digest == EMPTY_HASH:
        raise WrongInput("there is no text", "Give the words of the user on stdin.")
    if not text.isascii() and not shows_something(text):
        raise WrongInput("the text shows nothing: its characters are all invisible", "Give words that can be seen.")
    return digest
