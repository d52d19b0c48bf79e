"""Checks of the run files: heads, packets, answers, and runs that nobody finished."""

from __future__ import annotations

from mindloop.protocol.run_files import (
    BEGINNING,
    COMPLETE,
    OPEN,
    RunPlace,
    agents,
    all_runs,
    head_problems,
    prompt_hash,
    read_object,
    runs_dir,
)
from mindloop.store.checkup import ERROR, INFO, WARNING, Finding, guarded
from mindloop.store.clock import parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta
    from typing import Any

    from mindloop.store.checkup import Examined, Look

OPEN_FOR_DAYS = 7
"""Days after which an open run is mentioned."""
BEGINNING_FOR_MINUTES = 60
"""Minutes after which a begin counts as interrupted."""


def check_runs(look: Look) -> Iterator[Finding]:
    """Report runs that cannot be read or resumed, and mention old ones that are open."""
    for place in all_runs(look.ws):
        yield from guarded(place.head, _run(look, place))


def _run(look: Look, place: RunPlace) -> Iterator[Finding]:
    head = read_object(look.ws, place.head) or {}
    started = parse_instant(str(head.get("started_at")))
    wrong = head_problems(head)
    if started is None:
        wrong.append(f"started_at is {head.get('started_at')!r:.60}, expected an ISO 8601 instant")
    yield from (Finding(ERROR, place.head, None, sentence) for sentence in wrong)
    if started is not None and not wrong:
        yield from _unfinished(look.now - started, place, head)
        yield from _without_packet(look.ws, place, head)


def _unfinished(age: timedelta, place: RunPlace, head: dict[str, Any]) -> Iterator[Finding]:
    if head["state"] == BEGINNING and age.total_seconds() > BEGINNING_FOR_MINUTES * 60:
        yield Finding(WARNING, place.head, None, "its begin was interrupted; begin a new run, this one can be removed")
    elif head["state"] == OPEN and age.days >= OPEN_FOR_DAYS:
        left = len(set(head["waiting"]) - set(head["done"]))
        yield Finding(INFO, place.head, None, f"open for {age.days} days, {left} users wait for an answer")


def _without_packet(ws: Examined, place: RunPlace, head: dict[str, Any]) -> Iterator[Finding]:
    if head["state"] == COMPLETE:
        return
    there = set(ws.names(place.folder, ".json"))
    for slug in sorted(set(head["waiting"]) - set(head["done"])):
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
    item = read_object(ws, rel) or {}
    prompt = item.get("prompt")
    if not isinstance(prompt, str) or prompt_hash(prompt) != item.get("sha256"):
        what = "the packet is not the one that was assembled: its hash differs; begin a new run"
        yield Finding(ERROR, rel, None, what)


def _answer(ws: Examined, rel: str) -> Iterator[Finding]:
    if not isinstance((read_object(ws, rel) or {}).get("raw"), str):
        yield Finding(ERROR, rel, None, "the answer holds no raw text; answer this user again")


def check_run_names(look: Look) -> Iterator[Finding]:
    """Mention files of a run whose head is gone."""
    heads = {place.head for place in all_runs(look.ws)}
    for folder in _run_folders(look.ws):
        if f"{folder}.json" not in heads:
            yield Finding(WARNING, folder, None, "the files of a run whose head is gone; nothing reads them")
