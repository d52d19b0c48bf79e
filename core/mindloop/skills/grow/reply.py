"""The words of a reply and of the message that it answers, wherever they are kept."""

from __future__ import annotations

from mindloop.observer.layout import layout_of
from mindloop.observer.provenance.index import find
from mindloop.store.errors import Unreadable, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.types import ProposedMatch
    from mindloop.store.files import Files

_DAY = slice(len("fu-"), len("fu-2026-02-14"))
"""Where a message's id holds the day of its batch; the schema of proposals lets no other id in."""


def signal_text(files: Files, user: str, match: ProposedMatch) -> str | None:
    """The words of a reply: from the provenance index, or as they were pasted; None where neither has them."""
    record = find(files, user, match["signal_id"])
    text = record.get("text") if record else None
    return text if isinstance(text, str) and text else match.get("signal_text")


class Asked:
    """The messages of one user as they were sent; each batch is looked into once a message.

    Args:
        files: where the batches are.
        user: whose messages; nobody else's are looked at.
    """

    __slots__ = ("_files", "_found", "_user")

    def __init__(self, files: Files, user: str) -> None:
        self._files = files
        self._user = user
        self._found: dict[tuple[str, str], str | None] = {}

    def text(self, match: ProposedMatch) -> str | None:
        """The message that a match is about; None where its batch is gone, broken, or has no such message any more."""
        key = match["follow_up_id"], match["follow_up_token"]
        if key not in self._found:
            self._found[key] = self._read(*key)
        return self._found[key]

    def _read(self, identity: str, token: str) -> str | None:
        try:
            batch = self._files.read_text(layout_of(self._files).batch(identity[_DAY]))
            if not batch:
                return None
            from mindloop.observer.batch.sent import sent_text

            return sent_text(batch, self._user, token)
        except (WrongInput, Unreadable):
            return None
