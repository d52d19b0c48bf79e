"""``growth.py stop`` and ``growth.py resume``: whether anybody writes to a user."""

from __future__ import annotations

from mindloop.cli.output import emit, emit_json, note
from mindloop.cli.parsing import add_json, parser
from mindloop.cli.place import opened
from mindloop.observer.layout import layout_of
from mindloop.observer.names import display_name, slug
from mindloop.observer.stops.reading import read_stop
from mindloop.observer.stops.record import REASONS, is_stopped, resumed, stopped
from mindloop.store.clock import now
from mindloop.store.documents import write_yaml
from mindloop.store.errors import Negative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.store.workspace import Workspace

PROG = "growth.py"
SCHEMA = "stop"


def stop(argv: list[str]) -> int:
    """Stop a user, or give the stop another reason; 0 where it stands already."""
    reasons = "".join(f"  {word:<9} {meaning}\n" for word, meaning in REASONS.items())
    options = parser(
        f"{PROG} stop",
        "Write to a user no more: /follow-up leaves them out until growth.py resume. What was recorded stays.",
        f"reasons:\n{reasons}",
    )
    options.add_argument("user", help="a name, as canvas.py list shows it")
    options.add_argument("reason", metavar="REASON", help="why: " + ", ".join(REASONS))
    add_json(options)
    chosen = options.parse_args(argv)
    name, reason = (
        display_name(chosen.user),
        "_".join(chosen.reason.lower().replace("-", " ").replace("_", " ").split()),
    )
    workspace = opened()
    rel = layout_of(workspace).stop(slug(name))
    with workspace.transaction(f"user:{slug(name)}") as tx:
        before = read_stop(tx, rel, name)
        after = stopped(before, name, reason, now())
        if after != before:
            write_yaml(tx, rel, after, SCHEMA)
    stranger = _stranger(workspace, name)
    if stranger:
        note(f"note: {stranger}")
    _tell(rel, before, after, as_json=chosen.json)
    return 0


def resume(argv: list[str]) -> int:
    """Lift a stop; 1 where none stands."""
    options = parser(f"{PROG} resume", "Write to a stopped user again. Exit 1 where no stop stands.")
    options.add_argument("user", help="a name, as growth.py stop was given it")
    add_json(options)
    chosen = options.parse_args(argv)
    name = display_name(chosen.user)
    workspace = opened()
    rel = layout_of(workspace).stop(slug(name))
    with workspace.transaction(f"user:{slug(name)}") as tx:
        before = read_stop(tx, rel, name)
        if before is None or not is_stopped(before):
            hint = f"See who is: {PROG} report. A run of replies goes on with: {PROG} learn RUN"
            raise Negative(f"{name} is not stopped; nothing was changed", hint)
        after = resumed(before, now())
        write_yaml(tx, rel, after, SCHEMA)
    _tell(rel, before, after, as_json=chosen.json)
    return 0


def _tell(rel: str, before: dict[str, Any] | None, after: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        emit_json({**after, "path": rel, "changed": after != before})
        return
    user, since = after["user"], after["since"]
    if not is_stopped(after):
        was = (before or {}).get("reason")
        emit(f"{user}: written to again since {since}" + (f" (was stopped: {was})" if was else ""))
    elif after == before:
        emit(f"{user}: is stopped already, {after['reason']} since {since}; nothing was changed")
    else:
        instead = f", no longer {before['reason']}" if before and is_stopped(before) and before.get("reason") else ""
        emit(f"{user}: stopped, {after['reason']} since {since}{instead}")


def _stranger(workspace: Workspace, name: str) -> str | None:
    """Say that nobody has that name, with those who have a similar one; a slip of the pen would stop nobody."""
    layout = layout_of(workspace)
    if workspace.exists(layout.canvas(slug(name))) or workspace.exists(layout.growth(slug(name))):
        return None
    from difflib import get_close_matches

    from mindloop.observer.canvas.reading import load_canvases
    from mindloop.observer.names import fold

    users = {fold(one.canvas.user): one.canvas.user for one in load_canvases(workspace) if one.canvas}
    if fold(name) in users:
        return None
    near = [users[key] for key in get_close_matches(fold(name), list(users), 3)]
    return f"{name} has no canvas yet" + (f"; did you mean {' or '.join(near)}?" if near else "")
