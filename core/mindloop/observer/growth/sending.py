"""What a person knows of a message and growth does not: in which conversation it went, when, or that it never did."""

from __future__ import annotations

import unicodedata
from datetime import timedelta

from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.proposals import SPELLINGS, bare_reference
from mindloop.observer.growth.record import MESSAGE_ID, TOKEN_DIGITS
from mindloop.observer.growth.state import clone, is_rehearsal, messages
from mindloop.observer.lines import excerpt
from mindloop.observer.provenance.record import timestamp_fields
from mindloop.store.clock import day, is_date_only, parse_instant, stamp
from mindloop.store.errors import Negative, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from mindloop.observer.types import GrowthBatch, GrowthMessage, GrowthState

NEVER = "unknown"
"""The outcome of a message that never reached the user."""
THREAD_LIMIT = 200
_DAY = timedelta(days=1)
_BREAKING = ("Cc", "Cs", "Zl", "Zp")
_ID = f"Take the id from growth.py show; it looks like fu-2026-02-14-bob-1-2. {SPELLINGS}."


def find_message(state: GrowthState, reference: str) -> tuple[GrowthBatch, GrowthMessage]:
    """The one message that is meant by an id or a token, with its batch.

    Args:
        state: the user's growth.
        reference: ``fu-…``, or eight hex digits with or without ``FU:`` and brackets, in any case.

    Raises:
        WrongInput: it is neither, or two messages share it.
        Negative: growth of this user has no such message, or no longer keeps it.
    """
    wanted = bare_reference(reference)
    if not MESSAGE_ID.fullmatch(wanted) and not _is_token(wanted):
        raise WrongInput(f"{excerpt(reference, 80)!r} is neither a message's id nor a token", _ID)
    found = [pair for pair in messages(state) if wanted in (pair[1]["id"], pair[1]["token"].lower())]
    if not found:
        raise Negative(
            f"growth of {state['user']!r} has no message {wanted!r}",
            "Take the id or the token from the batch file; the oldest batches are no longer kept.",
        )
    if len(found) > 1:
        raise WrongInput(f"{wanted!r} is that of {len(found)} messages", "Give the id; doctor.py says more.")
    return found[0]


def _is_token(text: str) -> bool:
    return len(text) == TOKEN_DIGITS and set(text) <= set("0123456789abcdef")


def was_sent(
    state: GrowthState, message_id: str, now: datetime, *, thread: str | None = None, at: str | None = None
) -> GrowthState:
    """Record how a message went out.

    Args:
        state: the user's growth.
        message_id: the message's id.
        now: the instant of the command.
        thread: the conversation; a reply that comes in it matches (growth, rule 2).
        at: when it was sent, a day or an ISO 8601 time with its zone. When it was written stays its batch's.

    Returns:
        The new state, or ``state`` itself where it says so already.

    Raises:
        WrongInput: a thread that is no line of text; a time that is none, has no zone, is more than a day ahead,
            lies before the batch or after the reply.
        Negative: the message was only rehearsed, or is not there.
    """
    changed = clone(state)
    batch, message = find_message(changed, message_id)
    if is_rehearsal(batch):
        raise Negative(f"{message['id']} was only rehearsed; nothing was changed", "Nobody is sent such a message.")
    before = message["thread_id"], message["sent_at"]
    if thread is not None:
        message["thread_id"] = checked_thread(thread)
    if at is not None:
        message["sent_at"] = _sent_at(at, batch, message, now)
    if (message["thread_id"], message["sent_at"]) == before:
        return state
    changed["last_updated"] = stamp(now)
    return changed


def never_sent(state: GrowthState, message_id: str, now: datetime) -> GrowthState:
    """Record that a message never reached the user, so that nobody owes a reply to it.

    Returns:
        The new state, or ``state`` itself where it says so already.

    Raises:
        Negative: it has a reply, which stays; or it is not there.
    """
    _, message = find_message(state, message_id)
    if message["outcome"] == NEVER:
        return state
    changed, warning = apply_outcome(state, message["id"], NEVER, None, now)
    if warning:
        raise Negative(f"{warning}; nothing was changed", "What was answered was sent.")
    return changed


def checked_thread(text: str) -> str:
    """A conversation's id as it is compared: letter for letter.

    Raises:
        WrongInput: it is empty, longer than ``THREAD_LIMIT``, or holds a line end, a control character or half a
            surrogate pair.
    """
    wrong = next((char for char in text if unicodedata.category(char) in _BREAKING), None)
    if wrong is not None:
        what = f"it holds U+{ord(wrong):04X}"
    elif not text.strip():
        what = "it is empty"
    elif len(text) > THREAD_LIMIT:
        what = f"it has {len(text)} characters"
    else:
        return text
    raise WrongInput(
        f"the thread {excerpt(text, 60)!r} cannot be kept: {what}; expected one line of at most {THREAD_LIMIT}",
        "Give it as canvas.py ingest prints it.",
    )


def _sent_at(raw: str, batch: GrowthBatch, message: GrowthMessage, now: datetime) -> str:
    """When a message was sent, as the file holds it: an instant, or a day where only that is known."""
    when, confidence = timestamp_fields(raw)
    instant = parse_instant(when)
    if instant is None:
        raise WrongInput("the time is empty", "Write it as 2026-02-11 or 2026-02-11T14:23:00Z.")
    by_day = is_date_only(raw)
    if confidence != "exact" and not by_day:
        hint = "Add Z or an offset such as +02:00; a day alone will do."
        raise WrongInput(f"the time {excerpt(raw, 60)!r} has no time zone", hint)
    _check_order(instant, batch, message, now, slack=_DAY if by_day else timedelta())
    return day(instant) if by_day else stamp(instant)


def _check_order(
    instant: datetime, batch: GrowthBatch, message: GrowthMessage, now: datetime, *, slack: timedelta
) -> None:
    """A message is written, then sent, then answered, and not after tomorrow; a day may be off by the zone's one."""
    told, hint = stamp(instant), "Nothing was changed; look at the date."
    if instant - now > _DAY:
        raise WrongInput(f"{told} is more than a day after now, {stamp(now)}", hint)
    written = parse_instant(batch["batch_date"])
    if written is not None and written - instant > slack:
        raise WrongInput(f"{told} is before {batch['batch_date']}, when {message['id']} was written", hint)
    replied = parse_instant(message["response_date"])
    if replied is not None and instant.date() - replied.date() > slack:
        raise WrongInput(f"{told} is after its reply of {stamp(replied)}", hint)
