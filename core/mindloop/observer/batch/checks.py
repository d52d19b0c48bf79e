"""Checks of the batch files: the compatibility contract, and whether what they quote was said."""

from __future__ import annotations

from mindloop.observer.batch.contract import compat_problems
from mindloop.observer.batch.parse import BATCH_TYPE, FILE_LIMIT, parse_batch
from mindloop.observer.canonical import content_hash
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import excerpt
from mindloop.observer.provenance.checks import index_of
from mindloop.store import front_matter
from mindloop.store.checkup import ERROR, INFO, WARNING, Finding, guarded
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.observer.types import BatchMessage
    from mindloop.store.checkup import Look

_DAY = when_used(r"\d{4}-\d{2}-\d{2}\.md\Z")
_SYNTHESIS = "-synthesis.md"
_SHOWN = 5


def check_batches(look: Look) -> Iterator[Finding]:
    """Report batch files that break the contract or quote what nobody said; batches are never changed."""
    folder = layout_of(look.ws).follow_ups_dir
    for name in look.ws.names(folder, ".md"):
        yield from guarded(f"{folder}/{name}", _file(look, f"{folder}/{name}"))


def _file(look: Look, rel: str) -> Iterator[Finding]:
    text = look.ws.read_text(rel, FILE_LIMIT) or ""
    name = rel.rpartition("/")[2]
    if not _DAY.match(name) and front_matter.parse(text)[0].get("type") != BATCH_TYPE:
        if not name.endswith(_SYNTHESIS):
            yield Finding(INFO, rel, None, "not a batch; it is passed over")
        return
    broken = compat_problems(text, rel)
    if broken:
        more = f"; and {len(broken) - _SHOWN} more" if len(broken) > _SHOWN else ""
        yield Finding(ERROR, rel, None, "breaks the batch contract: " + "; ".join(broken[:_SHOWN]) + more)
        return
    yield from _anchors(look, rel, text)


def _anchors(look: Look, rel: str, text: str) -> Iterator[Finding]:
    index = index_of(look)
    unknown = []
    for section in parse_batch(text)["sections"]:
        hashes = {record["content_hash"] for record in index.for_user(section["user"])}
        for message in section["messages"]:
            place = f"{section['user']}, message {message['number']}"
            sentence = anchor_problem(message)
            if sentence:
                yield Finding(ERROR, rel, None, f"{place}: {sentence}")
            elif message["anchor_quote_hash"] not in hashes:
                unknown.append(place)
    if unknown:
        strict = look.ws.settings.get("observer.provenance.strict")
        names = "; ".join(unknown[:_SHOWN]) + ("; …" if len(unknown) > _SHOWN else "")
        yield Finding(WARNING if strict else INFO, rel, None, f"anchors that no index record has: {names}")


def anchor_problem(message: BatchMessage) -> str | None:
    """Say why an anchor does not verify, or None: the words must have the hash that stands below them."""
    if message["anchor_quote_hash"] is None:
        return "the anchor quote has no hash"
    if content_hash(message["anchor_quote_text"]) != message["anchor_quote_hash"]:
        return f"the anchor {excerpt(message['anchor_quote_text'], 50)!r} is not what was hashed"
    return None
