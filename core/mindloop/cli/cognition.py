"""``cognition.py``: what a user may be afraid of: begin, packet, answer, resume, show."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.skills.judged import Judged
    from mindloop.skills.think.begun import Begun
    from mindloop.skills.think.show import Shown
    from mindloop.store.workspace import Workspace

PROG = "cognition.py"
THINK, SYNTHESIS = "mindloop.skills.think.judging", "mindloop.skills.synthesis.judging"
VERBS = {
    "begin": "one question for each user whose cognition is missing or stale",
    "packet": "print the exact prompt about one user",
    "answer": "check one answer from standard input and apply it at once",
    "resume": "check the filed answers of a run and apply them",
    "show": "what was thought about one user, and whether it still holds",
}
FEAR_SHOWN = 200


def main(argv: list[str]) -> int:
    """Run one verb."""
    from mindloop.cli.parsing import verb

    return _VERBS[verb(PROG, argv, VERBS)](argv[1:])


def _packet(argv: list[str]) -> int:
    from mindloop.cli.run_verbs import packet

    return packet(PROG, argv)


def _answer(argv: list[str]) -> int:
    from mindloop.cli.run_verbs import answer

    return answer(PROG, _judging_of(argv), argv)


def _resume(argv: list[str]) -> int:
    from mindloop.cli.run_verbs import resume

    path = _judging_of(argv)
    return resume(PROG, path, argv, after=_ask_on if path == THINK else None)


def _judging_of(argv: list[str]) -> str:
    """Whose run it is: what users share is asked in a run of its own, which its name tells."""
    return SYNTHESIS if any(word.startswith("synthesis-") for word in argv) else THINK


def _ask_on(workspace: Workspace, judged: Judged) -> list[str]:
    from mindloop.skills.think.synthesis import ask_synthesis, wants_synthesis
    from mindloop.store.clock import now

    run = judged.place.run
    if judged.state != "complete" or not wants_synthesis(workspace, run):
        return []
    reference, notes = ask_synthesis(workspace, now(), run)
    judged.warnings += notes
    return [_synthesis_line(reference)] if reference else []


def _synthesis_line(reference: str) -> str:
    run = reference.removeprefix("packet:").partition("/")[0]
    return f"{reference} for synthesis-writer, then: {PROG} resume {run}"


def _begin(argv: list[str]) -> int:
    from mindloop.cli.output import emit_json, progress_bar, tell
    from mindloop.cli.parsing import add_json, parser
    from mindloop.cli.place import opened
    from mindloop.skills.think.begin import begin
    from mindloop.store.clock import now

    options = parser(f"{PROG} begin", "One question for each user whose cognition is missing or stale.")
    options.add_argument("--user", metavar="USER", help="only this user")
    options.add_argument("--force", action="store_true", help="ask about users with a fresh cognition too")
    options.add_argument("--synthesize", action="store_true", help="also ask what the users share, at the end")
    options.add_argument("--dry-run", action="store_true", help="change no byte of the workspace")
    options.add_argument("--full", action="store_true", help="list everybody")
    add_json(options)
    chosen = options.parse_args(argv)
    workspace = opened(dry_run=chosen.dry_run)
    wanted = {"user": chosen.user, "force": chosen.force, "synthesize": chosen.synthesize}
    progress, stop = progress_bar()
    try:
        begun = begin(workspace, now(), **wanted, progress=progress)
    finally:
        stop()
    if chosen.json:
        emit_json(begun_json(begun, dry_run=chosen.dry_run, full=chosen.full))
    else:
        tell(begun.warnings)
        show_begun(begun, dry_run=chosen.dry_run, full=chosen.full)
    return 0


def begun_json(begun: Begun, *, dry_run: bool, full: bool = False) -> dict[str, Any]:
    """What ``begin --json`` prints; ``full`` adds every manifest and what was seen of everybody who was skipped."""
    waiting = [{"user": one["user"], "packet": one["packet"], "why": one["why"]} for one in begun.waiting]
    more = {
        "manifests": {one["user"]: one["manifest"] for one in begun.waiting},
        "details": {one["user"]: one["detail"] for one in begun.skipped},
    }
    return (more if full else {}) | {
        "run": None if dry_run or begun.place is None else begun.place.run,
        "dry_run": dry_run,
        "waiting": waiting,
        "skipped": [{"user": one["user"], "reason": one["reason"]} for one in begun.skipped],
        "synthesis": None if dry_run else begun.synthesis,
        "warnings": begun.warnings,
    }


def show_begun(begun: Begun, *, dry_run: bool, full: bool, driven: bool = False) -> None:
    """The same for people and models, short; a driver has no use for the packets' references."""
    from mindloop.cli.output import emit, limited

    counts = f"{len(begun.waiting)} waiting, {len(begun.skipped)} skipped"
    head = "dry run: nothing is written" if dry_run else f"run {begun.place.run}" if begun.place else "no run"
    lines = [f"{head}; {counts}"]
    if not driven:
        rows = [f"  {one['user']}: {one['why'] if dry_run else one['packet']}" for one in begun.waiting]
        lines += limited(rows, full=full, budget=1_100)
    rows = [f"  {one['user']}: {one['reason']}" + _detail(one, full=full) for one in begun.skipped]
    lines += ["skipped:", *limited(rows, full=full, budget=450)] if rows else []
    emit("\n".join(lines + _next_steps(begun, quiet=dry_run or driven)))


def _detail(entry: dict[str, str], *, full: bool) -> str:
    return f" ({entry['detail']})" if full and entry["detail"] else ""


def _next_steps(begun: Begun, *, quiet: bool) -> list[str]:
    if quiet:
        return []
    if begun.place:
        return [f"next: one cognition-distiller for each packet, then: {PROG} resume {begun.place.run}"]
    return [f"next: {_synthesis_line(begun.synthesis)}"] if begun.synthesis else ["nobody needs thinking about"]


def _show(argv: list[str]) -> int:
    from mindloop.cli.output import emit, emit_json, limited
    from mindloop.cli.parsing import add_json, parser
    from mindloop.cli.place import opened
    from mindloop.skills.think.show import shown

    options = parser(f"{PROG} show", "What was thought about one user. Exit 1 where that is nothing yet.")
    options.add_argument("user", help="a name, as canvas.py list shows it")
    options.add_argument("--full", action="store_true", help="show all")
    add_json(options)
    chosen = options.parse_args(argv)
    found = shown(opened(), chosen.user)
    if chosen.json:
        value = {"user": found.user, "file": found.path, "status": found.status, "reasons": found.reasons}
        emit_json({**value, "cognition": found.document})
    else:
        emit("\n".join(limited(_told(found), full=chosen.full)))
    return 0


def _told(found: Shown) -> list[str]:
    from mindloop.observer.sanitizer import sanitize

    def clean(value: object) -> str:
        return sanitize(str(value or ""), FEAR_SHOWN)

    document = found.document
    why = f" ({'; '.join(found.reasons)})" if found.reasons else ""
    made = f"made {clean(document.get('generated_at')) or 'nobody knows when'} by {clean(document.get('host')) or '?'}"
    lines = [f"{found.user}: {found.status}{why}, {made}; the score is not compared here"]
    if found.status == "unusable":
        return [*lines, f"  see why: doctor.py, then: {PROG} begin --user NAME"]
    approaches = {target["fear_id"]: target for target in document["steering_targets"]}
    for fear in sorted(document["fears"], key=lambda one: int(one["priority"])):
        lines.append(f"  {clean(fear['id'])} {fear['class']}, {fear['type']}: {clean(fear['text'])}")
        lines.append(f"    wrong where: {clean(fear['invalidation_signal'])}")
        target = approaches.get(fear["id"])
        lines += [f"    steer: {clean(target['approach'])}"] if target else []
    return lines


_VERBS = {"begin": _begin, "packet": _packet, "answer": _answer, "resume": _resume, "show": _show}
