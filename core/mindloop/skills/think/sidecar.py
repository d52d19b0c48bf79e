"""The sidecar that a user has: what it holds, and whether it can be read at all."""

from __future__ import annotations

from mindloop.observer.cognition.validity import problems_under
from mindloop.observer.names import fold
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.store import strict_yaml
from mindloop.store.documents import LIMIT, read_yaml
from mindloop.store.errors import Malformed, NewerSchema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.types import GrowthState
    from mindloop.store.files import Files
    from mindloop.store.settings import Settings


class ForeignSidecar(Malformed):
    """The file under a user's name is about somebody else; it is left alone."""


class Sidecar:
    """What lies under a user's name.

    Attributes:
        document: its fields, as far as it can be read.
        problem: why it cannot be used, or empty.
    """

    __slots__ = ("document", "problem")

    def __init__(self, document: dict[str, Any], problem: str = "") -> None:
        self.document = document
        self.problem = problem

    @property
    def is_rehearsed(self) -> bool:
        """Whether no judge made it."""
        return self.document.get("host") == REHEARSAL


def read_sidecar(files: Files, path: str, user: str) -> Sidecar | None:
    """The sidecar at a path, or None where there is none; one that does not parse comes with its problem.

    Raises:
        ForeignSidecar: it is about another user.
        NewerSchema: a later version wrote it.
        Unreadable: the system refuses.
    """
    try:
        document, problem = read_yaml(files, path, "cognition"), ""
    except NewerSchema:
        raise
    except Malformed as error:
        document, problem = _as_yaml(files, path), error.message
    if document is None:
        return None
    named = document.get("user")
    if isinstance(named, str) and fold(named) != fold(user):
        raise ForeignSidecar(f"{path}: it is about another user", "Move it to that user's file, or remove it.")
    return Sidecar(document, problem)


def _as_yaml(files: Files, path: str) -> dict[str, Any]:
    """A sidecar that does not follow its schema: whose it is can still be told where it is YAML."""
    try:
        loaded = strict_yaml.load(files.read_text(path, LIMIT) or "", path)
    except Malformed:
        return {}
    return loaded if isinstance(loaded, dict) else {}


def why_not(
    sidecar: Sidecar,
    user: str,
    *,
    last_enriched: str | None,
    growth: GrowthState | None,
    score_raw: str | None,
    settings: Settings,
) -> list[str]:
    """Why a sidecar is not to steer by, a clause each; empty where it is fresh.

    Args:
        sidecar: the user's.
        user: display name.
        last_enriched: the canvas's own field.
        growth: what growth knows of the user, None where that is nothing or growth is off.
        score_raw: what the score command printed; None or empty where there is no score to compare.
        settings: the workspace's.
    """
    broken = unusable(sidecar, user, settings)
    if broken:
        return [broken]
    from mindloop.observer.cognition.staleness import staleness

    found = ["only a rehearsal made it"] if sidecar.is_rehearsed else []
    limit = settings.get("observer.cognition.stale_after_cycles")
    return found + staleness(sidecar.document, last_enriched, growth, score_raw, default_limit=limit)


def unusable(sidecar: Sidecar, user: str, settings: Settings) -> str:
    """Why a sidecar cannot be used at all, however old it is; empty where it can."""
    if sidecar.problem:
        return "it cannot be read"
    wrong = problems_under(settings, sidecar.document, user)
    return f"it is not valid ({wrong[0].split(':', 1)[0]})" if wrong else ""
