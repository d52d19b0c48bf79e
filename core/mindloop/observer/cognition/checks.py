"""Checks of the cognition sidecars."""

from __future__ import annotations

from mindloop.observer.canvas.checks import known_users
from mindloop.observer.cognition.validity import problems_under
from mindloop.observer.growth.checks import owner_findings
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold
from mindloop.store.checkup import ERROR, Finding, guarded
from mindloop.store.documents import read_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.store.checkup import Look

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
    found = problems_under(look.ws.settings, document, known_users(look).get(fold(user), user))
    if found:
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        yield Finding(ERROR, rel, None, "not used: " + "; ".join(found[:_SHOWN]) + more)
