"""An export of direct messages, read message by message whatever its format and size (follow-up, section 6).

Formats: DiscordChatExporter's JSON and CSV, other tables with a column for who, when and what, plain logs, and the
direct messages of a Twitter archive. The format is told by the content, never by the name.
"""

from __future__ import annotations

from mindloop.observer.exports.decoding import Decoder
from mindloop.observer.exports.message import ASSIGNMENT, CUT, Message, Tally, shown
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

    Opener = Callable[[], BinaryIO]
    Reader = Callable[[Iterable[str], Tally], Iterator[Message]]

__all__ = ["FORMATS", "Export", "Message", "open_export"]

FORMATS = ("discord-json", "discord-csv", "discord-text", "twitter", "log")
_READ = (
    "What is read: DiscordChatExporter's JSON, CSV or text, a log of lines like `[2026-02-11 14:23] bob: hello`, "
    "and direct-messages.js of a Twitter archive."
)


class Export:
    """An export: iterate over it for its messages, as often as needed; it is read anew each time.

    Attributes:
        format: one of ``FORMATS``: where the messages come from, as far as the file tells.
        notes: what was left out and why, for people; complete after an iteration.
        complete: whether the export was read to a proper end; known after an iteration.
    """

    __slots__ = ("_name", "_open", "_read", "complete", "format", "notes")

    def __init__(self, opener: Opener, name: str, found: tuple[str, Reader]) -> None:
        self._open = opener
        self._name = name
        self.format, self._read = found
        self.notes: list[str] = []
        self.complete = False

    def __iter__(self) -> Iterator[Message]:
        """Yield the messages in the order of the export.

        Raises:
            WrongInput: a byte that is not of the file's encoding.
        """
        tally = Tally()
        self.notes, self.complete = [], False
        with self._open() as file:
            decoder = Decoder(file, self._name)
            try:
                yield from self._read(decoder, tally)
            except WrongInput:
                self.notes = tally.notes()
                raise
        if decoder.cut:
            tally.broken = tally.broken or CUT
        self.notes = tally.notes()
        self.complete = tally.broken is None


def open_export(opener: Opener, name: str) -> Export:
    """Find out what an export is; nothing but its beginning is read.

    Args:
        opener: opens the export anew, for bytes, from its beginning.
        name: what people call it in errors: its base name.

    Raises:
        WrongInput: it is empty, no export, or in another encoding than UTF-8 or UTF-16.
    """
    called = shown(name) or "the export"
    with opener() as file:
        head = next(iter(Decoder(file, called)), "")
    found = _found(head)
    if found is None:
        raise WrongInput(f"{called} is no export: {_looks_like(head)}", _READ)
    return Export(opener, called, found)


def _found(head: str) -> tuple[str, Reader] | None:
    """Return the format of a text that begins like this and what reads it, or None."""
    start = head.lstrip()
    if start.startswith(ASSIGNMENT) or (
        start[:1] == "[" and start[1:].lstrip()[:1] == "{" and '"dmConversation"' in start
    ):
        from mindloop.observer.exports import twitter

        return "twitter", twitter.read
    if start.startswith("{") and '"messages"' in start:
        from mindloop.observer.exports import discord_json

        return "discord-json", discord_json.read
    from mindloop.observer.exports import logs, tables

    columns = tables.columns_of(start.split("\n", 1)[0])
    if columns is not None:
        return columns.format, tables.read
    format_ = logs.format_of(head)
    return (format_, logs.read) if format_ else None


def _looks_like(head: str) -> str:
    start = head.lstrip()[:15].casefold()
    if start.startswith(("<!doctype", "<html")):
        return "it is a page; export the conversation as JSON instead"
    if start.startswith(("{", "[")):
        return "it is JSON without messages"
    return "no line of it names a time and who wrote" if start else "there is nothing in it"
