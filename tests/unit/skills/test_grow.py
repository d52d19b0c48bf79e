"""/grow: replies are proposed, confirmed by a person, judged in isolation, learned from once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.growth.files import read_proposals, write_proposals
from mindloop.observer.growth.matching import FOREIGN_TOKEN
from mindloop.observer.growth.reading import load_user
from mindloop.protocol.questions import AnswerRefused
from mindloop.protocol.run_files import file_answer, find_run, read_head, read_item
from mindloop.skills.grow.confirm import Verdict, confirm
from mindloop.skills.grow.judging import JUDGING
from mindloop.skills.grow.match import match_everybody, match_text, match_user
from mindloop.skills.grow.reject import reject
from mindloop.skills.grow.sent import tell
from mindloop.skills.judged import answer_now, resume
from mindloop.store import strict_yaml
from mindloop.store.errors import Busy, Malformed, Negative, WrongInput
from tests.helpers.skill_workspace import (
    FOLLOW_UPS,
    GROWTH,
    INDEX,
    NOW,
    SkillWorkspace,
    at,
    held_lock,
    hypothesis,
    snapshot,
    wallet_of,
)

if TYPE_CHECKING:
    from pathlib import Path

SENT = "2026-02-11T09:00:00Z"
SAID = "2026-02-12T08:00:00Z"
REPLY = "I checked the ranks twice last night"


@pytest.fixture
def skill(tmp_path: Path) -> SkillWorkspace:
    """Two users, each with one message that waits for a reply."""
    skill = SkillWorkspace(tmp_path / "w")
    for user in ("alice", "bob"):
        skill.canvas(user, body=hypothesis())
    skill.full_run(now=SENT)
    return skill


def sent(skill: SkillWorkspace, user: str = "alice", number: int = 0) -> Any:
    state = load_user(skill.ws, user)
    assert state is not None
    return state["follow_ups"][number]["message_ids"][0]


def token(skill: SkillWorkspace, user: str = "alice") -> str:
    return f"[FU:{sent(skill, user)['token']}]"


def paste(skill: SkillWorkspace, text: str | None = None, user: str = "alice", **more: Any) -> list[Any]:
    text = f"{REPLY} {token(skill, user)}" if text is None else text
    return match_text(skill.ws, user, text, at(NOW), **more).new


def answer(**changed: Any) -> str:
    value = {
        "direction": "supports",
        "strength": "high",
        "quote_span": "checked the ranks twice",
        "rationale": "they did",
    }
    return json.dumps({**value, **changed})


def known(skill: SkillWorkspace, user: str = "alice") -> Any:
    state = load_user(skill.ws, user)
    assert state is not None
    return state


def statuses(skill: SkillWorkspace, user: str = "alice") -> list[str]:
    return [match["status"] for match in read_proposals(skill.ws, user)["matches"]]


def asked(skill: SkillWorkspace, user: str = "alice") -> tuple[str, str]:
    """A pasted reply, confirmed: the run and its one item."""
    paste(skill, user=user)
    confirmed = confirm(skill.ws, user, [], at(NOW), preselected=True)
    assert confirmed.run is not None
    return confirmed.run, confirmed.packets[0].rpartition("/")[2]


# --- match ------------------------------------------------------------------------------------------------------------


def test_new_words_are_proposed_once(skill: SkillWorkspace) -> None:
    """From the index, since the last time; the second look changes no byte."""
    skill.observe("alice", "who wants to be seen? I left", SAID, SAID)
    first = match_user(skill.ws, "alice", at(NOW))
    assert [match["match_type"] for match in first.new] == ["keyword"]
    assert first.new[0]["signal_id"] == content_hash("who wants to be seen? I left")
    before = snapshot(skill.root)
    again = match_user(skill.ws, "alice", at(NOW))
    assert (again.new, again.known, again.looked_at) == ([], 0, 0)
    assert {path: what for path, what in snapshot(skill.root).items() if "locks" not in path} == {
        path: what for path, what in before.items() if "locks" not in path
    }


def test_everybody_is_matched_and_the_quiet_cost_nothing(
    skill: SkillWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One user said something; the growth state of the other, who did not, is not parsed."""
    skill.observe("alice", f"hm {token(skill)}", SAID, SAID)
    parsed: list[str] = []
    load = strict_yaml.load

    def watched(text: str, *place: Any) -> Any:
        parsed.append(str(place))
        return load(text, *place)

    monkeypatch.setattr(strict_yaml, "load", watched)
    everybody = match_everybody(skill.ws, at(NOW))
    assert [(one.user, [match["match_type"] for match in one.new]) for one in everybody.matched] == [
        ("alice", ["token"])
    ]
    assert everybody.users == 2
    assert any("growth/alice" in path for path in parsed)
    assert not any("growth/bob" in path for path in parsed)


def test_a_rewritten_index_proposes_nothing_twice(skill: SkillWorkspace) -> None:
    """Lines that moved are read again, and every pair of reply and message is known."""
    skill.observe("alice", f"one {token(skill)}", SAID, SAID)
    skill.observe("alice", f"two {token(skill)}", SAID, SAID)
    assert len(match_user(skill.ws, "alice", at(NOW)).new) == 2
    lines = (skill.root / INDEX).read_bytes().splitlines(keepends=True)
    (skill.root / INDEX).write_bytes(b"".join(reversed(lines)))
    again = match_user(skill.ws, "alice", at(NOW))
    assert (again.new, again.known, again.looked_at) == ([], 2, 2)


def test_a_token_of_another_user_names_nobody(skill: SkillWorkspace) -> None:
    """No match by it, a warning that holds no name, and the words still count."""
    matched = match_text(skill.ws, "alice", f"wants to be seen {token(skill, 'bob')}", at(NOW))
    assert [(match["match_type"], match["follow_up_id"]) for match in matched.new] == [("keyword", sent(skill)["id"])]
    assert matched.notes == [FOREIGN_TOKEN]
    assert "bob" not in json.dumps([matched.notes, matched.new])


def test_words_of_the_index_are_not_kept_twice(skill: SkillWorkspace) -> None:
    """A pasted reply that was ingested before keeps its words there alone."""
    text = f"hm {token(skill)}"
    skill.observe("alice", text, SAID, SAID)
    (match,) = paste(skill, text)
    assert "signal_text" not in match
    assert "signal_text" in paste(skill, f"other {token(skill)}")[0]


def test_two_users_say_the_same(skill: SkillWorkspace) -> None:
    """One hash, two signals: each matches its own user's message."""
    for user in ("alice", "bob"):
        skill.observe(user, "wants to be seen", SAID, SAID)
    found = match_everybody(skill.ws, at(NOW)).matched
    assert [(one.user, one.new[0]["follow_up_id"]) for one in found] == [
        (user, sent(skill, user)["id"]) for user in ("alice", "bob")
    ]
    assert found[0].new[0]["id"] != found[1].new[0]["id"]


def test_who_is_busy_is_left_out_and_the_others_are_not(skill: SkillWorkspace) -> None:
    """One lock is held: that user is named, everybody else gets proposals."""
    for user in ("alice", "bob"):
        skill.observe(user, "wants to be seen", SAID, SAID)
    with held_lock(skill.root, "user:bob"):
        everybody = match_everybody(skill.ws, at(NOW))
        with pytest.raises(Busy):
            match_user(skill.ws, "bob", at(NOW))
    assert [one.user for one in everybody.matched if one.new] == ["alice"]
    assert everybody.busy == ["bob"]
    assert [one.user for one in match_everybody(skill.ws, at(NOW)).matched if one.new] == ["bob"]


def test_a_broken_file_costs_its_user_only(skill: SkillWorkspace) -> None:
    """Growth or proposals that do not parse are told, and left as they are."""
    for user in ("alice", "bob"):
        skill.observe(user, "wants to be seen", SAID, SAID)
    path = skill.write(f"{GROWTH}/alice.proposed_matches.yaml", "matches: [1]\n")
    everybody = match_everybody(skill.ws, at(NOW))
    assert [one.user for one in everybody.matched] == ["bob"]
    assert [line.partition(":")[0] for line in everybody.warnings] == ["alice"]
    assert path.read_text() == "matches: [1]\n"
    with pytest.raises(Malformed):
        match_user(skill.ws, "alice", at(NOW))


def test_a_full_file_keeps_the_rest_for_later(skill: SkillWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost: what found no room is proposed once there is some."""
    monkeypatch.setattr("mindloop.observer.growth.proposals.PENDING_AT_MOST", 2)
    for number in range(3):
        skill.observe("alice", f"{number} {token(skill)}", SAID, SAID)
    matched = match_user(skill.ws, "alice", at(NOW))
    assert (len(matched.new), matched.looked_at) == (2, 2)
    assert "wait already" in matched.notes[0]
    reject(skill.ws, "alice", [match["id"] for match in matched.new])
    assert len(match_user(skill.ws, "alice", at(NOW)).new) == 1


def test_growth_must_know_the_user(skill: SkillWorkspace) -> None:
    """Nobody wrote to carol; a name that is none is refused."""
    for call in (lambda: match_user(skill.ws, "carol", at(NOW)), lambda: paste(skill, "hm", user="carol")):
        with pytest.raises(Negative):
            call()
    with pytest.raises(WrongInput):
        match_user(skill.ws, "../x", at(NOW))


def test_a_conversation_is_no_reply(skill: SkillWorkspace) -> None:
    """20,001 characters are refused before anything is looked at."""
    with pytest.raises(WrongInput, match="20001 characters, at most 20000"):
        paste(skill, "x" * 20_001)


def test_a_thread_told_later_finds_the_replies_that_were_looked_at(skill: SkillWorkspace) -> None:
    """A guess becomes sure in its place, words that fitted nothing are proposed; what a person settled stays."""
    words = ["mostly by gut, no rank", "never mind the ranks", "hm"]
    for text, when in zip(words, [SAID, "2026-02-12T09:00:00Z", "2026-02-18T09:00:00Z"], strict=True):
        observe(skill.ws, text, when, thread="dm-1")
    guesses = match_user(skill.ws, "alice", at(NOW)).new
    assert [match["match_type"] for match in guesses] == ["temporal", "temporal"]
    reject(skill.ws, "alice", [guesses[1]["id"]])
    tell(skill.ws, "alice", sent(skill)["token"], at(NOW), thread="dm-1")
    again = match_everybody(skill.ws, at(NOW)).matched[0]
    assert [(one["id"], one["match_type"], one["match_confidence"]) for one in again.improved] == [
        (guesses[0]["id"], "thread", "high")
    ]
    assert [match["match_type"] for match in again.new] == ["thread"]
    assert statuses(skill) == ["pending", "rejected", "pending"]
    assert (again.looked_at, again.known) == (3, 1)
    tell(skill.ws, "alice", sent(skill)["token"], at(NOW), thread="dm-1")
    assert match_everybody(skill.ws, at(NOW)).matched == []


def observe(files: Any, text: str, when: str, *, thread: str) -> None:
    """A line of the index, of a conversation."""
    record = {
        "content_hash": content_hash(text),
        "text": text,
        "canvas_target": "alice",
        "source_timestamp": when,
        "source_timestamp_confidence": "exact",
        "ingested_at": when,
        "thread_id": thread,
    }
    with files.transaction("research") as tx:
        tx.append(INDEX, (json.dumps(record) + "\n").encode())


# --- confirm and reject -----------------------------------------------------------------------------------------------


def test_confirming_records_the_reply_and_asks(skill: SkillWorkspace) -> None:
    """Proposal, growth and run in one go; the message has its reply, dated by the reply."""
    paste(skill, date=SAID)
    done = confirm(skill.ws, "alice", [], at(NOW), preselected=True, quality="medium")
    assert statuses(skill) == ["confirmed"]
    message = sent(skill)
    assert (message["outcome"], message["response_date"], message["signal_quality"]) == ("responded", SAID, "medium")
    assert message["match_evidence"] is None
    assert known(skill)["hypotheses"][0]["last_evidence_date"] == NOW
    assert done.run == "grow-2026-02-20-001"
    head = read_head(skill.ws, find_run(skill.ws, done.run))
    assert (head["skill"], head["waiting"]) == ("grow", {done.confirmed[0]["id"]: "alice"})
    assert done.packets == [f"packet:{done.run}/{done.confirmed[0]['id']}"]


def test_a_late_reply_counts_and_is_late(skill: SkillWorkspace) -> None:
    """After the window the message was silence; the reply takes that back."""
    begun = skill.begin(now="2026-03-20T09:00:00Z")
    assert sent(skill)["outcome"] == "silence", begun.skipped
    paste(skill)
    done = confirm(skill.ws, "alice", [], at(NOW), preselected=True)
    assert sent(skill)["late_response"] is True
    assert done.told[0].endswith("answered (late)")
    counters = known(skill)["question_patterns"][sent(skill)["question_pattern"]]
    assert (counters["silence_count"], counters["responded_count"]) == (0, 1)


def test_a_second_confirm_changes_nothing(skill: SkillWorkspace) -> None:
    """Exit 1, said, not a byte."""
    asked(skill)
    before = snapshot(skill.root)
    for references, more in (([sent(skill)["id"]], {}), ([], {"preselected": True})):
        with pytest.raises(Negative, match="nothing was changed"):
            confirm(skill.ws, "alice", references, at(NOW), verdict=Verdict("supports", "high"), **more)
    assert {path: what for path, what in snapshot(skill.root).items() if "locks" not in path} == {
        path: what for path, what in before.items() if "locks" not in path
    }


def test_a_guess_that_is_confirmed_rejects_the_others(skill: SkillWorkspace) -> None:
    """Two messages on one topic, one reply: the other stays unanswered."""
    skill.canvas("alice", body=hypothesis(), updated="2026-02-15")
    skill.full_run(now="2026-02-18T09:00:00Z", canvas="alice")
    matches = paste(skill, "wants to be seen", date="2026-02-19")
    assert [match["match_type"] for match in matches] == ["ambiguous", "ambiguous"]
    done = confirm(skill.ws, "alice", [matches[1]["id"]], at(NOW))
    assert statuses(skill) == ["rejected", "confirmed"]
    assert [match["id"] for match in done.rejected] == [matches[0]["id"]]
    assert (sent(skill)["outcome"], sent(skill, number=1)["outcome"]) == ("pending", "responded")


def test_a_second_reply_to_one_message_changes_no_outcome(skill: SkillWorkspace) -> None:
    """It is confirmed, and the reply that came first stays the reply."""
    paste(skill, date=SAID)
    paste(skill, f"and another thing {token(skill)}", date="2026-02-13T08:00:00Z")
    matches = read_proposals(skill.ws, "alice")["matches"]
    confirm(skill.ws, "alice", [matches[0]["id"]], at(NOW), verdict=Verdict("supports", "high"))
    done = confirm(skill.ws, "alice", [matches[1]["id"]], at(NOW), verdict=Verdict("refutes", "high"))
    assert done.told == [
        f"{matches[1]['id']}: {sent(skill)['id']} has a reply already, which stays; its evidence stays"
    ]
    assert sent(skill)["match_evidence"]["direction"] == "supports"
    assert sent(skill)["response_date"] == SAID
    assert done.run is None


def test_a_person_may_classify(skill: SkillWorkspace) -> None:
    """Evidence at once, of a person, and nobody is asked; the confidence moves, the reply is rated."""
    paste(skill)
    done = confirm(
        skill.ws, "alice", [sent(skill)["token"]], at(NOW), verdict=Verdict("supports", "high", "they <b>did</b> it")
    )
    evidence = sent(skill)["match_evidence"]
    assert (evidence["classified_by"], evidence["direction"], evidence["strength"]) == ("person", "supports", "high")
    assert (evidence["hypothesis_id"], evidence["rationale"]) == ("H1", "they did it")
    assert evidence["quote_span"].startswith(REPLY)
    assert evidence["signal_id"] == done.confirmed[0]["signal_id"]
    assert known(skill)["hypotheses"][0]["confidence"] == "medium"
    assert sent(skill)["signal_quality"] == "high"
    assert (done.run, done.packets) == (None, [])
    assert done.told[0].endswith("answered; H1: low to medium")


@pytest.mark.parametrize("who", ["person", "judge", "judge at resume"])
def test_a_stale_hypothesis_keeps_its_confidence(skill: SkillWorkspace, who: str) -> None:
    """Whoever classifies, and though the reply made it active: confirm, answer and learn look at what it was before."""
    path = skill.root / GROWTH / "alice.yaml"
    path.write_text(path.read_text("utf-8").replace("decay_state: active", "decay_state: stale"), "utf-8")
    assert known(skill)["hypotheses"][0]["decay_state"] == "stale"
    if who == "person":
        paste(skill)
        told = confirm(skill.ws, "alice", [sent(skill)["id"]], at(NOW), verdict=Verdict("supports", "high")).told[0]
        assert told.endswith("H1 stays low: it was stale when the reply came")
    else:
        run, item = asked(skill)
        if who == "judge":
            answer_now(skill.ws, JUDGING, run, item, answer(), host="claude", now=at(NOW))
        else:
            file_answer(skill.ws, run, item, answer(), "claude-code")
            resume(skill.ws, JUDGING, run, at(NOW))
    hypothesis = known(skill)["hypotheses"][0]
    assert (hypothesis["decay_state"], hypothesis["confidence"]) == ("active", "low")
    assert sent(skill)["match_evidence"]["strength"] == "high"


def test_a_message_without_a_hypothesis_counts_for_its_question_alone(skill: SkillWorkspace) -> None:
    """And the person who confirms its reply is told so, once."""
    path = skill.root / GROWTH / "alice.yaml"
    text = path.read_text("utf-8")
    path.write_text(text.replace("hypothesis_ids:\n    - H1\n", "hypothesis_ids: []\n"), "utf-8")
    assert sent(skill)["hypothesis_ids"] == []
    paste(skill)
    done = confirm(skill.ws, "alice", [sent(skill)["id"]], at(NOW), verdict=Verdict("supports", "high"))
    assert len(done.told) == 1
    assert done.told[0].endswith(" answered; it names no hypothesis, so it counts for its question alone")
    assert known(skill)["hypotheses"][0]["confidence"] == "low"


def test_a_message_that_is_gone_cannot_be_confirmed(skill: SkillWorkspace) -> None:
    """Retention dropped it: nothing is changed, not even the proposal."""
    paste(skill)
    with skill.ws.transaction("user:alice") as tx:
        document = read_proposals(tx, "alice")
        document["matches"][0]["follow_up_id"] = "fu-2025-01-01-alice-9-9"
        write_proposals(tx, document)
    with pytest.raises(Negative, match="has no message"):
        confirm(skill.ws, "alice", ["fu-2025-01-01-alice-9-9"], at(NOW))
    assert statuses(skill) == ["pending"]
    assert sent(skill)["outcome"] == "pending"


def test_rejecting_changes_no_growth(skill: SkillWorkspace) -> None:
    """And a rejected match is never proposed again, but a person may still change their mind."""
    (match,) = paste(skill)
    before = (skill.root / GROWTH / "alice.yaml").read_bytes()
    assert [one["id"] for one in reject(skill.ws, "alice", [match["id"][:4]])] == [match["id"]]
    assert (skill.root / GROWTH / "alice.yaml").read_bytes() == before
    assert paste(skill) == []
    with pytest.raises(Negative, match="is rejected already"):
        reject(skill.ws, "alice", [match["id"]])
    confirm(skill.ws, "alice", [match["id"]], at(NOW))
    assert statuses(skill) == ["confirmed"]
    with pytest.raises(Negative, match="is confirmed already"):
        reject(skill.ws, "alice", [match["id"]])


def test_one_wrong_name_rejects_nothing(skill: SkillWorkspace) -> None:
    """All of them or none."""
    (match,) = paste(skill)
    with pytest.raises(Negative):
        reject(skill.ws, "alice", [match["id"], "ffff0000"])
    assert statuses(skill) == ["pending"]


# --- the packet -------------------------------------------------------------------------------------------------------


def test_a_packet_holds_one_user(skill: SkillWorkspace) -> None:
    """Hypothesis, message as it was sent, reply; nothing of anybody else."""
    run, item = asked(skill)
    packet = read_item(skill.ws, find_run(skill.ws, run), item)
    assert packet["judge"] == "reply-classifier"
    assert packet["prompt"].count("alice-canvas.md") == 1
    assert "H1: wants to be seen" in packet["prompt"]
    assert "what did you do next" in packet["prompt"]
    assert REPLY in packet["prompt"]
    assert "bob" not in packet["prompt"]
    assert JUDGING.scopes(packet) == ("user:alice",)


@pytest.mark.parametrize(
    "foreign", ["see bob-canvas.md", wallet_of("bob"), wallet_of("bob").upper(), "alice-canvas.md"]
)
def test_a_reply_that_names_another_is_asked_about_by_nobody(skill: SkillWorkspace, foreign: str) -> None:
    """The reply counts, the person is told to classify it, and no run begins."""
    paste(skill, f"{foreign} {token(skill)}")
    done = confirm(skill.ws, "alice", [], at(NOW), preselected=True)
    assert done.run is None
    assert "prompt_manifest_violation" in done.warnings[0]
    assert "bob" not in done.warnings[0]
    assert sent(skill)["outcome"] == "responded"
    assert not (skill.root / "agents/researcher/session/runs/grow-2026-02-20-001.json").exists()


def test_the_batch_may_be_gone(skill: SkillWorkspace) -> None:
    """The question then says that the message is not kept; one that does not parse is no other."""
    (skill.root / FOLLOW_UPS / "2026-02-11.md").write_text("no batch")
    run, item = asked(skill)
    assert "not kept any more" in read_item(skill.ws, find_run(skill.ws, run), item)["prompt"]


def test_words_that_are_gone_cannot_be_judged(skill: SkillWorkspace) -> None:
    """The record left the index: the reply counts, nobody is asked."""
    skill.observe("alice", f"hm {token(skill)}", SAID, SAID)
    match_user(skill.ws, "alice", at(NOW))
    (skill.root / INDEX).write_bytes(b"")
    done = confirm(skill.ws, "alice", [], at(NOW), preselected=True)
    assert done.run is None
    assert "not kept any more" in done.warnings[0]


# --- learn ------------------------------------------------------------------------------------------------------------


def test_an_answer_teaches_once(skill: SkillWorkspace) -> None:
    """Evidence of the agent, the rating, one level of confidence; resuming again finds nothing to do."""
    run, item = asked(skill)
    file_answer(skill.ws, run, item, answer(), "claude-code")
    judged = resume(skill.ws, JUDGING, run, at(NOW))
    assert [(one["outcome"], one["told"]) for one in judged.done] == [
        ("done", f"{sent(skill)['id']}: evidence recorded; H1: low to medium")
    ]
    assert sent(skill)["match_evidence"]["classified_by"] == "agent"
    assert sent(skill)["match_evidence"]["quote_span"] == "checked the ranks twice"
    assert sent(skill)["signal_quality"] == "high"
    assert known(skill)["hypotheses"][0]["confidence"] == "medium"
    again = resume(skill.ws, JUDGING, run, at(NOW))
    assert (again.done, again.state) == ([], "complete")


def test_a_wrong_answer_teaches_nothing(skill: SkillWorkspace) -> None:
    """Given directly it is refused and the item waits; filed it settles the item as refused."""
    run, item = asked(skill)
    before = (skill.root / GROWTH / "alice.yaml").read_bytes()
    with pytest.raises(AnswerRefused, match="letter for letter"):
        answer_now(skill.ws, JUDGING, run, item, answer(quote_span="never said"), host="person", now=at(NOW))
    file_answer(skill.ws, run, item, "no json", "claude-code")
    judged = resume(skill.ws, JUDGING, run, at(NOW))
    assert [one["outcome"] for one in judged.done] == ["refused"]
    assert (skill.root / GROWTH / "alice.yaml").read_bytes() == before


def test_a_rehearsal_is_labelled_and_teaches_nothing(skill: SkillWorkspace) -> None:
    """The default answer: evidence that says what it is, and no number moves."""
    run, item = asked(skill)
    before = known(skill)
    default = str(read_item(skill.ws, find_run(skill.ws, run), item)["default"])
    answer_now(skill.ws, JUDGING, run, item, default, host="rehearsal", now=at(NOW))
    assert sent(skill)["match_evidence"]["classified_by"] == "rehearsal"
    assert sent(skill)["match_evidence"]["rationale"].startswith("[rehearsal]")
    after = known(skill)
    assert after["question_patterns"] == before["question_patterns"]
    assert after["hypotheses"] == before["hypotheses"]


@pytest.mark.parametrize("host", ["rehearsal", "claude-code"])
def test_evidence_is_never_replaced(skill: SkillWorkspace, host: str) -> None:
    """A person classified a second reply's message meanwhile: the answer of the run is refused."""
    paste(skill, date=SAID)
    paste(skill, f"{REPLY} again {token(skill)}", date="2026-02-13T08:00:00Z")
    first, second = (match["id"] for match in read_proposals(skill.ws, "alice")["matches"])
    run = confirm(skill.ws, "alice", [first], at(NOW)).run
    assert run is not None
    confirm(skill.ws, "alice", [second], at(NOW), verdict=Verdict("refutes", "high"))
    before = (skill.root / GROWTH / "alice.yaml").read_bytes()
    file_answer(skill.ws, run, first, answer(), host)
    judged = resume(skill.ws, JUDGING, run, at(NOW))
    assert [one["outcome"] for one in judged.done] == ["refused"]
    assert (skill.root / GROWTH / "alice.yaml").read_bytes() == before


def test_two_replies_in_one_cycle_move_the_confidence_once(skill: SkillWorkspace) -> None:
    """Both are evidence; the second moves nothing before the next batch."""
    skill.canvas("alice", body=hypothesis(), updated="2026-02-15")
    skill.full_run(now="2026-02-18T09:00:00Z", canvas="alice")
    for number in range(2):
        text = f"{REPLY} {number} [FU:{sent(skill, number=number)['token']}]"
        paste(skill, text, date="2026-02-19")
    done = confirm(skill.ws, "alice", [], at(NOW), preselected=True)
    assert done.run is not None
    assert len(done.packets) == 2
    for packet in done.packets:
        file_answer(skill.ws, done.run, packet.rpartition("/")[2], answer(), "claude-code")
    told = sorted(one["told"].partition("; ")[2] for one in resume(skill.ws, JUDGING, done.run, at(NOW)).done)
    assert told == ["H1 stays medium: it moved in this cycle already", "H1: low to medium"]
    assert known(skill)["hypotheses"][0]["confidence"] == "medium"


def test_a_message_dropped_meanwhile_teaches_nothing(skill: SkillWorkspace) -> None:
    """Retention took it between question and answer: the item settles as refused."""
    run, item = asked(skill)
    with skill.ws.transaction("user:alice") as tx:
        path = f"{GROWTH}/alice.yaml"
        tx.write(path, (tx.read_text(path) or "").replace(sent(skill)["id"], "fu-2026-02-11-alice-1-7"))
    file_answer(skill.ws, run, item, answer(), "claude-code")
    judged = resume(skill.ws, JUDGING, run, at(NOW))
    assert [(one["outcome"], "no longer kept" in one["told"]) for one in judged.done] == [("refused", True)]
