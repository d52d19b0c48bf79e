"""``canvas.py ingest``: what one user said in an export of direct messages."""

from __future__ import annotations

from mindloop.cli.output import emit, emit_json, tell
from mindloop.cli.parsing import add_json, parser
from mindloop.cli.place import opened
from mindloop.observer.lines import counted
from mindloop.store.errors import MindloopError, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from mindloop.skills.ingest_dm.ingest import Ingested

PROG = "canvas.py"
QUALITY = ("high", "medium", "low")


def ingest(argv: list[str]) -> int:
    """Ingest an export; exit 0 also where everything in it was known."""
    import os

    from mindloop.observer.exports.reading import open_export
    from mindloop.skills.ingest_dm.ingest import Wanted
    from mindloop.skills.ingest_dm.ingest import ingest as run
    from mindloop.store.clock import now

    chosen = _options().parse_args(argv)
    wanted = Wanted(
        chosen.user,
        wallet=chosen.wallet,
        sender=chosen.sender,
        operator=chosen.operator,
        zone=chosen.tz,
        order=chosen.date_order,
        responds_to=chosen.responds_to,
        quality=chosen.signal_quality,
        ask=not chosen.no_ask,
    )
    workspace = opened()
    name = os.path.basename(chosen.file)
    _check_kind(chosen.file)
    export = open_export(lambda: _opened(chosen.file), name)
    try:
        done = run(workspace, export, name, wanted, now())
    except MindloopError:
        tell(export.notes, "note")  # what was wrong with the export may be why
        raise
    if chosen.json:
        emit_json(_json(done))
    else:
        _show(done)
    return 0


def _options() -> Any:
    options = parser(
        f"{PROG} ingest",
        "Put what a user said in an export of direct messages into the index and onto the user's canvas.\n"
        "Discord (JSON, CSV, text), Twitter (direct-messages.js) and plain logs; the same file again changes nothing.",
    )
    options.add_argument("file", help="the export")
    options.add_argument("--user", required=True, help="whose words")
    options.add_argument("--wallet", help="0x and 40 hex digits; fills an empty field, replaces nothing")
    options.add_argument("--operator", metavar="NAME", help="our own name in the export")
    options.add_argument("--sender", metavar="NAME", help="the user's name in the export, where it is another one")
    options.add_argument("--tz", metavar="ZONE", help="time zone of times without one, as Europe/Berlin")
    options.add_argument("--date-order", choices=("dmy", "mdy"), help="for dates like 03/04/2026")
    options.add_argument("--responds-to", metavar="FU-ID", help="the message of ours that the user replied to")
    options.add_argument("--signal-quality", choices=QUALITY, help="how much the reply is worth")
    options.add_argument("--no-ask", action="store_true", help="ask nobody which quotes matter")
    add_json(options)
    return options


def _check_kind(path: str) -> None:
    """Refuse what can be read only once, before anything is taken out of it; opening tells what is not there."""
    import os
    import stat

    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        message = f"{path[:200]!r} is no regular file but a pipe or a device, and an export is read more than once"
        raise WrongInput(message, "Save it to a file first, then name that file.")


def _opened(path: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        message = f"{path[:200]!r} cannot be read: {reason}"
        raise WrongInput(message, "Name the exported file.") from error


def _json(done: Ingested) -> dict[str, Any]:
    heard = done.heard
    return {
        "user": done.user,
        "canvas": done.path,
        "created": done.created,
        "complete": heard.complete,
        "entries": heard.read,
        "own": heard.own,
        "quotes": len(heard.said),
        "new": done.new,
        "better": done.better,
        "replies": done.replies,
        "again": done.again,
        "shown": done.shown,
        "thread": done.thread,
        "run": done.run,
        "packet": done.packet,
        "outcome": done.outcome,
        "notes": done.notes,
    }


def _show(done: Ingested) -> None:
    tell(done.notes, "note")
    heard = done.heard
    cut = "" if heard.complete else ", cut off before its end"
    read = f"{counted(heard.own, 'own message')} in {counted(heard.read, 'entry', 'entries')}{cut}"
    lines = [f"{done.user}: {done.new} new of {counted(len(heard.said), 'quote')} ({read})"]
    if done.better:
        lines.append(f"  a surer or earlier time is known of {counted(done.better, 'quote')} now")
    if done.replies:
        lines.append(f"  {counted(done.replies, 'known quote')} came as a reply, by its token: growth.py match USER")
    if done.again:
        lines.append(f"  {counted(done.again, 'known quote')} said again since we wrote: growth.py match USER")
    if done.new:
        lines.append(
            f"  {done.path} {'made' if done.created else 'extended'}, {counted(done.shown, 'quote')} put on it"
        )
    if done.thread:
        lines.append(f"  thread: {done.thread}")
    if done.outcome:
        lines.append(f"  the reply is recorded: {done.outcome}")
    if done.packet:
        from mindloop.skills.ingest_dm import JUDGE

        lines += [f"  {done.user}: {done.packet} for {JUDGE}", f"  then: {PROG} resume {done.run}"]
    emit("\n".join(lines))
