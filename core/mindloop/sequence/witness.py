"""Counterexamples of what a check found: a timeline that was run, in the finding's ``witness``.

Only on demand: a check is fast because it runs nothing. Each rule knows what its violation does to a lead; what no
timeline can show is said in `NOT_SHOWN`, with the reason.
"""

from __future__ import annotations

from itertools import islice, pairwise

from mindloop.sequence import words
from mindloop.sequence.findings import flat
from mindloop.sequence.proving import stories
from mindloop.sequence.proving.execution import sent, shown, silent
from mindloop.sequence.proving.obligations import dropping_out
from mindloop.sequence.proving.reach import Reach
from mindloop.sequence.rules.collisions import collision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mindloop.sequence.findings import Finding
    from mindloop.sequence.model import FollowUp, Model
    from mindloop.sequence.proving.execution import Attempt

    Attempts = Iterator[Attempt]
    Maker = Callable[[Reach, Finding], Attempts]

NOT_SHOWN = {
    "R15": "the runner does not look at what is no FOLLOW_UP; there is nothing to see but that it never goes out",
    "R28": "it is about two sets, and a timeline runs one; the missing exclusion is shown by R2",
    "R29": "what the agent writes by itself is not in a timeline",
    "R31": "how somebody counts changes no message",
    "R21b": "names are resolved before anything runs",
    "R26": "a default is never written; the gate that relies on it is shown by R7",
    "R27": "what the agent is shown changes no message; the pipeline that is off is shown by R10",
    "X7": "a notification is not a follow-up, and the runner does not look at it",
    "X10": "a gap finer than a tick is a gap of no tick; where it is too close, X1 shows it",
    "X12": "the caps hold the messages back; what is late then depends on the limit that somebody wants",
    "X13": "that the evaluator reads a fact late or never is outside the model; the lag is shown by X2",
    "X14": "a mute that should be taken back depends on what somebody decides later",
    "X15": "whose clock it is cannot be seen in minutes",
    "X16": "it is about how a patch is written",
}
"""Rules of which no timeline shows a violation, and why."""

AT_TIMES_NOT_SHOWN = {
    "R1": "where conditions and anchor together keep everybody out who has not entered",
    "R5": "where batches and ticks round the gap up to the stagger",
    "R21": "a stage that is none changes no message",
    "R22": "where the evaluator sets it in truth, and the prompt alone claims otherwise",
    "R24": "where conditions keep the two stages apart whatever their order",
    "R33": "in the conditions of a contact limit that never holds",
    "X1": "where batches and ticks round the gap up to the stagger",
    "X2": "where the silence is a minute short of the bound, or ticks fall behind the batches",
    "X8": "where no two follow-ups share the clock",
}
"""Rules of which no timeline shows some violations, and which."""

MAKERS: dict[str, Maker] = {}
"""Of every other rule: what makes the timelines that should show a finding."""
_MOST_ATTEMPTS = 60


def attach_witnesses(model: Model, findings: Iterable[Finding]) -> None:
    """Put a counterexample into every finding, those kept as evidence too, where a timeline shows one.

    ``witness`` becomes ``{"scenario": document, "shows": {...}}``; what is shown is a ``class`` of event, a follow-up
    that is ``silent`` (with the reason), or ``sends`` that should not have been, with ``t``, ``lead``, ``followUps``.
    """
    reach = Reach(model)
    for finding in flat(findings):
        maker = MAKERS.get(finding.rule)
        if maker is not None:
            attempts = _bounded(maker(reach, finding))
            finding.witness = shown(model, attempts, {*finding.involved, *(one.id for one in _about(reach, finding))})


def _bounded(attempts: Attempts) -> Attempts:
    return islice(attempts, _MOST_ATTEMPTS)


def _shows(*rules: str) -> Callable[[Maker], Maker]:
    def keep(maker: Maker) -> Maker:
        MAKERS.update(dict.fromkeys(rules, maker))
        return maker

    return keep


def _about(reach: Reach, finding: Finding) -> list[FollowUp]:
    """The live follow-ups of a finding, its target first."""
    names = dict.fromkeys([finding.target, *finding.involved])
    live = {one.id: one for one in reach.live}
    return [live[name] for name in names if name in live]


# Who gets it.


@_shows("R1")
def _not_entered(reach: Reach, finding: Finding) -> Attempts:
    """A message to who never entered; where the anchor stands in for the gate, under another meaning of 'set'."""
    for follow_up in _about(reach, finding):
        own = reach.own(follow_up)
        if own is None:
            continue
        yield from _while_not(reach, follow_up, own)
        for policy in (words.FIRST_WRITE, words.EVERY_WRITE):
            other = Reach(reach.model, policy=policy)
            for attempt in _while_not(other, follow_up, own):
                attempt.document["runtime"] = {"setAtPolicy": policy}
                yield attempt
        yield from _unsafe(reach, follow_up)
        yield from stories.mute(reach, follow_up)


def _while_not(reach: Reach, follow_up: FollowUp, own: str) -> Attempts:
    look = sent(follow_up.id, why="the lead has not entered the stage")
    for operator, value in ((words.IS_NOT_SET, None), (words.EQUALS, False)):
        state = reach.with_literal(follow_up, own, operator, value)
        if state is not None:
            yield from stories.firing(reach, state, look, follow_up)


def _unsafe(reach: Reach, follow_up: FollowUp) -> Attempts:
    """It goes to who is past its stage, or stopped."""
    for stamp in reach.later_stamps(follow_up):
        yield from stories.past_stage(reach, follow_up, stamp)
    for stop in reach.model.stop_ids:
        yield from stories.past_stop(reach, follow_up, stop)


def _past(reach: Reach, finding: Finding, story: Callable[[Reach, FollowUp, str], Attempts]) -> Attempts:
    """One story for each property that the finding says an exclusion is missing for."""
    for follow_up in _about(reach, finding)[:1]:
        for missing in finding.detail.get("add", ()):
            yield from story(reach, follow_up, missing["propertyId"])


@_shows("R2")
def _past_stage(reach: Reach, finding: Finding) -> Attempts:
    return _past(reach, finding, stories.past_stage)


@_shows("R3")
def _past_stop(reach: Reach, finding: Finding) -> Attempts:
    return _past(reach, finding, stories.past_stop)


@_shows("R16", "R34", "R33")
def _unsafe_or_silent(reach: Reach, finding: Finding) -> Attempts:
    for follow_up in _about(reach, finding)[:1]:
        yield from _unsafe(reach, follow_up)
        yield from stories.mute(reach, follow_up)


@_shows("R18")
def _overlap(reach: Reach, finding: Finding) -> Attempts:
    about = _about(reach, finding)
    for other in about[1:]:
        state = reach.together(about[0], other)
        if state is not None:
            yield from stories.both_fire(reach, about[0], other, state)
            continue
        apart = Reach(reach.model, policy=words.FIRST_WRITE)
        state = apart.together(about[0], other)
        for attempt in stories.both_fire(apart, about[0], other, state) if state is not None else ():
            attempt.document["runtime"] = {"setAtPolicy": words.FIRST_WRITE}
            yield attempt


@_shows("R24")
def _shared_key(reach: Reach, finding: Finding) -> Attempts:
    for one in reach.model.of_stage(finding.target):
        for other in reach.model.of_stage(finding.detail.get("other", "")):
            state = reach.together(one, other)
            if state is not None:
                yield from stories.both_fire(reach, one, other, state)


@_shows("R7", "R17", "R20", "R36", "X11")
def _silent(reach: Reach, finding: Finding) -> Attempts:
    for follow_up in _about(reach, finding)[:1]:
        yield from stories.enters(reach, follow_up, silent(follow_up.id), bare=finding.rule == "R36")
        yield from stories.mute(reach, follow_up)


@_shows("R35")
def _two_gates(reach: Reach, finding: Finding) -> Attempts:
    for follow_up in _about(reach, finding)[:1]:
        own = reach.own(follow_up)
        if own is not None and not follow_up.has(own, words.EQUALS, value=True):
            yield from _while_not(reach, follow_up, own)
        yield from _unsafe(reach, follow_up)
        yield from stories.mute(reach, follow_up)


@_shows("R19")
def _nobody_reached(reach: Reach, finding: Finding) -> Attempts:
    stage = reach.model.stage(finding.target)
    if stage is not None:
        yield from stories.uncovered(reach, stage, finding.state or {})


@_shows("R23")
def _both_roles(reach: Reach, finding: Finding) -> Attempts:
    for follow_up in _about(reach, finding):
        yield from _unsafe(reach, follow_up)
        yield from stories.mute(reach, follow_up)


@_shows("R21")
def _unknown(reach: Reach, finding: Finding) -> Attempts:
    name = finding.target
    if name in reach.model.stop_ids:
        yield from stories.unstopped(reach, name)
    if name in reach.stamps.values():
        yield from stories.unstamped(reach, name)
    for follow_up in reach.live:
        if follow_up.anchor == name or follow_up.on(name):
            yield from stories.mute(reach, follow_up)


@_shows("R13", "R14")
def _no_stop(reach: Reach, finding: Finding) -> Attempts:
    reason = next((one for one in reach.model.reasons if one.id == finding.target), None)
    if reason is not None:
        yield from dropping_out(reach, reason)
        return
    for follow_up in reach.live:
        yield from stories.dropped(reach, follow_up)


# What is written.


@_shows("R8", "R9", "R10", "R22", "R25")
def _no_latch(reach: Reach, finding: Finding) -> Attempts:
    name = finding.target
    if name in reach.model.stop_ids:
        yield from stories.unstopped(reach, name)
    if name in reach.stamps.values():
        yield from stories.unstamped(reach, name)
    for follow_up in reach.live:
        if follow_up.anchor == name or follow_up.on(name):
            yield from stories.mute(reach, follow_up)


@_shows("R12")
def _rescue(reach: Reach, finding: Finding) -> Attempts:
    for follow_up in _about(reach, finding) or reach.live[:1]:
        yield from stories.unanswered(reach, follow_up)


# When it goes out.


@_shows("R4")
def _anchor(reach: Reach, finding: Finding) -> Attempts:
    for follow_up in _about(reach, finding)[:1]:
        for other in reach.model.of_stage(follow_up.stage_id):
            yield from _burst(reach, follow_up, other)
        yield from stories.hasty(reach, follow_up)
        yield from stories.mute(reach, follow_up)


def _burst(reach: Reach, one: FollowUp, other: FollowUp) -> Attempts:
    state = None if one is other else reach.together(one, other)
    if state is not None:
        yield from stories.burst(reach, one, other, state)


@_shows("R5", "X1")
def _too_close(reach: Reach, finding: Finding) -> Attempts:
    about = _about(reach, finding)
    for one, other in pairwise(about):
        yield from _burst(reach, one, other)
    if len(about) == 1:
        for other in reach.model.of_stage(about[0].stage_id):
            yield from _burst(reach, about[0], other)
        yield from stories.hasty(reach, about[0])


@_shows("R6", "X2")
def _overtakes(reach: Reach, finding: Finding) -> Attempts:
    for follow_up in _about(reach, finding)[:1]:
        yield from stories.overtakes(reach, follow_up)
        if not follow_up.silence or follow_up.silence < 0:
            yield from stories.interrupts(reach, follow_up)


@_shows("R11", "R32", "X3", "X6", "X17")
def _undelivered(reach: Reach, finding: Finding) -> Attempts:
    about = _about(reach, finding)
    to = [one for one in reach.live if finding.target in _templates(one)]
    for follow_up in about or to:
        yield from stories.undelivered(reach, follow_up)


def _templates(follow_up: FollowUp) -> set[str | None]:
    return {follow_up.destination.template_id, follow_up.destination.fallback_template_id}


@_shows("R30")
def _endless(reach: Reach, finding: Finding) -> Attempts:
    for follow_up in _about(reach, finding)[:1]:
        yield from stories.endless(reach, follow_up)


@_shows("X4")
def _released(reach: Reach, finding: Finding) -> Attempts:
    about = _about(reach, finding)
    for one, other in pairwise(about):
        yield from stories.released(reach, one, other)


@_shows("X5")
def _backlog(reach: Reach, finding: Finding) -> Attempts:
    yield from stories.backlog(reach, _about(reach, finding))


@_shows("X8")
def _set_at(reach: Reach, finding: Finding) -> Attempts:
    """Two follow-ups of a stage at once, or one that is silent, where 'set' is something else."""
    for policy in words.SET_AT_POLICIES:
        other = Reach(reach.model, policy=policy)
        about = [one for one in _about(other, finding) if one.anchor == finding.target]
        given = {"setAtPolicy": policy}
        for one, second in pairwise(about):
            state = other.together(one, second)
            if state is not None:
                yield from stories.burst(other, one, second, state, **given)
        for one in about:
            yield from stories.enters(other, one, silent(one.id), given)


@_shows("X9")
def _repeats_meet(reach: Reach, finding: Finding) -> Attempts:
    about = _about(reach, finding)
    for one, other in pairwise(about):
        state = reach.together(one, other)
        if state is None or not collides(one, other, reach.model.runtime.min_stagger):
            continue
        yield from stories.meeting(reach, one, other, state, max(finding.detail.get("due", [0])))


def collides(one: FollowUp, other: FollowUp, least: int) -> bool:
    """Whether two series of one stage come too close by their offsets and intervals."""
    return collision(stories.series(one), stories.series(other), least) is not None


@_shows("X18")
def _strict(reach: Reach, finding: Finding) -> Attempts:
    """Where NULL blocks a negative literal, a lead who entered gets nothing."""
    for follow_up in _about(reach, finding):
        yield from stories.enters(reach, follow_up, silent(follow_up.id), {"nullSemantics": words.SQL_STRICT})
