"""DiscordChatExporter's JSON: one object whose ``messages`` hold everything; times carry their zone."""

from __future__ import annotations

from mindloop.observer.exports.json_stream import Broken, JsonStream
from mindloop.observer.exports.message import Message, clean_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from mindloop.observer.exports.message import Tally

WORDS = ("Default", "Reply")
"""Types of entries that hold somebody's words; the others tell of calls, pins, people who joined."""
NO_DISCRIMINATOR = ("", "0", "0000")


def read(texts: Iterable[str], tally: Tally) -> Iterator[Message]:
    """Yield the messages of an export; what is broken or cut off ends it and is told in the tally."""
    stream = JsonStream(texts)
    thread = None
    try:
        for key in stream.members():
            if key == "channel":
                thread = _id(stream.value())
            elif key == "messages" and stream.peek() == "[":
                yield from _messages(stream, tally, thread)
            else:
                stream.value()
        tally.end(stream)
    except Broken as error:
        tally.stop(error)


def _messages(stream: JsonStream, tally: Tally, thread: str | None) -> Iterator[Message]:
    for _ in stream.elements():
        entry = stream.value()
        number = tally.count()
        if not isinstance(entry, dict) or not isinstance(entry.get("content"), str):
            tally.strangers += 1
            continue
        tally.attachments += bool(entry.get("attachments"))
        if tally.admits(entry["content"]):
            yield _message(number, entry, _sender(entry.get("author"), tally), thread)


def _message(number: int, entry: dict[str, Any], sender: tuple[str, ...], thread: str | None) -> Message:
    return Message(
        number,
        sender,
        entry["content"],
        clean_stamp(entry.get("timestamp")),
        _kind(entry),
        id=_text(entry.get("id")),
        edited_raw=clean_stamp(entry.get("timestampEdited")) or None,
        thread=thread,
        reply_to=_reply_to(entry),
    )


def _reply_to(entry: dict[str, Any]) -> str | None:
    reference = entry.get("reference")
    return _text(reference.get("messageId")) if entry.get("type") == WORDS[1] and isinstance(reference, dict) else None


def _kind(entry: dict[str, Any]) -> str:
    reference = entry.get("reference")
    if entry.get("forwardedMessage") or (isinstance(reference, dict) and reference.get("type") == "Forward"):
        return "forwarded"
    return "message" if entry.get("type", WORDS[0]) in WORDS else "system"


def _sender(author: object, tally: Tally) -> tuple[str, ...]:
    if not isinstance(author, dict):
        return ()
    name, number = author.get("name"), author.get("discriminator")
    if isinstance(name, str) and isinstance(number, str) and number not in NO_DISCRIMINATOR:
        name = f"{name}#{number}"
    return tally.sender(name, author.get("nickname"), author.get("id"))


def _id(channel: object) -> str | None:
    return _text(channel.get("id")) if isinstance(channel, dict) else None


def _text(value: object) -> str | None:
    return clean_stamp(value) or None
