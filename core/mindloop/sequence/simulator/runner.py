"""The runner at a tick: which follow-ups pass every gate, in which order they go out, what is marked (spec 3.5)."""

from __future__ import annotations

import json

from mindloop.sequence import words
from mindloop.sequence.scenario import AT_LEAST_ONCE
from mindloop.sequence.simulator import classes, terms
from mindloop.sequence.simulator.clock import quiet_until
from mindloop.sequence.simulator.conditions import holds
from mindloop.sequence.simulator.delivery import delivered
from mindloop.sequence.simulator.terms import NEVER, blocked_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.sequence.model import Condition
    from mindloop.sequence.scenario import Faults
    from mindloop.sequence.simulator.clock import Ticks
    from mindloop.sequence.simulator.lead import Lead
    from mindloop.sequence.simulator.plan import Plan, Rule
    from mindloop.sequence.simulator.terms import Blocked

    Gate = tuple[str | None, int]
    """(block reason or None, the minute from which it may be another; NEVER where only an event changes it)."""

_HOLDS = ""
"""In a lead's list of conditions: all of them hold. None there is: not worked out."""


class Tally:
    """What is counted over all leads: attempts, messages, those that reached the lead, and looks that were not made."""

    __slots__ = ("attempts", "messages", "reached", "skipped")

    def __init__(self) -> None:
        self.attempts = self.messages = self.reached = self.skipped = 0


class Runner:
    """How ticks go in one scenario."""

    __slots__ = ("_crashes", "_errors", "_faults", "_keep_looking", "_tally", "_ticks")

    def __init__(self, ticks: Ticks, faults: Faults, tally: Tally, *, keep_looking: bool) -> None:
        self._ticks = ticks
        self._faults = faults
        self._tally = tally
        self._crashes = frozenset(ticks.next(one) for one in faults.crashes)
        self._errors = faults.delivery_errors
        self._keep_looking = keep_looking

    def tick(self, lead: Lead, plan: Plan, at: int) -> None:
        """Look at every follow-up of a lead about which something may have changed, and send what passes."""
        only = self._kept_of_a_release(lead, plan, at)
        for rule in plan.rules:
            if lead.wake[rule.index] > at:
                continue
            reason, until = gate(lead, plan, rule, at)
            if reason is None and only is not None and rule is not only:
                reason, until = _collapse(lead, rule, at), at + 1
            if reason is None:
                stop = self._send(lead, plan, rule, at)
                self._after(lead, rule, at)
                if stop:
                    self._leave_the_rest(lead, plan, rule, at)
                    break
                continue
            if reason == terms.QUIET_HOURS and rule.index not in lead.collapsed:
                lead.held_until = quiet_until(lead.quiet, at) or lead.held_until
            self._note(lead, plan, rule, at, reason=reason, until=until)

    def _kept_of_a_release(self, lead: Lead, plan: Plan, at: int) -> Rule | None:
        """At the first tick after quiet hours that held something, the one message that COLLAPSE lets out."""
        held = lead.held_until
        if held is None or at < held:
            return None
        lead.held_until = None
        hours = plan.runtime.quiet_hours
        if hours is None or hours.release != words.COLLAPSE or self._ticks.next(held) != at:
            return None
        ready = [rule for rule in plan.rules if lead.wake[rule.index] <= at and gate(lead, plan, rule, at)[0] is None]
        return max(ready, key=lambda rule: (due(lead, rule) or 0, rule.offset, rule.id), default=None)

    def _note(self, lead: Lead, plan: Plan, rule: Rule, at: int, *, reason: str, until: int) -> None:
        """Write down what the look said, and when to look again."""
        entitled, changes = entitlement(lead, plan, rule, at, reason)
        looks = lead.looks[rule.index]
        if not looks or looks[-1][1] != reason or looks[-1][2] != entitled:
            looks.append((at, reason, entitled))
        lead.wake[rule.index] = self._ticks.next(min(until, changes))

    def _after(self, lead: Lead, rule: Rule, at: int) -> None:
        """When to look at a follow-up again that has just gone out; never where nothing but its block is left."""
        lead.looks[rule.index].append((at, None, False))
        lead.wake[rule.index] = NEVER if self._is_over(lead, rule) else self._ticks.next(at + 1)

    def _leave_the_rest(self, lead: Lead, plan: Plan, rule: Rule, at: int) -> None:
        """The tick ends here for this lead: what comes later in it is looked at in the next one."""
        rest = [one for one in plan.rules[rule.index + 1 :] if one.live]
        self._tally.skipped += len(rest) * self._faults.runners
        following = self._ticks.next(at + 1)
        for one in rest:
            if not self._is_over(lead, one):
                lead.looks[one.index].append((at, None, False))
                lead.wake[one.index] = following

    def wake(self, lead: Lead, plan: Plan, at: int) -> None:
        """Have everything that can still go out looked at in the first tick at or after a minute."""
        tick = self._ticks.next(at)
        lead.wake = [NEVER if self._is_over(lead, rule) else tick for rule in plan.rules]

    def _is_over(self, lead: Lead, rule: Rule) -> bool:
        """Whether nothing but ALREADY_SENT can be said of it any more; explaining wants to hear that too."""
        sent = lead.marks[rule.index] > 0 and rule.index not in lead.collapsed
        return sent and rule.interval is None and not self._keep_looking

    def _send(self, lead: Lead, plan: Plan, rule: Rule, at: int) -> bool:
        """Attempt, deliver, mark; whether the tick ends for this lead."""
        faults = self._faults
        key = (rule.index, lead.marks[rule.index])
        again = key in lead.used_keys
        self._tally.attempts += faults.runners
        copies = faults.runners
        if faults.once_key:
            copies = 0 if again else 1
        failure = delivered(lead, rule, plan, self._errors, at) if copies else None
        for copy in range(copies):
            self._message(lead, plan, rule, failure, at, again=again or copy > 0)
        lead.used_keys.add(key)
        crashed = at in self._crashes
        if not (crashed and faults.policy == AT_LEAST_ONCE):
            lead.marks[rule.index] += 1
            lead.marked_at[rule.index] = at
        return crashed or plan.runtime.sends_per_tick == words.ONE_PER_LEAD

    def _message(self, lead: Lead, plan: Plan, rule: Rule, failure: str | None, at: int, *, again: bool) -> None:
        for name in classes.of_send(lead, plan, rule, failure, at, again=again):
            lead.found.add((at, name, (rule.id,)))
        lead.messages.append(at)
        lead.sent.append((at, rule.index, rule.stage, failure))
        lead.had[rule.index] += 1
        self._tally.messages += 1
        self._tally.reached += failure is None


def _collapse(lead: Lead, rule: Rule, at: int) -> str:
    """Let a message that quiet hours held back go: this repetition of it is over."""
    lead.marks[rule.index] += 1
    lead.marked_at[rule.index] = at
    lead.collapsed.add(rule.index)
    return terms.QUIET_HOURS


def gate(lead: Lead, plan: Plan, rule: Rule, at: int) -> Gate:
    """The first gate that a follow-up does not pass at a tick; None where it goes out."""
    blocked = _of_the_lead(lead, plan, rule, at) or _of_time(lead, plan, rule, at) or _of_sends(lead, rule, at)
    if blocked is not None:
        return blocked
    deadline = NEVER
    if rule.max_age is not None and (since := due(lead, rule)) is not None:
        deadline = since + rule.max_age + 1
        if at >= deadline:
            return terms.TOO_OLD, NEVER
    capped = classes.cap_until(lead, plan, at)
    if capped:
        return terms.CAP, min(capped, deadline)
    quiet = quiet_until(lead.quiet, at)
    if quiet:
        return terms.QUIET_HOURS, min(quiet, deadline)
    return None, NEVER


def _of_the_lead(lead: Lead, plan: Plan, rule: Rule, at: int) -> Gate | None:
    if not rule.live:
        return terms.INACTIVE, NEVER
    if rule.active_from is not None:
        since = lead.set_at.get(rule.clock or "")
        if at < rule.active_from:
            return terms.INACTIVE, rule.active_from
        if since is not None and since < rule.active_from:
            return terms.INACTIVE, NEVER
    if lead.needs_attention:
        return terms.NEEDS_ATTENTION, NEVER
    if lead.muted:
        return terms.MUTED, NEVER
    known = lead.conditions[rule.index]
    if known is None:
        known = lead.conditions[rule.index] = _first_condition(lead, plan, rule)
    return (known, NEVER) if known else None


def _first_condition(lead: Lead, plan: Plan, rule: Rule) -> str:
    """The first condition that does not hold, as a block reason; nothing where all hold."""
    semantics = plan.runtime.null_semantics
    for condition in rule.conditions:
        if not holds(condition, lead.values.get(condition.property_id), semantics):
            return _worded(lead, plan, condition)
    return _HOLDS


def _worded(lead: Lead, plan: Plan, condition: Condition) -> Blocked:
    value = lead.values.get(condition.property_id)
    written = "NULL" if value is None else json.dumps(value)[:60]
    key = (condition.property_id, condition.operator, written)
    if key not in plan.reasons:
        text = ":".join((terms.CONDITION, *key))
        plan.reasons[key] = blocked_by(text, condition.property_id, null=value is None)
    return plan.reasons[key]


def _of_time(lead: Lead, plan: Plan, rule: Rule, at: int) -> Gate | None:
    if rule.anchor is not None:
        since = lead.set_at.get(rule.anchor)
        if since is None:
            return terms.ANCHOR_UNSET, NEVER
        if at < since + rule.offset:
            return terms.ANCHOR_WAIT, since + rule.offset
    if rule.silence <= 0:
        return None
    if lead.last_inbound is None:
        return (terms.NO_INBOUND, NEVER) if plan.runtime.no_inbound_policy == words.BLOCK else None
    if at - lead.last_inbound < rule.silence:
        return terms.SILENCE_WAIT, lead.last_inbound + rule.silence
    return None


def _of_sends(lead: Lead, rule: Rule, at: int) -> Gate | None:
    marks = lead.marks[rule.index]
    if not marks:
        return None
    if rule.interval is None:
        return terms.QUIET_HOURS if rule.index in lead.collapsed else terms.ALREADY_SENT, NEVER
    if rule.max_repeats is not None and marks > rule.max_repeats:
        return terms.REPEAT_DONE, NEVER
    following = lead.marked_at[rule.index] + rule.interval
    return (terms.REPEAT_WAIT, following) if at < following else None


def due(lead: Lead, rule: Rule) -> int | None:
    """The minute from which clock and silence let it go; repeating does not move it. None where neither says one."""
    since = lead.set_at.get(rule.clock) if rule.clock is not None else None
    anchored = None if since is None else since + (rule.offset if rule.anchor is not None else 0)
    if rule.silence <= 0 or lead.last_inbound is None:
        return anchored
    quiet = lead.last_inbound + rule.silence
    return quiet if anchored is None else max(anchored, quiet)


def entitlement(lead: Lead, plan: Plan, rule: Rule, at: int, reason: str) -> tuple[bool, int]:
    """Whether the lead should be getting it, and the minute from which that may be otherwise (spec 3.9).

    In truth the lead has entered the stage and nothing has ended it, and clock and silence have run out; stamps that
    the pipeline failed to set, conditions that fail, quiet hours and caps do not count.
    """
    if reason == terms.INACTIVE:
        return False, NEVER
    entered, ended = lead.stage_state(plan, rule.stage)
    if ended or entered is None:
        return False, NEVER
    since = entered + rule.offset
    if rule.silence > 0:
        if lead.last_inbound is not None:
            since = max(since, lead.last_inbound + rule.silence)
        elif plan.runtime.no_inbound_policy == words.BLOCK:
            return False, NEVER
    return at >= since, NEVER if at >= since else since
