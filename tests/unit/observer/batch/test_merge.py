"""Several runs on one day."""

from __future__ import annotations

import pytest

from mindloop.observer.batch.file import compat_problems, parse_batch, render_batch
from mindloop.observer.batch.merge import replace_keys
from mindloop.store import strict_yaml
from mindloop.store.errors import Malformed, WrongInput
from tests.helpers.batches import EVENING, MORNING, result, skip

FIRST = render_batch([result("alice", "a1", "a2"), result("bob", "b1")], [skip("eve")], MORNING, "run-1")


def numbered(text: str, user: str) -> list[tuple[int, str]]:
    """Number and body of a user's messages."""
    part = next(part for part in parse_batch(text)["sections"] if part["user"] == user)
    return [(one["number"], one["message_body"]) for one in part["messages"]]


def test_a_second_run_appends_and_numbers_on():
    """Earlier messages keep text and number; the user keeps one section."""
    text = render_batch([result("bob", "b2", "b3"), result("eve", "e1")], [skip("alice")], EVENING, "run-2", FIRST)
    parsed = parse_batch(text)
    assert numbered(text, "alice") == [(1, "a1"), (2, "a2")]
    assert numbered(text, "bob") == [(1, "b1"), (2, "b2"), (3, "b3")]
    assert numbered(text, "eve") == [(1, "e1")]
    assert (parsed["users"], parsed["total_messages"]) == (["alice", "bob", "eve"], 6)
    assert parsed["generated"] == "2026-02-14T21:30:00Z"
    assert compat_problems(text) == []


def test_sections_of_others_keep_their_bytes():
    """A user who is not in the new run finds the section as it was, hand-written remarks included."""
    start, end = FIRST.index("## alice"), FIRST.index("## bob")
    noted = FIRST[:end] + "sent on friday, no reply yet\n\n" + FIRST[end:]
    text = render_batch([result("bob", "b2")], [], EVENING, "run-2", noted)
    assert text[text.index("## alice") : text.index("## bob")] == FIRST[start:end] + "sent on friday, no reply yet\n\n"


def test_the_sums_add_up():
    """Summaries are those of all runs of the day."""
    more = result("bob", "b2", total_quotes=3, total_claims=2)
    parsed = parse_batch(render_batch([more], [], EVENING, "run-2", FIRST))
    assert parsed["verification_summary"] == {"total_quotes": 6, "verified": 4, "stripped": 2}
    assert parsed["temporal_summary"] == {"total_claims": 2, "valid": 0, "stripped": 2}
    assert [(part["verified"], part["total_quotes"]) for part in parsed["sections"]] == [(2, 2), (2, 4)]


def test_questions_are_numbered_on_as_well():
    """The scary questions of both runs stay, each with a number of its own."""
    text = render_batch([result("bob", "b2", scary_questions=["what did you pay?"])], [], EVENING, "run-2", FIRST)
    part = parse_batch(text)["sections"][1]
    assert part["scary_questions"] == ["what would make you leave?", "what did you pay?"]
    assert "\n2. what did you pay?\n" in text


def test_skipped_is_the_latest_run_s_list_without_those_who_have_messages():
    """Who has messages from this morning is not called skipped tonight."""
    text = render_batch([], [skip("alice"), skip("dan", "score_api_error")], EVENING, "run-2", FIRST)
    assert parse_batch(text)["skipped_users"] == [skip("dan", "score_api_error")]


def test_a_second_canvas_of_a_user_stays_reported():
    """A broken file is named though its user has messages; two reasons for one name are both kept."""
    skipped = [
        skip("alice", "invalid_canvas"),
        skip("dan", "invalid_canvas"),
        skip("dan"),
        skip("../x", "invalid_canvas"),
    ]
    text = render_batch([result("alice", "a3")], skipped, EVENING, "run-2", FIRST)
    assert parse_batch(text)["skipped_users"] == skipped


def test_a_run_of_nothing_but_skips_leaves_the_messages():
    """An all-skipped second run changes the list and the runs, and no section."""
    text = render_batch([], [skip("dan")], EVENING, "run-2", FIRST)
    assert text[text.index("\n# Follow-up") :] == FIRST[FIRST.index("\n# Follow-up") :]
    assert [run["run"] for run in parse_batch(text)["runs"]] == ["run-1", "run-2"]


def test_a_repeated_commit_changes_nothing():
    """The same run again, at a later time, gives the same bytes, also when another run came between."""
    again = ([result("alice", "a1", "a2"), result("bob", "b1")], [skip("eve")], EVENING, "run-1")
    assert render_batch(*again, FIRST) == FIRST
    second = render_batch([result("bob", "b2")], [skip("dan")], EVENING, "run-2", FIRST)
    assert render_batch(*again, second) == second


def test_the_parts_of_one_run_add_up():
    """Users answered later join their run; what the run said of others stays."""
    part = render_batch([result("alice", "a1")], [skip("eve")], MORNING, "run-1")
    whole = render_batch([result("alice", "a1"), result("bob", "b1")], [skip("dan")], EVENING, "run-1", part)
    parsed = parse_batch(whole)
    assert parsed["runs"] == [
        {"run": "run-1", "at": "2026-02-14T09:00:00Z", "users": ["alice", "bob"], "host": "claude"}
    ]
    assert (numbered(whole, "alice"), numbered(whole, "bob")) == ([(1, "a1")], [(1, "b1")])
    assert parsed["skipped_users"] == [skip("eve"), skip("dan")]


def test_spellings_of_one_user_share_one_section():
    """The first spelling of a name stays the heading."""
    parsed = parse_batch(render_batch([result("BOB", "b2")], [], EVENING, "run-2", FIRST))
    assert [part["user"] for part in parsed["sections"]] == ["alice", "bob"]
    assert parsed["users"] == ["alice", "bob"]


def test_bobby_is_not_bob():
    """A name that starts like another one gets its own section."""
    text = render_batch([result("bobby", "x")], [], EVENING, "run-2", FIRST)
    assert (numbered(text, "bob"), numbered(text, "bobby")) == ([(1, "b1")], [(1, "x")])


def test_the_first_messages_of_a_day_replace_the_remark_that_there_are_none():
    """An empty morning and a full evening make a normal file."""
    empty = render_batch([], [skip("bob")], MORNING, "run-1")
    text = render_batch([result("bob", "b1")], [], EVENING, "run-2", empty)
    assert "No messages today" not in text
    assert "# Follow-up Messages: 2026-02-14\n\n## bob\n" in text
    assert compat_problems(text) == []


def test_rehearsed_and_real_messages_of_a_day_are_told_apart():
    """The remark and the hosts show that a part of the file is a rehearsal."""
    text = render_batch([result("bob", "b2", host="rehearsal")], [], EVENING, "run-2", FIRST)
    parsed = parse_batch(text)
    assert "# Follow-up Messages: 2026-02-14\n\n> **REHEARSAL, do not send.**" in text
    assert (parsed["host"], [part["host"] for part in parsed["sections"]]) == (
        "claude, rehearsal",
        ["claude", "claude, rehearsal"],
    )
    assert text.count("REHEARSAL") == render_batch([result("eve", host="rehearsal")], [], EVENING, "3", text).count(
        "REHEARSAL"
    )


def test_keys_of_others_keep_their_spelling():
    """Unknown keys and comments of the front matter come through with their bytes; their types stay what they were."""
    extra = "owner:\n  team: 0777\n# checked by hand\nreviewed: yes\ngenerated: "
    text = render_batch([result("bob", "b2")], [], EVENING, "run-2", FIRST.replace("generated: ", extra, 1))
    assert "\nowner:\n  team: 0777\n# checked by hand\nreviewed: yes\ngenerated: '2026-02-14T21:30:00Z'\n" in text


def test_a_file_of_before_the_later_keys_gets_them():
    """A batch of an earlier tool is continued."""
    old = (
        '---\ntype: follow-up-batch\ngenerated: "2026-02-14"\nusers: [bob]\ntotal_messages: 1\n---\n\n# F\n\n## bob\n\n'
        '**Canvas**: c\n**Triggers**: t\n\n### Message 4 (H1)\n\n> Anchor quote: "q"\n\nold body\n'
    )
    text = render_batch([result("bob", "new")], [], EVENING, "run-2", old)
    assert numbered(text, "bob") == [(4, "old body"), (5, "new")]
    assert compat_problems(text) == []


def test_windows_line_ends_stay_windows_line_ends():
    """A file with CRLF is continued with CRLF."""
    text = render_batch([result("bob", "b2")], [], EVENING, "run-2", FIRST.replace("\n", "\r\n"))
    assert text.count("\n") == text.count("\r\n")
    assert numbered(text, "bob") == [(1, "b1"), (2, "b2")]


@pytest.mark.parametrize(
    "existing",
    [
        "",
        "my notes\n",
        "---\ntype: follow-up-synthesis\n---\n# Synthesis\n",
        FIRST.replace("type: follow-up-batch\n", ""),
        FIRST.replace("users:\n- alice", "users: 3\nothers:\n- alice", 1),
        FIRST.replace("verified: 3", "verified: all"),
        FIRST.replace("- run: run-1", "- walk: run-1"),
        FIRST.replace("\n---\n", "\n", 1).replace("\n---\n", "\n"),
    ],
)
def test_a_file_that_is_no_batch_is_refused(existing):
    """What is not ours is not overwritten, and the error says so."""
    with pytest.raises(WrongInput):
        render_batch([result("bob", "b2")], [], EVENING, "run-2", existing)


def test_a_header_that_cannot_be_rewritten_by_key_is_refused():
    """Flow style around everything would lose the keys of others: nothing is written."""
    with pytest.raises(Malformed, match="cannot be rewritten"):
        replace_keys("{type: follow-up-batch, owner: me}\n", {"type": "follow-up-batch"})


def test_missing_keys_are_added_at_the_end():
    """A key that was not there comes after the ones that were."""
    text = replace_keys("b: 1\nmine: |\n  a: x\n  # y\na: 0", {"a": 2, "c": [3]})
    assert text == "b: 1\nmine: |\n  a: x\n  # y\na: 2\nc:\n- 3\n"
    assert strict_yaml.load(text) == {"b": "1", "mine": "a: x\n# y\n", "a": "2", "c": ["3"]}


def test_a_file_that_ends_in_its_front_matter_is_continued():
    """A header without a body gets its sections on lines of their own."""
    text = render_batch([result("bob", "b1")], [], EVENING, "run-2", "---\ntype: follow-up-batch\n---")
    assert numbered(text, "bob") == [(1, "b1")]
