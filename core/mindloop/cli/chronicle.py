"""``chronicle.py``: add releases, query them, rebuild the derived index."""

from __future__ import annotations

from mindloop.cli.output import emit, emit_json, limited, note
from mindloop.cli.parsing import add_json, parser, verb
from mindloop.cli.place import opened
from mindloop.observer.chronicle.releases import (
    NONE_NEAR,
    add_release,
    query,
    rebuild_index,
    release_line,
)

PROG = "chronicle.py"
CONFIDENCES = ("exact", "day_level", "inferred", "unknown")
VERBS = {
    "add": "write down a release",
    "query": "the releases around a day",
    "rebuild": "derive the index from the entries",
}


def main(argv: list[str]) -> int:
    """Run one verb."""
    return _VERBS[verb(PROG, argv, VERBS)](argv[1:])


def _add(argv: list[str]) -> int:
    options = parser(f"{PROG} add", "Write down a release; its id is handed out where none is given.")
    options.add_argument("--title", required=True, help="the release's name as people say it")
    options.add_argument("--start", required=True, metavar="WHEN", help="date or ISO 8601 instant")
    options.add_argument("--end", metavar="WHEN", help="when it ended; kept, not used for windows")
    options.add_argument("--id", metavar="ID", help="an id of your own")
    options.add_argument("--taxonomy", default="system.app.released", help="system.app.released or below it")
    options.add_argument("--confidence", default="exact", choices=CONFIDENCES, help="how sure the start is (exact)")
    options.add_argument("--url", help="where to read more")
    options.add_argument("--summary", default="", help="one line for packets")
    add_json(options)
    chosen = options.parse_args(argv)
    workspace = opened()
    with workspace.transaction("research") as tx:
        release = add_release(
            tx,
            chosen.title,
            chosen.start,
            end=chosen.end,
            name=chosen.id,
            taxonomy=chosen.taxonomy,
            confidence=chosen.confidence,
            url=chosen.url,
            summary=chosen.summary,
        )
    if chosen.json:
        emit_json({"release": release})
    else:
        emit(f"{release['id']}: {release['title']}, from {release['start']}\n{release['source']}")
    return 0


def _query(argv: list[str]) -> int:
    options = parser(f"{PROG} query", "The releases around a day, days to both sides. Exit 1 where there is none.")
    options.add_argument("--around", required=True, metavar="WHEN", help="date or ISO 8601 instant")
    options.add_argument("--window", type=int, default=7, metavar="DAYS", help="to both sides (7)")
    options.add_argument("--summary", action="store_true", help="lines as a packet shows them")
    options.add_argument("--full", action="store_true", help="list all")
    add_json(options)
    chosen = options.parse_args(argv)
    found = query(opened(), chosen.around, chosen.window)
    if chosen.json:
        emit_json({"releases": found})
    elif chosen.summary:
        emit("\n".join(limited([release_line(record) for record in found], full=chosen.full)) or NONE_NEAR)
    else:
        rows = [f"{record['time']['start']}  {record['id']}  {record['title']}" for record in found]
        emit("\n".join(limited(rows, full=chosen.full)) or "no release in that window")
    return 0 if found else 1


def _rebuild(argv: list[str]) -> int:
    options = parser(f"{PROG} rebuild", "Derive the index from the entries; an index that is right is not written.")
    add_json(options)
    chosen = options.parse_args(argv)
    workspace = opened()
    with workspace.transaction("research") as tx:
        rebuilt = rebuild_index(tx)
    if chosen.json:
        emit_json({"releases": rebuilt.total, "new": rebuilt.new, "warnings": rebuilt.warnings})
    else:
        for warning in rebuilt.warnings:
            note(f"warning: {warning}")
        emit(f"{rebuilt.new} new entries, {rebuilt.total} releases in the index")
    return 0


_VERBS = {"add": _add, "query": _query, "rebuild": _rebuild}
