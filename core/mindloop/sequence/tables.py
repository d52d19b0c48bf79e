"""Reads CSV exports row by row: whatever separates the fields, however the columns are called.

A row that cannot be read is named by its number, counted as a spreadsheet counts (the header is row 1), and left out.
A quote that is never closed costs its own row: the next line is read again, for itself. A field may hold line ends only
where nobody reads it, and where no line of it could be a row.
Too many of them, a missing column or another encoding end the reading: then the file is not what it was taken for.
"""

from __future__ import annotations

import io
from operator import itemgetter

from mindloop.sequence.shown import plain
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from _typeshed import WriteableBuffer

    Chunks = Iterable[bytes | str]

MOST_BAD_ROWS = 100
"""Rows of one table that may be left out; with one more the table is refused."""
_LONGEST_LINE = 4_000_000  # bytes without a line end: the memory that one row can cost
_WORTH_A_CALL = 1 << 16
_MOST_LINES = 200  # of one record: a message of several lines in a column that is not read
_LONG = 100_000  # characters of a line above which the library decides, it bounds a field
_SEPARATORS = (",", ";", "\t", "|")
_SHOWN_COLUMNS = 20
_NOTHING = frozenset(("", "null", "none", "\\n"))
_HINT = "Export it as CSV with a header row; these columns are needed."


class Row:
    """A row that was left out, and why."""

    __slots__ = ("number", "reason", "table")

    def __init__(self, table: str, number: int, reason: str) -> None:
        self.table = table
        self.number = number
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.table}, row {self.number}: {self.reason}"


class Table:
    """One CSV, read once.

    Args:
        name: what it is called in messages.
        chunks: its bytes (UTF-8, or UTF-16 with a byte order mark) cut anywhere, or its lines.
        required: each column's name here, and the names it may have in the file, best first, folded by `folded`.
        optional: the same for columns that may be missing.

    Attributes:
        number: the row that is being read.
        bad: the rows that were left out.
        torn: the fields of those that are no row, as far as they can be told apart: whom they were about.

    Raises:
        Malformed: no header, a column missing or twice, or not text.
    """

    __slots__ = ("_again", "_lines", "_pick", "_separator", "_width", "bad", "columns", "name", "number", "torn")

    def __init__(
        self,
        name: str,
        chunks: Chunks,
        required: Mapping[str, Sequence[str]],
        optional: Mapping[str, Sequence[str]],
    ) -> None:
        self.name = name
        self.bad: list[Row] = []
        self.torn: list[list[str]] = []
        self.number = 0
        self._again: list[str] = []
        self._lines = _decoded(chunks)
        header, self._separator = self._header({**required, **optional})
        self._width = len(header)
        self.columns = self._found(header, required, optional)
        self._pick = itemgetter(*self.columns.values())

    def where(self) -> str:
        """The table and the row that is being read, for messages."""
        return f"{self.name}, row {self.number}"

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The fields of each good row: the required ones in order, then those optional ones that are there."""
        pick, width, separator, again = self._pick, self._width, self._separator, self._again
        while True:
            self.number += 1
            try:
                line = again.pop() if again else next(self._lines, None)
            except UnicodeDecodeError as error:
                raise self._encoding(error) from None
            if line is None:
                return
            if '"' in line or len(line) > _LONG:
                row = self._quoted(line)
            else:
                bare = line.rstrip("\r\n")
                row = bare.split(separator) if bare else []
            if len(row) == width or (row and self._fits(row)):
                yield pick(row)

    def _quoted(self, line: str) -> list[str]:
        """The fields of a record that has quotes; none where it is no row, whose lines are then read again."""
        import csv

        taken = [line]
        try:
            row = next(csv.reader(self._onwards(taken), delimiter=self._separator, strict=True))
        except csv.Error as error:
            row, reason = [], f"it is no row of a CSV ({error})"
        except UnicodeDecodeError as error:
            raise self._encoding(error) from None
        else:
            reason = self._swallowed(row, taken) if len(taken) > 1 else self._half_quoted(line)
            if not reason:
                return row
        self._again.extend(reversed(taken[1:]))
        self.torn.append([one.strip().strip('"').strip() for one in line.split(self._separator)])
        self.refuse(reason)
        return []

    def _onwards(self, taken: list[str]) -> Iterator[str]:
        """The line that was taken, and those after it; each is put to the others."""
        yield taken[0]
        size = 0
        while len(taken) < _MOST_LINES and size < _LONG:
            line = self._again.pop() if self._again else next(self._lines, None)
            if line is None:
                return
            taken.append(line)
            size += len(line)
            yield line

    def _swallowed(self, row: list[str], taken: list[str]) -> str:
        """Why a record of several lines is none; empty where it is one."""
        picked = [row[at] for at in self.columns.values() if at < len(row)]
        if len(row) != self._width or any("\n" in one or "\r" in one for one in picked):
            return "a quote is opened in it and not closed before the end of the line"
        if any(self._like_a_row(one) for one in taken[1:]):
            return "a quote that is opened in it goes on over lines that are rows themselves"
        return ""

    def _half_quoted(self, line: str) -> str:
        """Why a line is no row: a quote within a field that is read and that none begins; empty where it is one."""
        raw = line.split(self._separator)
        read = [raw[at] for at in self.columns.values()] if len(raw) == self._width else []
        if any('"' in one and not one.startswith('"') for one in read):
            return "a quote stands within a field that does not begin with one"
        return ""

    def _like_a_row(self, line: str) -> bool:
        fields = line.split(self._separator)
        at = self.columns.get("t", -1)
        seen = fields[at].strip().strip('"') if len(fields) >= self._width and at < len(fields) else ""
        return len(fields) >= self._width and (at < 0 or seen[:1].isdigit() or seen[:1] == "-")

    def refuse(self, reason: str) -> None:
        """Leave the current row out.

        Raises:
            Malformed: more rows of the table were left out than can be by accident.
        """
        self.bad.append(Row(self.name, self.number, reason))
        if len(self.bad) > MOST_BAD_ROWS:
            first = "; ".join(f"row {one.number}: {one.reason}" for one in self.bad[:5])
            message = f"{self.name}: more than {MOST_BAD_ROWS} rows cannot be read, so nothing is measured: {first}; …"
            raise Malformed(message, "Correct the export, or the way it was made; nothing is guessed.")

    def _fits(self, row: list[str]) -> bool:
        """Whether a row of another length is still sure of its columns."""
        if len(row) > self._width and not any(row[self._width :]):
            return True
        if any(row):
            self.torn.append(row)
            self.refuse(f"it has {len(row)} fields, the header has {self._width}")
        return False

    def _header(self, names: Mapping[str, Sequence[str]]) -> tuple[list[str], str]:
        import csv

        try:
            for line in self._lines:
                self.number += 1
                if line.strip() and not line.lower().startswith("sep="):
                    return max(
                        ((next(csv.reader([line], delimiter=mark)), mark) for mark in _SEPARATORS),
                        key=lambda read: len(_matches(read[0], names)),
                    )
        except csv.Error as error:
            raise Malformed(f"{self.where()}: it is no header of a CSV ({error})", _HINT) from None
        except UnicodeDecodeError as error:
            raise self._encoding(error) from None
        raise Malformed(f"{self.name}: it is empty, expected a header row", _HINT)

    def _found(
        self, header: list[str], required: Mapping[str, Sequence[str]], optional: Mapping[str, Sequence[str]]
    ) -> dict[str, int]:
        found = _matches(header, {**required, **optional})
        missing = [name for name in required if name not in found]
        if missing:
            wanted = "; ".join(f"{name} (also {', '.join(required[name][1:4])})" for name in missing)
            there = ", ".join(plain(one, 40) or "''" for one in header[:_SHOWN_COLUMNS])
            more = f", … {len(header)} in all" if len(header) > _SHOWN_COLUMNS else ""
            raise Malformed(f"{self.name}: no column {wanted}; found: {there}{more}", _HINT)
        for name, at in found.items():
            if sum(folded(one) == folded(header[at]) for one in header) > 1:
                message = f"{self.name}: the column {plain(header[at], 40)!r} stands twice, so {name} could be either"
                raise Malformed(message, "Leave one of them out of the export.")
        return {name: found[name] for name in (*required, *optional) if name in found}

    def _encoding(self, error: UnicodeDecodeError) -> Malformed:
        byte = error.object[error.start : error.start + 1].hex()
        message = f"{self.name}: after row {max(self.number - 1, 0)}: expected text in UTF-8, found the byte 0x{byte}"
        return Malformed(message, "Convert it first, for example: iconv -f latin1 -t utf-8")


def folded(column: str) -> str:
    """The key under which names of columns are compared: ``messages.Source_Workflow ID`` is ``sourceworkflowid``."""
    return "".join(char for char in column.rpartition(".")[2].casefold() if char.isalnum())


def is_nothing(field: str) -> bool:
    """Whether a field holds no value: empty, or a word by which databases say so."""
    return field.lower() in _NOTHING


def _matches(header: Sequence[str], names: Mapping[str, Sequence[str]]) -> dict[str, int]:
    there: dict[str, int] = {}
    for at, column in enumerate(header):
        there.setdefault(folded(column), at)
    found = {name: next((there[one] for one in known if one in there), None) for name, known in names.items()}
    return {name: at for name, at in found.items() if at is not None}


def _decoded(chunks: Chunks) -> io.TextIOWrapper:
    raw = _Bytes(chunks)
    return io.TextIOWrapper(io.BufferedReader(raw, 1 << 17), encoding=raw.encoding(), newline="")


class _Bytes(io.RawIOBase):
    """Chunks as a stream of bytes; a line that never ends is an error before it fills the memory."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = iter((chunks,) if isinstance(chunks, bytes | str) else chunks)
        self._left = memoryview(b"")
        self._line = 0

    def encoding(self) -> str:
        """What the byte order mark says."""
        while len(self._left) < len(b"\xff\xfe"):
            more = self._next()
            if more is None:
                break
            self._left = memoryview(bytes(self._left) + more)
        return "utf-16" if bytes(self._left[:2]) in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._left:
            chunk = self._next()
            if chunk is None:
                return 0
            self._left = memoryview(chunk)
        view = memoryview(buffer).cast("B")
        size = min(len(view), len(self._left))
        view[:size] = self._left[:size]
        self._left = self._left[size:]
        return size

    def _next(self) -> bytes | None:
        data = b"".join(self._some())
        ended = max(data.rfind(b"\n"), data.rfind(b"\r"))
        self._line = self._line + len(data) if ended < 0 else len(data) - ended
        if self._line > _LONGEST_LINE:
            message = f"a line of more than {_LONGEST_LINE} bytes, expected rows of a CSV"
            raise Malformed(message, "Is this the file that you meant?")
        return data or None

    def _some(self) -> Iterator[bytes]:
        """Chunks that are worth a call together: whoever gives an open file gives its lines."""
        size = 0
        for chunk in self._chunks:
            data = chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else chunk
            size += len(data)
            yield data
            if size >= _WORTH_A_CALL:
                return
