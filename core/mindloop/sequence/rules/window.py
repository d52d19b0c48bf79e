"""The day after a lead's last message, templates and channels (section 10), and what bounds say beyond it."""

from __future__ import annotations

from mindloop.sequence.findings import Finding, named
from mindloop.sequence.rules.budget import longest_quiet, oldest_inbound
from mindloop.sequence.rules.registry import beyond, doctrine
from mindloop.sequence.words import (
    APPROVED,
    CUSTOM_NOTIFICATION,
    ERROR,
    FREE_TEXT,
    INSTAGRAM,
    MESSENGER,
    WARN,
    WHATSAPP_TEMPLATE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.model import FollowUp, Param, Template
    from mindloop.sequence.rules.facts import Facts, Seen

MESSAGES = "messages.source_workflow_id"
_WITHOUT_TEMPLATES = (INSTAGRAM, MESSENGER)


@doctrine(
    "R11",
    "WINDOW_NEEDS_APPROVED_TEMPLATE",
    "10",
    fix="Use a WHATSAPP_TEMPLATE destination with an approved template, or shorten the wait.",
)
def window_needs_approved_template(facts: Facts) -> Iterator[Finding]:
    """A follow-up a day or more after the last message goes out as an approved template."""
    for seen in facts.seen:
        destination = seen.follow_up.destination
        if destination.kind == WHATSAPP_TEMPLATE:
            yield from _unusable(facts, seen, destination.template_id, "templateId", ERROR)
        elif is_late(facts, seen):
            yield _late_free_text(facts, seen)
        if destination.fallback_template_id:
            yield from _unusable(facts, seen, destination.fallback_template_id, "fallbackTemplateId", WARN)


def is_late(facts: Facts, seen: Seen) -> bool:
    """Whether its offset or silence alone lead out of the window of a channel that has one."""
    waits = max(seen.offset, seen.silence)
    return waits >= facts.runtime.window and facts.has_window(seen.follow_up)


def _unusable(facts: Facts, seen: Seen, template_id: str | None, key: str, severity: str) -> Iterator[Finding]:
    template = facts.model.templates.get(template_id or "")
    if template and template.status == APPROVED:
        return
    if not template_id:
        came = "no templateId"
    elif template is None:
        came = f"the template {named(template_id)}, which templates does not hold"
    else:
        came = f"the template {named(template_id)}, which is {template.status}"
    yield Finding(
        seen.id,
        f"{seen.pointer}/destination/{key}" if template_id else f"{seen.pointer}/destination",
        f"{named(seen.id)} goes out with {came}; expected an APPROVED one, or it does not arrive",
        f"Set {key} of {named(seen.id)} to a template that is APPROVED.",
        severity=severity,
        involved=[seen.id],
    )


def _late_free_text(facts: Facts, seen: Seen) -> Finding:
    has_id = bool(seen.follow_up.destination.template_id)
    kind = "is FREE_TEXT (its templateId is not used)" if has_id else "is FREE_TEXT"
    return Finding(
        seen.id,
        seen.pointer,
        f"{named(seen.id)} {kind} and waits {max(seen.offset, seen.silence)} minutes; expected less than "
        f"{facts.runtime.window} or an approved template, free text does not arrive later",
        f"Set destination of {named(seen.id)} to kind WHATSAPP_TEMPLATE with an APPROVED template, or shorten "
        "the wait.",
        involved=[seen.id],
    )


@doctrine(
    "R32",
    "TEMPLATE_PARAMS",
    "10",
    fix="Give the parameter a source and a fallback.",
)
def template_params(facts: Facts) -> Iterator[Finding]:
    """Every parameter of a template has a source, and a fallback where the source may be NULL."""
    for template in facts.model.templates.values():
        names: set[tuple[str, str]] = set()
        for param in template.params:
            yield from _param(facts, template, param)
            if (param.component, param.name) in names:
                yield _told(
                    template,
                    param,
                    "stands there twice; expected each parameter once (132000)",
                    "Remove one of the two.",
                )
            names.add((param.component, param.name))


def _param(facts: Facts, template: Template, param: Param) -> Iterator[Finding]:
    source = (param.source or "").strip()
    if (param.fallback or "").strip():
        return
    if not source:
        came = "has no source; expected a property or a text, an empty value is refused (131008)"
        yield _told(template, param, came, f"Give {named(param.name)} a source, or a fallback.")
        return
    about = facts.properties.get(facts.names.resolve(source))
    if about is not None and (about.null_rate is None or about.null_rate > 0):
        came = f"comes from {named(about.id)}, which may be NULL, and has no fallback; expected one (131008)"
        yield _told(template, param, came, f'Give {named(param.name)} a fallback, for example "there".', WARN)


def _told(template: Template, param: Param, came: str, fix: str, severity: str = ERROR) -> Finding:
    what = f"the {param.component} parameter {named(param.name)} of {named(template.id)}"
    return Finding(template.id, param.pointer, f"{what} {came}", fix, severity=severity)


@beyond(
    "X3",
    "WINDOW_WORST_CASE",
    WARN,
    fix="Shorten the wait, or add an approved fallback template.",
)
def window_worst_case(facts: Facts) -> Iterator[Finding]:
    """Free text goes out within the window even if stamping, ticks and quiet hours are at their slowest."""
    for seen in facts.seen:
        if seen.follow_up.destination.kind != FREE_TEXT or not facts.has_window(seen.follow_up):
            continue
        bound = oldest_inbound(seen.follow_up, facts.runtime)
        if bound >= facts.runtime.window and not is_late(facts, seen) and not _has_fallback(facts, seen.follow_up):
            yield _may_be_late(facts, seen, bound)


def _has_fallback(facts: Facts, follow_up: FollowUp) -> bool:
    template = facts.model.templates.get(follow_up.destination.fallback_template_id or "")
    usable = template is not None and template.status == APPROVED
    return usable and not any(channel in _WITHOUT_TEMPLATES for channel in facts.channels(follow_up))


def _may_be_late(facts: Facts, seen: Seen, bound: int) -> Finding:
    quiet = longest_quiet(facts.runtime)
    waits = f"lag {facts.runtime.lag}, offset {seen.offset}, silence {seen.silence}, tick {facts.runtime.runner_tick}"
    return Finding(
        seen.id,
        seen.pointer,
        f"{named(seen.id)} is free text and may go out {bound} minutes after the lead's last message ({waits}"
        + (f", quiet hours {quiet}" if quiet else "")
        + f"); expected less than {facts.runtime.window}",
        f"Shorten the wait of {named(seen.id)} by {bound - facts.runtime.window + 1} minutes, or give it an APPROVED "
        "fallback template.",
        involved=[seen.id],
        detail={"bound": bound, "window": facts.runtime.window},
    )


@beyond(
    "X6",
    "CHANNEL_CAPABILITY",
    ERROR,
    fix="Shorten the wait, or use WhatsApp.",
)
def channel_capability(facts: Facts) -> Iterator[Finding]:
    """Instagram and Messenger have no template: what goes out there goes out within the window."""
    for seen in facts.seen:
        channels = [one for one in facts.channels(seen.follow_up) if one in _WITHOUT_TEMPLATES]
        if not channels:
            continue
        bound = oldest_inbound(seen.follow_up, facts.runtime)
        if bound >= facts.runtime.window:
            yield Finding(
                seen.id,
                f"{seen.pointer}/channel" if seen.follow_up.channel else seen.pointer,
                f"{named(seen.id)} may go out on {channels[0]} {bound} minutes after the lead's last message; "
                "expected less "
                f"than {facts.runtime.window}, no template exists there",
                f"Shorten the wait of {named(seen.id)}, or send it on WHATSAPP.",
                involved=[seen.id],
                detail={"bound": bound},
            )
        if facts.runtime.no_inbound_policy != "BLOCK":
            yield _comment_only(seen, channels[0])


def _comment_only(seen: Seen, channel: str) -> Finding:
    return Finding(
        seen.id,
        "/runtime/noInboundPolicy",
        f"{named(seen.id)} is tried on {channel} for leads who never wrote, a comment alone opens no window there; "
        "expected noInboundPolicy BLOCK",
        "Set noInboundPolicy to BLOCK.",
        severity=WARN,
    )


@beyond(
    "X7",
    "NOTIFICATION_WINDOW",
    WARN,
    fix="Make it a follow-up with an approved template.",
)
def notification_window(facts: Facts) -> Iterator[Finding]:
    """A custom notification looks at leads who wrote within a day; nothing slower can hang on it."""
    for one in facts.model.follow_ups:
        waits = max(one.offset or 0, one.silence or 0)
        if one.active and one.type == CUSTOM_NOTIFICATION and waits >= facts.runtime.window:
            yield Finding(
                one.id,
                f"{one.pointer}/type",
                f"{named(one.id)} is a CUSTOM_NOTIFICATION that waits {waits} minutes and looks only at leads "
                "who wrote within "
                f"{facts.runtime.window}; expected a FOLLOW_UP",
                f"Make {named(one.id)} a FOLLOW_UP with an APPROVED template.",
            )


@beyond(
    "X15",
    "QUIET_HOURS_TZ",
    WARN,
    fix="Set the agent's timezone, and onUnknownTz BLOCK.",
)
def quiet_hours_zone(facts: Facts) -> Iterator[Finding]:
    """Quiet hours know whose clock they mean, and an unknown one blocks."""
    quiet = facts.runtime.quiet_hours
    if quiet is None:
        return
    if quiet.on_unknown_tz != "BLOCK":
        yield Finding(
            facts.agent,
            "/runtime/quietHours/onUnknownTz",
            "quiet hours let a message through where the zone is unknown; expected BLOCK",
            "Set onUnknownTz to BLOCK.",
        )
    if not facts.model.agent.timezone:
        whose = (
            "the agent's clock" if quiet.tz == "AGENT" else "each lead's clock, and the agent's where that is unknown"
        )
        yield Finding(
            facts.agent,
            "/runtime/quietHours",
            f"quiet hours follow {whose}, and the agent has no timezone; expected one",
            "Set timezone of the agent, for example Europe/Madrid.",
        )


@beyond(
    "X17",
    "REACHED_NOT_ONLY_SENT",
    WARN,
    fix="Count messages whose status is not FAILED beside those that were sent.",
)
def reached_not_only_sent(facts: Facts) -> Iterator[Finding]:
    """Coverage tells what was sent from what arrived."""
    late = [
        seen.id
        for seen in facts.seen
        if seen.follow_up.destination.kind == FREE_TEXT
        and facts.has_window(seen.follow_up)
        and oldest_inbound(seen.follow_up, facts.runtime) >= facts.runtime.window
    ]
    for metric in facts.model.metrics if late else ():
        if metric.source == MESSAGES:
            yield Finding(
                metric.id,
                metric.pointer,
                f"the metric {named(metric.id)} counts what was sent, and {len(late)} follow-ups (for example "
                f"{named(late[0])}) "
                "may be sent without arriving; expected sent and reached apart",
                f"Report messages whose status is not FAILED beside {named(metric.id)}.",
                involved=late,
            )
