"""Adds a stage and retrofits every earlier one in the same step (follow-up-sequences, section 3).

A stage that predates a later one is stale until its follow-ups exclude the new stamp; so the two are one change here.
"""

from __future__ import annotations

from mindloop.sequence import literals, timing, words
from mindloop.sequence.changes import as_written, changes
from mindloop.sequence.check import check
from mindloop.sequence.keys import canonical
from mindloop.sequence.loading import Names, model_of
from mindloop.sequence.payloads import payloads
from mindloop.sequence.pointers import apply, copied
from mindloop.sequence.shown import plain
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.sequence.findings import Finding
    from mindloop.sequence.model import FollowUp, Model, Stage
    from mindloop.sequence.payloads import Payload

_STAGE_KEYS = ("id", "label", "order", "after", "entryStampId", "terminal", "createdAt")
_MOST_NAMED = 5
_ANY_DAY = ""
"""Before every day: whether a waiver has ended is no question here."""
_OFFSET, _SILENCE = "delayMinutesAfterPropertySet", "minMinutesSinceLastInbound"
_SHORT = {"offset": _OFFSET, "silence": _SILENCE}
_DERIVED = ("stageId", "propertyConditions", "delayTriggerPropertyId", "type")
"""What follows from the stage and is not taken from the caller."""
_ALSO = ("offsets", "followUps", "follow_ups", "property")


class Insertion:
    """What inserting a stage comes to.

    Attributes:
        exists: the stage was there already; at most its retrofit is completed.
        differs: a sentence where other offsets were asked for than the stage has; else empty.
        operations: RFC 6902, on the document as it is written; empty where nothing is to be done.
        payloads: the writes of the platform's tools, whole objects: the new property, the retrofit, the new follow-ups.
        retrofitted: ids of the earlier follow-ups that exclude the new stamp now and did not before.
        document: the document afterwards.
        model: the model afterwards.
        notes: sentences about what was decided and what is left to do.
    """

    __slots__ = ("differs", "document", "exists", "model", "notes", "operations", "payloads", "retrofitted")

    def __init__(self, model: Model, document: Any, operations: list[dict[str, Any]], *, exists: bool = False) -> None:
        self.exists = exists
        self.differs = ""
        self.operations = operations
        self.payloads: list[Payload] = []
        self.retrofitted: list[str] = []
        self.document = document
        self.model = model
        self.notes: list[str] = []

    def as_json(self) -> dict[str, Any]:
        """Whether it was there, operations, payloads, what was retrofitted and the notes, for ``--json``."""
        return {
            "exists": self.exists,
            "operations": self.operations,
            "payloads": [one.as_json() for one in self.payloads],
            "retrofitted": self.retrofitted,
            "notes": self.notes,
        }


def insert_stage(model: Model, stage: dict[str, Any], after: str | None) -> Insertion:
    """Insert a stage behind another one, with its property and follow-ups, and retrofit all stages before it.

    Orders are renumbered only as far as they collide; where stages name each other by ``after``, those that came
    directly behind the other stage come behind the new one.

    Args:
        model: the model as it is; it is not changed.
        stage: ``id`` and ``entryStampId``; optional ``label``, ``terminal``, ``createdAt``; ``offsets``, a list of
            minutes, one new follow-up each; ``followUps``, objects of which only ``delayMinutesAfterPropertySet`` (or
            ``offset``) is required; ``property``, flags of the new property that are not the usual ones.
        after: the id of the stage behind which it comes; None puts it before all others.

    Raises:
        WrongInput: ids or stamps that are taken, a stamp that is no boolean or is a stop, an earlier follow-up that
            demands the new stamp, free text beyond the channel's window, anything that would be an ERROR.
        Malformed: the stage or a follow-up has a value of a wrong type.
    """
    stage = _named_as_we_do(stage)
    stamp = Names(model.properties).resolve(str(stage.get("entryStampId") or ""))
    if _is_there(model, stage, stamp):
        return _completed(model, stage, stamp)
    _refuse_roles(model, stage, stamp)
    raw = copied(model.raw)
    _add_property(model, raw, stamp, stage)
    _place(model, raw, stage, after)
    placed = model_of(raw).model
    _refuse_other_gates(placed, str(stage["id"]), stamp)
    retrofitted = _retrofit(placed, raw, str(stage["id"]), stamp)
    _add_follow_ups(placed, raw, stage, stamp)
    return _insertion(model, raw, retrofitted, stage)


def _insertion(model: Model, raw: dict[str, Any], retrofitted: list[str], stage: dict[str, Any]) -> Insertion:
    operations = as_written(model.written, changes(model.raw, raw))
    document = apply(model.written, operations)
    made = Insertion(model_of(document).model, document, operations)
    made.payloads = payloads(model, made.model)
    left = _refuse_new_errors(model, made.model)
    made.retrofitted = retrofitted
    if not stage.get("terminal") and not made.model.of_stage(stage["id"]):
        made.notes.append(f"The stage {stage['id']} has no follow-up yet: give offsets, or mark it terminal.")
    if left:
        some = ", ".join(f"{one.rule} {plain(one.target, 40)}" for one in left[:_MOST_NAMED])
        more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
        made.notes.append(f"The model has ERRORs that have nothing to do with this, see check: {some}{more}.")
    return made


def _refuse_new_errors(before: Model, after: Model) -> list[Finding]:
    """The ERRORs that were there before and still are."""
    known = {(one.rule, one.target) for one in _errors(before)}
    left = _errors(after)
    new = next((one for one in left if (one.rule, one.target) not in known), None)
    if new:
        raise WrongInput(f"the stage would bring an ERROR, {new.rule}: {new.message}", new.fix)
    return left


def _errors(model: Model) -> list[Finding]:
    return [one for one in check(model, today=_ANY_DAY) if one.severity == words.ERROR]


def _completed(model: Model, stage: dict[str, Any], stamp: str) -> Insertion:
    """What is left to do for a stage that is there: earlier follow-ups that do not exclude its stamp yet."""
    stage_id = str(stage["id"])
    raw = copied(model.raw)
    _refuse_other_gates(model, stage_id, stamp)
    retrofitted = _retrofit(model, raw, stage_id, stamp)
    made = _insertion(model, raw, retrofitted, {**stage, "terminal": True})
    made.exists = True
    if made.operations:
        said = f"The stage {stage_id} is there already; its retrofit was incomplete and is completed."
    else:
        said = f"The stage {stage_id} is there already; nothing was changed."
    made.differs = _other_offsets(model, stage)
    made.notes = [said, *([made.differs] if made.differs else []), *made.notes]
    return made


def _other_offsets(model: Model, stage: dict[str, Any]) -> str:
    """A sentence where other offsets are asked for than the stage has; else empty."""
    wanted = sorted({int(one[_OFFSET]) for one in _wanted(stage)})
    there = sorted({one.offset for one in model.follow_ups if one.stage_id == stage["id"] and one.offset is not None})
    if not wanted or wanted == there:
        return ""
    asked, has = (", ".join(map(str, minutes)) or "none" for minutes in (wanted, there))
    return f"The offsets differ: asked for {asked}, the stage {stage['id']} has {has}; no follow-up was added or moved."


def _named_as_we_do(stage: Any) -> dict[str, Any]:
    if not isinstance(stage, dict):
        raise WrongInput(f"the stage is a {type(stage).__name__}, expected an object", "Give id and entryStampId.")
    given, also = dict(stage), {key: stage[key] for key in _ALSO if key in stage}
    for key in also:
        del given[key]
    walked: dict[str, Any] = canonical({"stages": [given]}, "fu-model")[0]["stages"][0]
    unknown = sorted(key for key in walked if key not in _STAGE_KEYS)
    for key in ("id", "entryStampId"):
        if not isinstance(walked.get(key), str) or not walked[key]:
            raise WrongInput(f"the stage's {key} is {walked.get(key)!r}, expected a name", f"Give the stage its {key}.")
    if unknown:
        raise WrongInput(f"{unknown[0]!r} is no key of a stage", f"Use {', '.join((*_STAGE_KEYS, *_ALSO))}.")
    also["followUps"] = also.pop("follow_ups", None) or also.get("followUps") or []
    return walked | also


def _is_there(model: Model, stage: dict[str, Any], stamp: str) -> bool:
    there = model.stage(stage["id"])
    if there is not None and there.entry_stamp_id != stamp:
        raise WrongInput(
            f"the stage {there.id!r} is there with the entry stamp {there.entry_stamp_id!r}, not {stamp!r}",
            "Give the new stage an id of its own.",
        )
    return there is not None


def _refuse_roles(model: Model, stage: dict[str, Any], stamp: str) -> None:
    holder = next((one.id for one in model.stages if one.entry_stamp_id == stamp), None)
    if holder:
        raise WrongInput(f"{stamp!r} is the entry stamp of {holder!r}", "A stage has an entry stamp of its own.")
    if stamp in model.stop_ids and not stage.get("terminal"):
        raise WrongInput(
            f"{stamp!r} is a stop: a stage that it opens can send nothing",
            "Mark the stage terminal, or make a property of its own for it.",
        )
    known = model.properties.get(stamp)
    if known is not None and known.type != words.BOOLEAN:
        raise WrongInput(f"{stamp!r} is a {known.type}, expected a BOOLEAN", "Make a boolean for the stamp.")


def _add_property(model: Model, raw: dict[str, Any], stamp: str, stage: dict[str, Any]) -> None:
    if stamp in model.properties:
        return
    made = {
        "id": stamp,
        "type": words.BOOLEAN,
        "setBy": words.EVALUATOR,
        "checkUntilMatch": True,
        "terminalValue": True,
        "includeInLlm": True,
        "includeInAgentContext": False,
    }
    raw.setdefault("properties", []).append(made | (stage.get("property") or {}))


def _place(model: Model, raw: dict[str, Any], stage: dict[str, Any], after: str | None) -> None:
    """Put the stage into the list, give it its order, and let those that followed follow it."""
    before = model.stage(after) if after is not None else None
    if after is not None and before is None:
        ids = ", ".join(one.id for one in model.stages)[:200]
        raise WrongInput(f"there is no stage {after!r}", f"Name one of {ids}.")
    made = {key: stage[key] for key in _STAGE_KEYS if key in stage and key not in {"order", "after"}}
    if any(one.after for one in model.stages):
        _rewire(model, raw, made, before)
    if before is None or before.order is not None:
        _number(model, raw, made, before)
    at = next(number for number, one in enumerate(raw["stages"]) if one["id"] == before.id) + 1 if before else 0
    raw["stages"].insert(at, {key: made[key] for key in _STAGE_KEYS if key in made})


def _rewire(model: Model, raw: dict[str, Any], made: dict[str, Any], before: Stage | None) -> None:
    behind = {one.id for one in model.stages if (before.id in one.after if before else not one.after)}
    if before:
        made["after"] = [before.id]
    for one in raw["stages"]:
        if one["id"] in behind and before:
            one["after"] = [made["id"] if name == before.id else name for name in one["after"]]
        elif one["id"] in behind and not before:
            one["after"] = [made["id"]]


def _number(model: Model, raw: dict[str, Any], made: dict[str, Any], before: Stage | None) -> None:
    orders = [one.order for one in model.stages if one.order is not None]
    if before is None:
        if orders:
            made["order"] = min(orders) - 1
        return
    made["order"] = (before.order or 0) + 1
    moved = {}
    free = made["order"]
    for order in sorted(set(orders)):
        if order == free:
            moved[order] = free = order + 1
    for one in raw["stages"]:
        if one.get("order") in moved:
            one["order"] = moved[one["order"]]


def _refuse_other_gates(placed: Model, stage_id: str, stamp: str) -> None:
    """An earlier follow-up that demands the new stamp is of the new stage itself: somebody has to say so."""
    later = {stage_id, *(one.id for one in placed.downstream(stage_id))}
    for one in placed.follow_ups:
        if one.stage_id not in later and any(each.operator != words.NOT_EQUALS for each in _about(one, stamp)):
            raise WrongInput(
                f"the follow-up {one.id!r} of {one.stage_id!r} has {_about(one, stamp)[0]}",
                "Take that condition out first, or move the follow-up to the new stage afterwards.",
            )


def _about(one: FollowUp, stamp: str) -> list[Any]:
    blind = (words.EQUALS, False)
    return [each for each in one.on(stamp) if (each.operator, each.value) != blind]


def _retrofit(placed: Model, raw: dict[str, Any], stage_id: str, stamp: str) -> list[str]:
    """Exclude the new stamp in every follow-up of every earlier stage, and in none of a later one."""
    resolve = Names(placed.properties).resolve
    later = {one.id for one in placed.downstream(stage_id)}
    earlier = {one.id for one in placed.stages if any(each.id == stage_id for each in placed.downstream(one.id))}
    touched = []
    for one, given in zip(placed.follow_ups, raw.get("followUps", []), strict=True):
        conditions = given.setdefault("propertyConditions", []) if one.stage_id in earlier else []
        if one.stage_id in earlier and stamp != literals.own_stamp(placed, one):
            had = one.has(stamp, words.NOT_EQUALS, value=True)
            literals.ensure(conditions, literals.exclusion(stamp), resolve)
            touched += [] if had else [one.id]
        elif one.stage_id in later and stamp not in placed.stop_ids:
            literals.drop(given.get("propertyConditions", []), stamp, resolve)
    return touched


def _add_follow_ups(placed: Model, raw: dict[str, Any], stage: dict[str, Any], stamp: str) -> None:
    made: list[dict[str, Any]] = []
    for one in sorted(_wanted(stage), key=lambda one: int(one[_OFFSET])):
        made.append(_follow_up(placed, stage["id"], stamp, one, made))
    taken = {one.id for one in placed.follow_ups}
    for one in made:
        if one["id"] in taken:
            raise WrongInput(f"there is a follow-up {one['id']!r} already", "Give the new one an id of its own.")
        taken.add(one["id"])
    raw.setdefault("followUps", []).extend(made)


def _wanted(stage: dict[str, Any]) -> list[dict[str, Any]]:
    """The follow-ups that are asked for, as far as they are given; each has an offset."""
    for key in ("offsets", "followUps"):
        if not isinstance(stage.get(key) or [], list):
            raise WrongInput(f"{key} is a {type(stage[key]).__name__}, expected a list", "Give minutes, or objects.")
    given = stage.get("followUps") or []
    odd = next((type(one).__name__ for one in given if not isinstance(one, dict)), None)
    if odd:
        raise WrongInput(f"a follow-up is a {odd}, expected an object", "Give each one its offset.")
    spelled = [{_SHORT.get(key, key): value for key, value in one.items()} for one in given]
    wanted: list[dict[str, Any]] = [{_OFFSET: offset} for offset in stage.get("offsets") or []]
    wanted += canonical({"followUps": spelled}, "fu-model")[0]["followUps"]
    for one in wanted:
        if type(one.get(_OFFSET)) is not int or one[_OFFSET] < 1:
            message = f"the offset of a new follow-up is {one.get(_OFFSET)!r}, expected minutes, 1 or more"
            raise WrongInput(message, "Give each one an offset of its own.")
    return wanted


def _follow_up(
    placed: Model, stage_id: str, stamp: str, given: dict[str, Any], siblings: list[dict[str, Any]]
) -> dict[str, Any]:
    """A whole follow-up: what is given, and the doctrine for the rest."""
    offset = given[_OFFSET]
    destination = given.get("destination") or {"kind": words.FREE_TEXT}
    channel = given.get("channel", _channel(placed))
    kind = destination.get("kind", words.FREE_TEXT)
    others = [(one[_OFFSET], one[_SILENCE]) for one in siblings]
    made = {
        "id": f"{stage_id}_{offset}",
        "type": words.FOLLOW_UP,
        "stageId": stage_id,
        "active": True,
        "purpose": words.NUDGE,
        "propertyConditions": literals.complete(placed, stage_id, stamp),
        "delayTriggerPropertyId": stamp,
        _OFFSET: offset,
        _SILENCE: timing.silence_after(offset, others, placed.runtime, kind),
        "channel": channel,
        "destination": destination,
        "repeat": None,
    } | {key: value for key, value in given.items() if key not in _DERIVED and value is not None}
    _refuse_outside_window(placed, made, kind)
    return made


def _refuse_outside_window(placed: Model, made: dict[str, Any], kind: str) -> None:
    longest = max(made[_OFFSET], made[_SILENCE])
    if kind == words.FREE_TEXT and made["channel"] in {*words.WINDOWED, None} and longest >= placed.runtime.window:
        raise WrongInput(
            f"{made['id']} is free text {longest} minutes after the lead wrote, beyond the window of "
            f"{placed.runtime.window}",
            'Give it "destination": {"kind": "WHATSAPP_TEMPLATE", "templateId": …} with an approved template.',
        )


def _channel(placed: Model) -> str | None:
    used = [one.channel for one in placed.follow_ups if one.channel]
    return used[0] if used else next(iter(placed.agent.channels), None)
