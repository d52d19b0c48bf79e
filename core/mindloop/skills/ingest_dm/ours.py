"""What we wrote to a user, from the batch files: a reply that quotes it back must not become the user's words."""

from __future__ import annotations

from mindloop.observer.batch.parse import BATCH_TYPE, FILE_LIMIT, parse_section, record_list, sections, text_list
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold
from mindloop.store import front_matter
from mindloop.store.clock import DAY_LENGTH, is_date_only, parse_instant, stamp
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.store.files import Files


def sent_to(files: Files, user: str, notes: list[str]) -> Iterator[tuple[str, str]]:
    """Yield all messages of a user in the batch files, each with the moment or day before which it was not sent.

    That is empty where the file does not tell; a file that cannot be read is noted.
    """
    folder = layout_of(files).follow_ups_dir
    for name in files.names(folder, ".md"):
        path = f"{folder}/{name}"
        try:
            text = files.read_text(path, FILE_LIMIT) or ""
            if BATCH_TYPE in text:
                yield from _bodies(text.replace("\r\n", "\n"), path, fold(user))
        except MindloopError as error:
            notes.append(f"{error.message}; a reply that quotes its messages is not recognised")


def _bodies(text: str, path: str, key: str) -> Iterator[tuple[str, str]]:
    meta, body = front_matter.parse(text, path)
    if meta.get("type") != BATCH_TYPE:
        return
    since = _written(meta, path, key)
    for part in sections(body):
        if fold(part.name) == key:
            yield from (
                (since, one["message_body"])
                for one in parse_section(part.name, body[part.start : part.end])["messages"]
            )


def _written(meta: dict[str, object], path: str, key: str) -> str:
    """When the first run brought messages of a user into a batch; else the day of the file, if its name tells."""
    runs = [run for run in record_list(meta, "runs", ("run",)) if key in map(fold, text_list(run, "users"))]
    moments = [parse_instant(run.get("at")) for run in runs]
    known = [one for one in moments if one is not None]
    if known and len(known) == len(moments):
        return stamp(min(known))
    named = path.rpartition("/")[2][:DAY_LENGTH]
    return named if is_date_only(named) else ""
