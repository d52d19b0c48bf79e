"""A reply to a message of ours: its outcome, recorded with the words that came."""

from __future__ import annotations

from mindloop.observer.growth.files import write_state
from mindloop.observer.growth.matching import OPEN_OUTCOMES
from mindloop.observer.growth.metrics import QUALITY
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.reading import load_user
from mindloop.observer.growth.record import MESSAGE_ID
from mindloop.observer.growth.state import is_rehearsal, messages
from mindloop.observer.lines import excerpt
from mindloop.store.errors import Malformed, Negative, Unreadable, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from mindloop.observer.intake.messages import Heard
    from mindloop.store.files import Files
    from mindloop.store.transaction import Transaction

RESPONDED = "responded"


def check_reply(message_id: str | None, quality: str | None) -> None:
    """Refuse what can be no id of a message, and a quality that rates nothing.

    Raises:
        WrongInput: it is so.
    """
    if message_id is not None and not MESSAGE_ID.fullmatch(message_id):
        raise WrongInput(
            f"--responds-to {excerpt(message_id, 80)!r} is no message's id",
            "Take the id from growth.py show; it looks like fu-2026-02-14-bob-1-2.",
        )
    if quality is not None and (message_id is None or quality not in QUALITY):
        raise WrongInput(
            f"--signal-quality {excerpt(quality, 40)!r} rates no reply",
            f"Give --responds-to with it, and one of {', '.join(QUALITY)}.",
        )


def waiting_since(files: Files, user: str, notes: list[str]) -> list[str]:
    """When the messages were sent to a user that a reply can still change; a growth that cannot be read is noted."""
    try:
        state = load_user(files, user)
    except (Malformed, Unreadable) as error:
        notes.append(f"what was said again may be a reply, and is passed over: {error.message}")
        return []
    found = messages(state) if state else ()
    return [
        one["sent_at"] or batch["batch_date"]
        for batch, one in found
        if one["outcome"] in OPEN_OUTCOMES and not is_rehearsal(batch)
    ]


def record_reply(
    tx: Transaction, user: str, message_id: str, quality: str | None, *, heard: Heard, now: datetime
) -> tuple[str | None, list[str]]:
    """Stage that the user replied to a message; what growth does not know changes nothing and is told.

    Nor is it a reply where all of the export whose time is known was said before the message was sent. Where no time is
    known it is one, because a person says so.

    Returns:
        ``responded`` where it was recorded now, and what is to be told.
    """
    try:
        state = load_user(tx, user)
        if state is None:
            return None, [f"the reply is not recorded: growth knows nothing of {user} yet"]
        found = next(((batch, one) for batch, one in messages(state) if one["id"] == message_id), None)
        if found and is_rehearsal(found[0]):
            return None, [f"the reply is not recorded: {message_id} was only rehearsed, nobody was sent it"]
        sent_at = found[1]["sent_at"] or found[0]["batch_date"] if found else None
        said_at = heard.reply_after(sent_at)
        changed, warning = apply_outcome(state, message_id, RESPONDED, quality, now, response_date=said_at)
    except (Malformed, Negative, Unreadable) as error:
        return None, [f"the reply is not recorded: {error.message}"]
    if warning:
        return None, [warning]
    if sent_at and heard.ends_before(sent_at):
        return None, [f"the reply is not recorded: {_early(sent_at, heard)}"]
    write_state(tx, changed)
    return RESPONDED, [] if said_at else [_undated(message_id, heard)]


def _early(sent_at: str, heard: Heard) -> str:
    undated = any(one.moment is None for one in heard.said)
    hint = "where one without a time is the reply, pass --tz or --date-order" if undated else "is it the right id?"
    return f"all that is in the export was said before {sent_at}, when the message was sent; {hint}"


def _undated(message_id: str, heard: Heard) -> str:
    if not heard.latest:
        return "when the user's words were said is not known: that they are the reply is taken from you, as of now"
    return f"no message that was certainly written after {message_id} is in the export; its reply counts as of now"
