"""Checks of the run files: heads, packets, answers, and runs that nobody finished."""

from __future__ import annotations

from mindloop.protocol.run_files import RunPlace, agents, all_runs, prompt_hash, read_head, runs_dir
from mindloop.store.checkup import ERROR, INFO, WARNING, Finding, guarded
from mindloop.store.clock import parse_instant
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.store.checkup import Examined, Look

OPEN_FOR_DAYS = 7
"""Days after which an open run is mentioned."""
BEGINNING_FOR_MINUTES = 60
"""Minutes after which a begin counts as interrupted."""
_STATES = ("beginning", "open", "complete")
_SHAPES = {"waiting": dict, "done": dict, "skipped": list}


def check_runs(look: Look) -> Iterator[Finding]:
    """Report runs that cannot be read or resumed, and mention old ones that are open."""
    for place in all_runs(look.ws):
        yield from guarded(place.head, _run(look, place))


def _run(look: Look, place: RunPlace) -> Iterator[Finding]:
    head = read_head(look.ws, place)
    wrong = list(head_problems(head))
    yield from (Finding(ERROR, place.head, None, sentence) for sentence in wrong)
    if not wrong:
        yield from _unfinished(look, place, head)
        yield from _without_packet(look.ws, place, head)


def head_problems(head: dict[str, Any]) -> Iterator[str]:
    """Yield what a run's head lacks for anybody to resume it."""
    if head.get("state") not in _STATES:
        yield f"state is {head.get('state')!r:.60}, expected one of {', '.join(_STATES)}"
    for key, kind in _SHAPES.items():
        if not isinstance(head.get(key, kind()), kind):
            yield f"{key} is a {type(head[key]).__name__}, expected {'an object' if kind is dict else 'a list'}"
    if parse_instant(str(head.get("started_at"))) is None:
        yield f"started_at is {head.get('started_at')!r:.60}, expected an ISO 8601 instant"


def _unfinished(look: Look, place: RunPlace, head: dict[str, Any]) -> Iterator[Finding]:
    started = parse_instant(str(head["started_at"]))
    if started is None:
        return
    age = look.now - started
    if head["state"] == "beginning" and age.total_seconds() > BEGINNING_FOR_MINUTES * 60:
        yield Finding(WARNING, place.head, None, "its begin was interrupted; begin a new run, this one can be removed")
    elif head["state"] == "open" and age.days >= OPEN_FOR_DAYS:
        left = len(set(head.get("waiting", {})) - set(head.get("done", {})))
        yield Finding(INFO, place.head, None, f"open for {age.days} days, {left} users wait for an answer")


def _without_packet(ws: Examined, place: RunPlace, head: dict[str, Any]) -> Iterator[Finding]:
    if head["state"] == "complete":
        return
    there = set(ws.names(place.folder, ".json"))
    for slug in sorted(set(head.get("waiting", {})) - set(head.get("done", {}))):
        if f"{slug}.json" not in there:
            yield Finding(ERROR, place.head, None, f"{slug!r:.80} waits and has no packet; begin a new run")


def check_items(look: Look) -> Iterator[Finding]:
    """Report packets that are not the bytes that were assembled, and answers that do not parse."""
    for folder in _run_folders(look.ws):
        for name in look.ws.names(folder, ".json"):
            yield from guarded(f"{folder}/{name}", _packet(look.ws, f"{folder}/{name}"))
        for name in look.ws.names(f"{folder}/answers", ".json"):
            yield from guarded(f"{folder}/answers/{name}", _answer(look.ws, f"{folder}/answers/{name}"))


def _run_folders(ws: Examined) -> Iterator[str]:
    for agent in agents(ws):
        place = runs_dir(agent)
        yield from (f"{place}/{name}" for name in ws.folders(place))


def _packet(ws: Examined, rel: str) -> Iterator[Finding]:
    item = read_object(ws, rel)
    prompt = item.get("prompt")
    if not isinstance(prompt, str) or prompt_hash(prompt) != item.get("sha256"):
        what = "the packet is not the one that was assembled: its hash differs; begin a new run"
        yield Finding(ERROR, rel, None, what)


def _answer(ws: Examined, rel: str) -> Iterator[Finding]:
    if not isinstance(read_object(ws, rel).get("raw"), str):
        yield Finding(ERROR, rel, None, "the answer holds no raw text; answer this user again")


def read_object(ws: Examined, rel: str) -> dict[str, Any]:
    """Return a JSON object.

    Raises:
        Malformed: it is none.
    """
    import json

    try:
        value = json.loads(ws.read(rel) or b"")
    except (ValueError, RecursionError) as error:
        raise Malformed(f"{rel}: expected a JSON object, found: {error}") from None
    if not isinstance(value, dict):
        raise Malformed(f"{rel}: expected a JSON object, found {type(value).__name__}")
    return value


def check_run_names(look: Look) -> Iterator[Finding]:
    """Mention files of a run whose head is gone."""
    heads = {place.head for place in all_runs(look.ws)}
    for folder in _run_folders(look.ws):
        if f"{folder}.json" not in heads:
            yield Finding(WARNING, folder, None, "the files of a run whose head is gone; nothing reads them")
