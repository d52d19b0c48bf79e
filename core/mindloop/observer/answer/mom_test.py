"""Advice on the style of a message, for the log: what the Mom Test would frown at. Nothing is stripped for it."""

from __future__ import annotations

import re

MAX_QUESTION_MARKS = 3

_PHRASES = {
    "asks about the future": r"\bwould you\b|\bwill you\b|\bare you going to\b|\bif we (?:built|made|added)\b",
    "asks for an opinion": r"\bdo you (?:like|love|enjoy|think)\b|\bhow do you feel about\b",
    "leads to its answer": r"\b(?:don't|doesn't|wouldn't|isn't|aren't) (?:you|it|that|this)\b|\bdo you agree\b",
    "announces a feature": r"\bwe(?:'ve| have)? (?:just |recently )?"
    r"(?:shipped|launched|released|added|built|rolled out)\b|\bour new\b|\bcheck out\b",
    "asks what the snapshot shows": r"\bdid (?:your|the) (?:score|rank|tier|badges?)\b[^?\n]{0,40}\b"
    r"(?:update|change|move|go up|go down)",
}
_COMPLIMENT = r"\b(?:love(?:ly)?|great|awesome|amazing|slick|nice|cool|beautiful|thanks?|gm|henlo)\b"
_PROMISE = r"\b(?:i'll|i will|will|would|i'd|plan(?:ning)? to|going to|gonna|later|tomorrow)\b"
_SHORT_QUOTE = 60


def lint(body: str, anchor: str) -> list[str]:
    """Return what a message does that the Mom Test warns of, one short line each.

    Args:
        body: the message.
        anchor: the quote it stands on.
    """
    text = _plain(body)
    found = [name for name, pattern in _PHRASES.items() if re.search(pattern, text)]
    found += [name for name, seen in _shape(body).items() if seen]
    return found + _weak_evidence(_plain(anchor))


def _shape(body: str) -> dict[str, bool]:
    start = next((char for char in body if char.isalpha()), "")
    return {
        f"asks more than {MAX_QUESTION_MARKS} questions": _question_marks(body) > MAX_QUESTION_MARKS,
        "starts with a capital": start.isupper() and not body.startswith("I "),
    }


def _question_marks(body: str) -> int:
    return sum(body.count(mark) for mark in "?\uff1f\u061f")


def _weak_evidence(anchor: str) -> list[str]:
    found = []
    if len(anchor) <= _SHORT_QUOTE and re.search(_COMPLIMENT, anchor):
        found.append("takes a compliment for evidence")
    if re.search(_PROMISE, anchor):
        found.append("takes a promise for evidence")
    return found


def _plain(text: str) -> str:
    return text.casefold().replace("\u2019", "'")
