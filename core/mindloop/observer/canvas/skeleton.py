"""Skeleton hypotheses: what direct messages suggest about a user, written down to be tested, never as known.

They stand at the end of the hypotheses section, all of low confidence, each with the hashes of the quotes behind it.
"""

from __future__ import annotations

import re

from mindloop.observer.canvas.edit import insert_lines
from mindloop.observer.canvas.parse import parse_canvas
from mindloop.observer.escaping import escape
from mindloop.observer.lines import one_line
from mindloop.observer.names import fold
from mindloop.observer.sanitizer import heading_text, sanitize
from mindloop.store.errors import WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.observer.canvas.hypotheses import Hypothesis

SECTION = "Level 3 Hypotheses"
TITLE_LIMIT = 120
UNKNOWN_LIMIT = 200
"""Code points of a title and of what is not known yet; more is cut off."""

_CLOSED_MARK = when_used(r"\[(?=\s*VALIDATED)", re.IGNORECASE)


class Skeleton:
    """One hypothesis to be added.

    Attributes:
        title: one line, harmless in a heading.
        evidence: bare hashes of the quotes that suggest it.
        unknown: what nobody knows yet about it, one line; may be empty.
    """

    __slots__ = ("evidence", "title", "unknown")

    def __init__(self, title: str, evidence: Iterable[str], unknown: str) -> None:
        self.title = clean_title(title)
        self.evidence = tuple(dict.fromkeys(evidence))
        self.unknown = one_line(sanitize(unknown, UNKNOWN_LIMIT), UNKNOWN_LIMIT)


def clean_title(text: str) -> str:
    """A title as a heading may hold it: one line, nothing that steers, marks, or closes a hypothesis; may be empty."""
    current = text
    while True:
        open_title = _CLOSED_MARK.sub("(", heading_text(sanitize(current, TITLE_LIMIT), TITLE_LIMIT))
        cleaned = open_title.replace("*", "").strip(":.-–—) \t#").rstrip("\\")
        if cleaned == current:
            return cleaned
        current = cleaned


def new_ones(known: Iterable[Hypothesis], skeletons: Iterable[Skeleton]) -> list[Skeleton]:
    """The hypotheses whose title neither the canvas nor an earlier one of them has, in any case."""
    taken = {_key(one.title) for one in known}
    fresh = []
    for skeleton in skeletons:
        key = _key(skeleton.title)
        if key and key not in taken:
            taken.add(key)
            fresh.append(skeleton)
    return fresh


def _key(title: str) -> str:
    return fold(" ".join(clean_title(title).split()))


def add_hypotheses(
    path: str, text: str, skeletons: list[Skeleton], day: str, source: str = ""
) -> tuple[str, list[str]]:
    """Append skeleton hypotheses to a canvas; everything else stays where it is, to the byte.

    Args:
        path: of the canvas, for messages.
        text: the whole canvas.
        skeletons: what to add; those whose title is there already are left out.
        day: when they were made, ``YYYY-MM-DD``.
        source: said with the confidence where no model made them: ``rehearsal``.

    Returns:
        The new text and the ids that were given, ``H<number>`` above all that the canvas has.

    Raises:
        WrongInput: the canvas would hide them, as a code fence that is never closed does.
    """
    before = parse_canvas(path, text).hypotheses
    fresh = new_ones(before, skeletons)
    if not fresh:
        return text, []
    first = max((int(one.id[1:]) for one in before), default=0) + 1
    ids = [f"H{number}" for number in range(first, first + len(fresh))]
    lines = [line for name, one in zip(ids, fresh, strict=True) for line in ("", *_lines(name, one, day, source))]
    changed = insert_lines(text, SECTION, lines[1:])
    _check_found(path, changed, before, ids)
    return changed, ids


def _lines(name: str, one: Skeleton, day: str, source: str) -> list[str]:
    made = f"skeleton from direct messages, {day}" + (f", {source}" if source else "")
    return [
        f"### {name}: {escape(one.title)}",
        "",
        f"- **Confidence**: Low ({made})",
        *(f"- **Evidence**: [prov:sha256:{digest}]" for digest in one.evidence),
        f"- **Unknown**: {escape(one.unknown) or 'what would show it to be wrong'}",
    ]


def _check_found(path: str, text: str, before: list[Hypothesis], ids: list[str]) -> None:
    after = parse_canvas(path, text).hypotheses
    kept = [(one.id, one.title, one.confidence, one.closed) for one in before]
    found = [(one.id, one.title, one.confidence, one.closed) for one in after if one.id not in ids]
    added = [one.id for one in after if one.id in ids and one.confidence == "low" and not one.closed]
    if found != kept or added != ids:
        raise WrongInput(f"{path}: the hypotheses would not be found again", "Correct the canvas first: doctor.py")
