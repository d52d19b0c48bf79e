"""Reading what a judge found in many users: a bad entry is dropped, a bad whole is refused."""

from __future__ import annotations

from mindloop.observer.json_answer import HINT, kind, read_object
from mindloop.observer.sanitizer import heading_text, sanitize
from mindloop.protocol.questions import AnswerRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

SINGLE = "lifecycle_transitions"
"""The one list whose entries may be about a single user."""
LISTS = ("shared_hypotheses", "convergent_complaints", "behavioral_clusters", SINGLE)
MAX_ENTRIES = 8
TEXT_LIMIT = 300


class Findings:
    """What is left of an answer.

    Attributes:
        lists: for each of ``LISTS`` its entries: a clean line and the users' slugs, each known and once.
        dropped: how many entries are gone.
    """

    __slots__ = ("dropped", "lists")

    def __init__(self) -> None:
        self.lists: dict[str, list[tuple[str, list[str]]]] = {name: [] for name in LISTS}
        self.dropped = 0


def parse_findings(raw: str, users: Collection[str], min_users: int) -> Findings:
    """Read an answer.

    Args:
        raw: what the judge returned.
        users: the slugs that the packet showed.
        min_users: how many users an entry must name; one is enough in ``lifecycle_transitions``.

    Raises:
        AnswerRefused: it is not one JSON object, one of the four lists is missing or no list, or it holds entries and
            none of them can be used. The message shows no word of the answer.
    """
    record = read_object(raw)
    for name in LISTS:
        if not isinstance(record.get(name), list):
            raise AnswerRefused(f'the answer was refused: "{name}" is {kind(record.get(name))}, expected a list', HINT)
    findings, problems = Findings(), []
    for name in LISTS:
        least = 1 if name == SINGLE else min_users
        for number, entry in enumerate(record[name], 1):
            problem = _problem(entry, users, least) if number <= MAX_ENTRIES else f"at most {MAX_ENTRIES} are taken"
            if problem:
                problems.append(f"{name}[{number}]: {problem}")
            else:
                findings.lists[name].append((clean_text(entry["text"]), list(dict.fromkeys(entry["users"]))))
    if problems and not any(findings.lists.values()):
        raise AnswerRefused(f"the answer was refused: no entry can be used; {problems[0]}", HINT)
    findings.dropped = len(problems)
    return findings


def shape_problem(entry: object) -> str:
    """What is wrong with the shape of an entry; empty where it follows its schema."""
    if not isinstance(entry, dict):
        return f"it is {kind(entry)}, expected an object"
    if not isinstance(entry.get("text"), str):
        return f'"text" is {kind(entry.get("text"))}, expected a text'
    users = entry.get("users")
    if not isinstance(users, list):
        return f'"users" is {kind(users)}, expected a list'
    odd = next((user for user in users if not isinstance(user, str)), "")
    return "" if odd == "" else f'"users" holds {kind(odd)}, expected texts'


def _problem(entry: Any, users: Collection[str], least: int) -> str:
    problem = shape_problem(entry)
    if problem:
        return problem
    named = set(entry["users"])
    if not named <= set(users):
        return '"users" names somebody whom the packet did not show'
    if len(named) < least:
        return f'"users" names {len(named)}, expected at least {least}'
    return "" if clean_text(entry["text"]) else '"text" says nothing'


def clean_text(text: str) -> str:
    """One plain line: nothing that steers a model, no heading, no look-alike of a reply token. Idempotent."""
    current = text
    while True:
        cleaned = heading_text(sanitize(current, TEXT_LIMIT), TEXT_LIMIT)
        if cleaned == current:
            return cleaned
        current = cleaned
