"""The errors a user can meet. Each carries its exit code and says what came, what was expected, what to do next."""

from __future__ import annotations


class MindloopError(Exception):
    """An error that a user can act on.

    Args:
        message: what was received and what was expected.
        hint: what to do next, one line.
    """

    exit_code = 2

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}"


class WrongInput(MindloopError):
    """A wrong call or a wrong input; nothing was changed."""


class Malformed(WrongInput):
    """A file or record that does not parse; the message names the place."""


class NewerSchema(Malformed):
    """A file written by a later version of mindloop; it is left alone."""


class Negative(MindloopError):
    """A verdict of "no": not found, there already, findings."""

    exit_code = 1


class Busy(MindloopError):
    """A lock was not free in time; nothing was changed."""

    exit_code = 75


class StoreFailure(MindloopError):
    """The disk refused (full, read-only, I/O error); the files hold the old state or the new one."""


class Unreadable(StoreFailure):
    """One file that the system does not let us read; what does not need it can go on."""
