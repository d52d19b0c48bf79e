"""The direct messages of a Twitter or X archive: conversations, each with its messages; times are UTC."""

from __future__ import annotations

from mindloop.observer.exports.json_stream import Broken, JsonStream
from mindloop.observer.exports.message import ASSIGNMENT, REACTION_ROW, Message, clean_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mindloop.observer.exports.message import Tally


def read(texts: Iterable[str], tally: Tally) -> Iterator[Message]:
    """Yield the messages of an archive; what is broken or cut off ends it and is told in the tally."""
    stream = JsonStream(_without_assignment(texts))
    try:
        for _ in stream.elements():
            if stream.peek() == "{":
                yield from _conversation(stream, tally)
            else:
                stream.value()
                tally.stranger()
        tally.end(stream)
    except Broken as error:
        tally.stop(error)


def _without_assignment(texts: Iterable[str]) -> Iterator[str]:
    """The text from its array on."""
    pieces = iter(texts)
    head = next(pieces, "")
    if head.lstrip().startswith(ASSIGNMENT):
        head = head[head.find("=") + 1 :] if "=" in head else ""
    yield head
    yield from pieces


def _conversation(stream: JsonStream, tally: Tally) -> Iterator[Message]:
    found = False
    for key in stream.members():
        if key == "dmConversation" and stream.peek() == "{":
            found = True
            yield from _messages(stream, tally)
        else:
            stream.value()
    if not found:
        tally.stranger()


def _messages(stream: JsonStream, tally: Tally) -> Iterator[Message]:
    thread = None
    for key in stream.members():
        if key == "messages" and stream.peek() == "[":
            for _ in stream.elements():
                yield from _entry(stream.value(), tally, thread)
        else:
            value = stream.value()
            thread = clean_stamp(value) or None if key == "conversationId" else thread


def _entry(entry: object, tally: Tally, thread: str | None) -> Iterator[Message]:
    number = tally.count()
    name, event = next(iter(entry.items()), ("", None)) if isinstance(entry, dict) else ("", None)
    if not isinstance(event, dict):
        tally.strangers += 1
        return
    text = event.get("text")
    tally.attachments += bool(event.get("mediaUrls"))
    words = text if isinstance(text, str) else ""
    if tally.admits(words):
        yield Message(
            number,
            tally.sender(event.get("senderId")),
            words,
            clean_stamp(event.get("createdAt")),
            _kind(name, words),
            id=clean_stamp(event.get("id")) or None,
            thread=thread,
        )


def _kind(name: str, text: str) -> str:
    if name.startswith("reaction") or text.startswith(REACTION_ROW):
        return "reaction"
    return "message" if name in ("messageCreate", "welcomeMessageCreate") else "system"
