"""Checks of the smaller files about one user: cognition, proposed matches, score snapshots."""

from __future__ import annotations

from mindloop.observer.canvas.checks import known_users
from mindloop.observer.cognition.validity import problems
from mindloop.observer.growth.checks import PROPOSALS, owner_findings
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold
from mindloop.observer.score import parse_snapshot
from mindloop.store import strict_yaml
from mindloop.store.checkup import ERROR, WARNING, Finding, guarded
from mindloop.store.documents import LIMIT, read_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.store.checkup import Examined, Look

_SHOWN = 3


def check_cognition(look: Look) -> Iterator[Finding]:
    """Report cognition sidecars that /follow-up would not use."""
    folder = layout_of(look.ws).cognition_dir
    for name in look.ws.names(folder, ".yaml"):
        yield from guarded(f"{folder}/{name}", _cognition(look, f"{folder}/{name}"))


def _cognition(look: Look, rel: str) -> Iterator[Finding]:
    document = read_yaml(look.ws, rel, "cognition")
    if document is None:
        return
    user = str(document.get("user", ""))
    yield from owner_findings(look, rel, user)
    get = look.ws.settings.get
    found = problems(
        document,
        known_users(look).get(fold(user), user),
        max_fears=get("observer.cognition.max_fears_per_user"),
        fear_types=get("observer.cognition.fear_types"),
    )
    if found:
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        yield Finding(ERROR, rel, None, "not used: " + "; ".join(found[:_SHOWN]) + more)


def check_proposals(look: Look) -> Iterator[Finding]:
    """Report proposed matches that do not parse."""
    folder = layout_of(look.ws).growth_dir
    for name in look.ws.names(folder, PROPOSALS):
        yield from guarded(f"{folder}/{name}", _proposals(look.ws, f"{folder}/{name}"))


def _proposals(ws: Examined, rel: str) -> Iterator[Finding]:
    document = strict_yaml.load((ws.read_text(rel, LIMIT) or "").removeprefix("\ufeff"), rel, LIMIT)
    if not isinstance(document, dict) or not isinstance(document.get("matches", []), list):
        yield Finding(ERROR, rel, None, "expected a mapping with a list of matches")


def check_scores(look: Look) -> Iterator[Finding]:
    """Report score snapshots that nothing can be read from."""
    folder = layout_of(look.ws).scores_dir
    for name in look.ws.names(folder, ".json"):
        yield from guarded(f"{folder}/{name}", _score(look.ws, f"{folder}/{name}"))


def _score(ws: Examined, rel: str) -> Iterator[Finding]:
    if not parse_snapshot(ws.read_text(rel, LIMIT) or ""):
        yield Finding(WARNING, rel, None, "no score can be read from it; packets show it as it is")
