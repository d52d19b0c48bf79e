"""``drive.py think|grow|ingest-dm|synthesis``: a run of one question an item, asked and taken without a person."""

from __future__ import annotations

from contextlib import nullcontext

from mindloop.cli.output import emit, emit_json, progress_bar, tell
from mindloop.cli.parsing import add_json, parser
from mindloop.cli.place import opened
from mindloop.cli.run_verbs import judged_code, judged_json, show_judged
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mindloop.protocol.host import Host
    from mindloop.skills.judged import Judged
    from mindloop.skills.think.begun import Begun
    from mindloop.store.workspace import Workspace

PROG = "drive.py"
REHEARSED = "rehearsal: no model was asked; every answer is a labelled default"
SKILLS = {
    "think": ("mindloop.skills.think.judging", "Think about every user whose cognition is missing or stale."),
    "grow": ("mindloop.skills.grow.judging", "Classify the confirmed replies of a run."),
    "ingest-dm": ("mindloop.skills.ingest_dm.judging", "Say which quotes of an ingested export matter."),
    "synthesis": ("mindloop.skills.synthesis.judging", "Say what the users of a run share."),
}
"""Skill, the module of its judging, what driving it does. Only /think begins a run here; the others continue one."""


def drive_judged(skill: str, argv: list[str], hosts: dict[str, tuple[str, str]], host_of: Callable[[str], Host]) -> int:
    """Ask a host for every answer that a run of ``skill`` waits for, and take them."""
    options = parser(f"{PROG} {skill}", SKILLS[skill][1])
    options.add_argument("--host", choices=hosts, required=True, help="who fills the gaps")
    begins = skill == "think"
    options.add_argument("--run", metavar="RUN", required=not begins, help="the run to ask about")
    if begins:
        options.add_argument("--user", metavar="USER", help="only this user")
        options.add_argument("--force", action="store_true", help="think again where nothing changed, too")
        options.add_argument("--synthesize", action="store_true", help="also ask what the users share, at the end")
        options.add_argument("--dry-run", action="store_true", help="change no byte of the workspace")
    options.add_argument("--full", action="store_true", help="list everybody")
    add_json(options)
    return _drive(skill, options.parse_args(argv), host_of)


def _drive(skill: str, chosen: Any, host_of: Callable[[str], Host]) -> int:
    dry_run = getattr(chosen, "dry_run", False)
    workspace = opened(dry_run=dry_run)
    progress, stop = progress_bar()
    try:
        with nullcontext() if dry_run else workspace.hold("driver", f"{PROG} {skill}"):
            begun = None if chosen.run else _begun(workspace, chosen, progress)
            run = begun.place.run if begun and begun.place else chosen.run
            host = host_of(chosen.host)
            judged, warnings = _asked(workspace, skill, run, host, progress) if run else (None, [])
            if skill == "think":
                judged, more = _shared(workspace, run, begun, judged, host)
                warnings += more
    finally:
        stop()
    warnings = (begun.warnings if begun else []) + warnings
    tell(warnings)
    return _told(chosen, begun, judged, warnings)


def _begun(workspace: Workspace, chosen: Any, progress: Any) -> Begun:
    from mindloop.skills.think.begin import begin
    from mindloop.store.clock import now

    return begin(
        workspace, now(), user=chosen.user, force=chosen.force, synthesize=chosen.synthesize, progress=progress
    )


def _asked(workspace: Workspace, skill: str, run: str, host: Host, progress: Any) -> tuple[Judged, list[str]]:
    from importlib import import_module

    from mindloop.protocol.run_files import begun_head, find_run
    from mindloop.skills.asking import ask_host
    from mindloop.skills.judged import resume
    from mindloop.store.clock import now

    judging = import_module(SKILLS[skill][0]).JUDGING
    begun_head(workspace, find_run(workspace, run), judging.skill)  # before anybody pays for an answer
    try:
        warnings = ask_host(workspace, host, run, progress)
    except MindloopError as error:
        error.hint += f"\nContinue this run with: {PROG} {skill} --host {host.name} --run {run}"
        raise
    judged = resume(workspace, judging, run, now(), progress)
    return judged, warnings + judged.warnings


def _shared(
    workspace: Workspace, run: str | None, begun: Begun | None, judged: Judged | None, host: Host
) -> tuple[Judged | None, list[str]]:
    """Ask what the users share, where that was asked for; whatever goes wrong there costs nobody their sidecar."""
    from mindloop.skills.think.synthesis import ask_synthesis, wants_synthesis
    from mindloop.store.clock import now

    reference = begun.synthesis if begun else None
    warnings: list[str] = []
    try:
        if run and wants_synthesis(workspace, run):
            reference, warnings = ask_synthesis(workspace, now(), run)
        if reference is None:
            return judged, warnings
        name = reference.removeprefix("packet:").partition("/")[0]
        shared, more = _asked(workspace, "synthesis", name, host, None)
    except MindloopError as error:
        return judged, [*warnings, f"the synthesis is left out: {error.message}"]
    if judged is None:
        return shared, warnings + more
    judged.done += shared.done
    return judged, warnings + more


def _told(chosen: Any, begun: Begun | None, judged: Judged | None, warnings: list[str]) -> int:
    if chosen.json:
        run = {"run": None} if getattr(chosen, "dry_run", False) else {}
        emit_json({**_json(begun, judged), **run, "host": chosen.host, "warnings": warnings})
        return judged_code(judged) if judged else 0
    if chosen.host == "rehearsal":
        emit(REHEARSED)
    if begun:
        from mindloop.cli.cognition import show_begun

        show_begun(begun, dry_run=getattr(chosen, "dry_run", False), full=chosen.full, driven=True)
    if judged:
        show_judged(judged, full=chosen.full)
    return judged_code(judged) if judged else 0


def _json(begun: Begun | None, judged: Judged | None) -> dict[str, Any]:
    nothing: dict[str, Any] = {"run": None, "state": "complete", "done": [], "open": [], "busy": []}
    left_out = [{"user": one["user"], "reason": one["reason"]} for one in begun.skipped] if begun else []
    return {**(judged_json(judged) if judged else nothing), "skipped": left_out}
