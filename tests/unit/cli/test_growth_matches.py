"""``growth.py match``, ``list``, ``confirm``, ``reject``, ``packet``, ``answer``, ``learn``: said, coded, bounded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.growth.reading import load_user
from tests.helpers.command_line import Called, call
from tests.helpers.skill_workspace import FOLLOW_UPS, GROWTH, NOW, SkillWorkspace, held_lock, hypothesis, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SAID = "2026-02-12T08:00:00Z"
QUESTION = (
    "[rehearsal] you said the words quoted above. tell me about the last time that happened: "
    "what did you do next, and what came of it?"
)


@pytest.fixture
def skill(tmp_path: Path) -> SkillWorkspace:
    """Two users with one message each."""
    skill = SkillWorkspace(tmp_path / "w")
    for user in ("alice", "bob"):
        skill.canvas(user, body=hypothesis())
    skill.full_run(now="2026-02-11T09:00:00Z")
    return skill


def growth(skill: SkillWorkspace, *argv: str, stdin: str | bytes = "") -> Called:
    return call("growth", *argv, stdin=stdin, MINDLOOP_ROOT=str(skill.root), MINDLOOP_NOW=NOW)


def message(skill: SkillWorkspace, user: str = "alice") -> Any:
    state = load_user(skill.ws, user)
    assert state is not None
    return state["follow_ups"][0]["message_ids"][0]


def reply(skill: SkillWorkspace, words: str = "I checked twice", user: str = "alice") -> str:
    return f"{words} [FU:{message(skill, user)['token']}]\n"


def test_a_pasted_reply_goes_all_the_way(skill: SkillWorkspace) -> None:
    """Match, list, confirm, packet, answer, learn: each says what to do next, in less than 2 KB."""
    name = message(skill)["id"]
    matched = growth(skill, "match", "alice", "--date", SAID, stdin=reply(skill))
    assert matched.code == 0
    read, _, rest = matched.out.partition("\n")
    assert read == f"the reply is what stood on standard input ({len(reply(skill)) - 1} characters)"
    identity = rest.split()[7]
    assert rest == (
        f"alice: 1 proposed (1 by token)\n * {identity} token/high {name}\n"
        "then: growth.py list USER, growth.py confirm USER --preselected\n"
    )
    listed = growth(skill, "list", "alice")
    assert listed.out == (
        f"* {identity} sure, by token: {name}\n    asked: '{QUESTION[:89]}…'\n"
        f"    reply: '{reply(skill).strip()}', 2026-02-12\n"
    )
    assert growth(skill, "list").out == "alice: 1 waiting, 1 of them by token or thread\n"
    confirmed = growth(skill, "confirm", "alice", "--preselected")
    run = "grow-2026-02-20-001"
    assert confirmed.out == (
        f"alice: 1 confirmed, 0 other guesses rejected\n  {identity}: {name} answered\n"
        f"packet:{run}/{identity} for reply-classifier\nthen: growth.py learn {run}\n"
    )
    packet = growth(skill, "packet", run, identity)
    assert "I checked twice" in packet.out
    open_still = growth(skill, "learn", run)
    assert open_still.code == 1
    said = {"direction": "supports", "strength": "high", "quote_span": "checked twice", "rationale": "a secret word"}
    answered = growth(skill, "answer", run, identity, stdin=json.dumps(said))
    assert answered.out == f"alice: {name}: evidence recorded; H1: low to medium\n"
    assert growth(skill, "learn", run).code == 0
    assert growth(skill, "list").out == "nothing waits\n"
    for called in (matched, listed, confirmed, answered, open_still):
        assert len(called.raw) < 2048
        assert "a secret word" not in called.out + called.err


def test_a_wrong_answer_is_exit_2_and_changes_nothing(skill: SkillWorkspace) -> None:
    """The field is named, no word of the judge's is shown, and the item still waits."""
    growth(skill, "match", "alice", stdin=reply(skill))
    confirmed = growth(skill, "confirm", "alice", "--preselected", "--json").json
    item = confirmed["packets"][0].rpartition("/")[2]
    before = snapshot(skill.root / "grimoires")
    said = {"direction": "supports", "strength": "high", "quote_span": "gnomes", "rationale": "x"}
    called = growth(skill, "answer", confirmed["run"], item, stdin=json.dumps(said))
    assert (called.code, called.out) == (2, "")
    assert '"quote_span" does not stand in the reply letter for letter' in called.err
    assert "gnomes" not in called.err
    assert snapshot(skill.root / "grimoires") == before


def test_text_that_answers_nothing_is_exit_1(skill: SkillWorkspace) -> None:
    """Nothing is written; a foreign token is told before."""
    before = snapshot(skill.root / "grimoires")
    called = growth(skill, "match", "alice", stdin="quite another thing [FU:deadbeef]")
    assert (called.code, called.out) == (1, "")
    assert called.err.startswith("note: it carries a reply token of none of this user's messages")
    assert "the text on standard input answers no message of 'alice'" in called.err
    assert snapshot(skill.root / "grimoires") == before


def test_the_same_text_again_is_known(skill: SkillWorkspace) -> None:
    """Exit 0: it does answer something, and no second proposal is made."""
    growth(skill, "match", "alice", stdin=reply(skill))
    again = growth(skill, "match", "alice", stdin=reply(skill))
    assert (again.code, again.out.splitlines()[1:]) == (0, ["alice: 0 proposed, 1 known before"])


def test_without_text_the_index_is_looked_at(skill: SkillWorkspace) -> None:
    """One user or everybody; white space is no text."""
    skill.observe("alice", "who wants to be seen? I left", SAID, SAID)
    everybody = growth(skill, "match", "--all", stdin="not read")
    assert everybody.out == (
        "2 users with growth, 1 new reply, 1 proposed\n  alice: 1 proposed (1 by keyword)\nthen: growth.py list\n"
    )
    assert growth(skill, "match", "alice", stdin=" \n").out == "alice: 0 proposed\n"
    assert growth(skill, "match", "bob").out == "bob: 0 proposed\n"
    assert growth(skill, "match", "--all", "--json").json == {"version": 1, "users": [], "busy": [], "warnings": []}


def test_json_says_everything(skill: SkillWorkspace) -> None:
    """One object a command, with a version."""
    matched = growth(skill, "match", "alice", "--thread", "dm-1", "--json", stdin=reply(skill)).json
    assert (matched["version"], matched["user"], matched["notes"], matched["known"]) == (1, "alice", [], 0)
    assert matched["from_standard_input"] is True
    assert growth(skill, "match", "bob", "--json").json["from_standard_input"] is False
    (match,) = matched["proposed"]
    listed = growth(skill, "list", "--json").json
    assert listed["users"] == [{"user": "alice", "pending": [{**match, "preselected": True, "certainty": "sure"}]}]
    (waiting,) = growth(skill, "list", "alice", "--json").json["users"][0]["pending"]
    assert waiting["question"] == QUESTION
    done = growth(
        skill, "confirm", "alice", match["id"][:4], "--direction", "refutes", "--strength", "high", "--json"
    ).json
    assert (done["run"], done["packets"], done["rejected"], done["warnings"]) == (None, [], [], [])
    assert done["confirmed"][0]["confirmed_at"] == NOW
    assert message(skill)["match_evidence"]["direction"] == "refutes"


def test_rejecting_is_said(skill: SkillWorkspace) -> None:
    """By any name; the second time it is exit 1."""
    growth(skill, "match", "alice", stdin=reply(skill))
    token = f"fu:{message(skill)['token']}".upper()
    called = growth(skill, "reject", "alice", token)
    assert called.code == 0
    assert called.out.endswith(": rejected\n")
    assert growth(skill, "reject", "alice", token).code == 1
    assert message(skill)["outcome"] == "pending"


@pytest.mark.parametrize(
    ("argv", "stdin", "why"),
    [
        (["match"], "", "expected a user or --all"),
        (["match", "alice", "--all"], "", "expected a user or --all"),
        (["match", "alice", "--date", "2026-02-12"], "", "there is none"),
        (["match", "--all", "--thread", "x"], "", "of one user's text"),
        (["match", "alice", "--date", "soon"], "hm", "the timestamp is 'soon'"),
        (["match", "alice"], b"\xff\xfe", "expected UTF-8"),
        (["match", "../x"], "hm", "unsafe user name"),
        (["confirm", "alice"], "", "expected a match or --preselected"),
        (["confirm", "alice", "abcd", "--direction", "supports"], "", "belong together"),
        (["confirm", "alice", "abcd", "--rationale", "because"], "", "belong together"),
        (["confirm", "alice", "abc"], "", "4 or more characters"),
        (["confirm", "alice", "abc"], "", "A token looks like [FU:75d2f0ef], FU:75d2f0ef or 75d2f0ef"),
        (["sent", "alice", "FU:75"], "", "A token looks like [FU:75d2f0ef], FU:75d2f0ef or 75d2f0ef"),
    ],
)
def test_a_wrong_call_is_exit_2(skill: SkillWorkspace, argv: list[str], stdin: str | bytes, why: str) -> None:
    """With a sentence, and nothing is changed."""
    before = snapshot(skill.root / "grimoires")
    called = growth(skill, *argv, stdin=stdin)
    assert (called.code, called.out) == (2, "")
    assert why in called.err
    assert snapshot(skill.root / "grimoires") == before


@pytest.mark.parametrize("argv", [["match", "alice"], ["match", "--all"], ["confirm", "alice", "--preselected"]])
def test_a_busy_user_is_exit_75(skill: SkillWorkspace, argv: list[str]) -> None:
    """Again later; the same for a confirmation."""
    skill.observe("alice", "who wants to be seen? I left", SAID, SAID)
    with held_lock(skill.root, "user:alice"):
        assert growth(skill, *argv).code == 75


def test_hostile_words_do_not_reach_the_terminal(skill: SkillWorkspace) -> None:
    """Escapes and direction marks of a reply are taken out of its line."""
    growth(skill, "match", "alice", stdin=reply(skill, "he\u202ello\u200b <!-- x\nnext"))
    out = growth(skill, "list", "alice").out
    assert "\u202e" not in out
    assert "'hello <!-- x next [FU:" in out
    assert out.count("\n") == 3


def test_many_proposals_stay_below_two_kilobytes(skill: SkillWorkspace) -> None:
    """The rest is counted; --full shows all."""
    for number in range(30):
        skill.observe("alice", f"{number} {'long words ' * 30} {reply(skill)}", SAID, SAID)
    for argv in (["match", "--all"], ["list", "alice"], ["confirm", "alice", "--preselected"]):
        called = growth(skill, *argv)
        assert called.code == 0
        assert len(called.raw) < 2048


def test_a_file_that_does_not_read_is_told_and_the_others_are_listed(skill: SkillWorkspace) -> None:
    """A warning names the file."""
    growth(skill, "match", "alice", stdin=reply(skill))
    skill.write("grimoires/observer/growth/bob.proposed_matches.yaml", "user: [")
    called = growth(skill, "list")
    assert called.out == "alice: 1 waiting, 1 of them by token or thread\n"
    assert called.err.startswith("warning: grimoires/observer/growth/bob.proposed_matches.yaml: ")


@pytest.mark.parametrize("names", ["bob\n", "Bob\n\n alice \n", "carol lee\r\nbob\r\n"])
def test_the_rest_of_a_list_of_users_is_no_reply(skill: SkillWorkspace, names: str) -> None:
    """`while read` hands its file to the command in it: exit 2, both ways out are said, and nothing is changed."""
    skill.canvas("carol lee")
    before = snapshot(skill.root / "grimoires")
    called = growth(skill, "match", "alice", stdin=names)

    assert (called.code, called.out) == (2, "")
    assert "nothing but names of users" in called.err
    assert "growth.py match USER </dev/null" in called.err
    assert "growth.py match --all" in called.err
    assert snapshot(skill.root / "grimoires") == before


@pytest.mark.parametrize("words", ["bob said it too", "bob\nwho wants to be seen?", "nobody"])
def test_a_reply_may_name_users(skill: SkillWorkspace, words: str) -> None:
    """Only a text of names alone is refused: one line of another kind makes it a reply, which may answer nothing."""
    assert "names of users" not in growth(skill, "match", "alice", stdin=words).err


@pytest.mark.parametrize("verb", ["list", "match"])
def test_help_explains_the_kinds(verb: str) -> None:
    """Each with one word for how sure it is."""
    out = call("growth", verb, "--help").out
    for line in ("token     sure ", "thread    sure ", "keyword   likely ", "temporal  guess ", "ambiguous guess "):
        assert f"\n  {line}" in out


def test_a_batch_that_is_gone_leaves_the_question_out(skill: SkillWorkspace) -> None:
    """A match of a day without a batch, or with one that does not read, is listed all the same."""
    growth(skill, "match", "alice", stdin=reply(skill))
    batch = skill.root / FOLLOW_UPS / "2026-02-11.md"
    for text in (b"---\nno: [\n---\n", b"\xff\xfe", None):
        batch.unlink() if text is None else batch.write_bytes(text)
        assert "    asked: (its text is not kept any more)\n" in growth(skill, "list", "alice").out


def test_help_says_that_standard_input_is_read() -> None:
    """Before anybody loses half of a list to it."""
    assert "Standard input is read" in call("growth", "match", "--help").out


@pytest.mark.parametrize("said", [True, False], ids=["who said something", "who said nothing"])
@pytest.mark.parametrize(
    "broken", [lambda _: b"", lambda data: data[:60], lambda data: data[: len(data) // 2], lambda _: b"\xff\xfe\0"]
)
def test_a_growth_file_that_is_no_use_is_named_and_the_others_go_on(
    skill: SkillWorkspace, broken: Callable[[bytes], bytes], *, said: bool
) -> None:
    """Empty, cut off, no text: match --all warns by the file's name and matches bob's words; report names it too."""
    path = skill.root / GROWTH / "alice.yaml"
    path.write_bytes(broken(path.read_bytes()))
    for user in ["alice", "bob"] if said else ["bob"]:
        skill.observe(user, "who wants to be seen? I left", SAID, SAID)
    called = growth(skill, "match", "--all")
    reported = growth(skill, "report")

    assert called.code == 0
    assert "bob: 1 proposed" in called.out
    assert called.err.count(f"{GROWTH}/alice.yaml") == 1
    assert called.err.startswith("warning: left out: ")
    assert reported.code == 0
    assert f"left out: {GROWTH}/alice.yaml" in reported.err


@pytest.mark.parametrize(("name", "hint"), [("alcie", "Did you mean alice?"), ("zzz", "canvas.py list")])
def test_listing_somebody_nobody_knows_is_exit_1(skill: SkillWorkspace, name: str, hint: str) -> None:
    """With a near name where there is one; a user with nothing but a canvas is known."""
    called = growth(skill, "list", name)
    skill.canvas("zoe", "by-hand.md")

    assert (called.code, called.out) == (1, "")
    assert f"nobody here is named {name!r}" in called.err
    assert hint in called.err
    assert growth(skill, "list", "zoe").out == "nothing waits\n"
