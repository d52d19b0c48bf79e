"""What a check of the workspace works with: a finding, and a look that can only look.

A check is a function of a ``Look`` that yields findings. It lives beside what it knows about (``*/checks*.py``) and is
one row of the table in ``cli/doctor_rules.py``.
"""

from __future__ import annotations

from mindloop.store import overlay
from mindloop.store.errors import MindloopError
from mindloop.store.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from typing import Any, NoReturn, TypeVar

    from mindloop.store.repairs import Fix
    from mindloop.store.settings import Settings

    Value = TypeVar("Value")

ERROR = "error"
"""Something is broken: a part of the workspace cannot be used as it is."""
WARNING = "warning"
"""Something is not as it should be, and everything works."""
INFO = "info"
"""Good to know; nothing is wrong."""


_KEPT = 1_000_000
"""Largest file, in bytes, that is kept for the next rule."""


class Finding:
    """One thing that a check found.

    Attributes:
        severity: ``error``, ``warning`` or ``info``.
        path: workspace-relative path; empty where it is about no file.
        line: from 1, or None.
        what: one sentence, with what to do where that is not plain.
        fix: what mends it, or None where that takes a person.
    """

    __slots__ = ("fix", "line", "path", "severity", "what")

    def __init__(self, severity: str, path: str, line: int | None, what: str, fix: Fix | None = None) -> None:
        self.severity = severity
        self.path = path
        self.line = line
        self.what = what
        self.fix = fix

    def __repr__(self) -> str:
        return f"Finding({self.severity!r}, {self.path!r}, {self.line!r}, {self.what!r})"


def refused(error: MindloopError, path: str = "", severity: str = ERROR) -> Finding:
    """Return the finding of something that could not be read; the path is not said twice."""
    text = error.message.removeprefix(f"{path}: ") if path else error.message
    return Finding(severity, path, None, f"{text}. {error.hint}")


def guarded(path: str, findings: Iterator[Finding]) -> Iterator[Finding]:
    """Yield the findings of one file; where it cannot be read, that is the last of them and the next file goes on."""
    try:
        yield from findings
    except MindloopError as error:
        yield refused(error, path)


class Examined(Workspace):
    """A workspace that is only looked at: no lock, no recovery, no change; settings that do not parse are the defaults.

    A file is read once, unless it is large: every rule judges the same bytes, whatever somebody writes meanwhile.

    Attributes:
        settings_problem: why ``mindloop.yaml`` could not be used, or None.
    """

    __slots__ = ("_seen", "settings_problem")

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self._seen: dict[str, bytes] = {}
        self.settings_problem: MindloopError | None = None

    @property
    def settings(self) -> Settings:
        """The settings, or the defaults where the file cannot be used."""
        if self._settings is None:
            from mindloop.store.settings import Settings, load_settings

            try:
                self._settings = load_settings(self.read_text)
            except MindloopError as error:
                self.settings_problem = error
                self._settings = Settings({})
        return self._settings

    def read(self, rel: str, limit: int | None = None) -> bytes | None:
        """Return the bytes of a file as they were when the first rule asked, or None where there is none."""
        key = self.key(rel)
        known = self._seen.get(key)
        if known is not None:
            return overlay.limited(rel, known, limit)
        data = super().read(rel, limit)
        if data is not None and len(data) <= _KEPT:
            self._seen[key] = data
        return data

    def transaction(self, *_scopes: str, timeout: float | None = None) -> NoReturn:
        """Refuse: a look changes nothing."""
        raise RuntimeError(f"a look at a workspace changes nothing (asked for {_scopes}, {timeout})")

    def recover(self) -> list[str]:
        """Do nothing: what is pending is reported instead."""
        return []


class Look:
    """One examination: the workspace, the instant, and what several checks share.

    Attributes:
        ws: the workspace; nothing can be changed through it.
        now: the command's instant.
    """

    __slots__ = ("_known", "now", "ws")

    def __init__(self, ws: Examined, now: datetime) -> None:
        self.ws = ws
        self.now = now
        self._known: dict[str, Any] = {}

    def once(self, name: str, make: Callable[[Examined], Value]) -> Value:
        """Return what ``make`` makes of the workspace; it is made for the first check that asks."""
        if name not in self._known:
            self._known[name] = make(self.ws)
        value: Value = self._known[name]
        return value
