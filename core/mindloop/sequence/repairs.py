"""What mends a finding without a decision: one small function a rule, on a draft of the document.

A repair makes hold what the rule wants, and does nothing where that holds already or where somebody has to decide.
"""

from __future__ import annotations

from mindloop.sequence import literals, timing, words
from mindloop.sequence.loading import Names
from mindloop.sequence.pointers import PatchRefused, value_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from mindloop.sequence.findings import Finding
    from mindloop.sequence.model import FollowUp, Model

    Entry = dict[str, Any]

REPEATS = 2
"""How often a follow-up without a bound repeats after it is mended."""


class Draft:
    """A document that is being mended, and the model that it was at the beginning of the round.

    Attributes:
        raw: the document in the canonical spelling, changed in place.
        model: what it meant when the findings were made.
    """

    __slots__ = ("_follow_ups", "_properties", "model", "raw", "resolve")

    def __init__(self, model: Model, raw: Entry) -> None:
        self.model = model
        self.raw = raw
        self.resolve = Names(model.properties).resolve
        self._follow_ups: dict[str, Entry] = {one["id"]: one for one in raw.get("followUps", [])}
        self._properties: dict[str, Entry] = {one["id"]: one for one in raw.get("properties", [])}

    def about(self, finding: Finding) -> tuple[FollowUp, Entry, str] | None:
        """The follow-up of a finding, its entry, and the stamp of its stage; None where a decision comes first.

        That is so where the stage is unknown, or gate and anchor both are another stage's: who knows which is right.
        """
        one = self.model.follow_up(finding.target)
        own = literals.own_stamp(self.model, one) if one else None
        if one is None or own is None or self._is_of_another_stage(one, own):
            return None
        return one, self._follow_ups[one.id], own

    def _is_of_another_stage(self, one: FollowUp, own: str) -> bool:
        stamps = {stage.entry_stamp_id for stage in self.model.stages} - {own}
        return one.anchor in stamps and one.has(one.anchor, words.EQUALS, value=True) and not self._requires(one, own)

    @staticmethod
    def _requires(one: FollowUp, own: str) -> bool:
        return one.has(own, words.EQUALS, value=True)

    def entry(self, follow_up_id: str) -> Entry | None:
        """The entry of a follow-up."""
        return self._follow_ups.get(follow_up_id)

    def property(self, property_id: str) -> Entry | None:
        """The entry of a property."""
        return self._properties.get(property_id)

    def siblings(self, one: FollowUp) -> list[Entry]:
        """The entries of the other live follow-ups of its stage."""
        return [self._follow_ups[other.id] for other in self.model.of_stage(one.stage_id) if other.id != one.id]

    def is_stop(self, property_id: str) -> bool:
        """Whether it is among the stops."""
        return property_id in self.model.stop_ids

    def keeps_out(self, one: FollowUp, own: str, property_id: str) -> bool:
        """Whether a follow-up has to exclude that property."""
        return property_id in literals.exclusions(self.model, one.stage_id, own)


class Task:
    """A finding, the place that it is about, and what mends it.

    The place is looked up before anything is changed: pointers are of the document as the finding saw it.
    """

    __slots__ = ("act", "finding", "place")

    def __init__(self, finding: Finding, act: Callable[[Draft, Finding, Any], None], raw: Entry) -> None:
        self.finding = finding
        self.act = act
        try:
            self.place: Any = value_at(raw, finding.pointer)
        except PatchRefused:
            self.place = None


def mend(draft: Draft, findings: Iterable[Finding]) -> None:
    """Repair what can be repaired of these findings; causes come first in their order."""
    known = ((finding, REPAIRS.get(finding.rule)) for finding in findings)
    tasks = [Task(finding, act, draft.raw) for finding, act in known if act]
    for task in tasks:
        task.act(draft, task.finding, task.place)


def _whole_gate(draft: Draft, finding: Finding, _place: Any) -> None:
    found = draft.about(finding)
    if found and not draft.is_stop(found[2]):
        one, entry, own = found
        entry["propertyConditions"] = literals.complete(draft.model, one.stage_id, own)


def _entry_gate(draft: Draft, finding: Finding, _place: Any) -> None:
    found = draft.about(finding)
    if found and not draft.is_stop(found[2]):
        _, entry, own = found
        literals.ensure(entry.setdefault("propertyConditions", []), literals.entry(own), draft.resolve, first=True)


def _missing_exclusions(draft: Draft, finding: Finding, _place: Any) -> None:
    """R2 and R3; a stop is excluded at any stage, so it needs no decision about the stage."""
    entry = draft.entry(finding.target)
    if entry is None or (finding.rule == "R2" and not draft.about(finding)):
        return
    for one in finding.detail.get("add", ()):
        literals.ensure(
            entry.setdefault("propertyConditions", []), literals.exclusion(one["propertyId"]), draft.resolve
        )


def _wrong_exclusion(draft: Draft, finding: Finding, place: Any) -> None:
    """R7 and R34: the literal that is blind to NULL, or inverted, is written as it should be."""
    found = draft.about(finding)
    if found and isinstance(place, dict):
        one, entry, own = found
        name = draft.resolve(place["propertyId"])
        if draft.keeps_out(one, own, name):
            literals.ensure(entry["propertyConditions"], literals.exclusion(name), draft.resolve)


def _upstream_exclusion(draft: Draft, finding: Finding, place: Any) -> None:
    found = draft.about(finding)
    if not found or not isinstance(place, dict):
        return
    _, entry, own = found
    if draft.resolve(place["propertyId"]) == own:
        _entry_gate(draft, finding, place)
    else:
        entry["propertyConditions"] = [one for one in entry["propertyConditions"] if one is not place]


def _contradiction(draft: Draft, finding: Finding, _place: Any) -> None:
    found = draft.about(finding)
    if not found:
        return
    one, entry, own = found
    for name in finding.detail.get("properties", ()):
        if name == own and not draft.is_stop(own):
            literals.ensure(entry["propertyConditions"], literals.entry(own), draft.resolve)
        elif name != own and draft.keeps_out(one, own, name):
            literals.ensure(entry["propertyConditions"], literals.exclusion(name), draft.resolve)


def _value_type(draft: Draft, finding: Finding, place: Any) -> None:
    if not isinstance(place, dict):
        return
    name = draft.resolve(place["propertyId"])
    about = draft.model.properties.get(name)
    if about is None or (place["operator"] in words.ORDERED and about.type != words.NUMBER):
        return
    found = draft.about(finding)
    one, entry, own = found or (None, None, None)
    if one and entry and name == own and not draft.is_stop(name):
        literals.ensure(entry["propertyConditions"], literals.entry(name), draft.resolve, first=True)
    elif one and entry and own and name != own and draft.keeps_out(one, own, name):
        literals.ensure(entry["propertyConditions"], literals.exclusion(name), draft.resolve)
    else:
        place["value"] = in_type(place.get("value"), about.type)


def in_type(value: object, kind: str) -> object:
    """A value in the type of its property where it is spelled out as text; else the value itself."""
    if not isinstance(value, str):
        return value
    text = value.strip().casefold()
    if kind == words.BOOLEAN:
        return {"true": True, "false": False}.get(text, value)
    return _number(text, value) if kind == words.NUMBER else value


def _number(text: str, otherwise: object) -> object:
    import re

    if re.fullmatch(r"[-+]?[0-9]{1,15}", text):
        return int(text)
    return float(text) if re.fullmatch(r"[-+]?[0-9]{1,15}\.[0-9]{1,15}", text) else otherwise


def _anchor(draft: Draft, finding: Finding, _place: Any) -> None:
    found = draft.about(finding)
    if found:
        found[1]["delayTriggerPropertyId"] = found[2]


def _offset(draft: Draft, finding: Finding, _place: Any) -> None:
    """R5: behind the follow-up with which it collides, or behind the one before it; clear of all others."""
    one = draft.model.follow_up(finding.target)
    if one is None:
        return
    entry, gap = draft.entry(one.id) or {}, draft.model.runtime.min_stagger
    others = [offset for offset in map(_minutes, draft.siblings(one)) if offset > 0]
    came = _minutes(entry)
    if came > 0 and came not in others:
        return
    start = came + gap if came > 0 else _before(draft, one) + gap
    below = _below(draft, one)
    found = timing.free_offset(others, start, gap, None if below and came >= below else below)
    if found is not None:
        entry["delayMinutesAfterPropertySet"] = found


def _minutes(entry: Entry) -> int:
    return entry.get("delayMinutesAfterPropertySet") or 0


def _before(draft: Draft, one: FollowUp) -> int:
    """The offset of the live follow-up of its stage that stands before it in the document; else 0."""
    ids = [other.id for other in draft.model.of_stage(one.stage_id)]
    at = ids.index(one.id) if one.id in ids else 0
    return max(_minutes(draft.entry(ids[at - 1]) or {}), 0) if at else 0


def _below(draft: Draft, one: FollowUp) -> int | None:
    """The minutes below which free text has to stay; None where its channel has no window."""
    channels = [one.channel] if one.channel else draft.model.agent.channels
    has_window = not channels or any(channel in words.WINDOWED for channel in channels)
    return draft.model.runtime.window if has_window and one.destination.kind == words.FREE_TEXT else None


def _silence(draft: Draft, finding: Finding, _place: Any) -> None:
    one = draft.model.follow_up(finding.target)
    if one is None:
        return
    entry = draft.entry(one.id) or {}
    others = [
        (_minutes(other), other["minMinutesSinceLastInbound"])
        for other in draft.siblings(one)
        if (other.get("minMinutesSinceLastInbound") or 0) > 0
    ]
    entry["minMinutesSinceLastInbound"] = timing.silence_after(
        _minutes(entry), others, draft.model.runtime, one.destination.kind
    )


def _repeat(draft: Draft, finding: Finding, _place: Any) -> None:
    entry = draft.entry(finding.target) or {}
    if entry.get("repeat"):
        entry["repeat"]["maxRepeats"] = REPEATS


def _flags(draft: Draft, finding: Finding, _place: Any) -> None:
    entry = draft.property(finding.target)
    about = draft.model.properties.get(finding.target)
    if entry is not None and about is not None and about.type == words.BOOLEAN:
        for key, value in finding.detail.get("set", {}).items():
            if entry.get(key) is not value:
                entry[key] = value


def _pipeline(draft: Draft, finding: Finding, _place: Any) -> None:
    entry = draft.property(finding.target)
    if entry is not None:
        entry["includeInLlm"] = True


def _stop(draft: Draft, finding: Finding, _place: Any) -> None:
    """R13 and R14: a boolean that a reason names is put among the stops, unless it is the stamp of a stage."""
    name = finding.detail.get("stop")
    about = draft.model.properties.get(name or "")
    stamps = {stage.entry_stamp_id for stage in draft.model.stages}
    stops = draft.raw.setdefault("stops", []) if about else []
    there = {draft.resolve(one["propertyId"]) for one in stops}
    if about and about.type == words.BOOLEAN and about.id not in stamps | there:
        stops.append({"propertyId": about.id})


def _stale(draft: Draft, finding: Finding, _place: Any) -> None:
    """R28: what was last edited before a stage was made excludes that stage."""
    found = draft.about(finding)
    if not found:
        return
    one, entry, own = found
    for stage in draft.model.downstream(one.stage_id):
        if stage.created_at and draft.keeps_out(one, own, stage.entry_stamp_id):
            literals.ensure(entry["propertyConditions"], literals.exclusion(stage.entry_stamp_id), draft.resolve)


def _spacing(draft: Draft, finding: Finding, _place: Any) -> None:
    """X1: offset and silence of the later one are raised until both lie the stagger behind the earlier one's.

    Not one without the other, and not where free text would leave the window: that is for people.
    """
    later, earlier = (draft.model.follow_up(name) for name in finding.involved[:2])
    if later is None or earlier is None:
        return
    entry, other, gap = draft.entry(later.id) or {}, draft.entry(earlier.id) or {}, draft.model.runtime.min_stagger
    keys = ("delayMinutesAfterPropertySet", "minMinutesSinceLastInbound")
    least = {key: (other.get(key) or 0) + gap for key in keys}
    raised = {key: minutes for key, minutes in least.items() if (entry.get(key) or 0) < minutes}
    below = _below(draft, later)
    if below is None or all(minutes < below for minutes in raised.values()):
        entry.update(raised)


def _lag(draft: Draft, finding: Finding, _place: Any) -> None:
    entry = draft.entry(finding.target) or {}
    bound = timing.lag_bound(draft.model.runtime)
    entry["minMinutesSinceLastInbound"] = max(entry.get("minMinutesSinceLastInbound") or 0, bound)


REPAIRS: dict[str, Callable[[Draft, Finding, Any], None]] = {
    "R1": _entry_gate,
    "R2": _missing_exclusions,
    "R3": _missing_exclusions,
    "R4": _anchor,
    "R5": _offset,
    "R6": _silence,
    "R7": _wrong_exclusion,
    "R9": _flags,
    "R10": _pipeline,
    "R13": _stop,
    "R14": _stop,
    "R16": _whole_gate,
    "R17": _contradiction,
    "R20": _upstream_exclusion,
    "R25": _flags,
    "R28": _stale,
    "R30": _repeat,
    "R33": _value_type,
    "R34": _wrong_exclusion,
    "X1": _spacing,
    "X2": _lag,
}
"""By rule; what is not here needs a decision."""
