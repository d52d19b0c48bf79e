"""Laws of canvases: reading never crashes, extending moves nothing else."""

from __future__ import annotations

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.canvas.edit import insert_quote, new_canvas
from mindloop.observer.canvas.parse import Canvas, InvalidCanvas, NotACanvas, parse_canvas
from mindloop.observer.canvas.sections import split_lines, visible_rows
from mindloop.observer.canvas.triggers import find_triggers, skip_reason
from mindloop.observer.lines import excerpt
from mindloop.observer.names import display_name
from mindloop.store.errors import WrongInput

PIECES = [
    "---\n", "user: bob\n", "type: user_canvas\n", "user: @b\n", "user: no\n", "schema_version: 9\n",
    "updated: 2026-02-11\n", "wallet: 0x\n", "x: &a [*a]\n", "\ufeff", "\0", "\r\n", "\n", "\n\n", "```\n",
    "~~~\n", "## Level 3 Hypotheses\n", "### H-1: x\n", "### Hypothesis 2\n", "- **Confidence**: High\n",
    "Confidence: Low | Medium\n", "## Future Promises (Unvalidated)\n", "| Promise | Date |\n", "|---|---|\n",
    "| x | 2026-01-01 |\n", "| | |\n", "|\n", "## Expectation Gaps\n", "### GAP-1: y\n",
    "**Status**: IDENTIFIED\n", "| **Status** | OPEN |\n", "## Quotes Library\n", "> gm\n", "> \n", "# ", "#",
    "|", "*", "<!-- ", "-->", "\u2028", "\ud83d", "{", "}", "word", " ",
]  # fmt: skip
NOTE = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=25).map("".join)
BODY = NOTE.map(lambda text: text.replace("\0", "").replace("\ud83d", ""))
LAW = settings(deadline=None, max_examples=300)


def outcome(text: str) -> Canvas | str:
    """Read a canvas; what keeps it from being one is the answer otherwise."""
    try:
        return parse_canvas("c/bob.md", text)
    except InvalidCanvas as error:
        return error.message
    except NotACanvas:
        return "c/bob.md: a template"


@LAW
@given(NOTE, st.booleans())
def test_any_file_is_a_canvas_or_says_why_not(text: str, headed: bool) -> None:
    """Whatever a file holds, it is read or refused with one line that names it; triggers never crash."""
    canvas = outcome(f"---\nuser: bob\n---\n{text}" if headed else text)
    if not isinstance(canvas, Canvas):
        assert canvas.startswith("c/bob.md: ")
        return
    assert all("\n" not in trigger["text"] for trigger in find_triggers(canvas, date(2026, 2, 14), None))
    assert skip_reason(canvas) in {"no_triggers", "all_hypotheses_high_confidence"}
    assert all(one.id.startswith("H") and one.confidence in {"low", "medium", "high"} for one in canvas.hypotheses)


@LAW
@given(BODY)
def test_the_body_is_kept_to_the_byte(body: str) -> None:
    """What stands below the header is what the canvas says, to the byte."""
    assert parse_canvas("c/bob.md", f"---\nuser: bob\n---\n{body}").body == body


@LAW
@given(BODY, st.sampled_from(["\n", "\r\n"]))
def test_extending_adds_one_piece(body: str, end: str) -> None:
    """Extending a canvas puts one piece in one place; taken out, the file is what it was, and line ends are kept."""
    before = f"---{end}user: bob{end}---{end}{body}"
    after = insert_quote(before, ["> MARK", "<!-- c -->"])
    place = after.index(f"{end}> MARK{end}<!-- c -->")
    head, tail = after[:place], after[place + len(f"{end}> MARK{end}<!-- c -->") :]
    heads = (head.removesuffix(end), head.removesuffix(f"{end * 2}## Quotes Library{end}"))
    assert {one + tail for one in heads} & {before, before + end}


@LAW
@given(st.text(max_size=40))
def test_every_name_gets_a_canvas_that_reads_back(raw: str) -> None:
    """A canvas made for a safe name is that person's."""
    try:
        name = display_name(raw)
    except WrongInput:
        return
    made = parse_canvas("c/x-canvas.md", new_canvas(name, None, "2026-02-11T00:00:00Z"))
    assert (made.user, made.body.count("\n## ")) == (display_name(name), 10)


@LAW
@given(NOTE)
def test_every_line_is_seen_or_fenced(text: str) -> None:
    """The reader yields one entry a line, with the line itself where it is visible."""
    lines, rows = split_lines(text), list(visible_rows(text))
    assert len(rows) == len(lines)
    assert all(row is None or (row.number, row.text) == (index, lines[index - 1]) for index, row in enumerate(rows, 1))


@LAW
@given(st.text(), st.integers(1, 50))
def test_an_excerpt_is_one_line(text: str, limit: int) -> None:
    """A shown text has no line end of any kind, no surrogate, and keeps its limit."""
    line = excerpt(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    line.encode()
