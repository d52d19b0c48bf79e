"""One message of a batch file, as it was written for one user: found by its token, in that user's section only."""

from __future__ import annotations

from mindloop.observer.batch.parse import batch_meta, parse_section, sections
from mindloop.observer.names import fold


def sent_text(batch: str, user: str, token: str) -> str | None:
    """The body of a user's message, or None where the batch has no such message (any more).

    Args:
        batch: the text of the day's batch file.
        user: whose section is looked into; nobody else's is parsed.
        token: the message's eight hex digits.

    Raises:
        WrongInput: the text is no batch file, or its front matter is broken.
    """
    _, body = batch_meta(batch)
    body = body.replace("\r\n", "\n")
    for part in sections(body):
        if fold(part.name) == fold(user):
            for message in parse_section(part.name, body[part.start : part.end])["messages"]:
                if message["token"] == token:
                    return message["message_body"]
    return None
