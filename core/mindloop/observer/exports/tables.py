"""Tables: DiscordChatExporter's CSV, and any other with a column for who, one for when and one for what."""

from __future__ import annotations

from mindloop.observer.exports.fallbacks import is_notification
from mindloop.observer.exports.message import CUT, REACTION_ROW, Message, clean_stamp
from mindloop.observer.exports.text_lines import MAX_LINE, Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mindloop.observer.exports.message import Tally

DELIMITERS = (",", ";", "\t")
ROLES = {
    "author": ("author", "sender_screen_name", "from", "sender", "username"),
    "when": ("date", "timestamp", "time", "created_at", "createdat"),
    "text": ("content", "text", "message"),
    "author_id": ("authorid", "author_id", "sender_id", "senderid"),
    "id": ("messageid", "message_id", "id"),
    "attachments": ("attachments",),
}
"""What a column is for, by the names that it goes under, whatever their case."""
NEEDED = frozenset(("author", "when", "text"))


class Columns:
    """The columns of a table.

    Attributes:
        delimiter: what stands between two cells.
        places: the place of each column that is read, by its role.
        width: the cells of a whole row.
        format: the format of an export with such columns.
    """

    __slots__ = ("delimiter", "format", "places", "width")

    def __init__(self, delimiter: str, names: list[str]) -> None:
        self.delimiter = delimiter
        self.width = len(names)
        self.places = {
            role: names.index(name) for role, known in ROLES.items() if (name := _first(known, names)) is not None
        }
        self.format = _platform(names)

    def cell(self, row: list[str], role: str) -> str:
        """Return the cell of a role; empty where the table has no such column."""
        place = self.places.get(role)
        return "" if place is None else row[place]


def _first(known: tuple[str, ...], names: list[str]) -> str | None:
    return next((name for name in known if name in names), None)


def _platform(names: list[str]) -> str:
    if "sender_screen_name" in names:
        return "twitter"
    return "discord-csv" if "content" in names and "author" in names else "log"


def columns_of(header: str) -> Columns | None:
    """Read the first line of a table; None where it is none that names who, when and what."""
    for delimiter in DELIMITERS:
        names = [cell.strip().strip('"').strip().casefold() for cell in header.split(delimiter)]
        if len(names) >= len(NEEDED):
            columns = Columns(delimiter, names)
            if NEEDED.issubset(columns.places):
                return columns
    return None


def read(texts: Iterable[str], tally: Tally) -> Iterator[Message]:
    """Yield the messages of a table; a row that is broken or cut off ends it and is told in the tally."""
    import csv

    lines = Lines(texts)
    feed = iter(lines)
    columns = columns_of(next((line for line in feed if line.strip()), ""))
    if columns is None:
        return
    csv.field_size_limit(MAX_LINE)  # of what is longer than a message only that one is left out
    try:
        for row in csv.reader((line + "\n" for line in feed), delimiter=columns.delimiter, strict=True):
            if len(row) < columns.width and lines.is_open:
                tally.broken = CUT
            elif row:
                yield from _row(row, columns, tally)
    except csv.Error as error:
        tally.broken = CUT if lines.is_open else f"a row is broken ({error})"
    if lines.is_too_long:
        tally.broken = "a line is too long"


def _row(row: list[str], columns: Columns, tally: Tally) -> Iterator[Message]:
    number = tally.count()
    if len(row) != columns.width:
        tally.strangers += 1
        return
    tally.attachments += bool(columns.cell(row, "attachments"))
    text = columns.cell(row, "text")
    if tally.admits(text):
        yield Message(
            number,
            tally.sender(columns.cell(row, "author"), id=columns.cell(row, "author_id")),
            text,
            clean_stamp(columns.cell(row, "when")),
            _kind(text),
            id=clean_stamp(columns.cell(row, "id")) or None,
        )


def _kind(text: str) -> str:
    if text.startswith(REACTION_ROW):
        return "reaction"
    return "system" if is_notification(text) else "message"
