"""``growth.py report``: which questions work, what fades, who is silent."""

from __future__ import annotations

import sys

from mindloop.cli.output import emit, emit_json, tell
from mindloop.cli.parsing import add_json, parser
from mindloop.cli.place import opened
from mindloop.observer.growth import report_tables as written
from mindloop.observer.growth.files import waiting
from mindloop.observer.growth.reading import load_states, load_user
from mindloop.observer.growth.report import report as facts_of
from mindloop.observer.names import display_name, slug
from mindloop.observer.stops.reading import all_standing, standing
from mindloop.store.clock import now
from mindloop.store.errors import Malformed, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.stops.reading import Standing
    from mindloop.observer.types import GrowthState
    from mindloop.store.workspace import Workspace

PROG = "growth.py"
BYTES = 1_900
"""Most of a report that a conversation gets unasked."""


def report(argv: list[str]) -> int:
    """Print the report; 0 whether there is much to tell or nothing."""
    options = parser(
        f"{PROG} report",
        "What waits for a person, which questions work, which hypotheses fade, who has not answered, who is\n"
        "stopped, and what holds for several users. With a name: that user alone.",
    )
    options.add_argument("user", nargs="?", help="a name, as canvas.py list shows it")
    options.add_argument("--markdown", action="store_true", help="a Markdown document")
    options.add_argument("--full", action="store_true", help="all rows")
    add_json(options)
    chosen = options.parse_args(argv)
    user = display_name(chosen.user) if chosen.user else None
    workspace = opened()
    states, problems = _states(workspace, user)
    to_confirm, unusable = waiting(workspace, user)
    facts = facts_of(
        states,
        _stopped(workspace, user),
        workspace.settings,
        now(),
        user=user,
        to_confirm=to_confirm,
        unreadable=len(problems),
    )
    problems += unusable
    if chosen.json:
        emit_json({**facts, "problems": problems})
        return 0
    _print(facts, as_markdown=chosen.markdown, full=chosen.full)
    tell([f"left out: {problem}" for problem in problems], "note")
    return 0


def _states(workspace: Workspace, user: str | None) -> tuple[list[GrowthState], list[str]]:
    if user is None:
        return load_states(workspace)
    try:
        state = load_user(workspace, user)
    except (Malformed, Unreadable) as error:
        return [], [error.message]
    return ([state] if state else []), []


def _stopped(workspace: Workspace, user: str | None) -> list[dict[str, Any]]:
    if user is None:
        return [_row(name, stop) for name, stop in all_standing(workspace)]
    stop = standing(workspace, slug(user), user)
    return [_row(user, stop)] if stop else []


def _row(user: str, stop: Standing) -> dict[str, Any]:
    return {"user": user, "reason": stop.reason, "since": stop.since, "problem": stop.problem}


def _print(facts: dict[str, Any], *, as_markdown: bool, full: bool) -> None:
    lines, tables = written.headline(facts), written.tables(facts)
    budget = None if full else BYTES
    if as_markdown:
        emit(written.markdown(lines, tables, budget))
    elif not (sys.stdout.isatty() and _shown(lines, tables, full=full)):
        emit(written.plain(lines, tables, budget))


def _shown(lines: list[str], tables: list[written.Table], *, full: bool) -> bool:
    """Show it with bars at a terminal that is wide enough for them."""
    from mindloop.cli.growth_tables import is_wide, show

    if not is_wide():
        return False
    show(lines, tables, full=full)
    return True
