"""``growth.py sent``: what a person knows of a message that went out."""

from __future__ import annotations

from mindloop.cli.output import emit, emit_json
from mindloop.cli.parsing import add_json, parser
from mindloop.cli.place import opened
from mindloop.skills.grow.sent import look_at, tell
from mindloop.store.clock import now
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.skills.grow.sent import Sent

PROG = "growth.py sent"


def sent(argv: list[str]) -> int:
    """Record or show it; 0 where it was known already, 1 where an answered message was never sent."""
    chosen = _options().parse_args(argv)
    given = chosen.thread is not None or chosen.date is not None
    if chosen.never and given:
        raise WrongInput(
            f"{PROG}: --never says that it was not sent, --thread and --date that it was", "Give one of them."
        )
    workspace = opened()
    if given or chosen.never:
        result = tell(
            workspace, chosen.user, chosen.message, now(), thread=chosen.thread, at=chosen.date, never=chosen.never
        )
    else:
        result = look_at(workspace, chosen.user, chosen.message)
    if chosen.json:
        emit_json(_json(result))
    else:
        emit("\n".join(_lines(result, asked=given or chosen.never)))
    return 0


def _options() -> Any:
    options = parser(
        PROG,
        "Say how a message went out, so that its reply is found: in which conversation, when, or that it never did.\n"
        "Without an option it says what is known. The same again changes nothing.",
    )
    options.add_argument("user", help="whose message")
    options.add_argument("message", help="its id fu-… or its token such as FU:75d2f0ef")
    options.add_argument("--thread", metavar="ID", help="the conversation, as canvas.py ingest prints it")
    options.add_argument("--date", metavar="WHEN", help="when it was sent: a day, or an ISO 8601 time with its zone")
    options.add_argument("--never", action="store_true", help="it was not sent: nobody owes a reply to it")
    add_json(options)
    return options


def _json(result: Sent) -> dict[str, Any]:
    return {
        "user": result.user,
        "batch_date": result.batch_date,
        "rehearsed": result.rehearsed,
        "message": result.message,
        "changed": result.changed,
    }


def _lines(result: Sent, *, asked: bool) -> list[str]:
    message = result.message
    rehearsed = ", only rehearsed" if result.rehearsed else ""
    when = f"sent {message['sent_at'] or 'nobody knows when'} (batch of {result.batch_date})"
    where = f"thread {message['thread_id']}" if message["thread_id"] else "no thread"
    lines = [
        f"{result.user}: {message['id']} [FU:{message['token']}]",
        f"  {message['outcome']}{rehearsed}; {when}; {where}",
    ]
    if asked:
        lines.append(f"  changed: {', '.join(result.changed)}" if result.changed else "  nothing was changed")
    return lines
