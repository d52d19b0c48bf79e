"""What holds for the set at once: bursts after a release, backlogs, reach under NULL, the budget of sends."""

from __future__ import annotations

from mindloop.sequence.findings import Finding, listed, named
from mindloop.sequence.rules.budget import most_per_day, most_sends, reach
from mindloop.sequence.rules.registry import beyond
from mindloop.sequence.words import COLLAPSE, EQUALS, INFO, NULL_RATE_BAND, SQL_STRICT, WARN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.rules.facts import Facts, Seen


@beyond(
    "X4",
    "RELEASE_BURST",
    WARN,
    fix="Set minMinutesBetweenFollowUps, maxAgeMinutes, or release COLLAPSE.",
)
def release_burst(facts: Facts) -> Iterator[Finding]:
    """What was held up and is released does not go out at once."""
    quiet = facts.runtime.quiet_hours
    if facts.model.agent.min_between or (quiet and quiet.release == COLLAPSE):
        return
    for stage_id, seens in facts.of_stage.items():
        ageless = [seen.id for seen in seens if seen.follow_up.max_age is None]
        if len(ageless) > 1:
            yield Finding(
                stage_id,
                facts.stages[stage_id].pointer,
                f"{listed(ageless)} of {named(stage_id)} all become due in one tick when something that held "
                "them up lets "
                "go (needs_attention, quiet hours, an outage); expected a bound",
                f"Set minMinutesBetweenFollowUps of the agent to {facts.runtime.min_stagger}, or maxAgeMinutes of "
                f"{listed(ageless)}.",
                involved=ageless,
            )


@beyond(
    "X5",
    "BACKLOG_ACTIVATION",
    WARN,
    fix="Set activeFrom.",
)
def backlog_activation(facts: Facts) -> Iterator[Finding]:
    """A follow-up that is turned on reaches who enters from then on, not everybody who ever entered."""
    for stage_id, seens in facts.of_stage.items():
        without = [seen.id for seen in seens if seen.follow_up.active_from is None]
        if without:
            many = facts.entrants.get(stage_id)
            count = f" ({many} so far)" if many is not None else ""
            yield Finding(
                stage_id,
                facts.stages[stage_id].pointer,
                f"{listed(without)} of {named(stage_id)} have no activeFrom, so turning one on reaches "
                "everybody who ever "
                f"entered{count}; expected activeFrom",
                f"Set activeFrom of {listed(without)} to the moment of turning it on.",
                involved=without,
                detail={"entrants": many},
            )


@beyond(
    "X11",
    "NULL_REACH",
    INFO,
    fix="Write NOT_EQUALS true.",
)
def null_reach(facts: Facts) -> Iterator[Finding]:
    """How many leads EQUALS false leaves."""
    for seen in facts.seen:
        names = list(dict.fromkeys(one.property_id for one in seen.follow_up.conditions if _is_false(one)))
        if names:
            yield _reach(facts, seen, names)


def _is_false(condition: object) -> bool:
    return getattr(condition, "operator", "") == EQUALS and getattr(condition, "value", None) is False


def _reach(facts: Facts, seen: Seen, names: list[str]) -> Finding:
    known = {name: facts.properties[name].null_rate if name in facts.properties else 1.0 for name in names}
    best = reach([NULL_RATE_BAND[0] if rate is None else rate for rate in known.values()])
    worst = reach([NULL_RATE_BAND[1] if rate is None else rate for rate in known.values()])
    assumed = [name for name, rate in known.items() if rate is None]
    note = f" (rates of {listed(assumed)} assumed 0.81 to 0.98)" if assumed else ""
    return Finding(
        seen.id,
        seen.pointer,
        f"{named(seen.id)} has EQUALS false on {listed(names)}: at most {_range(worst[0], best[0])} of leads "
        "can get it, about "
        f"{_range(worst[1], best[1])} if the properties are independent{note}",
        f"Write NOT_EQUALS true on {listed(names)} in {named(seen.id)}.",
        involved=[seen.id],
        detail={"gates": len(names), "atMost": [worst[0], best[0]], "independent": [worst[1], best[1]]},
    )


def _range(low: float, high: float) -> str:
    shown = f"{high:.3g}"
    return shown if f"{low:.3g}" == shown else f"{low:.3g} to {shown}"


@beyond(
    "X12",
    "SEND_BUDGET",
    WARN,
    fix="Spread the offsets, drop a follow-up, or raise the limit.",
)
def send_budget(facts: Facts) -> Iterator[Finding]:
    """A lead gets no more follow-ups in a day than the agent allows."""
    limit = facts.model.agent.max_per_24h
    if limit is None:
        return
    day = most_per_day(facts.model)
    if day > limit:
        total = most_sends([seen.follow_up for seen in facts.seen])
        in_all = "without end" if total is None else f"{total} in all"
        yield Finding(
            facts.agent,
            "/agent/maxFollowUpsPerLeadPer24h",
            f"a lead may be due {day} follow-ups within 24 hours ({in_all}); expected at most {limit}, the "
            "rest is held back",
            f"Spread the offsets, or set maxFollowUpsPerLeadPer24h to {day}.",
            detail={"perDay": day, "total": total, "limit": limit},
        )


@beyond(
    "X18",
    "NULL_PROFILE",
    INFO,
    fix="Confirm on the platform that NOT_EQUALS passes NULL.",
)
def null_profile(facts: Facts) -> Iterator[Finding]:
    """Whether the set relies on NOT_EQUALS passing NULL, as not every engine has it."""
    relying = [seen.id for seen in facts.seen if seen.excludes]
    if not relying:
        return
    strict = facts.runtime.null_semantics == SQL_STRICT
    yield Finding(
        facts.agent,
        "/runtime/nullSemantics" if strict else "/runtime",
        f"{len(relying)} of {len(facts.seen)} follow-ups rely on NOT_EQUALS passing NULL"
        + (
            ", and here NULL blocks: a lead without explicit false gets none of them"
            if strict
            else "; where NULL blocks a negative literal they fire for nobody without an explicit false"
        ),
        "Use nullSemantics PLATFORM if the engine passes NULL."
        if strict
        else "Confirm on the platform, with one lead that has no row, that NOT_EQUALS passes NULL.",
        severity=WARN if strict else "",
        involved=relying,
    )
