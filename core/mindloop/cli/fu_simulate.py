"""``fu_conformance.py simulate`` and ``explain``: what goes out, what is wrong with it, and why."""

from __future__ import annotations

from mindloop.cli.fu_files import model_in, scenario_in
from mindloop.cli.fu_output import JSON, TEXT, add_format, counted, emit_lines, fitting, warn
from mindloop.cli.output import emit_json, safe
from mindloop.cli.parsing import parser
from mindloop.sequence.diagnosis import CAUSES, diagnose
from mindloop.sequence.findings import named
from mindloop.sequence.loading import Names
from mindloop.sequence.shown import plain
from mindloop.sequence.simulator.engine import simulate as run
from mindloop.sequence.timeline import CLASSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import Any

    from mindloop.sequence.diagnosis import Diagnosis
    from mindloop.sequence.model import Model
    from mindloop.sequence.scenario import Scenario
    from mindloop.sequence.simulator.explain import Explanation

_SENDS, _HEADS, _MOST = 450, 500, 1_980
"""Bytes without --full: of what was sent, of what is wrong with it in a line each, of everything."""
_SHOWN = 4
_EXAMPLES = """examples:
  fu_conformance.py simulate fu-model.json scenario.yaml
  fu_conformance.py simulate fu-model.json scenario.yaml --json > timeline.json"""
_EXPLAIN_EXAMPLES = """examples:
  fu_conformance.py explain fu-model.json scenario.yaml --lead l1 --follow-up e0_120
  fu_conformance.py explain fu-model.json scenario.yaml --lead l1 --follow-up e0_120 --at 90"""


def simulate(argv: list[str]) -> int:
    """Run a scenario and say what came of it."""
    options = parser("fu_conformance.py simulate", "What is sent, what is wrong with it, and why.", _EXAMPLES)
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML")
    options.add_argument("scenario", metavar="SCENARIO", help="leads and what happens to them, JSON or YAML")
    add_format(options, TEXT, JSON)
    chosen = options.parse_args(argv)
    model, scenario = _given(chosen)
    document = run(model, scenario).as_document()
    found = diagnose(model, document["events"], scenario.runtime)
    if chosen.format == JSON:
        emit_json({**document, "diagnosis": [one.as_json() for one in found]})
        return 0
    counts = document["counts"]
    leads = f"{counted(len(scenario.leads), 'lead')}, minutes 0 to {scenario.horizon}"
    sent = f"{counted(counts['messages'], 'message')}, {counts['reached']} reached"
    lines = [
        f"{leads}: {counted(counts['runs'], 'look')}, {sent}",
        *fitting(_sends(document["sends"]), full=chosen.full, budget=_SENDS),
    ]
    emit_lines([*lines, *_wrong(found, lines, full=chosen.full)], full=chosen.full)
    return 0


def _given(chosen: Namespace) -> tuple[Model, Scenario]:
    """Model and scenario; what the scenario says of properties that the model has not is told."""
    model, scenario = model_in(chosen.model), scenario_in(chosen.scenario)
    known = Names(model.properties)
    events = [*scenario.events, *(event for lead in scenario.leads for event in lead.events)]
    odd: dict[str, str] = {}
    for event in events:
        if event.property_id and known.resolve(event.property_id) not in model.properties:
            odd.setdefault(event.property_id, event.pointer)
    warn([f"{chosen.scenario}: {_unknown(name, place, model)}" for name, place in odd.items()])
    return model, scenario


def _unknown(name: str, place: str, model: Model) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, list(model.properties), 1)
    meant = f"did you mean {named(near[0])}?" if near else "it has no effect"
    return f"{place}: the model has no property {named(name)}; {meant}"


def _sends(sends: list[dict[str, Any]]) -> Iterator[list[str]]:
    """A line a lead: what it got at which minute."""
    by_lead: dict[str, list[str]] = {}
    for one in sends:
        failed = "" if one["status"] == "OK" else f" {one['status']} {one['reason'] or ''}".rstrip()
        by_lead.setdefault(one["lead"], []).append(f"{one['t']} {named(one['followUp'])}{failed}")
    for lead in sorted(by_lead):
        yield [f"{named(lead)}: {', '.join(by_lead[lead])}"]


def _wrong(found: list[Diagnosis], before: list[str], *, full: bool) -> list[str]:
    """What is wrong in a line each, then why; as much of the why as the lines before leave room for."""
    if not found:
        return ["nothing is wrong with what went out"]
    heads = fitting(map(_head, found), full=full, budget=_HEADS)
    taken = sum(len(safe(line).encode()) + 1 for line in (*before, *heads))
    return [*heads, *fitting(map(_why, found), full=full, budget=_MOST - taken)]


def _head(one: Diagnosis) -> list[str]:
    about = ", ".join(named(name) for name in one.follow_ups[:_SHOWN])
    more = f" and {len(one.follow_ups) - _SHOWN} more" if len(one.follow_ups) > _SHOWN else ""
    return [f"{_what(one)} x{one.count}: {about}{more}; first at {one.first[0]}, lead {named(one.first[1])}"]


def _what(one: Diagnosis) -> str:
    return f"{one.kind}{f' ({one.cause})' if one.cause else ''}"


def _why(one: Diagnosis) -> list[str]:
    lines = [f"{_what(one)}: {CLASSES.get(one.kind, '')}"]
    for finding in one.findings[:_SHOWN]:
        lines += [f"  {finding.rule}: {finding.message}", f"    fix: {finding.fix}"]
    if len(one.findings) > _SHOWN:
        lines.append(f"  and {len(one.findings) - _SHOWN} more findings that explain it")
    if one.cause or not one.findings:
        lines.append(f"  {one.sentence}")
    if one.not_by:
        lines.append(f"  not the cure: {one.not_by}")
    return lines


def explain(argv: list[str]) -> int:
    """Say which gate let a follow-up out to a lead, or did not."""
    from mindloop.sequence.simulator.explain import explain as asked

    options = parser(
        "fu_conformance.py explain", "Why one follow-up did or did not go out to one lead.", _EXPLAIN_EXAMPLES
    )
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML")
    options.add_argument("scenario", metavar="SCENARIO", help="leads and what happens to them, JSON or YAML")
    options.add_argument("--lead", required=True, metavar="L", help="the lead's id in the scenario")
    options.add_argument("--follow-up", required=True, metavar="F", help="the follow-up's id in the model")
    options.add_argument("--at", type=int, metavar="MIN", help="what the runner said at this minute")
    add_format(options, TEXT, JSON)
    chosen = options.parse_args(argv)
    model, scenario = _given(chosen)
    made = asked(model, scenario, chosen.lead, chosen.follow_up, chosen.at)
    scenario.leads = [one for one in scenario.leads if one.id == chosen.lead]
    timeline = run(model, scenario)
    events = [one for one in timeline.events if chosen.follow_up in one["followUps"]]
    found = diagnose(model, events, scenario.runtime)
    if chosen.format == JSON:
        also = [one for one in timeline.sends if one["followUp"] != chosen.follow_up]
        emit_json({**made.as_document(), "otherSends": also, "diagnosis": [one.as_json() for one in found]})
        return 0
    others = [one for one in timeline.sends if one["followUp"] != chosen.follow_up]
    lines = [
        *_verdict(made),
        *([f"the lead got besides: {_list(others)}"] if others else []),
        *fitting(_looks(made), full=chosen.full, budget=_SENDS),
    ]
    emit_lines([*lines, *(_wrong(found, lines, full=chosen.full) if found else [])], full=chosen.full)
    return 0


def _list(sends: list[dict[str, Any]]) -> str:
    shown = ", ".join(f"{one['t']} {named(one['followUp'])}" for one in sends[:_SHOWN])
    return shown + (f" and {len(sends) - _SHOWN} more" if len(sends) > _SHOWN else "")


def _verdict(made: Explanation) -> Iterator[str]:
    who = f"{named(made.follow_up)} for {named(made.lead)}"
    if made.fired:
        times = ", ".join(_time(one) for one in made.fired[:_SHOWN])
        times += f" and {len(made.fired) - _SHOWN} times more" if len(made.fired) > _SHOWN else ""
        yield f"{who}: sent at {times}"
    else:
        yield f"{who}: never sent"
    if made.dominant:
        cause = made.dominant["cause"]
        owed = "while it was owed" if made.dominant["entitled"] else "it was never owed"
        yield f"  held back most by {plain(made.dominant['reason'])} ({owed}), cause {cause}: {CAUSES.get(cause, '')}"
    if made.asked:
        at = made.asked
        if at["t"] is None:
            yield "  at that minute the runner had not looked yet"
        elif at["fired"]:
            yield f"  at that minute: sent, at {at['t']}"
        else:
            word = at["reason"].split(":", 1)[0]
            by_null = ", by NULL" if at["byNull"] else ""
            yield f"  at minute {at['t']}: blocked by {plain(at['reason'])}{by_null}: {CAUSES.get(word, '')}"


def _time(one: dict[str, Any]) -> str:
    return str(one["t"]) if one["status"] == "OK" else f"{one['t']} {one['status']} {one['reason'] or ''}".rstrip()


def _looks(made: Explanation) -> Iterator[list[str]]:
    if made.blocks:
        yield ["the first gate that blocked:"]
    for one in made.blocks:
        by_null = ", by NULL" if one["byNull"] else ""
        owed = ", owed" if one["entitled"] and not made.fired else ""
        yield [
            f"  {one['from']} to {one['to']}: {plain(one['reason'])}{by_null}{owed} ({counted(one['looks'], 'look')})"
        ]
