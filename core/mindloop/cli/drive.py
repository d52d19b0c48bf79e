"""``drive.py follow-up``: the whole skill without a person; the other skills are driven in ``drive_judged``."""

from __future__ import annotations

from contextlib import nullcontext

from mindloop.cli.follow_up import (
    add_flags,
    begun_json,
    flags_of,
    resume_code,
    resumed_json,
    show_begun,
    show_resumed,
)
from mindloop.cli.output import emit, emit_json, progress_bar, tell
from mindloop.cli.parsing import add_json, parser, verb
from mindloop.cli.place import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.protocol.host import Host
    from mindloop.skills.follow_up.drive import Driven
    from mindloop.store.workspace import Workspace

PROG = "drive.py"
REHEARSED = (
    "rehearsal: no model was asked; the messages are placeholders or scripted answers, all labelled, on verified quotes"
)
SKILLS = {
    "follow-up": "messages for every user who qualifies, from verified quotes",
    "think": "what each user may be afraid of, as far as nobody knows",
    "grow": "how confirmed replies change what is believed; --run continues one",
    "ingest-dm": "which quotes of an export matter; --run continues one",
    "synthesis": "what the users of a run share; --run continues one",
}
HOSTS = {
    "rehearsal": ("mindloop.hosts.rehearsal", "RehearsalHost"),
    "claude": ("mindloop.hosts.claude", "ClaudeHost"),
}


def main(argv: list[str]) -> int:
    """Drive one skill."""
    skill = verb(PROG, argv, SKILLS)
    if skill != "follow-up":
        from mindloop.cli.drive_judged import drive_judged

        return drive_judged(skill, argv[1:], HOSTS, _host)
    options = parser(f"{PROG} follow-up", "Run /follow-up to its end without a person.")
    options.add_argument("--host", choices=HOSTS, required=True, help="who fills the gaps")
    options.add_argument("--run", metavar="RUN", help="continue this run instead of beginning one")
    options.add_argument("--full", action="store_true", help="list everybody and every check")
    add_flags(options)
    add_json(options)
    return _drive(options.parse_args(argv[1:]))


def _drive(chosen: Any) -> int:
    workspace = opened(dry_run=chosen.dry_run)
    progress, stop = progress_bar()
    try:
        with nullcontext() if chosen.dry_run else workspace.hold("driver", f"{PROG} follow-up"):
            driven = _driven(workspace, chosen, progress)
    finally:
        stop()
    if chosen.json:
        emit_json(_json(workspace, driven, chosen))
    else:
        _show(workspace, driven, chosen)
    return resume_code(driven.resumed) if driven.resumed else 0


def _driven(workspace: Workspace, chosen: Any, progress: Any) -> Driven:
    from mindloop.skills.follow_up.drive import drive, drive_on
    from mindloop.store.clock import now

    host = _host(chosen.host)
    if chosen.run:
        return drive_on(workspace, host, chosen.run, now(), progress)
    return drive(workspace, host, now(), flags_of(chosen), progress)


def _host(name: str) -> Host:
    module, kind = HOSTS[name]
    from importlib import import_module

    host: Host = getattr(import_module(module), kind)()
    return host


def _json(workspace: Workspace, driven: Driven, chosen: Any) -> dict[str, Any]:
    begun = begun_json(driven.begun, dry_run=chosen.dry_run, full=chosen.full) if driven.begun else {}
    resumed = resumed_json(driven.resumed) if driven.resumed else {}
    skipped = resumed.get("skipped", begun.get("skipped", []))
    value = {**begun, **resumed, "host": chosen.host, "skipped": skipped, "warnings": driven.warnings}
    if chosen.dry_run:
        value |= {"run": None, "batch": None, "batch_text": _batch_text(workspace, driven)}
        value |= {"synthesis": None, "synthesis_text": _synthesis_text(workspace, driven)}
    return value


def _batch_text(workspace: Workspace, driven: Driven) -> str:
    path = _batch(driven)
    return (workspace.read_text(path) or "") if path else ""


def _batch(driven: Driven) -> str | None:
    return driven.resumed.batch if driven.resumed else driven.begun.batch if driven.begun else None


def _synthesis_text(workspace: Workspace, driven: Driven) -> str:
    """What a dry run's synthesis says; it would lie beside the day's batch."""
    path = _batch(driven) if driven.resumed and driven.resumed.synthesis else None
    return (workspace.read_text(f"{path.removesuffix('.md')}-synthesis.md") or "") if path else ""


def _show(workspace: Workspace, driven: Driven, chosen: Any) -> None:
    if chosen.host == "rehearsal":
        emit(REHEARSED)
    tell(driven.warnings)
    if chosen.dry_run:
        emit("dry run: nothing is written; this is what the run would add")
        emit(_batch_text(workspace, driven))
        if driven.resumed and driven.resumed.synthesis:
            emit(_synthesis_text(workspace, driven) or driven.resumed.synthesis)
        return
    if driven.begun:
        show_begun(driven.begun, dry_run=False, full=chosen.full, driven=True)
    if driven.resumed:
        show_resumed(driven.resumed, full=chosen.full)
        emit("\n".join(_example(_batch_text(workspace, driven))))


def _example(batch: str) -> list[str]:
    """One message of the batch, so that a newcomer sees what this is about."""
    from mindloop.observer.batch.file import parse_batch

    users = [user for user in parse_batch(batch)["sections"] if user["messages"]] if batch else []
    if not users:
        return []
    user = max(users, key=lambda one: len(one["messages"]))
    message = user["messages"][0]
    return [
        f"for example, to {user['user']}, who said: {message['anchor_quote_text'][:200]!r}",
        f"  {message['message_body'][:300]}",
    ]
