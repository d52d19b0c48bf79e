"""JSONL: a reader that never drops a byte, and a writer that reads back what it writes."""

from __future__ import annotations

from mindloop.store.errors import WrongInput
from mindloop.store.lazy_patterns import CompiledLater

with CompiledLater():  # those of the decoder in pure Python
    import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

MAX_LINE = 1 << 20
_LEAVE_OUT = "Shorten it, or leave out what JSON cannot hold."
_BOM = b"\xef\xbb\xbf"


class Line:
    """One line of a JSONL file.

    Attributes:
        number: 1-based line number.
        offset: byte offset of ``raw`` in the file.
        raw: the bytes without the final newline.
        record: the object, or None for a blank or bad line.
        reason: why the line is bad, or None.
    """

    __slots__ = ("number", "offset", "raw", "reason", "record")

    def __init__(self, number: int, offset: int, raw: bytes, record: dict[str, Any] | None, reason: str | None) -> None:
        self.number = number
        self.offset = offset
        self.raw = raw
        self.record = record
        self.reason = reason

    def __repr__(self) -> str:
        return f"Line({self.number}, {self.offset}, {self.raw!r}, {self.record!r}, {self.reason!r})"


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {digits} is out of range")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(n for n in names if names.count(n) > 1)!r} stands there twice")
    return record


_decode = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique).decode
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def parse(line: bytes) -> tuple[dict[str, Any] | None, str | None]:
    """Read one line; return the record and None, or None and the reason."""
    if len(line) > MAX_LINE:
        return None, f"the line has {len(line)} bytes, at most {MAX_LINE} are read"
    try:
        text = line.decode("utf-8")
        record = _decode(text)
        if "\\u" in text:
            json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return None, "holds half of a surrogate pair"
    except (ValueError, RecursionError) as error:
        return None, str(error) or type(error).__name__
    if not isinstance(record, dict):
        return None, f"a record must be an object, found {type(record).__name__}"
    return record, None


def scan(data: bytes) -> Iterator[Line]:
    """Yield every line of a file, good, blank or bad.

    Conservation: raw lines and newlines, after an optional byte order mark, add up to exactly the file.
    A last line without a newline that does not parse is called torn: its writer was killed or is still writing.
    """
    position = len(_BOM) if data.startswith(_BOM) else 0
    number = 0
    while position < len(data):
        number += 1
        end = data.find(b"\n", position)
        torn = end < 0
        raw = data[position:] if torn else data[position:end]
        record, reason = _parse_raw(raw)
        yield Line(number, position, raw, record, f"torn last line: {reason}" if reason and torn else reason)
        position += len(raw) + 1


def _parse_raw(raw: bytes) -> tuple[dict[str, Any] | None, str | None]:
    body = raw.removesuffix(b"\r")
    return parse(body) if body.strip(b" \t") else (None, None)


def encode(record: Mapping[str, Any]) -> bytes:
    """Write one record as a line, without the newline; it is read back and compared.

    Raises:
        WrongInput: the record would not read back equal (lone surrogate, non-string key, tuple, NaN, too long).
    """
    try:
        line = _encode(record).encode("utf-8")
    except (ValueError, TypeError, RecursionError) as error:
        raise WrongInput(f"the record cannot be written as JSON: {error}", _LEAVE_OUT) from None
    back, reason = parse(line)
    if reason is not None:
        raise WrongInput(f"the record cannot be written as JSON: {reason}", _LEAVE_OUT)
    if back != record:
        raise WrongInput("the record would not read back equal", "Use strings for keys, lists instead of tuples.")
    return line
