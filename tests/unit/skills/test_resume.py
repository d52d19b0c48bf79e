"""Resume: what is answered goes into the batch once, what is not stays open (follow-up, steps 4 to 5.5)."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING

import pytest

from mindloop.hosts.rehearsal import RehearsalHost
from mindloop.observer.canonical import content_hash
from mindloop.skills.follow_up.drive import drive
from mindloop.skills.think.begin import begin as think
from mindloop.store.errors import Malformed, Negative, WrongInput
from tests.helpers.skill_workspace import (
    FOLLOW_UPS,
    NOW,
    SkillWorkspace,
    answer,
    at,
    held_lock,
    hypothesis,
    message,
    snapshot,
    waiting,
)

if TYPE_CHECKING:
    from pathlib import Path

USERS = ["ann", "bob", "zoe"]
TODAY = "2026-02-20"
TOMORROW = "2026-02-21T09:00:00Z"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    for user in USERS:
        made.observe(user, f"{user} said this")
    return made


def numbers(bench: SkillWorkspace, user: str) -> list[int]:
    """The numbers of a user's messages in today's batch."""
    section = next(section for section in bench.batch()["sections"] if section["user"] == user)
    return [one["number"] for one in section["messages"]]


def test_the_unanswered_stay_open(bench: SkillWorkspace) -> None:
    """One of three is answered: one is done, two wait, the batch says nothing about them."""
    run = bench.begin().place.run
    bench.default_answers(run, "bob")
    resumed = bench.resume(run)

    assert (resumed.open, resumed.state) == (["ann", "zoe"], "open")
    assert resumed.done == [{"user": "bob", "outcome": "messages", "messages": 1}]
    assert bench.batch()["users"] == ["bob"]
    assert bench.batch()["skipped_users"] == []


def test_a_second_resume_adds_the_others(bench: SkillWorkspace) -> None:
    """Later answers join the day's file; what stood there keeps its bytes."""
    run = bench.begin().place.run
    bench.default_answers(run, "bob")
    bench.resume(run)
    section = bench.batch_text().partition("## bob")[2]
    bench.default_answers(run, "ann", "zoe")
    resumed = bench.resume(run, now="2026-02-20T11:00:00Z")

    assert (resumed.open, resumed.state) == ([], "complete")
    assert [entry["user"] for entry in resumed.done] == ["ann", "zoe"]
    assert [one["user"] for one in bench.batch()["sections"]] == ["bob", "ann", "zoe"]
    assert section.strip() in bench.batch_text()
    assert bench.batch()["total_messages"] == 3
    assert [entry["run"] for entry in bench.batch()["runs"]] == [run]


def test_a_repeated_resume_changes_nothing(bench: SkillWorkspace) -> None:
    """Resume twice is resume once: batch and growth keep their bytes."""
    run = bench.begin().place.run
    bench.default_answers(run, *USERS)
    bench.resume(run)
    before = {path: digest for path, (_, digest) in snapshot(bench.root).items()}
    again = bench.resume(run, now=TOMORROW)

    assert (again.done, again.open, again.state) == ([], [], "complete")
    assert again.batch == f"{FOLLOW_UPS}/{TODAY}.md"
    assert {path: digest for path, (_, digest) in snapshot(bench.root).items()} == before


def test_a_resume_without_answers_writes_nothing(bench: SkillWorkspace) -> None:
    """Nobody answered yet: no batch, everybody open."""
    run = bench.begin().place.run
    resumed = bench.resume(run)

    assert (resumed.batch, resumed.open, resumed.done) == (None, USERS, [])
    assert not (bench.root / FOLLOW_UPS / f"{TODAY}.md").exists()


def test_an_answer_after_its_resume_is_refused(bench: SkillWorkspace) -> None:
    """Messages that are in the batch, and perhaps sent, cannot be answered again."""
    run = bench.begin().place.run
    bench.default_answers(run, "ann")
    bench.resume(run)
    before = snapshot(bench.root)

    with pytest.raises(Negative, match="resumed already"):
        bench.file(run, "ann", "another")
    changed = {path for path, state in snapshot(bench.root).items() if before.get(path) != state}
    assert [path for path in changed if not path.startswith(".mindloop")] == []


def test_an_answer_before_the_resume_may_be_replaced(bench: SkillWorkspace) -> None:
    """The last answer counts; the one before is kept in the file."""
    run = bench.begin().place.run
    assert bench.file(run, "ann", "first") == "ann: answer filed"
    assert bench.file(run, "ann", "first") == "ann: this answer is filed already"
    good = answer("ann", message(content_hash("ann said this"), "the second one?"))
    assert bench.file(run, "ann", good) == "ann: answer filed in place of an earlier one"
    bench.resume(run)

    assert bench.batch()["sections"][0]["messages"][0]["message_body"] == "the second one?"


@pytest.mark.parametrize("user", ["nobody", "ann-canvas"])
def test_an_answer_about_somebody_who_does_not_wait_is_refused(bench: SkillWorkspace, user: str) -> None:
    """Only who has a packet can be answered."""
    run = bench.begin().place.run

    with pytest.raises(Negative, match="no packet"):
        bench.file(run, user, "x")


@pytest.mark.parametrize("run", ["follow-up-2026-02-20-999", "x"])
def test_an_unknown_run_is_a_negative_verdict(bench: SkillWorkspace, run: str) -> None:
    """Not found is 1, not a crash."""
    with pytest.raises(Negative, match="not in this workspace"):
        bench.resume(run)


@pytest.mark.parametrize("run", ["../x", "", "a/b", "A", "x" * 81, "ü"])
def test_a_run_id_that_could_leave_its_folder_is_refused(bench: SkillWorkspace, run: str) -> None:
    """Ids are checked before they become paths."""
    with pytest.raises(WrongInput, match="expected 1 to 80"):
        bench.resume(run)


def test_a_packet_that_was_changed_on_disk_is_refused(bench: SkillWorkspace) -> None:
    """The hash over the prompt is looked at each time: a changed packet is not sent and not answered."""
    begun = bench.begin()
    path = bench.root / begun.place.item("ann")
    path.write_text(path.read_text("utf-8").replace("STYLE RULES", "STYLE RULEZ"), "utf-8")

    with pytest.raises(Malformed, match="its hash differs"):
        bench.packet(begun.place.run, "ann")
    with pytest.raises(Malformed, match="its hash differs"):
        bench.file(begun.place.run, "ann", "x")


def test_a_run_of_another_skill_is_not_resumed(bench: SkillWorkspace) -> None:
    """Its packets are none of a writer's, and each skill has its own command to go on with."""
    run = think(bench.ws, at(NOW)).place
    assert run is not None

    with pytest.raises(Negative, match=r"is a run of 'think', expected one of 'follow-up'"):
        bench.resume(run.run)


def test_a_run_whose_begin_was_interrupted_is_not_resumed(bench: SkillWorkspace) -> None:
    """The head of a killed begin says so: a negative verdict and the way out, no batch."""
    begun = bench.begin()
    head = json.loads((bench.root / begun.place.head).read_text())
    (bench.root / begun.place.head).write_text(json.dumps(head | {"state": "beginning", "waiting": {}}))

    with pytest.raises(Negative, match="begin was interrupted"):
        bench.resume(begun.place.run)
    assert list((bench.root / FOLLOW_UPS).iterdir()) == []


def test_midnight_between_begin_and_resume(bench: SkillWorkspace) -> None:
    """File, ids and `generated` come from the one instant of resume, whatever day the run began."""
    run = bench.begin(now="2026-02-20T23:59:59Z").place.run
    bench.default_answers(run, *USERS)
    resumed = bench.resume(run, now="2026-02-21T00:00:01Z")

    assert (run, resumed.batch) == ("follow-up-2026-02-20-001", f"{FOLLOW_UPS}/2026-02-21.md")
    assert bench.batch("2026-02-21")["generated"] == "2026-02-21T00:00:01Z"
    assert bench.growth("ann")["follow_ups"][0]["message_ids"][0]["id"] == "fu-2026-02-21-ann-1-1"


def test_a_run_that_is_resumed_over_two_days_stands_in_both_files(bench: SkillWorkspace) -> None:
    """Who is answered today is in today's file, who is answered tomorrow in tomorrow's; nobody is in both."""
    run = bench.begin().place.run
    bench.default_answers(run, "ann")
    bench.resume(run)
    bench.default_answers(run, "bob", "zoe")
    bench.resume(run, now=TOMORROW)

    assert (bench.batch()["users"], bench.batch("2026-02-21")["users"]) == (["ann"], ["bob", "zoe"])


# --- several runs


def test_a_second_run_of_the_day_joins_the_days_file(bench: SkillWorkspace) -> None:
    """Same day: earlier messages stay, new ones go on under the same heading with the next numbers and new tokens."""
    bench.full_run()
    bench.observe("ann", "ann said more", now="2026-02-20T10:00:00Z")
    first = bench.batch_text()
    tokens = re.findall(r"\[FU:([0-9a-f]{8})\]", first)
    bench.full_run(now="2026-02-20T12:00:00Z", canvas="ann")
    batch = bench.batch()

    assert numbers(bench, "ann") == [1, 2]
    assert [section["user"] for section in batch["sections"]] == USERS
    assert (batch["users"], batch["total_messages"], len(batch["runs"])) == (USERS, 4, 2)
    assert len(set(re.findall(r"\[FU:([0-9a-f]{8})\]", bench.batch_text()))) == 4
    assert [token for token in tokens if token not in bench.batch_text()] == []
    assert [entry["batch_seq"] for entry in bench.growth("ann")["follow_ups"]] == ["1", "2"]


def test_runs_of_one_day_get_ids_of_their_own(bench: SkillWorkspace) -> None:
    """Ids count up within a day, and start again the next day."""
    runs = [bench.begin().place.run, bench.begin().place.run, bench.begin(now=TOMORROW).place.run]

    assert runs == ["follow-up-2026-02-20-001", "follow-up-2026-02-20-002", "follow-up-2026-02-21-001"]


def test_a_days_file_that_is_no_batch_is_left_alone(bench: SkillWorkspace) -> None:
    """Somebody's own note under today's name: refused, and the note keeps its bytes; nothing is recorded."""
    note = bench.write(f"{FOLLOW_UPS}/{TODAY}.md", "---\ntype: note\n---\n\nmine\n")
    run = bench.begin().place.run
    bench.default_answers(run, *USERS)

    with pytest.raises(WrongInput):
        bench.resume(run)
    assert note.read_text() == "---\ntype: note\n---\n\nmine\n"
    assert bench.growth("ann") is None


def test_the_next_day_knows_what_was_asked(bench: SkillWorkspace) -> None:
    """Prior section and growth section stand in the next packet, without token and canvas line."""
    bench.full_run()
    for user in USERS:
        bench.observe(user, f"{user} said more", now="2026-02-20T15:00:00Z")
    begun = bench.begin(now=TOMORROW)
    packet = bench.packet(begun.place.run, "ann")
    prior = packet.partition("=== PRIOR FOLLOW-UPS")[2].partition("\n=== ")[0]

    assert waiting(begun) == USERS
    assert "## ann" in prior
    assert "### Message 1 (" in prior
    assert "[FU:" not in packet
    assert "=== GROWTH STATE" in packet
    assert "fu-2026-02-20-ann-1-1: " in packet.partition("=== GROWTH STATE")[2]


def test_without_anything_new_nobody_is_asked_again(bench: SkillWorkspace) -> None:
    """A user with no hypotheses, promises or gaps is asked again only after new feedback."""
    bench.full_run()
    begun = bench.begin(now=TOMORROW)

    assert waiting(begun) == []
    assert {entry["reason"] for entry in begun.skipped} == {"no_triggers"}


def test_the_cycle_is_counted_once_a_recorded_batch(tmp_path: Path) -> None:
    """Three begins without a resume: the hypothesis has lost one cycle, not three."""
    bench = SkillWorkspace(tmp_path)
    bench.canvas("ann", body=hypothesis())
    bench.full_run()
    for hour in (9, 10, 11):
        bench.begin(now=f"2026-02-21T{hour:02}:00:00Z")
    counted = bench.growth("ann")["hypotheses"][0]["cycles_without_evidence"]
    bench.full_run(now="2026-02-21T12:00:00Z")
    bench.begin(now="2026-02-22T09:00:00Z")

    assert counted == "1"
    assert bench.growth("ann")["hypotheses"][0]["cycles_without_evidence"] == "2"


def test_a_hypothesis_without_evidence_grows_stale_and_is_asked_about_no_more(tmp_path: Path) -> None:
    """Six recorded cycles without a reply: the packet warns at three, at six the user has no trigger left."""
    bench = SkillWorkspace(tmp_path)
    bench.canvas("ann", body=hypothesis())
    seen = []
    for day in range(1, 9):
        now = f"2026-03-{day:02}T09:00:00Z"
        begun = bench.begin(now=now)
        if waiting(begun):
            bench.default_answers(begun.place.run, "ann")
            bench.resume(begun.place.run, now=now)
        state = bench.growth("ann")["hypotheses"][0]
        seen.append((bool(waiting(begun)), state["decay_state"]))

    assert seen == [(True, "active")] * 3 + [(True, "decaying")] * 3 + [(False, "stale")] * 2


# --- growth


MESSAGE_ID = re.compile(r"fu-\d{4}-\d{2}-\d{2}-[a-z0-9_-]+-\d+-\d+")


@pytest.mark.parametrize("user", ["ann", "Ümit 🦊", "a.b", "no", "0123"])
def test_tokens_in_the_batch_are_the_ones_that_growth_knows(tmp_path: Path, user: str) -> None:
    """Each message's token is the first 8 hex digits of the SHA-256 of its id, in both files, in order."""
    bench = SkillWorkspace(tmp_path)
    digest = bench.observe(user, "said this")
    run = bench.begin().place.run
    bench.file(run, user, answer(user, message(digest), message(digest, "and why?"), message(digest, "who else?")))
    bench.resume(run)
    sent = bench.growth(user)["follow_ups"][0]["message_ids"]

    assert [bool(MESSAGE_ID.fullmatch(one["id"])) for one in sent] == [True] * 3
    assert [one["id"][:13] for one in sent] == ["fu-2026-02-20"] * 3
    assert [one["token"] for one in sent] == [hashlib.sha256(one["id"].encode()).hexdigest()[:8] for one in sent]
    assert [one["token"] for one in bench.batch()["sections"][0]["messages"]] == [one["token"] for one in sent]


def test_the_recorded_message_is_the_one_that_is_sent(bench: SkillWorkspace) -> None:
    """Hypothesis ids, tags, pattern, anchor and the begin's instant are recorded as the source document says."""
    digest = content_hash("ann said this")
    run = bench.begin(now="2026-02-20T09:00:00Z").place.run
    one = message(digest, "did you look at it again?", hypothesis_or_trigger="H3: Customize profile with H1")
    bench.file(run, "ann", answer("ann", one))
    bench.resume(run, now="2026-02-20T10:00:00Z")
    state = bench.growth("ann")
    sent = state["follow_ups"][0]["message_ids"][0]

    assert (sent["hypothesis_ids"], sent["topic_tags"]) == (["H3", "H1"], ["customize", "profile"])
    assert (sent["question_pattern"], sent["outcome"], sent["anchor_hash"]) == ("verify_action", "pending", digest)
    assert state["question_patterns"]["verify_action"]["times_used"] == "1"
    assert (state["next_batch_seq"], state["last_cycle_at"]) == ("2", "2026-02-20T10:00:00Z")


def test_growth_off_records_nothing_and_sends_no_token(tmp_path: Path) -> None:
    """Without growth there is no file and no token line."""
    bench = SkillWorkspace(tmp_path, growth=False)
    bench.observe("ann", "ann said this")
    bench.full_run()

    assert bench.growth("ann") is None
    assert "[FU:" not in bench.batch_text()


def test_old_batches_leave_growth_and_counters_stay(tmp_path: Path) -> None:
    """Retention keeps the latest ten batches; the pattern's total goes on."""
    bench = SkillWorkspace(tmp_path)
    with (bench.root / "mindloop.yaml").open("a") as file:
        file.write("    retention:\n      max_batches_per_user: 2\n")
    gap = "## Expectation Gaps\n\n### GAP-1: no export\n\n**Status**: IDENTIFIED\n"
    bench.canvas("ann", body=gap)
    for day in range(1, 5):
        bench.full_run(now=f"2026-03-{day:02}T09:00:00Z")
    state = bench.growth("ann")

    assert [batch["batch_seq"] for batch in state["follow_ups"]] == ["3", "4"]
    assert sum(int(one["times_used"]) for one in state["question_patterns"].values()) == 4


# --- locks


def test_a_busy_user_lock_costs_the_packet_its_growth_section(tmp_path: Path) -> None:
    """Begin goes on without that user's growth and says so; the others have theirs."""
    bench = SkillWorkspace(tmp_path)
    for user in ("ann", "bob"):
        bench.canvas(user, body=hypothesis())
    bench.full_run()
    with held_lock(bench.root, "user:ann"):
        begun = bench.begin(now=TOMORROW)

    assert waiting(begun) == ["ann", "bob"]
    assert "=== GROWTH STATE" not in bench.packet(begun.place.run, "ann")
    assert "=== GROWTH STATE" in bench.packet(begun.place.run, "bob")
    assert [warning.partition(":")[0] for warning in begun.warnings] == ["ann"]
    assert bench.growth("ann")["decay_seq"] != bench.growth("bob")["decay_seq"]


def test_a_busy_user_lock_leaves_that_user_open(bench: SkillWorkspace) -> None:
    """Resume does the others, names the busy one, and does that one when the lock is free."""
    run = bench.begin().place.run
    bench.default_answers(run, *USERS)
    with held_lock(bench.root, "user:bob"):
        resumed = bench.resume(run)

    assert (resumed.busy, resumed.open, resumed.state) == (["bob"], ["bob"], "open")
    assert [entry["user"] for entry in resumed.done] == ["ann", "zoe"]
    assert bench.batch()["users"] == ["ann", "zoe"]
    assert bench.resume(run).state == "complete"
    assert bench.batch()["users"] == ["ann", "zoe", "bob"]


def test_who_is_stopped_after_the_packet_gets_no_messages(tmp_path: Path) -> None:
    """The writer answered in vain: the reason stands in the batch, growth records nothing."""
    bench = SkillWorkspace(tmp_path)
    bench.observe("ann", "ann said this")
    run = bench.begin().place.run
    bench.default_answers(run, "ann")
    bench.write(
        "grimoires/observer/stops/ann.yaml",
        "schema_version: 1\nuser: ann\nstate: stopped\nreason: opted_out\nsince: 2026-02-20T09:00:00Z\nhistory: []\n",
    )
    resumed = bench.resume(run)

    assert [(entry["user"], entry["outcome"]) for entry in resumed.done] == [("ann", "stopped")]
    assert bench.batch()["skipped_users"] == [{"user": "ann", "reason": "stopped"}]
    assert bench.growth("ann") is None


@pytest.fixture
def gated(tmp_path: Path) -> SkillWorkspace:
    """Ann, and the silence gate on as init writes it."""
    made = SkillWorkspace(tmp_path, gate=True)
    made.canvas("ann", body=hypothesis())
    return made


def two_runs(bench: SkillWorkspace) -> tuple[str, str]:
    """Two runs that ask about ann, both answered, none resumed."""
    first, second = (bench.begin().place.run for _ in range(2))
    for run in (first, second):
        bench.default_answers(run, "ann")
    return first, second


def test_of_two_open_runs_only_the_first_writes_to_a_user(gated: SkillWorkspace) -> None:
    """The gate is asked again where the messages are written: the second run skips her, with the gate's reason."""
    first, second = two_runs(gated)
    gated.resume(first)
    growth = (gated.root / "grimoires/observer/growth/ann.yaml").read_bytes()
    resumed = gated.resume(second)

    assert [(one["user"], one["outcome"], one["messages"]) for one in resumed.done] == [("ann", "silence_gate", 0)]
    assert (resumed.open, resumed.state) == ([], "complete")
    assert any("next message from 2026-02-27 on (7 days)" in line for line in resumed.log)
    assert numbers(gated, "ann") == [1]
    assert resumed.skipped == [{"user": "ann", "reason": "silence_gate"}]
    assert (gated.root / "grimoires/observer/growth/ann.yaml").read_bytes() == growth


def test_the_gate_does_not_turn_against_its_own_run(gated: SkillWorkspace) -> None:
    """Resumed again, the run that wrote to her stays as it is: not a byte changes, nobody is skipped by it."""
    first, _ = two_runs(gated)
    gated.resume(first)
    before = snapshot(gated.root / "grimoires")
    again = gated.resume(first)

    assert (again.done, again.skipped, again.state) == ([], [], "complete")
    assert snapshot(gated.root / "grimoires") == before


def test_once_the_days_are_over_the_second_run_writes_too(gated: SkillWorkspace) -> None:
    """The gate counts to the instant of the resume, not of the question."""
    first, second = two_runs(gated)
    gated.resume(first)
    resumed = gated.resume(second, now="2026-02-27T09:00:00Z")

    assert [(one["user"], one["messages"]) for one in resumed.done] == [("ann", 1)]


def test_a_rehearsed_batch_gates_no_open_run(gated: SkillWorkspace) -> None:
    """What a rehearsal wrote meanwhile was sent to nobody."""
    run = gated.begin().place.run
    gated.default_answers(run, "ann")
    drive(gated.ws, RehearsalHost(), at(NOW), {"canvas": None})
    resumed = gated.resume(run)

    assert [(one["user"], one["messages"]) for one in resumed.done] == [("ann", 1)]
