"""Releases: added here, read from ``entries``, looked up in ``index`` (follow-up, steps 1, 2g.6).

An entry is a note below ``grimoires/mining/chronicle/`` with ``id``, ``taxonomy``, ``title``, ``time.start``,
``time.end`` and ``confidence`` in its front matter. Entries are the only source; the index is derived from them.
"""

from __future__ import annotations

import re

from mindloop.observer.chronicle.entries import AS_A_DATE, RELEASED, in_order, load_releases, read_entry, title_line
from mindloop.observer.chronicle.index import (
    NO_INDEX,
    NONE_NEAR,
    feedback_day,
    index_is_current,
    load_index,
    near,
    query,
    rebuild_index,
    release_line,
    summary_text,
    write_index,
)
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import clean_line
from mindloop.store import front_matter
from mindloop.store.clock import parse_instant, stamp
from mindloop.store.errors import Negative, WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from mindloop.observer.types import Release
    from mindloop.store.transaction import Transaction

__all__ = [
    "NONE_NEAR",
    "NO_INDEX",
    "RELEASED",
    "add_release",
    "feedback_day",
    "index_is_current",
    "load_index",
    "load_releases",
    "near",
    "query",
    "rebuild_index",
    "release_line",
    "summary_text",
]

_ID = when_used(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_OUR_ID = when_used(r"CHRON-(\d{8})-(\d{3,9})")


def add_release(
    tx: Transaction,
    title: str,
    start: str,
    *,
    end: str | None = None,
    name: str | None = None,
    taxonomy: str = RELEASED,
    confidence: str = "exact",
    url: str | None = None,
    summary: str = "",
) -> Release:
    """Write an entry for a release and bring the index up to date, in one transaction over ``research``.

    Args:
        tx: a transaction that holds ``research``: ids are handed out under it.
        title: the release's name as people say it.
        start: when it was out, a date or an ISO 8601 instant.
        end: when it ended; kept, and not used for windows.
        name: an id of one's own; otherwise ``CHRON-YYYYMMDD-NNN`` with the day of the start.
        taxonomy: ``system.app.released`` or something below it.
        confidence: how sure the start is.
        url: where to read more.
        summary: one line for prompts.

    Raises:
        WrongInput: an argument does not hold what it should.
        Negative: the release, or the id, is in the chronicle already.
    """
    entry = _entry(title, start, end, name, taxonomy)
    releases, _ = load_releases(tx, complete=True)
    chosen = name or next_id(tx, releases, entry["time"]["start"])
    _refuse_known(releases, chosen, entry)
    rel = f"{layout_of(tx).chronicle_dir}/{chosen}.md"
    if tx.exists(rel):
        raise Negative(f"{rel} is there already", "Give the release another id.")
    extra = {"confidence": clean_line(confidence), "url": clean_line(url or ""), "summary": clean_line(summary)}
    release = _write(tx, rel, {"id": chosen, **entry, **{key: value for key, value in extra.items() if value}})
    write_index(tx, in_order([*releases, release]))
    return release


def _write(tx: Transaction, rel: str, meta: dict[str, Any]) -> Release:
    text = front_matter.render(meta, f"\n# {meta['title']}\n")
    release = read_entry(text, rel)
    if release is None:
        raise AssertionError("an entry of ours is a release")
    tx.write(rel, text)
    return release


def _entry(title: str, start: str, end: str | None, name: str | None, taxonomy: str) -> dict[str, Any]:
    """The checked part of a new entry's front matter."""
    begun, ended = parse_instant(start), parse_instant(end) if end else None
    shown = title_line(title)
    if not shown:
        raise WrongInput("the release has no title", "Give it the name that people know it by.")
    if begun is None:
        raise WrongInput(f"start is {clean_line(start)[:80]!r}; expected a date or an ISO 8601 instant", AS_A_DATE)
    if end and (ended is None or ended < begun):
        raise WrongInput(
            f"end is {clean_line(end)[:80]!r}; expected a date or an ISO 8601 instant after the start",
            "Correct it or leave it out.",
        )
    if name is not None and not _ID.fullmatch(name):
        raise WrongInput(
            f"the id is {clean_line(name)[:80]!r}; expected letters, digits, dots, dashes, at most 64",
            "Leave it out to get one.",
        )
    if taxonomy != RELEASED and not re.fullmatch(re.escape(RELEASED) + r"(?:\.[a-z0-9_-]{1,40}){1,6}", taxonomy):
        raise WrongInput(
            f"the taxonomy is {clean_line(taxonomy)[:80]!r}; expected {RELEASED} or {RELEASED}.<part>",
            "Leave it out to get it.",
        )
    time = {"start": stamp(begun), "end": stamp(ended) if ended else None}
    return {"taxonomy": taxonomy, "title": shown, "time": time}


def _refuse_known(releases: Iterable[Release], name: str, entry: dict[str, Any]) -> None:
    for release in releases:
        if release["id"] == name:
            raise Negative(f"the id {name} is taken by {release['source']}", "Give the release another id.")
        same = (release["title"], release["taxonomy"], release["start"])
        if same == (entry["title"], entry["taxonomy"], entry["time"]["start"]):
            raise Negative(
                f"the release is in the chronicle already: {release['id']} ({release['source']})", "Nothing to do."
            )


def next_id(tx: Transaction, releases: Iterable[Release], start: str) -> str:
    """The next free ``CHRON-YYYYMMDD-NNN`` of a day; neither ids nor file names are used twice."""
    date_part = start[:10].replace("-", "")
    stems = [rel.rpartition("/")[2].removesuffix(".md") for rel in tx.tree(layout_of(tx).chronicle_dir, ".md")]
    taken = (_OUR_ID.fullmatch(name) for name in [*stems, *(release["id"] for release in releases)])
    used = [int(match.group(2)) for match in taken if match and match.group(1) == date_part]
    return f"CHRON-{date_part}-{max(used, default=0) + 1:03d}"
