"""Reads a user's cognition sidecar as far as anybody may steer by it."""

from __future__ import annotations

from mindloop.observer.cognition.validity import problems_under
from mindloop.store.documents import read_yaml
from mindloop.store.errors import Malformed, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.store.files import Files
    from mindloop.store.settings import Settings

_SHOWN = 3


def read_usable(files: Files, path: str, user: str, settings: Settings) -> tuple[dict[str, Any] | None, str]:
    """The sidecar at a path and nothing; or None and why nothing of it may be used, one line."""
    try:
        cognition = read_yaml(files, path, "cognition")
    except (Malformed, Unreadable) as error:
        return None, f"cognition not used: {error.message}"
    wrong = problems_under(settings, cognition, user)
    return (None, f"cognition not used: {path}: " + "; ".join(wrong[:_SHOWN])) if wrong else (cognition, "")
