"""The report's facts as sentences and tables, and those as plain text and Markdown.

One model for every format, so that a terminal, a pipe and a document tell the same. Every text that a user or a model
made goes through ``excerpt`` here: one line, nothing invisible, a limited length.
"""

from __future__ import annotations

import re
import unicodedata

from mindloop.observer.growth.metrics import EFFECTIVE_FROM, INEFFECTIVE_BELOW, RESOLVED_AT_LEAST
from mindloop.observer.growth.patterns import PATTERNS
from mindloop.observer.growth.report import EFFECTIVE, GOAL, INEFFECTIVE, MIXED, UNDECIDED
from mindloop.observer.lines import counted, excerpt
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Facts = dict[str, Any]

NAME_WIDTH, TITLE_WIDTH, WORD_WIDTH = 24, 34, 20
VERDICTS = {EFFECTIVE: "works", INEFFECTIVE: "poor", MIXED: "mixed", UNDECIDED: "early"}
SCORE = (
    f"score: reply rate and quality of the replies; works from {EFFECTIVE_FROM}, poor below {INEFFECTIVE_BELOW}, "
    f"early before {RESOLVED_AT_LEAST} outcomes"
)
_MARKDOWN = frozenset("\\`*_{}[]<>#|~@&$")
"""Characters that could be structure, a tag or a mention; a backslash makes each of them itself."""
_LINK = when_used(r":(?=\S)|(?<=www)\.", re.IGNORECASE)
"""What would make a bare address a link, or a word between colons a picture."""
_GAP = "  "
_NONE = "-"
_CELLS = 10


class Bar:
    """A share that a terminal shows as a bar, with the words for it.

    Attributes:
        share: from 0 to 1, or None where there is nothing to show.
        text: what every format says.
        cells: how many columns the bar takes.
    """

    __slots__ = ("cells", "share", "text")

    def __init__(self, share: float | None, text: str, cells: int = _CELLS) -> None:
        self.share = share
        self.text = text
        self.cells = cells

    def __str__(self) -> str:
        return self.text


class Table:
    """One table of the report.

    Attributes:
        title: its heading.
        columns: a title each; one that starts with ``>`` holds numbers, which stand at the right.
        rows: cells, as many as columns: text or a `Bar`.
        notes: sentences below it; where there are no rows they are all there is.
        least: rows that it gives up last where the report must be short.
    """

    __slots__ = ("columns", "least", "notes", "rows", "title")

    def __init__(
        self, title: str, columns: list[str], rows: list[list[str | Bar]], notes: list[str], least: int = 1
    ) -> None:
        self.title = title
        self.columns = columns
        self.rows = rows
        self.notes = notes
        self.least = least


def percent(share: float | None) -> str:
    """A share as a whole percentage, or a dash where there is none."""
    return _NONE if share is None else f"{round(100 * share)}%"


# --- from facts to sentences and tables -------------------------------------------------------------------------------


def headline(facts: Facts) -> list[str]:
    """What the report is about, what of it waits for a person, and how much of it there is, a few sentences."""
    about = _name(facts["user"]) if facts["user"] else counted(facts["users"], "user")
    lines = [f"Growth of {about} on {facts['as_of'][:10]}"]
    if facts["to_confirm"]["replies"]:
        lines.append(_to_confirm(facts))
    if facts["users"] == 0 and facts["unreadable"]:
        whose = about if facts["user"] else counted(facts["unreadable"], "user")
        lines.append(f"What growth knows of {whose} cannot be read.")
    elif facts["users"] == 0:
        whom = f"of {about} yet" if facts["user"] else "yet"
        lines.append(f"Growth knows nothing {whom}. It begins with the first batch of messages: follow_up.py begin")
    else:
        lines.append(_sums(facts["messages"]))
    if not facts["growth_enabled"]:
        lines.append("Growth is off here (observer.growth.enabled): nothing new is recorded.")
    return lines


def _to_confirm(facts: Facts) -> str:
    waiting = facts["to_confirm"]
    replies = counted(waiting["replies"], "reply", "replies")
    if facts["user"]:
        return f"{replies} to confirm (growth.py list USER)"
    return f"{replies} to confirm for {counted(waiting['users'], 'user')} (growth.py list)"


def _sums(sums: Facts) -> str:
    late = f" ({sums['answered_late']:,} late)" if sums["answered_late"] else ""
    parts = [f"{sums['answered']:,} answered{late}", f"{sums['silent']:,} silent", f"{sums['waiting']:,} open"]
    if sums["unsent"]:
        parts.append(f"{sums['unsent']:,} never sent")
    return f"{counted(sums['used'], 'message')}: {', '.join(parts)}"


def tables(facts: Facts) -> list[Table]:
    """The report's tables, those with nothing to tell left out."""
    made = [_stopped(facts)]
    if facts["users"]:
        made = [_replies(facts), _questions(facts), _hypotheses(facts), _waiting(facts), *made]
        if facts["user"] is None:
            made.append(_shared(facts))
    made.append(Table("Next", [], [], _next(facts)))
    return [table for table in made if table.rows or table.notes]


def _next(facts: Facts) -> list[str]:
    """The one step that comes next; none where the headline says how it begins."""
    if facts["to_confirm"]["replies"]:
        listed = "growth.py list USER" if facts["user"] else "growth.py list"
        return [f"{listed}, then growth.py confirm USER MATCH or growth.py reject USER MATCH"]
    if facts["users"] == 0:
        return ["doctor.py says more of the files that cannot be read"] if facts["unreadable"] else []
    if facts["messages"]["waiting"]:
        return [
            "when a reply came in: canvas.py ingest FILE, growth.py match --all; or growth.py match USER with its text"
        ]
    return ["follow_up.py begin writes the next messages"]


def _replies(facts: Facts) -> Table:
    sums, rows = facts["messages"], []
    outcomes = sums["answered"] + sums["silent"]
    if outcomes:
        rows.append(_share("answered", sums["answered"], outcomes, sums["response_rate"]))
    soon = sums["within_48_hours"]
    if soon["of"]:
        rows.append(_share("within 48 hours", soon["answered"], soon["of"], soon["rate"]))
        rows[-1][-1] = f"{rows[-1][-1]} (goal: more than {percent(GOAL)})"
    return Table("Replies", ["", ">", ""], rows, [])


def _share(what: str, part: int, whole: int, rate: float) -> list[str | Bar]:
    return [what, Bar(rate, percent(rate), 2 * _CELLS), f"{part:,} of {whole:,}"]


def _questions(facts: Facts) -> Table:
    rows: list[list[str | Bar]] = [
        [
            _word(row["pattern"]),
            *(f"{row[key]:,}" for key in ("used", "answered", "silent", "waiting")),
            _rate(row),
            _NONE if row["verdict"] == UNDECIDED else str(row["effectiveness"]),
            VERDICTS[row["verdict"]],
        ]
        for row in facts["patterns"]
    ]
    columns = ["question", ">used", ">replies", ">silent", ">open", ">reply rate", ">score", ""]
    used = {row["pattern"] for row in facts["patterns"]}
    unused = [name for name in PATTERNS if name not in used]
    notes = [SCORE] if rows else ["none was asked yet"]
    if facts["messages"]["unsent"]:
        notes.append(f"used: {facts['messages']['unsent']:,} of them never sent")
    if unused and rows:
        notes.append(f"not used yet: {', '.join(unused)}")
    return Table("Which questions work", columns, rows, notes, least=len(PATTERNS))


def _unless(rows: list[list[str | Bar]], sentence: str) -> list[str]:
    return [] if rows else [sentence]


def _rate(row: Facts) -> Bar:
    return Bar(row["response_rate"], percent(row["response_rate"]))


def _hypotheses(facts: Facts) -> Table:
    known = facts["hypotheses"]
    limit = known["cycles_to_stale"]
    rows: list[list[str | Bar]] = [
        [
            *([] if facts["user"] else [_name(row["user"])]),
            excerpt(f"{row['id']}: {row['title']}".rstrip(": "), TITLE_WIDTH),
            row["confidence"],
            _quiet(row["cycles_without_evidence"], limit),
            row["decay_state"],
        ]
        for row in known["listed"]
    ]
    columns = [*([] if facts["user"] else ["user"]), "hypothesis", "confidence", ">quiet cycles", "state"]
    counts = known["counts"]
    total = counted(sum(counts.values()), "hypothesis", "hypotheses")
    note = f"{total}: " + ", ".join(f"{counts[state]:,} {state}" for state in ("active", "decaying", "stale"))
    notes = [note]
    if rows:
        notes.append(f"quiet: without evidence; decaying from {known['cycles_to_decaying']:,}, stale from {limit:,}")
    return Table("What fades" if facts["user"] is None else "Hypotheses", columns, rows, notes)


def _quiet(cycles: int, limit: int) -> Bar:
    """Cycles without evidence on the way to stale: one cell a cycle where that is not too long."""
    return Bar(min(1.0, cycles / limit), f"{cycles:,} of {limit:,}", min(limit, _CELLS))


def _waiting(facts: Facts) -> Table:
    silence = facts["silence"]
    rows: list[list[str | Bar]] = [
        [
            _name(row["user"]),
            f"{row['pending']:,}",
            f"{row['silent']:,}",
            row["since"][:10],
            counted(row["days"], "day"),
            "stopped" if row["stopped"] else row["next_message_from"] or "now",
        ]
        for row in silence["waiting"]
    ]
    days = silence["gate_days"]
    gate = "the silence gate is off (observer.growth.silence_gate_days)"
    if days is not None:
        gate = f"silence gate: no message within {counted(days, 'day')} of an unanswered one"
    notes = [gate] if rows else [f"nobody; {gate}"]
    return Table(
        "Who has not answered yet", ["user", ">open", ">silent", "since", ">for", "next message from"], rows, notes
    )


def _stopped(facts: Facts) -> Table:
    rows: list[list[str | Bar]] = [
        [
            _name(row["user"]),
            excerpt(row["reason"] or ("the file cannot be read" if row["problem"] else "no reason given"), TITLE_WIDTH),
            excerpt(row["since"][:10], 10) or _NONE,
        ]
        for row in facts["stopped"]
    ]
    return Table("Stopped", ["user", "reason", "since"], rows, [])


def _shared(facts: Facts) -> Table:
    shared = facts["shared_patterns"]
    least = counted(shared["min_users"], "user")
    rows: list[list[str | Bar]] = [
        [
            _word(row["pattern"]),
            f"{row['users_with_outcome']:,}",
            f"{row['answered']:,} of {row['answered'] + row['silent']:,}",
            _rate(row),
            VERDICTS[row["verdict"]],
        ]
        for row in shared["patterns"]
    ]
    notes = _unless(rows, f"no question has outcomes from {least} yet")
    title = f"What holds for {least} or more"
    return Table(title, ["question", ">users", ">replies", ">reply rate", ""], rows, notes)


def _name(text: str) -> str:
    return excerpt(text, NAME_WIDTH) or "?"


def _word(text: str) -> str:
    return excerpt(text, WORD_WIDTH) or "?"


# --- plain text -------------------------------------------------------------------------------------------------------


def plain(lines: list[str], shown: list[Table], budget: int | None) -> str:
    """The report as aligned text.

    Args:
        lines: the headline.
        shown: the tables.
        budget: most bytes; the longest table gives up rows until the text fits. None for all of it.
    """
    return _fitted(lines, shown, budget, _plain_text)


def markdown(lines: list[str], shown: list[Table], budget: int | None) -> str:
    """The report as a Markdown document; arguments as in ``plain``."""
    return _fitted(lines, shown, budget, _markdown_text)


def _fitted(lines: list[str], shown: list[Table], budget: int | None, write: Any) -> str:
    """Write the tables with as many rows as fit; each keeps at least one."""
    keep = [len(table.rows) for table in shown]
    text: str = write(lines, shown, keep)
    while budget is not None and len(text.encode()) > budget and max(keep, default=0) > 1:
        generous = [place for place, table in enumerate(shown) if keep[place] > table.least] or list(range(len(shown)))
        longest = max(generous, key=lambda place: keep[place])
        keep[longest] = keep[longest] // 2 if keep[longest] > 40 else keep[longest] - 1
        text = write(lines, shown, keep)
    return text


def notes_of(table: Table, kept: int) -> list[str]:
    """The sentences below a table of which ``kept`` rows are shown."""
    hidden = len(table.rows) - kept
    return ([f"(+{hidden:,} more: --full)"] if hidden else []) + table.notes


def _plain_text(lines: list[str], shown: list[Table], keep: list[int]) -> str:
    parts = ["\n".join(lines)]
    for table, kept in zip(shown, keep, strict=True):
        body = _aligned(table, table.rows[:kept]) if table.rows else []
        parts.append("\n".join([table.title, *body, *(f"  {note}" for note in notes_of(table, kept))]))
    return "\n\n".join(parts)


def _aligned(table: Table, rows: list[list[str | Bar]]) -> list[str]:
    titles = [title.removeprefix(">") for title in table.columns]
    grid = [*([titles] if any(titles) else []), *([str(cell) for cell in row] for row in rows)]
    widths = [max(width(row[place]) for row in grid) for place in range(len(table.columns))]
    right = [title.startswith(">") for title in table.columns]
    return [
        "  "
        + _GAP.join(
            _padded(cell, wide, right=flush) for cell, wide, flush in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in grid
    ]


def _padded(text: str, wide: int, *, right: bool) -> str:
    space = " " * (wide - width(text))
    return space + text if right else text + space


def width(text: str) -> int:
    """Columns that a terminal gives a text: wide characters take two, marks and joiners none."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(char) in {"Mn", "Me", "Cf"}
        else 1 + (unicodedata.east_asian_width(char) in {"W", "F"})
        for char in text
    )


# --- Markdown ---------------------------------------------------------------------------------------------------------


def _markdown_text(lines: list[str], shown: list[Table], keep: list[int]) -> str:
    parts = ["# Growth report", *(escaped(line) for line in lines)]
    for table, kept in zip(shown, keep, strict=True):
        parts.append(f"## {table.title}")
        if table.rows:
            parts.append("\n".join(_markdown_table(table, table.rows[:kept])))
        parts += [escaped(note) for note in notes_of(table, kept)]
    return "\n\n".join(parts)


def _markdown_table(table: Table, rows: list[list[str | Bar]]) -> list[str]:
    rule = ["---:" if title.startswith(">") else "---" for title in table.columns]
    grid = [[title.removeprefix(">") for title in table.columns], rule]
    grid += [[escaped(str(cell)) for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in grid]


def escaped(text: str) -> str:
    """One line of text in which no Markdown is structure; a reader sees it as it was written."""
    bare = "".join(f"\\{char}" if char in _MARKDOWN else char for char in text)
    return _LINK.sub(lambda found: f"\\{found[0]}", bare)
