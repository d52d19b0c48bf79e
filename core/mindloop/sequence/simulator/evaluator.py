"""The evaluator: reads truth when a batch starts, writes a while later, leaves what is frozen alone (spec 3.4)."""

from __future__ import annotations

from mindloop.sequence import words
from mindloop.sequence.simulator.conditions import same
from mindloop.sequence.simulator.lead import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.model import Property, Value
    from mindloop.sequence.simulator.lead import Lead
    from mindloop.sequence.simulator.plan import Plan


def read_batch(lead: Lead, plan: Plan, at: int) -> None:
    """Start a batch: what it would write and what would change something lands when the batch ends."""
    answers = [
        (property_id, answer)
        for property_id, answer in _answers(lead, plan)
        if _matters(lead, plan, property_id, answer)
    ]
    if answers:
        lead.writes.append((at + plan.runtime.evaluator_run, answers))
        for property_id, _ in answers:
            lead.flying[property_id] = lead.flying.get(property_id, 0) + 1


def _answers(lead: Lead, plan: Plan) -> Iterator[tuple[str, Value]]:
    for property_id, value in lead.truth.items():
        if property_id in plan.evaluated and property_id not in lead.frozen:
            yield property_id, value
    for property_id in plan.early:
        if property_id not in lead.truth and property_id not in lead.frozen:
            yield property_id, False


def _matters(lead: Lead, plan: Plan, property_id: str, answer: Value) -> bool:
    """Whether writing it does anything: a new value, one that freezes, one behind another in flight, a clock."""
    if plan.runtime.set_at_policy == words.EVERY_WRITE or lead.flying.get(property_id):
        return True
    if property_id not in lead.values or not same(lead.values[property_id], answer):
        return True
    return freezes(plan.properties[property_id], answer)


def land(lead: Lead, plan: Plan) -> bool:
    """Write the answers of the batch that ends now; whether anything changed."""
    at, answers = lead.writes.popleft()
    changed = False
    for property_id, answer in answers:
        lead.flying[property_id] -= 1
        if property_id not in lead.frozen:
            changed = write(lead, plan, property_id, answer, at) or changed
            if freezes(plan.properties[property_id], answer):
                lead.frozen.add(property_id)
    return changed


def freezes(known: Property, value: Value) -> bool:
    """Whether a property is left alone once it has this value: any first one, or with check-until-match the match."""
    return not known.check_until_match or same(value, known.terminal_value)


def goes_on(lead: Lead, plan: Plan) -> bool:
    """Whether the next batch matters though nothing happens: every write moves the clock of what is not frozen."""
    return plan.runtime.set_at_policy == words.EVERY_WRITE and next(_answers(lead, plan), None) is not None
