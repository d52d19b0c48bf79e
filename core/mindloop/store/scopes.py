"""What can be locked, and the one order in which several locks are taken."""

from __future__ import annotations

import os

from mindloop.store import lock, reach
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_RANKS = {"world": 0, "research": 1, "agent": 2, "user": 3}
_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_LONGEST = 64


def ordered(scopes: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes without repetition, in the order in which they are locked.

    Raises:
        WrongInput: a scope is none of ``world``, ``research``, ``agent:<name>``, ``user:<slug>``.
    """
    return tuple(sorted(set(scopes), key=_key))


def _key(scope: str) -> tuple[int, str]:
    kind, colon, name = scope.partition(":")
    named = kind in ("agent", "user")
    right = (0 < len(name) <= _LONGEST and _ALLOWED.issuperset(name)) if named else not colon
    if kind not in _RANKS or not right:
        raise WrongInput(
            f"{scope!r} is no lock scope", "Use world, research, agent:<name> or user:<slug>; letters, digits, _ and -."
        )
    return _RANKS[kind], name


def file_name(scope: str) -> str:
    """Return a scope as part of a file name: ``user.alice``."""
    return scope.replace(":", ".")


LOCKS = ".mindloop/locks"


def lock_path(root: str, scope: str) -> str:
    """Return the side-car file of a scope."""
    return os.path.join(root, *LOCKS.split("/"), file_name(scope) + ".lock")


def long_lock_path(root: str, name: str) -> str:
    """Return the side-car file of a lock that is held for minutes and is no scope: ``driver``."""
    return os.path.join(root, *LOCKS.split("/"), name + ".lock")


def default_timeout() -> float:
    """Return the seconds a command waits for a lock: 10, or ``MINDLOOP_LOCK_TIMEOUT``.

    Raises:
        WrongInput: the variable is set and is no number of seconds.
    """
    text = os.environ.get("MINDLOOP_LOCK_TIMEOUT")
    if not text:
        return 10.0
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e6:
        raise WrongInput(f"MINDLOOP_LOCK_TIMEOUT is {text!r}, expected a number of seconds", "Unset it or use 10.")
    return seconds


class Locks:
    """Several scopes held together, taken in order and freed in reverse."""

    __slots__ = ("_held", "root", "scopes", "what")

    def __init__(self, root: str, scopes: tuple[str, ...], what: str) -> None:
        self.root = root
        self.scopes = scopes
        self.what = what
        self._held: list[lock.Lock] = []

    def take(self, timeout: float) -> None:
        """Take all of them within ``timeout`` seconds, or none (``Busy``; ``Malformed`` where they lie elsewhere)."""
        import time  # built in

        end = time.monotonic() + timeout
        reach.require(self.root, LOCKS)
        try:
            for scope in self.scopes:
                path = lock_path(self.root, scope)
                self._held.append(lock.Lock(path, max(end - time.monotonic(), 0.0), self.what).take())
        except BaseException:
            self.free()
            raise

    def free(self) -> None:
        """Free what is held."""
        while self._held:
            self._held.pop().free()
