"""Checks of the score snapshots that the shipped score command reads."""

from __future__ import annotations

from mindloop.observer.layout import layout_of
from mindloop.observer.score import parse_snapshot
from mindloop.store.checkup import WARNING, Finding, guarded
from mindloop.store.documents import LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.store.checkup import Examined, Look


def check_scores(look: Look) -> Iterator[Finding]:
    """Report score snapshots that nothing can be read from."""
    folder = layout_of(look.ws).scores_dir
    for name in look.ws.names(folder, ".json"):
        yield from guarded(f"{folder}/{name}", _score(look.ws, f"{folder}/{name}"))


def _score(ws: Examined, rel: str) -> Iterator[Finding]:
    if not parse_snapshot(ws.read_text(rel, LIMIT) or ""):
        yield Finding(WARNING, rel, None, "no score can be read from it; packets show it as it is")
