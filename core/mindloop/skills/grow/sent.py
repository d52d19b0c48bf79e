"""A person's word on one message that went out, or did not; a module of its own, for it needs little."""

from __future__ import annotations

from mindloop.observer.growth.files import read_proposals, write_proposals, write_state
from mindloop.observer.growth.proposals import look_again
from mindloop.observer.growth.reading import known_user
from mindloop.observer.growth.sending import find_message, never_sent, was_sent
from mindloop.observer.growth.state import is_rehearsal
from mindloop.observer.names import display_name, slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from mindloop.observer.types import GrowthState
    from mindloop.store.files import Files
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

TOLD = ("sent_at", "thread_id", "outcome")
"""Fields of a message that a person's word can change."""


class Sent:
    """What growth knows of a message now.

    Attributes:
        user: whose.
        message: the message.
        batch_date: the day on which it was written.
        rehearsed: whether nobody was to be sent it.
        changed: those of ``TOLD`` that changed.
    """

    __slots__ = ("batch_date", "changed", "message", "rehearsed", "user")

    def __init__(self, state: GrowthState, message_id: str, before: GrowthState) -> None:
        batch, message = find_message(state, message_id)
        old: Any = find_message(before, message_id)[1]
        new: Any = message
        self.user = state["user"]
        self.message = message
        self.batch_date = batch["batch_date"]
        self.rehearsed = is_rehearsal(batch)
        self.changed = [field for field in TOLD if old[field] != new[field]]


def look_at(files: Files, user: str, reference: str) -> Sent:
    """What is known of a message; nothing is locked or changed.

    Raises:
        Negative: growth knows no such user or message.
        WrongInput: no id and no token.
    """
    state = known_user(files, display_name(user))
    return Sent(state, find_message(state, reference)[1]["id"], state)


def tell(
    workspace: Workspace,
    user: str,
    reference: str,
    now: datetime,
    *,
    thread: str | None = None,
    at: str | None = None,
    never: bool = False,
) -> Sent:
    """Record what a person says of a message, in one transaction; said again it changes nothing.

    Where that may find replies that were looked at before, the next match looks at all of this user's again.

    Args:
        workspace: the workspace.
        user: whose message.
        reference: its id or its token.
        now: the instant of the command.
        thread: the conversation in which it was sent.
        at: when it was sent.
        never: it was not; ``thread`` and ``at`` do not count then.

    Raises:
        Negative: growth knows no such user or message, it was only rehearsed, or it is answered and was ``never`` sent.
        WrongInput: no id and no token, a thread that is no line, a time without sense.
        Malformed: the user's proposals do not parse; nothing is changed.
    """
    name = display_name(user)
    with workspace.transaction(f"user:{slug(name)}") as tx:
        state = known_user(tx, name)
        message_id = find_message(state, reference)[1]["id"]
        after = never_sent(state, message_id, now) if never else was_sent(state, message_id, now, thread=thread, at=at)
        result = Sent(after, message_id, state)
        if result.changed:
            write_state(tx, after)
        if not never and result.changed:
            _look_again(tx, result.user)
    return result


def _look_again(tx: Transaction, user: str) -> None:
    document = read_proposals(tx, user)
    again = look_again(document)
    if again != document:
        write_proposals(tx, again)
