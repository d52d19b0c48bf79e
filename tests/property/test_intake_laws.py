"""Laws of taking exports in: whatever was said in whatever order, the same is known and every quote verifies."""

from __future__ import annotations

import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.canonical import content_hash
from mindloop.observer.canvas.blockquotes import blockquotes
from mindloop.observer.canvas.edit import insert_quotes, note_values, quote_lines
from mindloop.observer.canvas.parse import Canvas, InvalidCanvas, NotACanvas, parse_canvas
from mindloop.observer.canvas.reading import load_canvases
from mindloop.observer.canvas.skeleton import Skeleton, add_hypotheses, clean_title
from mindloop.observer.canvas.triggers import find_triggers
from mindloop.observer.intake.answer import parse_selection
from mindloop.observer.layout import layout_of
from mindloop.observer.provenance.bulk import Index, Source
from mindloop.observer.provenance.index import load_index
from mindloop.observer.provenance.quotes import best_records, proven_text, registry
from mindloop.observer.provenance.said import Said
from mindloop.protocol.questions import AnswerRefused
from mindloop.skills.ingest_dm.ingest import Ingested, Wanted, ingest
from mindloop.store.errors import WrongInput
from mindloop.store.workspace import Workspace
from tests.helpers.direct_messages import BOB, US, discord, entry, opened
from tests.helpers.folders import fast_folder
from tests.helpers.research import research_workspace

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

NOW = datetime(2026, 11, 30, tzinfo=UTC)
LAW = settings(deadline=None, max_examples=200)
FEW = settings(deadline=None, max_examples=60)
A, B = content_hash("gm"), content_hash("i left")
MARKS = [f"<!-- prov:sha256:{digest} -->" for digest in (A, B)]
PIECES = [
    "> gm\n", '> "i left"\n> — DM, 2026\n', *(f"{mark}\n" for mark in MARKS), *(f"> {mark}\n" for mark in MARKS),
    *MARKS, "<!-- value:high -->\n", "<!-- value:medium -->", "\n", "\n\n", "\r\n", "```\n", "~~~\n", "text\n", "  ",
    "## Level 3 Hypotheses\n", "### H-1: x\n", "### Hypothesis\n", "- **Confidence**: High\n", "## Quotes Library\n",
    "## Future Promises\n", "| a | 2026-01-01 |\n", "## Expectation Gaps\n", "### GAP-1: y\n",
    "**Status**: IDENTIFIED\n", "# x\n", "\u2028", "<!-- open\n",
]  # fmt: skip
BODY = st.lists(st.sampled_from(PIECES) | st.text(max_size=4).filter(lambda text: "\0" not in text), max_size=20)
CANVAS = BODY.map(lambda pieces: "---\nuser: bob\n---\n" + "".join(pieces).encode("utf-8", "replace").decode())
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["gm", "GM ", "ok", "> quoted", "```", "<!-- x", "[FU:deadbeef] hm", "## h", '"', "— me", "&lt;!--", "a\u2028b"]
)
TIMES = st.sampled_from([None, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-02T00:00:01Z"])
SURE = st.sampled_from(["exact", "day_level", "unknown"])


def canvas_of(text: str) -> Canvas | None:
    try:
        return parse_canvas("c/bob.md", text)
    except (InvalidCanvas, NotACanvas):
        return None


def told(canvas: Canvas) -> Any:
    """All that a canvas says, apart from where it says it."""
    return (
        [(one.lines, one.declared) for one in blockquotes(canvas.body)],
        [(one.id, one.title, one.confidence, one.closed) for one in canvas.hypotheses],
        [(one.text, one.date, one.status) for one in canvas.promises],
        [(one.id, one.title, one.status, one.kind) for one in canvas.gaps],
        find_triggers(canvas, NOW.date(), None),
    )


@LAW
@given(CANVAS, st.sampled_from(["high", "medium"]))
def test_a_value_disturbs_nothing(text: str, value: str) -> None:
    """Whatever a canvas holds, noting what its quotes are worth changes nothing of what it says; twice is once."""
    canvas = canvas_of(text)
    if canvas is None:
        return
    noted = note_values(text, {A: value, B: "high"})
    again = canvas_of(noted)
    assert again is not None
    assert told(again) == told(canvas)
    assert note_values(noted, {A: value, B: "high"}) == noted
    assert note_values(text, {}) == text


@LAW
@given(CANVAS, st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=4))
def test_hypotheses_are_added_and_nothing_is_moved(text: str, asked: list[tuple[str, str]]) -> None:
    """Skeletons are found again, low and open, what was there stays as it was; or the canvas is refused."""
    canvas = canvas_of(text)
    if canvas is None:
        return
    skeletons = [Skeleton(title, [A], unknown) for title, unknown in asked]
    try:
        changed, ids = add_hypotheses("c/bob.md", text, skeletons, "2026-11-30")
    except WrongInput:
        return
    again = canvas_of(changed)
    assert again is not None
    added = [one for one in again.hypotheses if one.id in ids]
    assert [(one.confidence, one.closed) for one in added] == [("low", False)] * len(ids)
    assert told(again)[0] == told(canvas)[0]
    assert [one for one in told(again)[1] if one[0] not in ids] == told(canvas)[1]
    assert add_hypotheses("c/bob.md", changed, skeletons, "2026-11-30") == (changed, [])


@LAW
@given(st.text())
def test_a_clean_title_is_clean(text: str) -> None:
    """Cleaning is a fixed point, gives one line, and nothing in it closes a hypothesis."""
    title = clean_title(text)
    assert clean_title(title) == title
    assert len(title.splitlines()) <= 1
    assert "[VALIDATED" not in title.upper()


@LAW
@given(st.lists(WORDS, max_size=8, unique_by=content_hash))
def test_many_quotes_are_all_found_again(words: list[str]) -> None:
    """Any words in one insertion are proven by exactly their own hashes, in their order."""
    said = [text for text in words if usable(text)]
    text = insert_quotes("---\nuser: bob\n---\n", [quote_lines(one, "DM, undated", content_hash(one)) for one in said])
    found = [one.declared for one in blockquotes(text) if proven_text(one) is not None]
    assert found == [content_hash(one) for one in said]


def usable(text: str) -> bool:
    try:
        Said(text, None, "unknown")
    except WrongInput:
        return False
    return True


@LAW
@given(st.text(max_size=200) | st.builds(lambda raw: '{"user":"bob","quotes":[' + raw, st.text(max_size=50)))
def test_any_answer_is_read_or_refused(raw: str) -> None:
    """Whatever a judge returns is a selection of what it saw, or refused."""
    try:
        selection = parse_selection(raw, "bob", frozenset({A}))
    except AnswerRefused:
        return
    assert set(selection.chosen) <= {A}


# --- the index and the workspace --------------------------------------------------------------------------------------


def known(workspace: Workspace) -> dict[str, tuple[str, str | None]]:
    """What the index says of bob, as all readers see it."""
    best = best_records(load_index(workspace).for_user("bob"))
    return {
        digest: (record["source_timestamp_confidence"], record["source_timestamp"]) for digest, record in best.items()
    }


def added(workspace: Workspace, said: Sequence[Said]) -> None:
    with workspace.transaction("research") as tx:
        index = Index(tx, "bob")
        gate = index.gate(said)
        index.add(Source("bob", "discord_dm", "ingest-dm", "x", None, NOW), gate.taken)


@FEW
@given(
    st.lists(st.lists(st.tuples(st.sampled_from(["gm", "GM", "ok", "it broke"]), TIMES, SURE), max_size=5), max_size=4),
    st.randoms(use_true_random=False),
)
def test_what_is_known_depends_on_no_order(
    batches: list[list[tuple[str, str | None, str]]], dice: random.Random
) -> None:
    """However what was said is shared out and ordered, each quote's best record is the same; twice adds nothing."""
    everything = [Said(*one) for batch in batches for one in batch]
    with fast_folder(Path(tempfile.gettempdir())) as folder:
        twins = [research_workspace(folder).in_memory() for _ in range(3)]
        for batch in batches:
            added(twins[0], [Said(*one) for one in batch])
        for one in dice.sample(everything, len(everything)):
            added(twins[1], [one])
        added(twins[2], everything)
        assert known(twins[0]) == known(twins[1]) == known(twins[2])
        before = [dict(twin.overlay) for twin in twins]
        for twin in twins:
            added(twin, everything)
        assert [dict(twin.overlay) for twin in twins] == before


def take(workspace: Workspace, entries: list[dict[str, Any]]) -> Ingested:
    return ingest(workspace, opened(discord(*entries)), "dm.json", Wanted("bob"), NOW)


@FEW
@given(st.lists(st.tuples(WORDS, st.booleans()), max_size=10), st.randoms(use_true_random=False))
def test_an_export_is_taken_once_in_any_order(texts: list[tuple[str, bool]], dice: random.Random) -> None:
    """A shuffled export gives the same quotes; the same export again changes no byte; every quote verifies."""
    entries = [entry(number, text, BOB if mine else US) for number, (text, mine) in enumerate(texts)]
    entries += [entry(98, "it broke"), entry(99, "hello there, how are you?", US)]
    with fast_folder(Path(tempfile.gettempdir())) as folder, patch.object(os, "fsync", lambda _descriptor: None):
        straight = research_workspace(folder)
        came = take(straight, entries)
        before = files(folder)
        again = take(straight, entries)
        assert (again.new, again.better, again.run) == (0, 0, None)
        assert files(folder) == before
        shuffled = Workspace(straight.root).in_memory()
        shuffled.overlay = dict.fromkeys(before)
        shuffled.overlay["mindloop.yaml"] = b"schema: 1\n"
        take(shuffled, dice.sample(entries, len(entries)))
        assert known(shuffled) == known(straight)
        assert shuffled.read(came.path) == straight.read(came.path)
        index = load_index(straight)
        canvas = next(one.canvas for one in load_canvases(straight) if one.canvas)
        quotes = registry(canvas.body, index.for_user("bob"))
        assert all(quote["hash_verified"] and quote["in_index"] for quote in quotes)
        assert len(quotes) == came.shown == came.new == index.size - came.replies


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".mindloop" not in path.parts
    }


@FEW
@given(st.lists(WORDS, min_size=1, max_size=8), st.integers(0, 8), st.booleans())
def test_two_exports_in_either_order(texts: list[str], cut: int, whole: bool) -> None:
    """Two overlapping exports give the same knowledge and the same quotes on the canvas, whichever comes first."""
    entries = [entry(98, "it broke"), *(entry(number, text) for number, text in enumerate(texts))]
    parts = [entries[: cut + 1], entries if whole else [entries[0], *entries[cut:]]]
    with fast_folder(Path(tempfile.gettempdir())) as folder:
        seen = []
        for order in (parts, parts[::-1]):
            twin = research_workspace(folder).in_memory()
            for part in order:
                take(twin, part)
            canvas = next(one.canvas for one in load_canvases(twin) if one.canvas)
            seen.append((known(twin), {one.declared for one in blockquotes(canvas.body)}))
        assert seen[0] == seen[1]


ECHOES = st.sampled_from(
    ["yes", "I like it a lot", "the page froze", "> the page froze\nsure", "what did you do?", "hm [FU:deadbeef]",
     "and now? [FU:0badcafe]",
     "> what did you do?\nnothing", "THE page froze ", "a" * 60 + "x", "a" * 60 + "y",
     "> what did you do? [FU:deadbeef]\nyes"]
)  # fmt: skip


@FEW
@given(
    st.lists(st.tuples(ECHOES, st.booleans(), st.integers(0, 2)), max_size=9),
    st.integers(0, 9),
    st.randoms(use_true_random=False),
)
def test_what_comes_later_changes_nothing_of_before(
    texts: list[tuple[str, bool, int]], cut: int, dice: random.Random
) -> None:
    """The first part of a conversation, whenever it is taken, adds nothing to the whole, and takes nothing away."""
    clock, entries = 0, [entry(98, "it broke", when="2026-02-01T00:00:00Z")]
    for number, (text, mine, pause) in enumerate(texts):
        clock += pause
        entries.append(entry(100 + number, text, BOB if mine else US, when=f"2026-02-11T10:00:{clock:02d}Z"))
    part = entries[: cut + 1]
    with fast_folder(Path(tempfile.gettempdir())) as folder:
        seen = []
        for order in ([entries], [part, entries], [entries, part], [dice.sample(entries, len(entries))]):
            twin = research_workspace(folder).in_memory()
            for one in order:
                take(twin, one)
            canvas = next(one.canvas for one in load_canvases(twin) if one.canvas)
            seen.append((known(twin), answered(twin), {one.declared for one in blockquotes(canvas.body)}))
        assert all(one == seen[0] for one in seen)


def answered(workspace: Workspace) -> dict[tuple[str, str], str]:
    """When each reply token first came with which words, and when they first stood behind our line that carries it."""
    found: dict[tuple[str, str], str] = {}
    for line in (workspace.read(layout_of(workspace).provenance_index) or b"").splitlines():
        record = json.loads(line)
        carried, asked = record.get("reply_tokens", []), record.get("prompt_tokens", [])
        for token in (*carried, *(f"?{one}" for one in (*carried, *asked))):
            place = record["content_hash"], token
            found[place] = min(record["source_timestamp"], found.get(place, "~"))
    return found
