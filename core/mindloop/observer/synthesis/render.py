"""The file that says what several users share (--synthesize): Markdown in which no text is structure.

Its type is not a batch's and it has no ``users`` key: nothing of it is ever read as somebody's earlier follow-up.
"""

from __future__ import annotations

from mindloop.observer.escaping import guard_comments, heading_name
from mindloop.observer.lines import clean_line
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.store import front_matter
from mindloop.store.clock import day, stamp
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from mindloop.observer.synthesis.answer import Findings

FOLLOW_UPS, COGNITION = "follow-ups", "cognition"
"""What a synthesis is part of; that decides where it is written."""
TYPES = {FOLLOW_UPS: "follow-up-synthesis", COGNITION: "cognition-synthesis"}
REHEARSAL_NOTE = "> **REHEARSAL.** No model looked at these users: the entries come from the rehearsal host."
NOTHING = "Nothing that enough users share."
TITLES = {
    "shared_hypotheses": "Shared Hypotheses",
    "convergent_complaints": "Convergent Complaints",
    "behavioral_clusters": "Behavioral Clusters",
    "lifecycle_transitions": "Lifecycle Transitions",
}
_MARKUP = when_used(r"([\\`*_\[\]<>|~!#$])")
_LIST_START = when_used(r"\A(?:([-+])|(\d{1,9})([.)]))")


def render_synthesis(findings: Findings, users: Mapping[str, str], target: str, host: str, now: datetime) -> str:
    """Return the whole file.

    Args:
        findings: what was found.
        users: slug to display name of everybody the judge saw.
        target: ``follow-ups`` or ``cognition``.
        host: who answered.
        now: the instant of the command.
    """
    header = {"type": TYPES[target], "generated": stamp(now), "user_count": len(users), "host": host}
    lines = [f"# Synthesis: {day(now)}", ""]
    lines += [REHEARSAL_NOTE, ""] if host == REHEARSAL else []
    lines += [f"{len(users)} users were compared by computed features, without a word that anybody said."]
    for name, title in TITLES.items():
        lines += ["", f"## {title}", ""]
        for text, slugs in findings.lists[name]:
            named = ", ".join(_inline(heading_name(users[slug])) for slug in slugs)
            lines += [f"- {_inline(text)}", f"  - Users: {named}"]
        lines += [] if findings.lists[name] else [NOTHING]
    return front_matter.render(header, "\n".join(lines) + "\n")


def _inline(text: str) -> str:
    """Text for a place inside a line of Markdown that shows as it was written, whatever it holds."""
    marked = _MARKUP.sub(r"\\\1", guard_comments(clean_line(text)))
    return _LIST_START.sub(lambda start: f"\\{start[1]}" if start[1] else f"{start[2]}\\{start[3]}", marked)
