"""The verbs that every skill of one question an item has: packet, answer, resume.

A command names its skill by the path of its judging module (``mindloop.skills.think.judging``), whose ``JUDGING`` is
imported where an answer is taken: printing a packet loads no skill.
"""

from __future__ import annotations

import sys

from mindloop.cli.parsing import add_json, parser
from mindloop.cli.place import opened
from mindloop.store.errors import Busy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mindloop.cli.parsing import Parser
    from mindloop.skills.judged import Judged, Judging
    from mindloop.store.workspace import Workspace

    After = Callable[[Workspace, Judged], list[str]]

OPEN_SHOWN = 5
ROWS_BUDGET = 1_200
_RUN = "as begin and follow_up.py status print it"
_ITEM = "a user, or the last part of the packet's reference"
_SHOWN_KEYS = ("run", "user", "judge", "sha256", "manifest", "prompt", "log")


def packet(prog: str, argv: list[str]) -> int:
    """Print the exact prompt of one item, byte for byte; ``--json`` adds its hash and the schema of its answer."""
    from mindloop.protocol.run_files import read_packet

    options = parser(f"{prog} packet", "Print the exact prompt of one item, byte for byte.")
    _add_item(options)
    options.add_argument("--json", action="store_true", help="print the prompt with its hash and its answer's schema")
    chosen = options.parse_args(argv)
    workspace = opened()
    item = item_of(workspace, chosen.run, chosen.item)
    if chosen.json:
        return _packet_json(workspace, chosen.run, item)
    sys.stdout.buffer.write(read_packet(workspace, chosen.run, item))
    return 0


def _add_item(options: Parser) -> None:
    options.add_argument("run", help=_RUN)
    options.add_argument("item", metavar="user", help=_ITEM)


def item_of(workspace: Workspace, run: str, name: str) -> str:
    """The item that is meant: the last part of a packet's reference as begin prints it, else a user's slug.

    Raises:
        Negative: there is no such run.
        WrongInput: what was given can be nobody's name.
    """
    from mindloop.observer.names import display_name, slug
    from mindloop.protocol.run_files import find_run

    user = display_name(name)
    place = find_run(workspace, run)
    return user if f"{user}.json" in workspace.names(place.folder, ".json") else slug(user)


def _packet_json(workspace: Workspace, run: str, name: str) -> int:
    from mindloop.cli.output import emit_json
    from mindloop.protocol.run_files import checked_name, find_run, read_item
    from mindloop.store.schemas import load_schema

    item = read_item(workspace, find_run(workspace, run), name)
    schema = checked_name(str(item.get("answer_schema")), "schema")
    shown = {key: item[key] for key in _SHOWN_KEYS if key in item}
    emit_json({**shown, "item": name, "answer_schema": load_schema(schema)})
    return 0


def answer(prog: str, judging_path: str, argv: list[str]) -> int:
    """Take one item's answer from standard input: check it and apply it at once.

    Exit 2 where the answer is wrong, 1 where the item does not wait: then nothing is changed.
    """
    from mindloop.cli.output import emit, emit_json, read_stdin_bytes
    from mindloop.protocol.run_files import checked_name
    from mindloop.skills.judged import answer_now
    from mindloop.store.clock import now

    options = parser(f"{prog} answer", "Check one answer from standard input and apply it at once.")
    _add_item(options)
    options.add_argument("--host", default="person", help="who answered (kept with what comes of it)")
    add_json(options)
    chosen = options.parse_args(argv)
    raw = read_stdin_bytes().decode("utf-8", "surrogateescape")
    workspace = opened()
    item = item_of(workspace, chosen.run, chosen.item)
    host = checked_name(chosen.host, "host")
    taken = answer_now(workspace, _judging(judging_path), chosen.run, item, raw, host=host, now=now())
    if chosen.json:
        emit_json({"run": chosen.run, **taken})
    else:
        emit(f"{taken['user']}: {taken['told']}")
    return 0


def _judging(path: str) -> Judging:
    from importlib import import_module

    judging: Judging = import_module(path).JUDGING
    return judging


def resume(prog: str, judging_path: str, argv: list[str], verb: str = "resume", after: After | None = None) -> int:
    """Check the filed answers of a run and apply them; exit as ``judged_code`` says.

    Args:
        prog: the command, as help and errors show it.
        judging_path: the skill's judging module.
        argv: what stands behind the verb.
        verb: what the skill calls this.
        after: called with the workspace and what was taken; returns what is to be asked next, a line each.
    """
    from mindloop.cli.output import emit_json, progress_bar, tell
    from mindloop.skills import judged as skill
    from mindloop.store.clock import now

    options = parser(f"{prog} {verb}", "Check the filed answers of a run and apply them.")
    options.add_argument("run", help=_RUN)
    options.add_argument("--full", action="store_true", help="list everybody")
    add_json(options)
    chosen = options.parse_args(argv)
    workspace = opened()
    progress, stop = progress_bar()
    try:
        judged = skill.resume(workspace, _judging(judging_path), chosen.run, now(), progress)
    finally:
        stop()
    following = after(workspace, judged) if after else []
    if chosen.json:
        emit_json(judged_json(judged) | ({"next": following} if after else {}))
        return judged_code(judged)
    tell(judged.warnings)
    show_judged(judged, full=chosen.full, following=following)
    return judged_code(judged)


def judged_code(judged: Judged) -> int:
    """75 where a lock kept an item open, 1 where nothing was settled and something is open, else 0."""
    if judged.busy:
        return Busy.exit_code
    return 1 if judged.open and not judged.done else 0


def judged_json(judged: Judged) -> dict[str, Any]:
    """What ``resume --json`` prints."""
    return {
        "run": judged.place.run,
        "state": judged.state,
        "done": judged.done,
        "open": judged.open,
        "busy": judged.busy,
        "warnings": judged.warnings,
    }


def show_judged(judged: Judged, *, full: bool, following: list[str] | None = None) -> None:
    """The same for people and models, short; no line holds a word of a judge's."""
    from mindloop.cli.output import emit, limited

    taken = sum(entry["outcome"] == "done" for entry in judged.done)
    refused = len(judged.done) - taken
    lines = [f"run {judged.place.run}: {taken} taken, {refused} refused, {len(judged.open)} still open"]
    lines += limited([f"  {entry['user']}: {entry['told']}" for entry in judged.done], full=full, budget=ROWS_BUDGET)
    if judged.open:
        named = ", ".join(judged.open[:OPEN_SHOWN]) + (", …" if len(judged.open) > OPEN_SHOWN else "")
        lines.append(f"open: {named}; again once they are answered")
    emit("\n".join(lines + [f"next: {line}" for line in following or ()]))
