"""What was wrong with what was sent, and with what was not (spec 3.7); judged against truth, not stamps alone."""

from __future__ import annotations

from mindloop.sequence.simulator import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mindloop.sequence.simulator.lead import Lead, Look, Message
    from mindloop.sequence.simulator.plan import Plan, Rule

    Found = tuple[int, str, tuple[str, ...]]
    """(minute, class, follow-ups)."""

_DAY = 1440


def of_send(lead: Lead, plan: Plan, rule: Rule, failure: str | None, at: int, *, again: bool) -> Iterator[str]:
    """The classes of a message that goes out now; its own minute is not yet among ``lead.messages``.

    Args:
        lead: as it stands before the message.
        plan: the set of workflows now.
        rule: the follow-up.
        failure: why it did not reach the lead, or None.
        at: this minute.
        again: whether the lead has had this very repetition of it.
    """
    if rule.stage >= 0:
        yield from _cross(lead, plan.stages[rule.stage].later)
    yield from _stopped(lead, plan)
    if failure in terms.WINDOW_REASONS:
        yield terms.WINDOW_FAIL
    if failure in terms.TEMPLATE_REASONS:
        yield terms.TEMPLATE_FAIL
    if again:
        yield terms.DUPLICATE
    if rule.interval is not None and _overrun(lead, rule):
        yield terms.REPEAT_OVERRUN
    if cap_until(lead, plan, at):
        yield terms.CAP_BREACH


def _cross(lead: Lead, later: tuple[str, ...]) -> Iterator[str]:
    if any(lead.values.get(one) is True for one in later):
        yield terms.CROSS_STAGE
    elif any(lead.truth.get(one) is True for one in later):
        yield terms.LAG_CROSS


def _stopped(lead: Lead, plan: Plan) -> Iterator[str]:
    """A stop that is true and not stamped is mere lag where a batch will still stamp it; otherwise it never helps."""
    stamped = any(lead.values.get(one) is True for one in plan.stops)
    waiting = [one for one in plan.stops if lead.truth.get(one) is True and lead.values.get(one) is not True]
    if stamped or lead.dropped or any(not will_be_stamped(lead, plan, one) for one in waiting):
        yield terms.POST_STOP
    elif waiting:
        yield terms.LAG_POST_STOP


def will_be_stamped(lead: Lead, plan: Plan, property_id: str) -> bool:
    """Whether the evaluator still writes a truth that is not stamped."""
    return property_id in plan.evaluated and property_id not in lead.frozen


def _overrun(lead: Lead, rule: Rule) -> bool:
    had = lead.had[rule.index]
    return had > 0 and (rule.endless or (rule.max_repeats is not None and had > rule.max_repeats))


def cap_until(lead: Lead, plan: Plan, at: int) -> int:
    """The minute until which the agent's caps hold a message back, 0 where they do not."""
    until = 0
    if plan.min_between and lead.messages and at - lead.messages[-1] < plan.min_between:
        until = lead.messages[-1] + plan.min_between
    most = plan.max_per_24h
    if most is not None and len(lead.messages) >= most and at - lead.messages[-most] < _DAY:
        until = max(until, lead.messages[-most] + _DAY)
    return until


def bursts(sent: list[Message], ids: list[str], stagger: int) -> Iterator[Found]:
    """Runs of one stage's messages that follow each other too closely, where they are of more than one follow-up."""
    by_stage: dict[int, list[Message]] = {}
    for message in sent:
        if message[2] >= 0:
            by_stage.setdefault(message[2], []).append(message)
    for messages in by_stage.values():
        run: list[Message] = []
        for message in messages:
            if run and message[0] - run[-1][0] >= stagger:
                yield from _burst(run, ids)
                run = []
            run.append(message)
        yield from _burst(run, ids)


def _burst(run: list[Message], ids: list[str]) -> Iterator[Found]:
    involved = tuple(sorted({ids[one[1]] for one in run}))
    if len(involved) > 1:
        yield run[-1][0], terms.SAME_STAGE_BURST, involved


def dominant(
    looks: list[Look], count: Callable[[int, int], int], end: int, *, entitled: bool
) -> tuple[int, str] | None:
    """(first tick, reason) of what blocked most looks; the earliest of those that blocked equally many.

    Args:
        looks: the ticks at which what a look says changed.
        count: ticks from a minute to before another.
        end: the first minute that is not looked at any more.
        entitled: whether looks count only while the lead should have got it; the first tick is that of any such look.
    """
    ticks: dict[str, int] = {}
    first: int | None = None
    for at, (tick, reason, was) in enumerate(looks):
        if reason is None or (entitled and not was):
            continue
        until = looks[at + 1][0] if at + 1 < len(looks) else end
        ticks[reason] = ticks.get(reason, 0) + count(tick, until)
        first = tick if first is None else first
    if first is None:
        return None
    return first, max(ticks, key=lambda reason: ticks[reason])


def cause(lead: Lead, plan: Plan, reason: str) -> str:
    """What lies behind a block reason: no value, a frozen one, a pipeline that is off; else the reason's first word."""
    property_id = getattr(reason, "property_id", None)
    if property_id is None:
        return reason.split(":", 1)[0]
    known = plan.properties.get(property_id)
    if known is None:
        return terms.UNKNOWN_PROPERTY
    late = property_id in lead.truth and lead.truth[property_id] != lead.values.get(property_id)
    if late and property_id in lead.frozen:
        return terms.FROZEN
    if late and not known.include_in_llm and known.set_by == "EVALUATOR":
        return terms.PIPELINE_OFF
    if late and known.set_by == "AGENT":
        return terms.NOT_WRITTEN
    return terms.NULL if getattr(reason, "by_null", False) else terms.CONDITION
