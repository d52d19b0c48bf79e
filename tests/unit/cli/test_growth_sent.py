"""``growth.py sent``: what a person knows of a message reaches the rules that look for its reply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers import growing
from tests.helpers.command_line import Called, call
from tests.helpers.direct_messages import US, discord, entry
from tests.helpers.skill_workspace import NOW, SkillWorkspace, held_lock, snapshot

if TYPE_CHECKING:
    from pathlib import Path

ALICE = "fu-2026-02-11-alice-1-1"
THREAD = "thread-discord-alice-2026-02-11"
LATER = "2026-02-27T09:00:00Z"


@pytest.fixture
def skill(tmp_path: Path) -> SkillWorkspace:
    """Two users with a message each, written on the eleventh."""
    return growing.workspace(tmp_path / "w", "alice", "bob")


def run(skill: SkillWorkspace, name: str, *argv: str, now: str = NOW, code: int = 0) -> Called:
    called = call(name, *argv, MINDLOOP_ROOT=str(skill.root), MINDLOOP_NOW=now)
    assert called.code == code, called.out + called.err
    return called


def sent(skill: SkillWorkspace, *argv: str, now: str = NOW, code: int = 0) -> Called:
    return run(skill, "growth", "sent", *argv, now=now, code=code)


def research(skill: SkillWorkspace) -> dict[str, tuple[int, str]]:
    return snapshot(skill.root / "grimoires")


def files(skill: SkillWorkspace) -> dict[str, Path]:
    """All but the user's own growth."""
    found = (skill.root / "grimoires").rglob("*")
    return {str(path): path for path in found if path.is_file() and path.name != "alice.yaml"}


def export(skill: SkillWorkspace) -> str:
    """A conversation: we ask, the user answers with words that no message of ours has."""
    words = discord(
        entry(0, "hi! how do you decide?", US, "2026-02-11T12:00:00Z"),
        entry(1, "mostly by gut", ("1", "alice", "Alice"), "2026-02-12T08:00:00Z"),
    )
    path = skill.root.parent / "dm.json"
    path.write_bytes(words)
    return str(path)


def test_the_replies_of_a_conversation_match_by_thread(skill: SkillWorkspace) -> None:
    """The thread that ingest prints is told of the message; then its reply is proposed, sure and preselected."""
    ingested = run(skill, "canvas", "ingest", export(skill), "--user", "alice", "--operator", "me", "--json").json
    assert ingested["thread"] == "thread-discord-alice-2026-02-12"
    sent(skill, "alice", ALICE, "--thread", ingested["thread"], "--date", "2026-02-11T12:00:00Z")

    matched = run(skill, "growth", "match", "alice")
    (match,) = run(skill, "growth", "list", "alice", "--json").json["users"][0]["pending"]
    assert matched.out == (
        f"alice: 1 proposed (1 by thread)\n * {match['id']} thread/high {ALICE}\n"
        "then: growth.py list USER, growth.py confirm USER --preselected\n"
    )
    assert (match["match_type"], match["match_confidence"]) == ("thread", "high")
    assert (match["follow_up_id"], match["evidence_snippet"], match["preselected"]) == (ALICE, "mostly by gut", True)
    run(skill, "growth", "confirm", "alice", "--preselected")
    assert growing.sent(skill, "alice")["outcome"] == "responded"


def test_without_the_thread_the_same_reply_is_a_guess(skill: SkillWorkspace) -> None:
    """By its time only; nothing is preselected, so that confirming everything preselected is not suggested."""
    run(skill, "canvas", "ingest", export(skill), "--user", "alice", "--operator", "me")
    matched = run(skill, "growth", "match", "alice").out
    assert "1 proposed (1 by temporal)" in matched
    assert matched.endswith("then: growth.py list USER\n")


def test_ingest_prints_the_thread_of_what_it_took(skill: SkillWorkspace) -> None:
    """In a line of its own; the second time nothing is taken, and none is printed."""
    argv = ("ingest", export(skill), "--user", "alice", "--operator", "me", "--no-ask")
    assert "\n  thread: thread-discord-alice-2026-02-12\n" in run(skill, "canvas", *argv).out
    assert "thread" not in run(skill, "canvas", *argv).out
    assert run(skill, "canvas", *argv, "--json").json["thread"] is None


def test_what_is_said(skill: SkillWorkspace) -> None:
    """Which message, what is known of it, what changed; in any order of the commands, a sentence each."""
    token = growing.sent(skill, "alice")["token"]
    head = f"alice: {ALICE} [FU:{token}]\n"
    known = "  pending; sent 2026-02-11T09:00:00Z (batch of 2026-02-11); no thread\n"
    assert sent(skill, "alice", ALICE).out == head + known
    told = sent(skill, "alice", token, "--thread", THREAD, "--date", "2026-02-12").out
    known = f"  pending; sent 2026-02-12 (batch of 2026-02-11); thread {THREAD}\n"
    assert told == f"{head}{known}  changed: sent_at, thread_id\n"
    assert sent(skill, "alice", f"[FU:{token}]").out == head + known
    told = sent(skill, "alice", ALICE, "--never").out
    assert told == f"{head}{known.replace('pending', 'unknown')}  changed: outcome\n"


@pytest.mark.parametrize(
    "argv",
    [
        ["--thread", THREAD],
        ["--date", "2026-02-12"],
        ["--date", "2026-02-12T10:00:00+02:00", "--thread", "x"],
        ["--never"],
    ],
)
def test_the_same_again_changes_nothing(skill: SkillWorkspace, argv: list[str]) -> None:
    """Not a byte, a week later; exit 0, and that it is so is said."""
    assert "  changed: " in sent(skill, "alice", ALICE, *argv).out
    before = research(skill)
    assert sent(skill, "alice", ALICE, *argv, now=LATER).out.endswith("\n  nothing was changed\n")
    assert sent(skill, "alice", ALICE, *argv, "--json", now=LATER).json["changed"] == []
    assert research(skill) == before


def test_only_what_was_said_changes(skill: SkillWorkspace) -> None:
    """Of one user's file, the two fields of the message and when it was written last; fields of others stay."""
    path = skill.root / "grimoires/observer/growth/alice.yaml"
    path.write_text(path.read_text("utf-8") + "of_a_later_version: kept\n", "utf-8")
    before: Any = skill.growth("alice")
    others = {name: path.read_bytes() for name, path in files(skill).items()}
    sent(skill, "alice", ALICE, "--thread", THREAD, "--date", "2026-02-12")
    message = before["follow_ups"][0]["message_ids"][0]
    message |= {"thread_id": THREAD, "sent_at": "2026-02-12"}
    assert skill.growth("alice") == {**before, "last_updated": NOW}
    assert before["follow_ups"][0]["batch_date"] == "2026-02-11"
    assert {name: path.read_bytes() for name, path in files(skill).items()} == others


def test_json_says_everything(skill: SkillWorkspace) -> None:
    """The whole message, its batch's day, what changed."""
    came = sent(skill, "alice", ALICE, "--thread", THREAD, "--json").json
    assert came == {
        "version": 1,
        "user": "alice",
        "batch_date": "2026-02-11",
        "rehearsed": False,
        "message": {**growing.sent(skill, "alice"), "thread_id": THREAD},
        "changed": ["thread_id"],
    }


def test_a_message_that_was_never_sent_is_waited_for_no_more(skill: SkillWorkspace) -> None:
    """Nobody owes a reply to it; a reply that comes all the same still counts."""
    sent(skill, "alice", ALICE, "--never")
    assert run(skill, "growth", "show", "alice", "--json").json["summary"]["pending_followups"] == []
    token = growing.sent(skill, "alice")["token"]
    called = call("growth", "match", "alice", stdin=f"oh [FU:{token}]", MINDLOOP_ROOT=str(skill.root), MINDLOOP_NOW=NOW)
    assert "(1 by token)" in called.out
    run(skill, "growth", "confirm", "alice", token)
    assert growing.sent(skill, "alice")["outcome"] == "responded"
    before = research(skill)
    said = sent(skill, "alice", ALICE, "--never", code=1)
    assert (said.out, f"{ALICE} stays 'responded'" in said.err) == ("", True)
    assert research(skill) == before


@pytest.mark.parametrize(
    ("argv", "code", "why"),
    [
        (["alice"], 2, "message"),
        (["alice", "soon"], 2, "neither a message's id nor a token"),
        (["alice", "deadbeef"], 1, "has no message 'deadbeef'"),
        (["alice", "fu-2026-02-11-bob-1-1", "--thread", "x"], 1, "has no message"),
        (["zoe", ALICE], 1, "growth knows nothing of 'zoe' yet"),
        (["zoe", ALICE, "--never"], 1, "growth knows nothing of 'zoe' yet"),
        (["../x", ALICE], 2, "unsafe user name"),
        (["alice", ALICE, "--never", "--thread", "x"], 2, "--never says that it was not sent"),
        (["alice", ALICE, "--never", "--date", "2026-02-12"], 2, "--never says that it was not sent"),
        (["alice", ALICE, "--thread", ""], 2, "it is empty"),
        (["alice", ALICE, "--thread", "a\nb"], 2, "U+000A"),
        (["alice", ALICE, "--thread", "x" * 201], 2, "201 characters"),
        (["alice", ALICE, "--thread", "x", "--date", "2026-03-01"], 2, "more than a day after now"),
        (["alice", ALICE, "--date", "2026-02-01"], 2, "was written"),
        (["alice", ALICE, "--date", "2026-02-12T10:00"], 2, "no time zone"),
    ],
)
def test_a_wrong_call_changes_nothing(skill: SkillWorkspace, argv: list[str], code: int, why: str) -> None:
    """With a sentence: 2 where the call is wrong, 1 where growth knows better. A half of it is not taken."""
    before = research(skill)
    called = sent(skill, *argv, code=code)
    assert (called.out, why in called.err) == ("", True), called.err
    assert research(skill) == before


def test_a_busy_user_is_exit_75(skill: SkillWorkspace) -> None:
    """Again later; looking takes no lock."""
    with held_lock(skill.root, "user:alice"):
        sent(skill, "alice", ALICE, "--thread", "x", code=75)
        sent(skill, "alice", ALICE)


def test_a_hostile_thread_is_shown_and_not_obeyed(skill: SkillWorkspace) -> None:
    """It is kept letter for letter; a terminal sees what it would do."""
    thread = "- 'x': \u202e{y} #[1m"
    called = sent(skill, "alice", ALICE, "--thread", thread)
    assert "thread - 'x': \\u202e{y} #[1m" in called.out
    assert growing.sent(skill, "alice")["thread_id"] == thread


def test_show_says_that_a_user_is_stopped(skill: SkillWorkspace) -> None:
    """One line with why and since when; none where nobody stopped them or the stop was lifted; a damaged one holds."""
    quiet = run(skill, "growth", "show", "alice")
    assert "nobody writes" not in quiet.out
    assert run(skill, "growth", "show", "alice", "--json").json["stopped"] is None
    run(skill, "growth", "stop", "alice", "opted_out")
    lines = run(skill, "growth", "show", "alice").out.splitlines()
    assert lines[1] == f"  nobody writes to them: opted_out since {NOW}"
    assert [lines[0], *lines[2:]] == quiet.out.splitlines()
    shown = run(skill, "growth", "show", "alice", "--json").json["stopped"]
    assert shown == {"reason": "opted_out", "since": NOW, "problem": ""}
    skill.write("grimoires/observer/stops/alice.yaml", "user: [")
    assert "nobody writes to them: the stop cannot be read, so it holds: " in run(skill, "growth", "show", "alice").out
    run(skill, "growth", "show", "bob")


def test_the_next_step_of_matching_everybody_is_possible(skill: SkillWorkspace) -> None:
    """Where one user has a sure match confirming it is suggested, else looking at the list."""
    run(skill, "canvas", "ingest", export(skill), "--user", "alice", "--operator", "me", "--no-ask")
    assert run(skill, "growth", "match", "--all").out.endswith("\nthen: growth.py list\n")
    token = growing.sent(skill, "bob")["token"]
    skill.observe("bob", f"yes [FU:{token}]", growing.SAID, growing.SAID)
    said = run(skill, "growth", "match", "--all").out
    assert said.endswith("\nthen: growth.py list, growth.py confirm USER --preselected\n")
    assert json.loads(run(skill, "growth", "match", "--all", "--json").raw)["users"] == []
