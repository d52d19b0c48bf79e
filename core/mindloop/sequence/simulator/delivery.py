"""What becomes of a message: reached, or failed and why (spec 3.5; the codes are the channel's own)."""

from __future__ import annotations

from mindloop.sequence import words
from mindloop.sequence.simulator import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.sequence.simulator.lead import Lead
    from mindloop.sequence.simulator.plan import Plan, Rule, Sendable

    Errors = dict[tuple[str, str | None], str]


def delivered(lead: Lead, rule: Rule, plan: Plan, errors: Errors, at: int) -> str | None:
    """Send; None where it reached the lead, else why not."""
    if not lead.reachable:
        return terms.UNREACHABLE
    injected = errors.get((lead.id, rule.id)) or errors.get((lead.id, None))
    if injected:
        return injected
    on_whatsapp = rule.channel == words.WHATSAPP
    if rule.templated and on_whatsapp:
        return _template(lead, rule.template)
    if rule.channel not in words.WINDOWED or _in_window(lead, plan, at):
        return None
    if rule.fallback is not None and on_whatsapp:
        return _template(lead, rule.fallback)
    return terms.WINDOW_EXPIRED


def _in_window(lead: Lead, plan: Plan, at: int) -> bool:
    return lead.last_inbound is not None and at - lead.last_inbound < plan.runtime.window


def _template(lead: Lead, template: Sendable | None) -> str | None:
    if template is None or not template.approved:
        return terms.NO_SUCH_TEMPLATE
    if not template.countable:
        return terms.PARAMETER_COUNT
    for property_id, otherwise in template.params:
        value = None if property_id is None else lead.values.get(property_id)
        if value in {None, ""} and not otherwise:
            return terms.NO_PARAMETER
    return None
