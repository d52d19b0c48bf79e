"""Steps 2a.1, 2b.1, 4a.1 and 4a.2, our own: users whom nobody writes to now. All of them only read.

Between question and answer a user may be stopped, or be written to by another run: both are asked again under the lock
of the user, in the transaction that writes the messages, so of two open runs only the first one reaches the user.
"""

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
    return _stop(context, case.canvas.slug, case.user)


def check_stop_again(context: FollowUp, one: Answered) -> Done | Skip | Ask:
    """4a.1: who was stopped after the question was asked gets no messages either."""
    return _stop(context, str(one.dossier["slug"]), str(one.dossier["user"]))


def _stop(context: FollowUp, slug: str, user: str) -> Done | Skip:
    from mindloop.observer.stops.reading import standing

    stop = standing(context.reader, slug, user)
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
    return _silence(context, case.canvas.slug, case.user)


def check_silence_again(context: FollowUp, one: Answered) -> Done | Skip | Ask:
    """4a.2: who was written to by another run after the question was asked is left in peace as well."""
    return _silence(context, str(one.dossier["slug"]), str(one.dossier["user"]))


def _silence(context: FollowUp, slug: str, user: str) -> Done | Skip:
    days = context.settings.get("observer.growth.silence_gate_days")
    if days is None or not context.growth_enabled:
        return Done()
    from mindloop.observer.growth.reading import read_user
    from mindloop.observer.growth.silence import gating, may_gate
    from mindloop.store.documents import LIMIT
    from mindloop.store.errors import Malformed, Unreadable

    files = context.reader
    try:
        data = files.read(context.layout.growth(slug), LIMIT)
        if data is None or not may_gate(data, days, context.now):
            return Done()
        state = read_user(files, user)
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
