"""What a begin of /think knows of its users: who has a question, and why the others have none."""

from __future__ import annotations

from mindloop.store.errors import Busy, MindloopError, StoreFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from mindloop.observer.canvas.reading import Canvas
    from mindloop.observer.types import GrowthState
    from mindloop.protocol.run_files import RunPlace
    from mindloop.skills.think.sidecar import Sidecar

    T = TypeVar("T")


class ThinkImpossible(Exception):
    """A user about whom no question can be asked; the others go on.

    Attributes:
        reason: the skip reason.
        detail: what was seen.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Begun:
    """What a begin came to.

    Attributes:
        place: the run, or None where nobody needs thinking about.
        waiting: ``{user, slug, packet, why, manifest}`` of everybody who has a question.
        skipped: ``{user, reason, detail}`` of everybody else.
        synthesis: the reference of the question about all users, where it could be asked at once.
    """

    __slots__ = ("place", "skipped", "synthesis", "waiting", "warnings")

    def __init__(self) -> None:
        self.place: RunPlace | None = None
        self.waiting: list[dict[str, Any]] = []
        self.skipped: list[dict[str, str]] = []
        self.warnings: list[str] = []
        self.synthesis: str | None = None

    def leave_out(self, user: str, reason: str, detail: str) -> None:
        """Say why a user gets no question."""
        self.skipped.append({"user": user, "reason": reason, "detail": detail})


class Thought:
    """One user on the way to the question; nothing of another user enters it."""

    __slots__ = ("canvas", "growth", "score", "sidecar")

    def __init__(self, canvas: Canvas, sidecar: Sidecar | None, growth: GrowthState | None) -> None:
        self.canvas = canvas
        self.sidecar = sidecar
        self.growth = growth
        self.score: Any = None


def attempt(begun: Begun, user: str, work: Callable[[], T]) -> T | None:
    """Do something for one user; a surprise leaves this user out, and costs nobody else anything."""
    try:
        return work()
    except ThinkImpossible as impossible:
        begun.leave_out(user, impossible.reason, impossible.detail)
    except (Busy, StoreFailure):
        raise
    except Exception as error:  # noqa: BLE001 - as in a walk of steps
        told = error.message if isinstance(error, MindloopError) else f"{type(error).__name__}: {error}"
        begun.leave_out(user, "internal_error", told)
    return None
