"""Front matter, byte-exact: people's text is never re-serialised, a value is rewritten where it stands."""

from __future__ import annotations

import re

from mindloop.store import strict_yaml
from mindloop.store.errors import Malformed, WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_OPEN = when_used("(\ufeff?)---[ \t]*(\r?\n)")
_CLOSE = when_used(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


def split(text: str) -> tuple[str, str | None, str]:
    """Cut a note into opening line, YAML and the rest; the three pieces join to the identical text.

    The YAML is None when the note has no header. The rest begins with the closing ``---`` line.

    Raises:
        Malformed: the header is opened and never closed.
    """
    opening = _OPEN.match(text)
    if not opening:
        return "", None, text
    closing = _CLOSE.search(text, opening.end())
    if not closing:
        raise Malformed("line 1: front matter is opened by --- and never closed", "Add a line --- after the header.")
    return text[: opening.end()], text[opening.end() : closing.start()], text[closing.start() :]


def parse(text: str, source: str = "") -> tuple[dict[str, Any], str]:
    """Read a note into its header (strings, None, lists, dicts) and its body, which is kept to the byte.

    Raises:
        Malformed: the header is not closed, not YAML or not a mapping.
    """
    try:
        _, header, tail = split(text)
    except Malformed as error:
        raise Malformed(f"{source}: {error.message}" if source else error.message, error.hint) from None
    if header is None:
        return {}, text
    meta = strict_yaml.load(header, source)
    if meta is None:
        meta = {}
    if not isinstance(meta, dict):
        place = f"{source}: " if source else ""
        raise Malformed(
            f"{place}front matter must be `key: value` lines, found a {type(meta).__name__}",
            "Correct the lines between the two --- lines.",
        )
    return meta, tail[_end_of_closing(tail) :]


def _end_of_closing(tail: str) -> int:
    closing = _CLOSE.match(tail)
    return closing.end() if closing else 0


def render(meta: Mapping[str, Any], body: str) -> str:
    """Write a new note of a header and a body."""
    return f"---\n{_header(meta)}---\n{body}"


def _header(meta: Mapping[str, Any]) -> str:
    return strict_yaml.dump(dict(meta)) if meta else ""


def replace(text: str, meta: Mapping[str, Any]) -> str:
    """Rewrite the whole header of a note that is ours; the body keeps every byte."""
    head, header, tail = split(text)
    if header is None:
        return render(meta, text)
    return head + _header(meta).replace("\n", _line_end(head)) + tail


def _line_end(head: str) -> str:
    return "\r\n" if head.endswith("\r\n") else "\n"


def set_scalar(text: str, key: str, value: str | float | None) -> str:
    """Rewrite one top-level value where it stands, or add it as the header's last line (see ``set_scalars``)."""
    return set_scalars(text, {key: value})


def set_scalars(text: str, values: Mapping[str, str | float | None]) -> str:
    """Rewrite top-level values where they stand; those that are not there become the header's last lines.

    The result is read back: exactly these keys may have changed, and the body must be the same.

    Raises:
        Malformed: the note's header does not parse.
        WrongInput: a value is not of one line, or the edit did not read back.
    """
    if not values:
        return text
    head, header, tail = split(text)
    lines = {key: _line(key, value) for key, value in values.items()}
    block = "\n".join(lines.values())
    if header is None:
        return f"---\n{block}\n---\n{text}"
    before, body = parse(text)
    refused = WrongInput(f"{', '.join(map(repr, lines))} could not be rewritten in place", "Edit the header by hand.")
    try:
        for key, line in lines.items():
            header = _edit(header, key, line, _line_end(head))
    except Malformed:  # by what was rewritten before
        raise refused from None
    edited = head + header + tail
    loaded = strict_yaml.load(block)
    if _read_back(edited) != ({**before, **(loaded if isinstance(loaded, dict) else {})}, body):
        raise refused
    return edited


def _line(key: str, value: str | float | None) -> str:
    line = strict_yaml.dump({key: value}).rstrip("\n")
    if "\n" in line or re.match(r".*: [|>][-+0-9]*\Z", line):
        raise WrongInput(f"the value of {key!r} must be one line of text", "Leave out its line breaks.")
    return line


def _read_back(text: str) -> object:
    try:
        return parse(text)
    except Malformed:
        return None


def _edit(header: str, key: str, line: str, line_end: str) -> str:
    span = strict_yaml.value_span(header, key)
    if span is None:
        return header + ("" if not header or header.endswith("\n") else line_end) + line + line_end
    start, end = span
    value = _value_of(line, key)
    return header[:start] + (" " + value if start == end else value) + header[end:]


def _value_of(line: str, key: str) -> str:
    # The key is dumped the same way alone, so that a key with a colon in quotes is cut at the right place.
    return line[len(strict_yaml.dump({key: None}).rstrip("\n")) - len("null") :]
