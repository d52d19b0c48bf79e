"""``follow_up.py``: begin, packet, answer, resume, status."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.skills.follow_up.begin import Begun
    from mindloop.skills.follow_up.resume import Resumed

PROG = "follow_up.py"
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
    from mindloop.cli.output import emit_json, progress_bar, tell
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
        tell(begun.warnings)
        show_begun(begun, dry_run=chosen.dry_run, full=chosen.full)
    return 0


def add_flags(options: Any) -> None:
    """The flags that begin and drive share."""
    options.add_argument("--canvas", metavar="USER", help="only this user")
    options.add_argument("--dry-run", action="store_true", help="change no byte of the workspace")
    options.add_argument("--allow-stale", action="store_true", help="use a stale cognition as it is")
    options.add_argument("--synthesize", action="store_true", help="ask what the users share, once all are through")


def flags_of(chosen: Any) -> dict[str, Any]:
    """The run's flags from parsed arguments."""
    return {key: getattr(chosen, key) for key in ("canvas", "dry_run", "allow_stale", "synthesize")}


def begun_json(begun: Begun, *, dry_run: bool, full: bool = False) -> dict[str, Any]:
    """What ``begin --json`` prints; ``full`` adds every manifest, and what was seen of everybody who was skipped."""
    from mindloop.protocol.run_files import packet_reference

    more = {
        "manifests": {entry["user"]: entry["manifest"] for entry in begun.waiting},
        "details": {entry["user"]: entry["detail"] for entry in begun.skipped},
    }
    return (more if full else {}) | {
        "run": None if dry_run else begun.place.run,
        "dry_run": dry_run,
        "waiting": [{"user": entry["user"], "packet": entry["packet"]} for entry in begun.waiting],
        "thinking": [
            {"user": one.user, "packet": packet_reference(str(begun.think_run), one.gap.id), "judge": one.judge}
            for one in begun.thinking
        ],
        "synthesis": None if dry_run else begun.synthesis,
        "skipped": [{"user": entry["user"], "reason": entry["reason"]} for entry in begun.skipped],
        "batch": None if dry_run else begun.batch,
        "warnings": begun.warnings,
    }


def show_begun(begun: Begun, *, dry_run: bool, full: bool, driven: bool = False) -> None:
    """The same for people and models, short; a driver has no use for the packets' references."""
    from mindloop.cli.output import emit, limited
    from mindloop.protocol.run_files import packet_reference

    head = "dry run: nothing is written" if dry_run else f"run {begun.place.run}"
    first = f", {len(begun.thinking)} to be thought about first" if begun.thinking else ""
    lines = [f"{head}; {len(begun.waiting)} waiting{first}, {len(begun.skipped)} skipped"]
    if not driven:
        rows = [
            f"  {one.user}: {packet_reference(str(begun.think_run), one.gap.id)} for {one.judge}"
            for one in begun.thinking
        ]
        rows += [f"  {entry['user']}: {entry['packet']}" for entry in begun.waiting]
        named = [row.partition(": packet:")[0] for row in rows] if dry_run else rows
        lines += limited(named, full=full, budget=1_250)
    lines += _skipped(begun.skipped, full=full, budget=550, hint=f"{PROG} begin --dry-run --full")
    emit("\n".join(lines + _next_step(begun, quiet=dry_run or driven)))


def _skipped(entries: list[dict[str, str]], *, full: bool, budget: int, hint: str = "") -> list[str]:
    """Who was left out, and why."""
    from mindloop.cli.output import limited

    rows = [f"  {entry['user']}: {entry['reason']}" + _detail(entry, full=full) for entry in entries]
    why = f" (why: {hint})" if hint and not full and any(entry["detail"] for entry in entries) else ""
    return [f"skipped{why}:", *limited(rows, full=full, budget=budget)] if rows else []


def _detail(entry: dict[str, str], *, full: bool) -> str:
    return f" ({entry['detail']})" if full and entry["detail"] else ""


def _next_step(begun: Begun, *, quiet: bool) -> list[str]:
    if quiet:
        return []
    if begun.batch:
        return [f"nobody waits; written: {begun.batch}", *_synthesis_line(begun.synthesis, begun.place.run)]
    return [f"next: one isolated writer for each packet, then: {PROG} resume {begun.place.run}"]


def _synthesis_line(reference: str | None, run: str) -> list[str]:
    return [f"{reference} for synthesis-writer, then: {PROG} resume {run}"] if reference else []


def _packet(argv: list[str]) -> int:
    from mindloop.cli.run_verbs import packet

    return packet(PROG, argv)


def _answer(argv: list[str]) -> int:
    from mindloop.cli.output import emit, emit_json, read_stdin_bytes
    from mindloop.cli.parsing import add_json, parser
    from mindloop.cli.place import opened
    from mindloop.cli.run_verbs import item_of
    from mindloop.protocol.run_files import file_answer

    options = parser(f"{PROG} answer", "File a user's raw answer from standard input; resume checks it.")
    options.add_argument("run", help="as begin and status print it")
    options.add_argument("user", help="a name or the last part of the packet's reference")
    options.add_argument("--host", default="person", help="who answered (written into the batch)")
    add_json(options)
    chosen = options.parse_args(argv)
    raw = read_stdin_bytes().decode("utf-8", "surrogateescape")
    workspace = opened()
    item = item_of(workspace, chosen.run, chosen.user)
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
    from mindloop.cli.output import emit_json, progress_bar, tell
    from mindloop.cli.parsing import add_json, parser
    from mindloop.cli.place import opened
    from mindloop.skills.follow_up.resume import resume
    from mindloop.store.clock import now

    options = parser(f"{PROG} resume", "Check the filed answers, write the batch, record growth.")
    options.add_argument("run", help="as begin and status print it")
    options.add_argument("--allow-stale", action="store_true", help="go on where nobody answered about a cognition")
    options.add_argument("--full", action="store_true", help="list everybody and every check")
    add_json(options)
    chosen = options.parse_args(argv)
    progress, stop = progress_bar()
    try:
        resumed = resume(opened(), chosen.run, now(), progress, allow_stale=chosen.allow_stale)
    finally:
        stop()
    if chosen.json:
        emit_json(resumed_json(resumed))
    else:
        tell(resumed.warnings)
        show_resumed(resumed, full=chosen.full)
    return resume_code(resumed)


def resume_code(resumed: Resumed) -> int:
    """75 where a lock kept somebody open, 1 where nothing could be done, else 0."""
    if resumed.busy:
        from mindloop.store.errors import Busy

        return Busy.exit_code
    left = resumed.open or resumed.thinking
    return 1 if left and not resumed.done and not resumed.begun else 0


def resumed_json(resumed: Resumed) -> dict[str, Any]:
    """What ``resume --json`` prints."""
    return {
        "run": resumed.place.run,
        "state": resumed.state,
        "batch": resumed.batch,
        "done": resumed.done,
        "open": resumed.open,
        "begun": [{"user": entry["user"], "packet": entry["packet"]} for entry in resumed.begun],
        "thinking": _thinking(resumed),
        "synthesis": resumed.synthesis,
        "synthesis_packet": resumed.synthesis_packet,
        "busy": resumed.busy,
        "skipped": resumed.skipped,
        "log": resumed.log,
        "warnings": resumed.warnings,
    }


def _thinking(resumed: Resumed) -> list[str]:
    """References of what is to be thought about first."""
    from mindloop.protocol.run_files import packet_reference

    return [packet_reference(str(resumed.think_run), slug) for slug in resumed.thinking]


def show_resumed(resumed: Resumed, *, full: bool) -> None:
    """The same for people and models, short."""
    from mindloop.cli.output import emit, limited
    from mindloop.observer.lines import counted

    written = [entry for entry in resumed.done if entry["messages"]]
    total = sum(entry["messages"] for entry in written)
    head = f"{counted(total, 'message')} for {counted(len(written), 'user')}"
    lines = [f"run {resumed.place.run}: {head}, {len(resumed.open)} still open"]
    rows = [f"  {entry['user']}: {_count(entry)}" for entry in resumed.done]
    checks = [f"  {line}" for line in (resumed.log if full else resumed.told)]
    lines += limited(rows, full=full, budget=700)
    lines += _skipped(resumed.left_out, full=full, budget=300)
    lines += ["checks:", *limited(checks, full=full, budget=500)] if checks else []
    if resumed.batch:
        lines.append(f"batch: {resumed.batch}")
    lines += limited([f"  {entry['user']}: {entry['packet']}" for entry in resumed.begun], full=full, budget=500)
    lines += [f"  {reference} for cognition-distiller" for reference in _thinking(resumed)[:OPEN_SHOWN]]
    lines += [resumed.synthesis] if resumed.synthesis else []
    lines += _synthesis_line(resumed.synthesis_packet, resumed.place.run)
    if resumed.open:
        named = ", ".join(resumed.open[:OPEN_SHOWN]) + (", …" if len(resumed.open) > OPEN_SHOWN else "")
        lines.append(f"open {len(resumed.open)}: {named}; resume again once they are answered")
    emit("\n".join(lines))


def _count(entry: dict[str, Any]) -> str:
    from mindloop.observer.lines import counted

    return counted(entry["messages"], "message") if entry["messages"] else f"skipped, {entry['outcome']}"


_VERBS = {"begin": _begin, "packet": _packet, "answer": _answer, "resume": _resume}
