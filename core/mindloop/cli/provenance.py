"""``provenance.py``: hash a text, ingest what was said, verify the quotes on canvases."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.provenance.verification import QuoteVerdict
    from mindloop.store.workspace import Workspace

PROG = "provenance.py"
VERBS = {
    "hash": "the v1 hash of the text on standard input",
    "ingest": "add a text from standard input to the index",
    "verify": "check every quote of every canvas",
}


def main(argv: list[str]) -> int:
    """Run one verb."""
    if argv == ["hash"]:
        return _hash()
    from mindloop.cli.parsing import verb

    return _VERBS[verb(PROG, argv, VERBS)](argv[1:])


def _hash() -> int:
    """The hot one: nothing is imported but the hash."""
    from mindloop.cli.output import read_stdin_text
    from mindloop.observer.canonical import content_hash

    sys.stdout.write(content_hash(read_stdin_text("the text")) + "\n")
    return 0


def _hash_with_options(argv: list[str]) -> int:
    from mindloop.cli.output import emit_json, read_stdin_text
    from mindloop.cli.parsing import add_json, parser
    from mindloop.observer.canonical import content_hash

    options = parser(f"{PROG} hash", "Print the v1 hash of the text on standard input: 64 hex digits.")
    add_json(options)
    if not options.parse_args(argv).json:
        return _hash()
    emit_json({"content_hash": content_hash(read_stdin_text("the text")), "normalization_version": 1})
    return 0


def _ingest(argv: list[str]) -> int:
    from mindloop.cli.output import emit, emit_json, read_stdin_text
    from mindloop.cli.place import opened
    from mindloop.observer.provenance.index import ingest
    from mindloop.observer.provenance.record import make_record
    from mindloop.store.clock import now

    chosen = _ingest_options().parse_args(argv)
    workspace = opened()
    record = make_record(
        chosen.user,
        read_stdin_text("the text").removesuffix("\n").removesuffix("\r"),
        source_type=chosen.source_type,
        ingested_by=chosen.ingested_by,
        now=now(),
        timestamp=chosen.timestamp,
        raw_source_ref=chosen.source_ref,
        thread_id=chosen.thread,
        message_index=chosen.index,
        parent_hash=chosen.parent,
    )
    with workspace.transaction("research") as tx:
        written = ingest(tx, record)
    if chosen.json:
        emit_json({"record": written})
    else:
        emit(f"{written['record_id']} {written['content_hash']}")
    return 0


def _ingest_options() -> Any:
    from mindloop.cli.parsing import add_json, parser
    from mindloop.observer.provenance.record import INGESTERS, SOURCE_TYPES

    options = parser(
        f"{PROG} ingest", "Add a text to the index. Exit 1 where this user said it before; nothing is written then."
    )
    options.add_argument("--user", required=True, help="who said it")
    options.add_argument("--source-type", required=True, choices=SOURCE_TYPES)
    options.add_argument("--timestamp", metavar="WHEN", help="when it was said: date, or ISO 8601 time with zone")
    options.add_argument("--ingested-by", default=INGESTERS[0], choices=INGESTERS)
    options.add_argument("--source-ref", default="", metavar="REF", help="file or row it came from")
    options.add_argument("--thread", metavar="ID", help="the conversation")
    options.add_argument("--index", type=int, metavar="N", help="place in the export, from 0")
    options.add_argument("--parent", metavar="HASH", help="hash of the message before it")
    add_json(options)
    return options


def _verdicts(workspace: Workspace, user: str | None) -> list[QuoteVerdict]:
    """The verdicts; of one user first with that user's records alone, which is enough where all of them are there."""
    from mindloop.observer.canvas.reading import load_canvases, matches
    from mindloop.observer.provenance.index import load_index, load_user
    from mindloop.observer.provenance.verification import verify

    files = load_canvases(workspace)
    names = {one.canvas.user for one in files if one.canvas and user is not None and matches(one, user)}
    if len(names) == 1:
        verdicts = verify(files, load_user(workspace, names.pop()), user)
        if all(one.in_index for one in verdicts if one.status == "verified"):
            return verdicts
    return verify(files, load_index(workspace, keep_text=True), user)


def _verify(argv: list[str]) -> int:
    from mindloop.cli.output import emit, emit_json, limited
    from mindloop.cli.parsing import add_json, parser
    from mindloop.cli.place import opened

    options = parser(f"{PROG} verify", "Check every quote against its hash. Exit 1 where one does not match.")
    options.add_argument("--user", help="only this user")
    options.add_argument("--full", action="store_true", help="list every quote")
    add_json(options)
    chosen = options.parse_args(argv)
    findings = _verdicts(opened(), chosen.user)
    counts = {status: sum(one.status == status for one in findings) for status in STATUSES}
    if chosen.json:
        emit_json({"counts": counts, "quotes": [_record(one) for one in findings]})
    else:
        told = [one for one in findings if chosen.full or one.status in BAD or (one.hint and one.status != "unmarked")]
        emit("\n".join([_counted(counts), *limited([_line(one) for one in told], full=chosen.full)]))
    return 1 if any(counts[status] for status in BAD) else 0


STATUSES = ("verified", "mismatch", "unmarked", "unreadable")
BAD = ("mismatch", "unreadable")


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def _record(one: QuoteVerdict) -> dict[str, Any]:
    return {name: getattr(one, name) for name in ("user", "path", "line", "status", "hash", "text", "hint")}


def _line(one: QuoteVerdict) -> str:
    hint = f" ({one.hint})" if one.hint else ""
    return f"  {one.path}:{one.line} {one.status}: {one.text[:60]}{hint}"


_VERBS = {"hash": _hash_with_options, "ingest": _ingest, "verify": _verify}
