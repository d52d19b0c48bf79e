"""``follow_up.py status``: the hot command; it reads heads and counts answers, with nothing slow imported."""

from __future__ import annotations

import sys

from mindloop.cli.output import safe
from mindloop.cli.place import opened
from mindloop.protocol.run_files import (
    COMPLETE,
    RunPlace,
    all_runs,
    answered_items,
    find_run,
    packet_reference,
    read_head,
)
from mindloop.store.errors import MindloopError, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.store.workspace import Workspace

USAGE = "usage: follow_up.py status [RUN] [--json]"
SHOWN = 10
LOOKED_AT = 60
"""Runs whose heads are read for a list: the latest, so that a long history costs nothing."""
_DAY_AND_NUMBER = len("2026-02-11-001")
RESUMES = {
    "think": "cognition.py resume",
    "synthesis": "cognition.py resume",
    "grow": "growth.py learn",
    "ingest-dm": "canvas.py resume",
}


def status(argv: list[str]) -> int:
    """Print where one run stands, or a line for each of the latest."""
    if "-h" in argv or "--help" in argv:
        sys.stdout.write(f"{USAGE}\n\nWhere a run stands; without a run, a line for each of the latest.\n")
        return 0
    as_json = "--json" in argv
    names = [word for word in argv if word != "--json"]
    if len(names) > 1 or any(name.startswith("-") for name in names):
        message = f"follow_up.py status: expected at most one run, got {' '.join(argv)[:80]!r}"
        raise WrongInput(message, USAGE)
    workspace = opened()
    places = [find_run(workspace, names[0])] if names else all_runs(workspace)
    if as_json:
        _print_json(workspace, places, single=bool(names))
    elif names:
        sys.stdout.write(safe(_one(describe(workspace, places[0]))))
    else:
        sys.stdout.write(safe(_many(workspace, places)))
    return 0


def describe(workspace: Workspace, place: RunPlace) -> dict[str, Any]:
    """Where a run stands: its state, who waits, who is answered, who is done, who was left out."""
    head = read_head(workspace, place)
    done, waiting = head["done"], head["waiting"]
    answered = answered_items(workspace, place) & set(waiting)
    thinking, thought = _thinking(workspace, place, head)
    return {
        "run": place.run,
        "skill": head.get("skill"),
        "state": head["state"],
        "started_at": head["started_at"],
        "thinking": thinking,
        "thought": thought,
        "waiting": sorted(set(waiting) - answered - set(done)),
        "answered": sorted(answered - set(done)),
        "done": dict(sorted(done.items())),
        "skipped": [{"user": entry["user"], "reason": entry["reason"]} for entry in head["skipped"]],
        "batch": head.get("batch"),
    }


def _thinking(workspace: Workspace, place: RunPlace, head: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Users of a follow-up who are thought about first: the references that still wait, and who is answered."""
    run, users = head.get("think_run"), head.get("thinking") or {}
    if not isinstance(run, str) or not users:
        return [], []
    answered = answered_items(workspace, RunPlace(place.agent, run))
    return [packet_reference(run, slug) for slug in sorted(set(users) - answered)], sorted(set(users) & answered)


def _print_json(workspace: Workspace, places: list[RunPlace], *, single: bool) -> None:
    from mindloop.cli.output import emit_json

    if single:
        emit_json(describe(workspace, places[0]))
    else:
        emit_json({"runs": [_summary(workspace, place) for place in places]})


def _summary(workspace: Workspace, place: RunPlace) -> dict[str, Any]:
    try:
        found = describe(workspace, place)
    except MindloopError as error:
        return {"run": place.run, "state": "unreadable", "problem": error.message}
    return {key: found[key] for key in ("run", "state", "started_at", "batch")} | {
        key: len(found[key]) for key in ("waiting", "answered", "done", "skipped")
    }


def _one(found: dict[str, Any]) -> str:
    lines = [
        f"{found['run']}: {found['state']}, started {found['started_at']}",
        *(f"  {reference} for cognition-distiller" for reference in found["thinking"][:SHOWN]),
        *_waiting(found),
        f"answered {len(found['answered'])}{_names(found['answered'])}",
        f"done {len(found['done'])}{_names(list(found['done']))}",
        f"skipped {len(found['skipped'])}",
    ]
    if found["batch"]:
        lines.append(f"batch {found['batch']}")
    if found["state"] == "beginning":
        lines.append("begin was interrupted; begin again")
    elif found["answered"] or found["thought"]:
        lines.append(f"next: {_command(found['skill'])} {found['run']}")
    elif found["waiting"] or found["thinking"]:
        lines.append(f"once they are answered: {_command(found['skill'])} {found['run']}")
    return "\n".join(lines) + "\n"


def _command(skill: object) -> str:
    """The command that goes on with a run of a skill."""
    return RESUMES.get(str(skill), "follow_up.py resume")


def _waiting(found: dict[str, Any]) -> list[str]:
    """Who waits, and the references of the next ones, so that any conversation can go on from here."""
    slugs = found["waiting"]
    lines = [f"waiting {len(slugs)}"] + [f"  {packet_reference(found['run'], slug)}" for slug in slugs[:SHOWN]]
    return lines + (
        [f"  (+{len(slugs) - SHOWN} more: ask again when these are answered)"] if len(slugs) > SHOWN else []
    )


def _names(names: list[str]) -> str:
    if not names:
        return ""
    more = f" (+{len(names) - SHOWN} more)" if len(names) > SHOWN else ""
    return ": " + ", ".join(names[:SHOWN]) + more


def _many(workspace: Workspace, places: list[RunPlace]) -> str:
    if not places:
        return "no runs yet; start one with: follow_up.py begin\n"
    latest = sorted(places, key=_when, reverse=True)[:LOOKED_AT]
    summaries = [_summary(workspace, place) for place in latest]
    shown = sorted(summaries, key=lambda found: found["state"] == COMPLETE)[:SHOWN]
    rows = []
    for found in sorted(shown, key=summaries.index, reverse=True):
        counts = found.get("problem") or ", ".join(f"{found[key]} {key}" for key in ("waiting", "answered", "done"))
        rows.append(f"{found['run']}: {found['state']}; {counts}")
    hidden = len(places) - len(rows)
    return "\n".join([*rows, *([f"(+{hidden} more: --json lists all)"] if hidden else [])]) + "\n"


def _when(place: RunPlace) -> str:
    """The day and number that a run's name ends with: names of several skills sort by age."""
    return place.run[-_DAY_AND_NUMBER:]
