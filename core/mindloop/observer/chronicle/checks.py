"""Checks of the release chronicle and of the index that is derived from it."""

from __future__ import annotations

from mindloop.observer.chronicle.entries import ENTRY_LIMIT, read_entry
from mindloop.observer.chronicle.releases import index_is_current, load_releases, rebuild_index
from mindloop.observer.layout import layout_of
from mindloop.store.checkup import ERROR, WARNING, Finding, guarded
from mindloop.store.repairs import Staged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.store.checkup import Examined, Look


def check_entries(look: Look) -> Iterator[Finding]:
    """Report entries that cannot be used and ids that two entries share."""
    places: dict[str, str] = {}
    for rel in look.ws.tree(layout_of(look.ws).chronicle_dir, ".md"):
        yield from guarded(rel, _entry(look.ws, rel, places))


def _entry(ws: Examined, rel: str, places: dict[str, str]) -> Iterator[Finding]:
    release = read_entry(ws.read_text(rel, ENTRY_LIMIT) or "", rel)
    if release is None:
        return  # about something else than a release
    first = places.setdefault(release["id"], rel)
    if first != rel:
        yield Finding(ERROR, rel, None, f"the id {release['id']!r} is that of {first} too; claims could mean either")


def check_index(look: Look) -> Iterator[Finding]:
    """Report an index that is not what the entries give."""
    rel = layout_of(look.ws).chronicle_index
    releases, _ = load_releases(look.ws)
    if index_is_current(look.ws, releases):
        return
    if look.ws.exists(rel):
        what = "the index is not what the entries give"
    elif releases:
        what = "the index is missing, so packets say nothing of releases"
    else:
        return  # nothing to derive yet
    yield Finding(WARNING, rel, None, what, Staged("rebuild the chronicle index", ("research",), rebuild_index))
