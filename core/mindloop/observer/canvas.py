"""Reading user truth canvases: whose they are, what they say, what is wrong with them (follow-up, steps 1, 2a)."""

from __future__ import annotations

import re

from mindloop.observer import hypotheses
from mindloop.observer.canvas_sections import blocks, one_line, visible_rows
from mindloop.observer.layout import Layout
from mindloop.observer.names import display_name, fold, slug
from mindloop.store import front_matter
from mindloop.store.clock import parse_instant
from mindloop.store.errors import Malformed, MindloopError, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.hypotheses import Gap, Hypothesis, Promise
    from mindloop.store.workspace import Workspace


SCHEMA_VERSION = 2
"""The canvas schema that is written; a newer one is refused."""

_TYPES = ("user_canvas", "user-canvas", "user-truth-canvas")
_TEMPLATES = ("user_canvas_template", "user-canvas-template")
_SUFFIX = "-canvas"
_WALLET = re.compile(r"0x[0-9a-fA-F]{40}\Z")
_QUOTE_LINE = re.compile(r" {0,3}>")
_RESERVED_START = re.compile(r"^([\w-]+):[ \t]+([@`%].*?)[ \t]*\r?$", re.MULTILINE)


class InvalidCanvas(Malformed):
    """A canvas that cannot be used; the others go on. Skip reason ``invalid_canvas``."""


class NotACanvas(Exception):  # noqa: N818 - a verdict, never shown
    """A template: it is left out without a word."""


class Canvas:
    """A canvas that parsed.

    Attributes:
        path: relative to the workspace.
        basename: the file's name.
        user: display name. slug: its form for paths and ids.
        wallet: as written, or None where there is none or a placeholder.
        lifecycle_state, last_enriched, updated: as written, or None.
        schema_version: a number, or None where the header has none.
        meta: the whole header; values are strings, None, lists and mappings.
        body: the text below the header, to the byte.
        hypotheses, promises, gaps: what the body's sections hold.
        has_quotes: whether there is any blockquote.
        warnings: what was passed over, one line each.
    """

    __slots__ = (
        "basename",
        "body",
        "gaps",
        "has_quotes",
        "hypotheses",
        "last_enriched",
        "lifecycle_state",
        "meta",
        "path",
        "promises",
        "schema_version",
        "slug",
        "updated",
        "user",
        "wallet",
        "warnings",
    )

    def __init__(self, path: str, meta: dict[str, Any], body: str, user: str) -> None:
        self.path = path
        self.basename = path.rsplit("/", 1)[-1]
        self.user = user
        self.slug = slug(user)
        self.meta = meta
        self.body = body
        self.warnings: list[str] = []
        self.wallet = self._wallet(meta.get("wallet"))
        self.lifecycle_state = _text(meta.get("lifecycle_state"))
        self.schema_version = _schema_version(meta.get("schema_version"))
        self.last_enriched = _text(meta.get("last_enriched"))
        self.updated = _text(meta.get("updated"))
        self._read_body()

    def _read_body(self) -> None:
        rows = [row for row in visible_rows(self.body) if row]
        sections = blocks(rows, 2)
        self.hypotheses: list[Hypothesis] = hypotheses.read_hypotheses(sections)
        self.promises: list[Promise] = hypotheses.read_promises(sections)
        self.gaps: list[Gap] = hypotheses.read_gaps(rows)
        self.has_quotes = any(_QUOTE_LINE.match(row.text) for row in rows)
        for promise in self.promises:
            if parse_instant(promise.date) is None:
                shown = one_line(promise.date, 40)
                self.warnings.append(f"line {promise.line}: the promise has no date that can be read: {shown!r}")

    def _wallet(self, value: object) -> str | None:
        wallet = _text(value)
        if wallet is None or not wallet.strip("0x.…") or wallet.startswith("{"):
            return None
        if not _WALLET.match(wallet):
            self.warnings.append(f"the wallet {one_line(wallet, 60)!r} is not 0x and 40 hex digits")
        return wallet


class CanvasFile:
    """One file of the canvas folder: a canvas, or why it is none.

    Attributes:
        path: relative to the workspace.
        canvas: what was read, or None.
        error: why it cannot be used, or None.
        user_guess: whose canvas it is, as far as can be told; safe to print on one line.
    """

    __slots__ = ("canvas", "error", "path", "user_guess")

    def __init__(self, path: str, canvas: Canvas | None, error: MindloopError | None, user_guess: str) -> None:
        self.path = path
        self.canvas = canvas
        self.error = error
        self.user_guess = user_guess


def _text(value: object) -> str | None:
    """Return a header value that is text and not empty."""
    return value.strip() or None if isinstance(value, str) else None


def _schema_version(value: object) -> int | None:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 9 else None


def stem(path: str) -> str:
    """Return the user that a file's name speaks of: without folder, ``.md`` and ``-canvas``."""
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    return name.removesuffix(_SUFFIX) or name


def parse_canvas(rel_path: str, text: str) -> Canvas:
    """Read a canvas.

    Args:
        rel_path: its place in the workspace; names the user where the header does not.
        text: the whole file.

    Raises:
        InvalidCanvas: no header, a header that does not parse, an unsafe user, a newer schema, a NUL.
        NotACanvas: it is a template.
    """
    place = one_line(rel_path, 200)
    meta, body = _header(place, text)
    kind, user = _text(meta.get("type")), meta.get("user")
    if kind in _TEMPLATES or (isinstance(user, str) and user.strip().startswith("{") and user.strip().endswith("}")):
        raise NotACanvas(place)
    if kind is not None and kind not in _TYPES:
        raise InvalidCanvas(f"{place}: type is {one_line(kind, 60)!r}, expected {_TYPES[0]!r}")
    if kind is None and user is None:
        raise InvalidCanvas(f"{place}: the header has neither a type nor a user", "Add: type: user_canvas, user: …")
    version = _schema_version(meta.get("schema_version"))
    if version is not None and version > SCHEMA_VERSION:
        raise InvalidCanvas(
            f"{place}: schema_version is {version}, this version reads up to {SCHEMA_VERSION}",
            "Update mindloop; the file was left alone.",
        )
    return Canvas(rel_path, meta, body, _user(place, rel_path, user))


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
    return f'Write the value in quotes: {found[1]}: "{one_line(found[2], 60)}"' if found else ""


def _user(place: str, rel_path: str, value: object) -> str:
    if value is not None and not isinstance(value, str):
        raise InvalidCanvas(f"{place}: user is a {type(value).__name__}, expected a name", "Write the name in quotes.")
    try:
        return display_name((value or "").strip() or stem(rel_path))
    except WrongInput as error:
        raise InvalidCanvas(f"{place}: {error.message}", error.hint) from error


def load_canvases(workspace: Workspace) -> list[CanvasFile]:
    """Read every canvas of a workspace, sorted by file name; templates are left out (follow-up, step 1).

    One bad file never hides another. Of two canvases for one user the one named ``-canvas.md`` counts (spec A2).
    """
    folder = layout_of(workspace).canvas_dir
    found = [load_canvas(workspace, f"{folder}/{name}") for name in workspace.names(folder, ".md")]
    result = [one for one in found if one is not None]
    _refuse_duplicates(result)
    return result


def layout_of(workspace: Workspace) -> Layout:
    """Return the paths of a workspace, whose observer folder is a setting."""
    return Layout(str(workspace.settings.get("observer.root")))


def load_canvas(workspace: Workspace, rel: str) -> CanvasFile | None:
    """Read one canvas file by its path; None where it is a template or is not there.

    A file above ``observer.canvas_max_bytes`` is refused by its size and not read.
    """
    text = None
    try:
        _check_name(rel)
        check_size(workspace, rel)
        text = workspace.read_text(rel)
        canvas = None if text is None else parse_canvas(rel, text)
        return CanvasFile(rel, canvas, None, canvas.user) if canvas else None
    except NotACanvas:
        return None
    except MindloopError as error:
        invalid = error if isinstance(error, InvalidCanvas) else InvalidCanvas(error.message, error.hint)
        return CanvasFile(one_line(rel, 300), None, invalid, _guess(rel, text))


def _check_name(rel: str) -> None:
    """Refuse a file name that could leave the line it is shown in, or that is no text at all."""
    if not rel.isprintable():
        raise InvalidCanvas(f"the file name {rel[:200]!a} holds invisible characters", "Rename the file.")


def check_size(workspace: Workspace, rel: str) -> None:
    """Refuse a canvas that is larger than the setting allows.

    Raises:
        InvalidCanvas: it is; the message names both sizes in bytes.
    """
    limit = int(workspace.settings.get("observer.canvas_max_bytes"))
    size = workspace.size(rel) or 0
    if size > limit:
        raise InvalidCanvas(
            f"{one_line(rel, 200)}: {size} bytes, at most {limit} are read",
            "Make the canvas smaller, or raise observer.canvas_max_bytes in mindloop.yaml.",
        )


def _guess(rel: str, text: str | None) -> str:
    """Name the user of a file that does not parse: what its header says if it can be read, else its name."""
    try:
        user = front_matter.parse(text or "")[0].get("user")
    except Malformed:
        user = None
    named = one_line(user, 64) if isinstance(user, str) else ""
    return named or one_line(stem(rel), 64) or "?"


def _refuse_duplicates(files: list[CanvasFile]) -> None:
    """Leave each user one canvas; the others become invalid and name the one that counts."""
    by_user: dict[str, list[CanvasFile]] = {}
    for one in files:
        if one.canvas:
            by_user.setdefault(fold(one.canvas.user), []).append(one)
    for same in by_user.values():
        kept, *others = sorted(same, key=_preference)
        for other in others:
            other.error = InvalidCanvas(
                f"{one_line(other.path, 200)}: a second canvas of {kept.user_guess}; {one_line(kept.path)} counts",
                "Merge the two files into that one.",
            )
            other.canvas = None


def _preference(one: CanvasFile) -> tuple[bool, bool, str]:
    return not one.path.endswith(f"{_SUFFIX}.md"), fold(stem(one.path)) != fold(one.user_guess), one.path


def matches(one: CanvasFile | Canvas, name: str) -> bool:
    """Tell whether ``--canvas NAME`` means this file: its user or its name, whole, whatever the case; never a prefix."""
    user = one.user if isinstance(one, Canvas) else one.user_guess
    full = one.path.rsplit("/", 1)[-1].removesuffix(".md")
    return fold(name.strip()) in {fold(user), fold(full), fold(stem(one.path))}


def wallet_key(wallet: str | None) -> str | None:
    """Return the 40 hex digits of a wallet in lower case, for comparisons; None where it is no such wallet."""
    return wallet[2:].lower() if wallet and _WALLET.match(wallet) else None


def wallets(files: list[CanvasFile]) -> dict[str, str]:
    """Return folded user → wallet digits, for every canvas that has a wallet."""
    found = {fold(one.canvas.user): wallet_key(one.canvas.wallet) for one in files if one.canvas}
    return {user: key for user, key in found.items() if key}


def basenames(files: list[CanvasFile]) -> list[str]:
    """Return the names of all files of the canvas folder, also of those that do not parse (spec A21)."""
    return [one.path.rsplit("/", 1)[-1] for one in files]
