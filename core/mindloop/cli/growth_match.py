"""``growth.py match``: which messages the words of users may answer."""

from __future__ import annotations

import sys

from mindloop.cli.output import emit, emit_json, limited, progress_bar, tell
from mindloop.cli.parsing import add_json, parser
from mindloop.cli.place import opened
from mindloop.observer.growth.proposals import PRESELECTED, kinds
from mindloop.observer.lines import counted
from mindloop.skills.grow.match import Everybody, Matched, match_everybody, match_text, match_user
from mindloop.store.clock import now
from mindloop.store.errors import Busy, Negative, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.types import ProposedMatch
    from mindloop.store.workspace import Workspace

PROG = "growth.py match"


def match(argv: list[str]) -> int:
    """Match one pasted reply, one user's new words, or everybody's."""
    options = parser(
        PROG,
        "Propose which messages a user's words answer; nothing counts before it is confirmed.\n"
        "Standard input is read, be it a pipe, a file or the rest of a loop's list: text on it is the reply, as the\n"
        "first line says then (exit 1 where it answers nothing). Without any (a terminal, </dev/null) the reply is\n"
        "everything that the provenance index has of the user since the last time, or since growth.py sent.",
        kinds(),
    )
    options.add_argument("user", nargs="?", help="whose words")
    options.add_argument("--all", action="store_true", help="everybody whom growth knows; standard input is not read")
    options.add_argument("--thread", metavar="ID", help="the conversation that the text on standard input came from")
    options.add_argument("--date", metavar="WHEN", help="when it was said, a date or an ISO 8601 time")
    options.add_argument("--full", action="store_true", help="list all")
    add_json(options)
    chosen = options.parse_args(argv)
    if bool(chosen.user) == chosen.all:
        raise WrongInput(f"{PROG}: expected a user or --all", f"See: {PROG} --help")
    return _match_all(chosen) if chosen.all else _match_one(chosen)


def _match_one(chosen: Any) -> int:
    text = _pasted()
    if text:
        workspace = opened()
        _refuse_names(workspace, text)
        matched = match_text(workspace, chosen.user, text, now(), thread=chosen.thread, date=chosen.date)
        if not matched.new and not matched.improved and not matched.known:
            tell(matched.notes, "note")
            raise Negative(
                f"the text on standard input answers no message of {matched.user!r} that still waits",
                "Keep it with: canvas.py observe",
            )
    elif chosen.thread or chosen.date:
        raise WrongInput("--thread and --date are of a text on standard input; there is none", f"See: {PROG} --help")
    else:
        matched = match_user(opened(), chosen.user, now())
    if chosen.json:
        emit_json({**_json(matched), "from_standard_input": bool(text)})
        return 0
    tell(matched.notes, "note")
    read = [f"the reply is what stood on standard input ({counted(len(text), 'character')})"] if text else []
    rows = [_row(one) for one in [*matched.new, *matched.improved]]
    emit("\n".join([*read, _summary(matched), *limited(rows, full=chosen.full), *_next(matched)]))
    return 0


def _refuse_names(workspace: Workspace, text: str) -> None:
    """A loop that reads users from a file hands that file to the commands in it; nothing of it is anybody's reply."""
    from mindloop.skills.grow.whom import is_list_of_users

    if is_list_of_users(workspace, text):
        raise WrongInput(
            f"{PROG}: standard input holds nothing but names of users, no reply",
            f"In a loop over users: {PROG} USER </dev/null. For all of them: {PROG} --all",
        )


def _pasted() -> str:
    """The text on standard input without its last line end; nothing at a terminal."""
    if sys.stdin.isatty():
        return ""
    from mindloop.cli.output import read_stdin_text

    text = read_stdin_text("the reply").removesuffix("\n").removesuffix("\r")
    return text if text.strip() else ""


def _match_all(chosen: Any) -> int:
    if chosen.thread or chosen.date:
        raise WrongInput("--thread and --date are of one user's text", f"See: {PROG} --help")
    progress, stop = progress_bar()
    try:
        everybody = match_everybody(opened(), now(), progress)
    finally:
        stop()
    if chosen.json:
        users = [_json(one) for one in everybody.matched if _has_news(one)]
        emit_json({"users": users, "busy": everybody.busy, "warnings": everybody.warnings})
    else:
        _show_all(everybody, full=chosen.full)
    return Busy.exit_code if everybody.busy else 0


def _show_all(everybody: Everybody, *, full: bool) -> None:
    tell(everybody.warnings)
    shown = [one for one in everybody.matched if _has_news(one)]
    new = sum(len(one.new) for one in shown)
    replies = sum(one.looked_at for one in everybody.matched)
    looked_at = f"{counted(everybody.users, 'user')} with growth, {counted(replies, 'new reply', 'new replies')}"
    lines = [f"{looked_at}, {new} proposed"]
    rows = [f"  {_summary(one)}" for one in shown]
    lines += limited(rows, full=full)
    if new or any(one.improved for one in shown):
        sure = any(_is_sure(one) for one in shown)
        lines.append("then: growth.py list" + ", growth.py confirm USER --preselected" * sure)
    emit("\n".join(lines))


def _json(matched: Matched) -> dict[str, Any]:
    return {
        "user": matched.user,
        "looked_at": matched.looked_at,
        "known": matched.known,
        "proposed": matched.new,
        "improved": matched.improved,
        "notes": matched.notes,
    }


def _has_news(matched: Matched) -> bool:
    return bool(matched.new or matched.improved or matched.notes)


def _summary(matched: Matched) -> str:
    better = f", {len(matched.improved)} known better{_by(matched.improved)}" if matched.improved else ""
    return f"{matched.user}: {len(matched.new)} proposed{_by(matched.new)}{better}{_already(matched)}"


def _by(matches: list[ProposedMatch]) -> str:
    kinds = [one["match_type"] for one in matches]
    told = ", ".join(f"{kinds.count(kind)} by {kind}" for kind in dict.fromkeys(kinds))
    return f" ({told})" if told else ""


def _already(matched: Matched) -> str:
    return f", {matched.known} known before" if matched.known else ""


def _row(one: Any) -> str:
    mark = "*" if one["match_type"] in PRESELECTED else " "
    return f" {mark} {one['id']} {one['match_type']}/{one['match_confidence']} {one['follow_up_id']}"


def _next(matched: Matched) -> list[str]:
    if not matched.new and not matched.improved:
        return []
    return ["then: growth.py list USER" + ", growth.py confirm USER --preselected" * _is_sure(matched)]


def _is_sure(matched: Matched) -> bool:
    return any(one["match_type"] in PRESELECTED for one in [*matched.new, *matched.improved])
