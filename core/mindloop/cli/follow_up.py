"""``follow_up.py``: begin, packet, answer, resume, status."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.skills.follow_up.begin import Begun
    from mindloop.skills.follow_up.resume import Resumed
    from mindloop.store.workspace import Workspace

PROG = "follow_up.py"
WARNINGS_SHOWN = 10
OPEN_SHOWN = 5
VERBS = {
    "begin": "check every canvas, write one packet for each user who qualifies",
    "packet": "print the exact prompt of one user",
    "answer": "file a user's raw answer from standard input",
    "resume": "check the filed answers, write the batch, record growth",
    "status": "where a run stands; without a run, all of them",
}


def main(argv: list[str]) -> int:
    """Run one verb."""
    if argv[:1] == ["status"]:
        from mindloop.cli.run_status import status  # the hot one: no parser, no YAML

        return status(argv[1:])
    from mindloop.cli.parsing import verb

    return _VERBS[verb(PROG, argv, VERBS)](argv[1:])


def _begin(argv: list[str]) -> int:
    from mindloop.cli.output import emit_json, progress_bar
    from mindloop.cli.parsing import add_json, parser
    from mindloop.cli.place import opened
    from mindloop.skills.follow_up.begin import begin
    from mindloop.store.clock import now

    options = parser(f"{PROG} begin", "Check every canvas and write one packet for each user who qualifies.")
    add_flags(options)
    options.add_argument("--full", action="store_true", help="list everybody")
    add_json(options)
    chosen = options.parse_args(argv)
    workspace = opened(dry_run=chosen.dry_run)
    progress, stop = progress_bar()
    try:
        begun = begin(workspace, now(), flags_of(chosen), progress)
    finally:
        stop()
    if chosen.json:
        emit_json(begun_json(begun, dry_run=chosen.dry_run, full=chosen.full))
    else:
        show_warnings(begun.warnings)
        show_begun(begun, dry_run=chosen.dry_run, full=chosen.full)
    return 0


def show_warnings(warnings: list[str]) -> None:
    """The first warnings, on stderr."""
    from mindloop.cli.output import note

    for warning in warnings[:WARNINGS_SHOWN]:
        note(f"warning: {warning}")
    if len(warnings) > WARNINGS_SHOWN:
        note(f"warning: (+{len(warnings) - WARNINGS_SHOWN} more: --json shows all)")


def add_flags(options: Any) -> None:
    """The flags that begin and drive share."""
    options.add_argument("--canvas", metavar="USER", help="only this user")
    options.add_argument("--dry-run", action="store_true", help="change no byte of the workspace")
    options.add_argument("--allow-stale", action="store_true", help="use a stale cognition as it is")


def flags_of(chosen: Any) -> dict[str, Any]:
    """The run's flags from parsed arguments."""
    return {"canvas": chosen.canvas, "dry_run": chosen.dry_run, "allow_stale": chosen.allow_stale}


def begun_json(begun: Begun, *, dry_run: bool, full: bool = False) -> dict[str, Any]:
    """What ``begin --json`` prints; ``full`` adds every manifest, and what was seen of everybody who was skipped."""
    more = {
        "manifests": {entry["user"]: entry["manifest"] for entry in begun.waiting},
        "details": {entry["user"]: entry["detail"] for entry in begun.skipped},
    }
    return (more if full else {}) | {
        "run": None if dry_run else begun.place.run,
        "dry_run": dry_run,
        "waiting": [{"user": entry["user"], "packet": entry["packet"]} for entry in begun.waiting],
        "skipped": [{"user": entry["user"], "reason": entry["reason"]} for entry in begun.skipped],
        "batch": None if dry_run else begun.batch,
        "warnings": begun.warnings,
    }


def show_begun(begun: Begun, *, dry_run: bool, full: bool, driven: bool = False) -> None:
    """The same for people and models, short; a driver has no use for the packets' references."""
    from mindloop.cli.output import emit, limited, note

    for warning in begun.warnings[:5]:
        note(f"warning: {warning}")
    if len(begun.warnings) > 5:  # a handful is readable
        note(f"warning: (+{len(begun.warnings) - 5} more; doctor.py lists them)")
    head = "dry run: nothing is written" if dry_run else f"run {begun.place.run}"
    lines = [f"{head}; {len(begun.waiting)} waiting, {len(begun.skipped)} skipped"]
    if not driven:
        lines += limited([f"  {_waiting(entry, dry_run=dry_run)}" for entry in begun.waiting], full=full, budget=1_250)
    lines += ["skipped:"] if begun.skipped else []
    rows = [f"  {entry['user']}: {entry['reason']}" + _detail(entry, full=full) for entry in begun.skipped]
    emit("\n".join(lines + limited(rows, full=full, budget=550) + _next_step(begun, quiet=dry_run or driven)))


def _waiting(entry: dict[str, str], *, dry_run: bool) -> str:
    return entry["user"] if dry_run else f"{entry['user']}: {entry['packet']}"


def _detail(entry: dict[str, str], *, full: bool) -> str:
    return f" ({entry['detail']})" if full and entry["detail"] else ""


def _next_step(begun: Begun, *, quiet: bool) -> list[str]:
    if quiet:
        return []
    if begun.batch:
        return [f"nobody waits; written: {begun.batch}"]
    return [f"next: one isolated writer for each packet, then: {PROG} resume {begun.place.run}"]


def _packet(argv: list[str]) -> int:
    from mindloop.cli.parsing import parser
    from mindloop.cli.place import opened
    from mindloop.protocol.run_files import read_packet

    options = parser(f"{PROG} packet", "Print the exact prompt of one user, byte for byte.")
    options.add_argument("run", help="as begin and status print it")
    options.add_argument("user", help="a name or the last part of the packet's reference")
    options.add_argument("--json", action="store_true", help="print the prompt with its hash and manifest")
    chosen = options.parse_args(argv)
    workspace = opened()
    item = _item_of(workspace, chosen.run, chosen.user)
    if chosen.json:
        return _packet_json(workspace, chosen.run, item)
    sys.stdout.buffer.write(read_packet(workspace, chosen.run, item))
    return 0


def _packet_json(workspace: Workspace, run: str, name: str) -> int:
    from mindloop.cli.output import emit_json
    from mindloop.protocol.run_files import checked_name, find_run, read_item
    from mindloop.store.schemas import load_schema

    item = read_item(workspace, find_run(workspace, run), name)
    shown = {key: item.get(key) for key in ("run", "user", "sha256", "manifest", "prompt", "log")}
    schema = checked_name(str(item.get("answer_schema")), "schema")
    emit_json({**shown, "answer_schema": load_schema(schema)})
    return 0


def _item_of(workspace: Workspace, run: str, user: str) -> str:
    """The item that is meant: the last part of a packet's reference as begin prints it, else a user's name."""
    from mindloop.observer.names import display_name, slug
    from mindloop.protocol.run_files import find_run

    name = display_name(user)
    place = find_run(workspace, run)
    return name if f"{name}.json" in workspace.names(place.folder, ".json") else slug(name)


def _answer(argv: list[str]) -> int:
    from mindloop.cli.output import emit, emit_json, read_stdin_bytes
    from mindloop.cli.parsing import add_json, parser
    from mindloop.cli.place import opened
    from mindloop.protocol.run_files import file_answer

    options = parser(f"{PROG} answer", "File a user's raw answer from standard input; resume checks it.")
    options.add_argument("run", help="as begin and status print it")
    options.add_argument("user", help="a name or the last part of the packet's reference")
    options.add_argument("--host", default="person", help="who answered (written into the batch)")
    add_json(options)
    chosen = options.parse_args(argv)
    raw = read_stdin_bytes().decode("utf-8", "surrogateescape")
    workspace = opened()
    item = _item_of(workspace, chosen.run, chosen.user)
    said = file_answer(workspace, chosen.run, item, raw, _host(chosen.host))
    if chosen.json:
        emit_json({"run": chosen.run, "user": chosen.user, "filed": True, "note": said})
    else:
        emit(said)
    return 0


def _host(name: str) -> str:
    from mindloop.protocol.run_files import checked_name

    return checked_name(name, "host")


def _resume(argv: list[str]) -> int:
    from mindloop.cli.output import emit_json, progress_bar
    from mindloop.cli.parsing import add_json, parser
    from mindloop.cli.place import opened
    from mindloop.skills.follow_up.resume import resume
    from mindloop.store.clock import now

    options = parser(f"{PROG} resume", "Check the filed answers, write the batch, record growth.")
    options.add_argument("run", help="as begin and status print it")
    options.add_argument("--full", action="store_true", help="list everybody and every check")
    add_json(options)
    chosen = options.parse_args(argv)
    progress, stop = progress_bar()
    try:
        resumed = resume(opened(), chosen.run, now(), progress)
    finally:
        stop()
    if chosen.json:
        emit_json(resumed_json(resumed))
    else:
        show_warnings(resumed.warnings)
        show_resumed(resumed, full=chosen.full)
    return resume_code(resumed)


def resume_code(resumed: Resumed) -> int:
    """75 where a lock kept somebody open, 1 where nothing could be done, else 0."""
    if resumed.busy:
        return 75
    return 1 if resumed.open and not resumed.done else 0


def resumed_json(resumed: Resumed) -> dict[str, Any]:
    """What ``resume --json`` prints."""
    return {
        "run": resumed.place.run,
        "state": resumed.state,
        "batch": resumed.batch,
        "done": resumed.done,
        "open": resumed.open,
        "busy": resumed.busy,
        "skipped": resumed.skipped,
        "log": resumed.log,
        "warnings": resumed.warnings,
    }


def show_resumed(resumed: Resumed, *, full: bool) -> None:
    """The same for people and models, short."""
    from mindloop.cli.output import emit, limited

    written = [entry for entry in resumed.done if entry["messages"]]
    total = sum(entry["messages"] for entry in written)
    head = f"{_number(total, 'message')} for {_number(len(written), 'user')}"
    lines = [f"run {resumed.place.run}: {head}, {len(resumed.open)} still open"]
    rows = [f"  {entry['user']}: {_count(entry)}" for entry in resumed.done]
    checks = [f"  {line}" for line in (resumed.log if full else resumed.told)]
    lines += limited(rows, full=full, budget=800)
    lines += ["checks:", *limited(checks, full=full, budget=700)] if checks else []
    if resumed.batch:
        lines.append(f"batch: {resumed.batch}")
    if resumed.open:
        named = ", ".join(resumed.open[:OPEN_SHOWN]) + (", …" if len(resumed.open) > OPEN_SHOWN else "")
        lines.append(f"open {len(resumed.open)}: {named}; resume again once they are answered")
    emit("\n".join(lines))


def _count(entry: dict[str, Any]) -> str:
    return _number(entry["messages"], "message") if entry["messages"] else f"skipped, {entry['outcome']}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


_VERBS = {"begin": _begin, "packet": _packet, "answer": _answer, "resume": _resume}
