"""Steps 2a.1, 2b.1 and 4a.1, our own: users whom nobody writes to now. All of them only read."""

from __future__ import annotations

from mindloop.protocol.step import Done, Skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.growth.silence import Unanswered
    from mindloop.protocol.step import Ask
    from mindloop.skills.follow_up.case import Answered, Case, FollowUp

STOPPED = "stopped"
SILENCE_GATE = "silence_gate"


def check_stop(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2a.1: a stop holds whether growth is on or off; one that cannot be read holds too, and that is said."""
    from mindloop.observer.stops.reading import standing

    stop = standing(context.workspace, case.canvas.slug, case.user)
    if stop is None:
        return Done()
    if stop.problem:
        context.warnings.append(f"{case.user}: {stop.why}")
    return Skip(STOPPED, stop.why)


def check_stop_again(context: FollowUp, one: Answered) -> Done | Skip | Ask:
    """4a.1: who was stopped after the question was asked gets no messages either."""
    from mindloop.observer.stops.reading import standing

    user = str(one.dossier["user"])
    stop = standing(context.workspace, str(one.dossier["slug"]), user)
    if stop is None:
        return Done()
    if stop.problem:
        context.warnings.append(f"{user}: {stop.why}")
    return Skip(STOPPED, stop.why)


def check_silence(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2b.1: no second message while the last one is unanswered and younger than ``silence_gate_days``.

    Only where growth is on, since nobody else knows what was sent. A growth file that cannot be used gates nobody; step
    2g.5 says what is wrong with it.
    """
    days = context.settings.get("observer.growth.silence_gate_days")
    if days is None or not context.growth_enabled:
        return Done()
    from mindloop.observer.growth.reading import read_user
    from mindloop.observer.growth.silence import gating, may_gate
    from mindloop.store.documents import LIMIT
    from mindloop.store.errors import Malformed, Unreadable

    path = context.layout.growth(case.canvas.slug)
    try:
        data = context.workspace.read(path, LIMIT)
        if data is None or not may_gate(data, days, context.now):
            return Done()
        state = read_user(context.workspace, case.user)
    except (Malformed, Unreadable):
        return Done("the silence gate cannot read the growth file")
    waiting = gating(state, days, context.now) if state else None
    if waiting is None:
        return Done()
    return Skip(SILENCE_GATE, _waits(waiting, days))


def _waits(waiting: Unanswered, days: int) -> str:
    from mindloop.observer.growth.silence import opens
    from mindloop.store.clock import day

    sent, free = day(waiting.sent), opens(waiting, days)
    return f"{waiting.id} of {sent} is without an answer; next message from {free} on ({days} days)"
