"""``growth.py show``: what growth knows of a user."""

from __future__ import annotations

from mindloop.cli.output import emit, emit_json, limited
from mindloop.cli.parsing import add_json, parser
from mindloop.cli.place import opened
from mindloop.observer.growth.metrics import RESOLVED_AT_LEAST, resolved
from mindloop.observer.growth.reading import known_user
from mindloop.observer.growth.state import sent_batches
from mindloop.observer.growth.summary import summary
from mindloop.observer.lines import counted
from mindloop.observer.names import display_name, slug
from mindloop.observer.stops.reading import standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.stops.reading import Standing

PROG = "growth.py"


def show(argv: list[str]) -> int:
    """Print what growth knows of one user."""
    options = parser(f"{PROG} show", "What growth knows of a user. Exit 1 where it knows nothing yet.")
    options.add_argument("user", help="a name, as canvas.py list shows it")
    options.add_argument("--full", action="store_true", help="show all")
    add_json(options)
    chosen = options.parse_args(argv)
    workspace = opened()
    state = known_user(workspace, display_name(chosen.user))
    stop = standing(workspace, slug(state["user"]), state["user"])
    if chosen.json:
        emit_json({"growth": state, "summary": summary(state), "stopped": _stopped(stop)})
    else:
        emit("\n".join(limited(_lines(state, stop), full=chosen.full)))
    return 0


def _stopped(stop: Standing | None) -> dict[str, str] | None:
    return {"reason": stop.reason, "since": stop.since, "problem": stop.problem} if stop else None


def _lines(state: Any, stop: Standing | None) -> list[str]:
    told = summary(state)
    batches = state["follow_ups"]
    recorded = counted(sent_batches(state), "batch", "batches")
    rehearsed = f", {state['rehearsed_batches']:,} rehearsed" if state["rehearsed_batches"] else ""
    lines = [f"{state['user']}: {recorded} recorded{rehearsed}, {len(batches)} kept"]
    if stop:
        lines.append(f"  nobody writes to them: {stop.why}")
    lines += [f"  {one['id']} {one['confidence']}, {one['decay_state']}: {one['title']}" for one in state["hypotheses"]]
    for pattern, counters in state["question_patterns"].items():
        score = counters["effectiveness_score"] if resolved(counters) >= RESOLVED_AT_LEAST else "not known yet"
        lines.append(
            f"  {pattern}: used {counters['times_used']}, answered {counters['responded_count']}, "
            f"silent {counters['silence_count']}, effectiveness {score}"
        )
    lines += [
        f"  open: {one['id']} ({one['hypothesis']}), written {one['sent_at']}" for one in told["pending_followups"]
    ]
    return lines + [f"  {warning}" for warning in told["decay_warnings"]]
