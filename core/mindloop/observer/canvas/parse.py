"""Parsing one user truth canvas: whose it is, what it says, what is wrong with it (follow-up, step 2a)."""

from __future__ import annotations

import re
from functools import cached_property

from mindloop.observer.canvas.sections import blocks, split_lines, visible_rows
from mindloop.observer.lines import excerpt
from mindloop.observer.names import display_name, slug
from mindloop.observer.wallets import is_wallet
from mindloop.store import front_matter
from mindloop.store.clock import parse_instant
from mindloop.store.errors import Malformed, WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.canvas.hypotheses import ExpectationGap, Hypothesis, Promise
    from mindloop.observer.canvas.sections import Block, Row


SCHEMA_VERSION = 2
"""The canvas schema that is written; a newer one is refused."""

_TYPES = ("user_canvas", "user-canvas", "user-truth-canvas")
_TEMPLATES = ("user_canvas_template", "user-canvas-template")
SUFFIX = "-canvas"
_QUOTE_LINE = when_used(r" {0,3}>")
_RESERVED_START = when_used(r"^([\w-]+):[ \t]+([@`%].*?)[ \t]*\r?$", re.MULTILINE)


class InvalidCanvas(Malformed):
    """A canvas that cannot be used; the others go on. Skip reason ``invalid_canvas``."""


class NotACanvas(Exception):
    """A template: it is left out without a word."""


class Remark:
    """Something of a canvas that was passed over; ``line`` is the line of the file, or None for the header."""

    __slots__ = ("line", "text")

    def __init__(self, line: int | None, text: str) -> None:
        self.line = line
        self.text = text


class Canvas:
    """A canvas that parsed.

    Attributes:
        path: relative to the workspace.
        basename: the file's name.
        user: display name. slug: its form for paths and ids.
        wallet: as written, or None where there is none or a placeholder.
        lifecycle_state, last_enriched, updated: as written, or None.
        score_snapshot: whatever the header says under that name.
        body: the text below the header, to the byte. body_line: the line of the file where it starts.
    """

    def __init__(self, path: str, meta: dict[str, Any], body: str, user: str, body_line: int = 1) -> None:
        self.path = path
        self.basename = path.rsplit("/", 1)[-1]
        self.user = user
        self.slug = slug(user)
        self.body = body
        self.body_line = body_line
        self._header_warnings: list[str] = []
        self.wallet = self._wallet(meta.get("wallet"))
        self.lifecycle_state = _text(meta.get("lifecycle_state"))
        self.last_enriched = _text(meta.get("last_enriched"))
        self.updated = _text(meta.get("updated"))
        self.score_snapshot = meta.get("score_snapshot")

    # Most commands look at few canvases, or at few parts of many: each part of the body is read when it is asked for.

    @cached_property
    def _rows(self) -> list[Row]:
        return [row for row in visible_rows(self.body) if row]

    @cached_property
    def _sections(self) -> list[Block]:
        return blocks(self._rows, 2)

    @cached_property
    def hypotheses(self) -> list[Hypothesis]:
        """The Level 3 hypotheses."""
        from mindloop.observer.canvas import hypotheses  # most canvases are read for their header alone

        return hypotheses.read_hypotheses(self._sections)

    @cached_property
    def promises(self) -> list[Promise]:
        """The rows of the Future Promises table."""
        from mindloop.observer.canvas import hypotheses

        return hypotheses.read_promises(self._sections)

    @cached_property
    def gaps(self) -> list[ExpectationGap]:
        """The expectation gaps."""
        from mindloop.observer.canvas import hypotheses

        return hypotheses.read_gaps(self._rows)

    @cached_property
    def has_quotes(self) -> bool:
        """Whether there is any blockquote."""
        return any(_QUOTE_LINE.match(row.text) for row in self._rows)

    @cached_property
    def remarks(self) -> list[Remark]:
        """What was passed over: first what concerns the header, then each promise without a date."""
        return [Remark(None, text) for text in self._header_warnings] + [
            Remark(
                self.body_line + promise.line - 1,
                f"the promise has no date that can be read: {excerpt(promise.date, 40)!r}",
            )
            for promise in self.promises
            if parse_instant(promise.date) is None
        ]

    @property
    def warnings(self) -> list[str]:
        """The remarks as sentences."""
        return [one.text if one.line is None else f"line {one.line}: {one.text}" for one in self.remarks]

    def _wallet(self, value: object) -> str | None:
        wallet = _text(value)
        if wallet is None or not wallet.strip("0x.…") or wallet.startswith("{"):
            return None
        if not is_wallet(wallet):
            self._header_warnings.append(f"the wallet {excerpt(wallet, 60)!r} is not 0x and 40 hex digits")
        return wallet


def _text(value: object) -> str | None:
    """Return a header value that is text and not empty."""
    return value.strip() or None if isinstance(value, str) else None


def _schema_version(value: object) -> int | None:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 9 else None


def stem(path: str) -> str:
    """Return the user that a file's name speaks of: without folder, ``.md`` and ``-canvas``."""
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    return name.removesuffix(SUFFIX) or name


def parse_canvas(rel_path: str, text: str) -> Canvas:
    """Read a canvas.

    Args:
        rel_path: its place in the workspace; names the user where the header does not.
        text: the whole file.

    Raises:
        InvalidCanvas: no header, a header that does not parse, an unsafe user, a newer schema, a NUL.
        NotACanvas: it is a template.
    """
    place = excerpt(rel_path, 200)
    meta, body = _header(place, text)
    kind, user = _text(meta.get("type")), meta.get("user")
    if kind in _TEMPLATES or (isinstance(user, str) and user.strip().startswith("{") and user.strip().endswith("}")):
        raise NotACanvas(place)
    if kind is not None and kind not in _TYPES:
        raise InvalidCanvas(
            f"{place}: type is {excerpt(kind, 60)!r}, expected {_TYPES[0]!r}",
            "Correct the type, or move the file away.",
        )
    version = _schema_version(meta.get("schema_version"))
    if version is not None and version > SCHEMA_VERSION:
        raise InvalidCanvas(
            f"{place}: schema_version is {version}, this version reads up to {SCHEMA_VERSION}",
            "Update mindloop; the file was left alone.",
        )
    body_line = len(split_lines(text[: len(text) - len(body)]))
    return Canvas(rel_path, meta, body, _user(place, rel_path, user), body_line)


def _header(place: str, text: str) -> tuple[dict[str, Any], str]:
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        raise InvalidCanvas(f"{place}: line {line} holds a NUL byte, expected text", "Restore the file from a copy.")
    if not text.removeprefix("\ufeff").startswith("---"):
        raise InvalidCanvas(f"{place}: line 1 is not ---, expected a header", "Start the file with --- and user: …")
    try:
        return front_matter.parse(text, place)
    except Malformed as error:
        raise InvalidCanvas(error.message, _quoting_hint(text) or error.hint) from error


def _quoting_hint(text: str) -> str:
    """Point at the first value that YAML refuses because of its first character, as in ``user: @bob``."""
    try:
        header = front_matter.split(text)[1] or ""
    except Malformed:
        return ""
    found = _RESERVED_START.search(header)
    return f'Write the value in quotes: {found[1]}: "{excerpt(found[2], 60)}"' if found else ""


def _user(place: str, rel_path: str, value: object) -> str:
    if value is not None and not isinstance(value, str):
        raise InvalidCanvas(f"{place}: user is a {type(value).__name__}, expected a name", "Write the name in quotes.")
    try:
        return display_name((value or "").strip() or stem(rel_path))
    except WrongInput as error:
        raise InvalidCanvas(f"{place}: {error.message}", error.hint) from error
