"""What we wrote to a user, from the batch files: a reply that quotes it back must not become the user's words."""

from __future__ import annotations

from mindloop.observer.batch.parse import BATCH_TYPE, parse_section, sections
from mindloop.observer.batch.prior import FILE_LIMIT
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold
from mindloop.store import front_matter
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.store.files import Files


def sent_to(files: Files, user: str, notes: list[str]) -> Iterator[str]:
    """Yield the bodies of all messages of a user in the batch files; a file that cannot be read is noted."""
    folder = layout_of(files).follow_ups_dir
    for name in files.names(folder, ".md"):
        path = f"{folder}/{name}"
        try:
            text = files.read_text(path, FILE_LIMIT) or ""
            if BATCH_TYPE in text:
                yield from _bodies(text.replace("\r\n", "\n"), path, fold(user))
        except MindloopError as error:
            notes.append(f"{error.message}; a reply that quotes its messages is not recognised")


def _bodies(text: str, path: str, key: str) -> Iterator[str]:
    meta, body = front_matter.parse(text, path)
    if meta.get("type") != BATCH_TYPE:
        return
    for part in sections(body):
        if fold(part.name) == key:
            yield from (
                one["message_body"] for one in parse_section(part.name, body[part.start : part.end])["messages"]
            )
