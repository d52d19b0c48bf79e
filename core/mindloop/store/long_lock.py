"""Locks that are held for minutes, beside those of the transactions."""

from __future__ import annotations

from mindloop.store.lock import through_portalocker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self


class LongLock:
    """Hold a lock for minutes, through ``portalocker``: one try, no wait (one driver a workspace).

    Args:
        path: the side-car file; created with its folder, never deleted.
        what: what this process does, named to those who are refused.

    Raises:
        Busy: another process holds it; the message names it.
    """

    __slots__ = ("_lock", "_path", "_what")

    def __init__(self, path: str, what: str) -> None:
        self._path = path
        self._what = what
        self._lock: Any = None

    def __enter__(self) -> Self:
        self._lock = through_portalocker(self._path, 0, self._what)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
