"""What a user was asked before: their own sections of earlier batch files and nothing else (follow-up, step 2g).

A file counts only when its front matter says that it is a batch and lists the user: a synthesis file, which names many
people, never does. A section is found by its whole heading, so ``bob`` gets nothing of ``bobby``'s.
"""

from __future__ import annotations

from collections import Counter
from zlib import compress, decompress

from mindloop.observer.batch.parse import BATCH_TYPE, FILE_LIMIT, record_list, sections, text_list, without_rule
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import excerpt
from mindloop.observer.names import fold
from mindloop.store import front_matter
from mindloop.store.clock import is_date_only, parse_instant, stamp
from mindloop.store.errors import MindloopError
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from mindloop.store.workspace import Workspace

_KEPT = 8_000_000
"""Code points of batch files that are kept between looking who is in them and taking them apart."""

# The canvas's file name may stand in a prompt once (step 2h), a token belongs to one message only.
_DROPPED = when_used(r"^[ \t]*(?:\*\*Canvas\*\*:|>[ \t]*Token:)")


class PriorIndex(dict[str, list[tuple[str, str]]]):
    """Folded user to the batch files that name them, oldest first, as (moment, path).

    The moment is the instant of the run that brought the user, or the file's day where it says no more.

    Attributes:
        problems: files that could not be read as batches though they look like ones, a sentence each.
    """

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[str] = []
        self._files: dict[str, dict[str, bytes]] = {}
        self._texts: dict[str, str] = {}
        self._room = _KEPT

    def last(self, user: str) -> str | None:
        """The moment of the user's latest batch; None where there was none."""
        entries = self.get(fold(user))
        return entries[-1][0] if entries else None

    def keep(self, path: str, text: str) -> None:
        """Keep a file's text for `sections`, as long as there is room: most workspaces' batches are read once then."""
        if len(text) <= self._room:
            self._texts[path] = text
            self._room -= len(text)

    def sections(self, ws: Workspace, path: str) -> dict[str, bytes]:
        """Folded user to their packed part of a file, which is taken apart once for all users.

        Packed, because a year of batches is more than a command should hold, and reading each file again for each user
        would take hours.
        """
        if path not in self._files:
            kept = self._texts.pop(path, None)
            text = (kept if kept is not None else ws.read_text(path, FILE_LIMIT) or "").replace("\r\n", "\n")
            parts = _parts(front_matter.parse(text, path)[1])
            self._files[path] = {user: compress(part.encode(), 1) for user, part in parts.items() if user in self}
        return self._files[path]


def batch_index(ws: Workspace) -> PriorIndex:
    """Who was followed up when, from the front matter of every batch file (follow-up, step 1)."""
    index = PriorIndex()
    folder = layout_of(ws).follow_ups_dir
    for name in ws.names(folder, ".md"):
        path = f"{folder}/{name}"
        try:
            text = ws.read_text(path, FILE_LIMIT) or ""
            moments = _moments(text, path)
        except MindloopError as error:
            place = "" if path in error.message else f"{path}: "
            index.problems.append(f"{place}{error.message}; its messages are not seen as earlier follow-ups")
            continue
        if moments:
            index.keep(path, text)
            index.problems += _doubled(path, text, moments)
        for user, moment in moments.items():
            index.setdefault(user, []).append((moment, path))
    for entries in index.values():
        entries.sort()
    return index


def _moments(text: str, path: str) -> dict[str, str]:
    """Folded user to the moment of their latest messages in a file; nothing for a file that is no batch."""
    meta, _ = front_matter.parse(text, path)
    if meta.get("type") != BATCH_TYPE:
        return {}
    day = path.rpartition("/")[2][:10]
    fallback = _moment(meta.get("generated")) or (day if is_date_only(day) else "")
    result = {fold(user): fallback for user in text_list(meta, "users")}
    latest: dict[str, str] = {}
    for run in record_list(meta, "runs", ("run",)):
        for user in map(fold, text_list(run, "users")):
            latest[user] = max(latest.get(user, ""), _moment(run.get("at")))
    return {user: latest.get(user) or moment for user, moment in result.items()}


def _moment(value: object) -> str:
    """An instant in its one spelling, a bare day as it is, and nothing for what is neither."""
    text = str(value or "").strip()
    instant = parse_instant(text)
    if instant is None:
        return ""
    return text if is_date_only(text) else stamp(instant)


def prior_section(ws: Workspace, user: str, index: PriorIndex) -> tuple[str, int]:
    """A user's earlier follow-ups, oldest first (follow-up, step 2g).

    Returns:
        The text, empty where there is none, and how many files it comes from. Lines with the canvas's path and with
        tokens are left out.
    """
    key = fold(user)
    packed = [index.sections(ws, path).get(key) for _, path in index.get(key, ())]
    found = [decompress(part).decode() for part in packed if part]
    return "\n\n".join(found), len(found)


def _parts(body: str) -> dict[str, str]:
    """Folded user to what a batch's body says to them, ready for a prompt."""
    grouped: dict[str, list[str]] = {}
    for section in sections(body):
        grouped.setdefault(fold(section.name), []).append(body[section.start : section.end])
    return {user: _without_dropped(own[0]) for user, own in grouped.items() if len(own) == 1}


def _doubled(path: str, text: str, users: Container[str]) -> Iterator[str]:
    """Yield a sentence for each user who has several sections.

    One of them may be a line inside somebody else's message, and nothing tells which.
    """
    names = Counter(fold(section.name) for section in sections(front_matter.split(text)[2]))
    for user, count in names.items():
        if count > 1 and user in users:
            yield f"{path}: {excerpt(user, 64)!r} has {count} sections; none of them is seen as an earlier follow-up"


def _without_dropped(section: str) -> str:
    lines = without_rule(section).split("\n")
    return "\n".join(line for line in lines if not _DROPPED.match(line))
