"""A user's earlier follow-ups."""

from __future__ import annotations

import pytest

from mindloop.observer.batch import prior
from mindloop.observer.batch.file import render_batch
from tests.helpers.batches import EVENING, HASH, MORNING, message, result, skip
from tests.helpers.research import FOLLOW_UPS, research_workspace


def foreign(users: str, body: str, kind: str = "follow-up-batch", generated: str = '"2026-01-20T10:00:00Z"') -> str:
    return f"---\ntype: {kind}\ngenerated: {generated}\nusers: [{users}]\ntotal_messages: 1\n---\n\n# F\n\n{body}"


def section(ws, user):
    return prior.prior_section(ws, user, prior.batch_index(ws))


BOB = (
    "## bob\n\n**Canvas**: grimoires/observer/canvas/bob-canvas.md\n**Triggers**: x\n\n"
    "### Message 1 (H1)\n\nhi\n\n---\n"
)


def test_a_user_gets_the_own_sections_oldest_first(tmp_path):
    """Sections come in the order of their moments, without canvas, token and closing rule."""
    first = render_batch([result("alice", "a1", tokens=["75d2f0ef"]), result("bob", "b1")], [], MORNING, "run-1")
    ws = research_workspace(
        tmp_path, {f"{FOLLOW_UPS}/2026-02-14.md": first, f"{FOLLOW_UPS}/2026-01-20.md": foreign("bob, Alice", BOB)}
    )
    text, count = section(ws, "bob")
    assert (count, text.index("hi") < text.index("b1")) == (2, True)
    own, _ = section(ws, "ALICE")
    assert own == (
        "## alice\n\n**Triggers**: H1: checks the rank daily\n"
        "**Score context**: rank 12, tier devoted, og 41, nft 20, onchain 77\n"
        "**Verification**: 1/1 quotes verified (orchestrator-validated)\n**Host**: claude\n\n"
        "### Scary Questions\n\n1. what would make you leave?\n\n### Message 1 (H1: checks the rank daily)\n\n"
        '> Anchor quote: "my score feels low"\n'
        f"> <!-- prov:sha256:{HASH} — orchestrator-verified -->"
        "\n\na1"
    )


def test_nobody_gets_another_one_s_section(tmp_path):
    """Whole headings are compared: bob, bobby and the canvas name are three people."""
    bobby = BOB.replace("bob", "bobby").replace("hi", "secret of bobby")
    ws = research_workspace(tmp_path, {f"{FOLLOW_UPS}/2026-01-20.md": foreign("bob, bobby, bob-canvas", bobby + BOB)})
    assert "secret" not in section(ws, "bob")[0]
    assert section(ws, "bob-canvas") == ("", 0)
    assert "secret" in section(ws, "Bobby")[0]


def test_a_synthesis_file_is_never_read(tmp_path):
    """Only the type counts: text about many people does not reach one of them."""
    ws = research_workspace(
        tmp_path,
        {
            f"{FOLLOW_UPS}/2026-01-20-synthesis.md": foreign("bob", BOB, kind="follow-up-synthesis"),
            f"{FOLLOW_UPS}/2026-01-21.md": "## bob\n\nnotes\n",
        },
    )
    assert (prior.batch_index(ws), section(ws, "bob")) == ({}, ("", 0))


def test_a_heading_inside_a_message_of_ours_starts_no_section(tmp_path):
    """Our writer escapes it, so the text stays with its user."""
    hostile = f"look\n{BOB}"
    text = render_batch([result("alice", hostile), result("bob", "b1")], [], MORNING, "run-1")
    ws = research_workspace(tmp_path, {f"{FOLLOW_UPS}/2026-02-14.md": text})
    assert "look" not in section(ws, "bob")[0]
    assert section(ws, "bob")[0].endswith("b1")
    assert "\\## bob" in section(ws, "alice")[0]


@pytest.mark.parametrize("more", ["", "\n\n**Canvas**: z\n"])
def test_of_several_sections_none_is_taken(tmp_path, more):
    """In a file of another tool a heading may stand inside somebody else's message: such a user gets nothing of it."""
    words = f"hey\n## bob{more}\nalice's secret"
    alice = f"## alice\n\n**Canvas**: c\n**Triggers**: x\n\n### Message 1 (H1)\n\n{words}\n\n---\n\n"
    rel = f"{FOLLOW_UPS}/2026-01-20.md"
    ws = research_workspace(tmp_path, {rel: foreign("alice, bob", alice + BOB)})
    index = prior.batch_index(ws)
    assert prior.prior_section(ws, "bob", index) == ("", 0)
    assert index.problems == [f"{rel}: 'bob' has 2 sections; none of them is seen as an earlier follow-up"]
    assert (index.last("bob"), prior.prior_section(ws, "alice", index)[1]) == ("2026-01-20T10:00:00Z", 1)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        (foreign("bob", BOB), "2026-01-20T10:00:00Z"),
        (foreign("bob", BOB, generated="2026-01-19"), "2026-01-19"),
        (foreign("bob", BOB, generated="2026-01-20T01:00:00+02:00"), "2026-01-19T23:00:00Z"),
        (foreign("bob", BOB, generated="soon"), "2026-01-22"),
    ],
)
def test_the_moment_of_a_batch(tmp_path, text, moment):
    """The generated key, as an instant or a day; the file's name where it says neither."""
    index = prior.batch_index(research_workspace(tmp_path, {f"{FOLLOW_UPS}/2026-01-22.md": text}))
    assert (index.last("@Bob"), index.last("eve")) == (moment, None)


def test_a_later_run_of_the_day_moves_only_its_own_users(tmp_path):
    """Feedback between the two runs is still new for who was written to in the morning."""
    first = render_batch([result("alice"), result("bob")], [], MORNING, "run-1")
    both = render_batch([result("bob")], [skip("alice")], EVENING, "run-2", first)
    index = prior.batch_index(research_workspace(tmp_path, {f"{FOLLOW_UPS}/2026-02-14.md": both}))
    assert (index.last("alice"), index.last("bob")) == ("2026-02-14T09:00:00Z", "2026-02-14T21:30:00Z")


def test_a_broken_file_is_reported_and_the_others_count(tmp_path):
    """One bad file costs its own messages only."""
    ws = research_workspace(
        tmp_path,
        {
            f"{FOLLOW_UPS}/2026-01-20.md": foreign("bob", BOB),
            f"{FOLLOW_UPS}/2026-01-21.md": "---\ntype: [\n---\n",
            f"{FOLLOW_UPS}/2026-01-22.md": foreign("bob", BOB).replace("[bob]", "3"),
        },
    )
    (tmp_path / FOLLOW_UPS / "2026-01-23.md").write_bytes(b"---\ntype: follow-up-batch\n---\n\xff")
    index = prior.batch_index(ws)
    assert [path for _, path in index["bob"]] == [f"{FOLLOW_UPS}/2026-01-20.md"]
    assert [problem.split(":")[0].rpartition("/")[2] for problem in index.problems] == [
        "2026-01-21.md",
        "2026-01-22.md",
        "2026-01-23.md",
    ]


def test_windows_line_ends_and_marks_are_read(tmp_path):
    """A file that another editor saved gives the same section."""
    ws = research_workspace(tmp_path, {f"{FOLLOW_UPS}/a.md": "\ufeff" + foreign("bob", BOB).replace("\n", "\r\n")})
    assert section(ws, "bob") == ("## bob\n\n**Triggers**: x\n\n### Message 1 (H1)\n\nhi", 1)


def test_a_file_is_read_once_for_all_users(tmp_path, monkeypatch):
    """Two users of one file, and looking who is in it, cost one reading of it."""
    ws = research_workspace(tmp_path, {f"{FOLLOW_UPS}/a.md": foreign("bob, eve", BOB + BOB.replace("bob", "eve"))})
    read: list[str] = []
    real = type(ws).read
    monkeypatch.setattr(type(ws), "read", lambda self, rel, limit=None: read.append(rel) or real(self, rel, limit))
    index = prior.batch_index(ws)
    assert [prior.prior_section(ws, user, index)[1] for user in ("bob", "eve", "BOB", "dan")] == [1, 1, 1, 0]
    assert [rel for rel in read if rel.endswith(".md")] == [f"{FOLLOW_UPS}/a.md"]


def test_a_name_with_markup_finds_its_section(tmp_path):
    """What the writer does to a name for its heading is undone for the comparison."""
    name = "#1 <!-- fan --> &amp; co"
    text = render_batch([result(name, messages=[message("hello")])], [], MORNING, "run-1")
    ws = research_workspace(tmp_path, {f"{FOLLOW_UPS}/2026-02-14.md": text})
    assert section(ws, name)[0].endswith("hello")


@pytest.mark.parametrize(("room", "reads"), [(10_000, 1), (0, 2)])
def test_a_batch_is_read_once_where_there_is_room(tmp_path, monkeypatch, room, reads):
    """Looking who is in a file and taking it apart share one reading, up to a bound."""
    monkeypatch.setattr(prior, "_KEPT", room)
    ws = research_workspace(tmp_path, {f"{FOLLOW_UPS}/2026-01-20.md": foreign("bob", BOB)})
    asked = []
    read = type(ws).read_text
    monkeypatch.setattr(type(ws), "read_text", lambda *given: asked.append(given[1]) or read(*given))
    assert section(ws, "bob") == ("## bob\n\n**Triggers**: x\n\n### Message 1 (H1)\n\nhi", 1)
    assert asked.count(f"{FOLLOW_UPS}/2026-01-20.md") == reads
