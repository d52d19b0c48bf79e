"""One question about all users: who is compared, what the judge sees, what becomes of the answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.batch.prior import batch_index, prior_section
from mindloop.observer.synthesis.answer import LISTS
from mindloop.protocol.questions import AnswerRefused
from mindloop.protocol.run_files import file_answer, find_run, read_head, read_item, read_packet
from mindloop.skills.judged import answer_now, resume
from mindloop.skills.synthesis import pass_over
from mindloop.skills.synthesis.judging import JUDGING
from mindloop.skills.synthesis.pass_over import COGNITION, FOLLOW_UPS, stage_synthesis
from mindloop.store import strict_yaml
from mindloop.store.errors import Malformed, Negative
from tests.helpers.command_faults import findings
from tests.helpers.sidecars import exploratory, fear, sidecar
from tests.helpers.skill_workspace import NOW, SkillWorkspace, at, hypothesis, snapshot, wallet_of

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.protocol.run_files import RunPlace

USERS = ("ann", "bob", "cem", "dee")
FILE = "grimoires/observer/follow-ups/2026-02-20-synthesis.md"
COGNITION_FILE = "grimoires/observer/cognition/synthesis-2026-02-20.md"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    for user in USERS:
        made.canvas(user, body=hypothesis(), lifecycle_state="power_user")
    return made


def stage(bench: SkillWorkspace, **more: Any) -> RunPlace | None:
    workspace = bench.ws
    with workspace.transaction("agent:researcher") as tx:
        return stage_synthesis(tx, workspace, at(more.pop("now", NOW)), **more)


def staged(bench: SkillWorkspace, **more: Any) -> str:
    place = stage(bench, **more)
    assert place is not None
    return place.run


def vectors(bench: SkillWorkspace, run: str) -> dict[str, dict[str, Any]]:
    """The vectors of a packet, by user."""
    text = read_packet(bench.ws, run, "all").decode()
    section = text.partition("=== FEATURES")[2].partition("\n=== ")[0]
    found = [json.loads(line) for line in section.splitlines() if line.startswith("{")]
    return {one["user"]: one for one in found}


def think(bench: SkillWorkspace, user: str, generated_at: str = NOW, **features: Any) -> None:
    """Give a user a valid sidecar."""
    fears = [fear(1, id=f"FEAR-{user}-1"), exploratory(2, id=f"FEAR-{user}-2")]
    document = sidecar(*fears, user=user, generated_at=generated_at, synthesis_features=features)
    bench.write(f"grimoires/observer/cognition/{user}.yaml", strict_yaml.dump(document))


def answer(text: str = "they all watch the ranks", users: tuple[str, ...] = ("ann", "bob", "cem")) -> str:
    lists = {name: [] for name in LISTS}
    return json.dumps({**lists, "shared_hypotheses": [{"text": text, "users": list(users)}]})


def take(bench: SkillWorkspace, run: str, raw: str, host: str = "claude-code", now: str = NOW) -> dict[str, str]:
    return answer_now(bench.ws, JUDGING, run, "all", raw, host=host, now=at(now))


# --- the question -----------------------------------------------------------------------------------------------------


def test_one_question_about_all_users_waits_in_a_run_of_its_own(bench: SkillWorkspace) -> None:
    """One item, `all`, for the judge synthesis-writer; the packet has a vector for each user."""
    run = staged(bench)
    head, item = read_head(bench.ws, find_run(bench.ws, run)), read_item(bench.ws, find_run(bench.ws, run), "all")

    assert run == "synthesis-2026-02-20-001"
    assert (head["skill"], head["state"], head["waiting"]) == ("synthesis", "open", {"all": "4 users"})
    assert head["flags"] == {"target": "follow-ups"}
    assert (item["judge"], item["answer_schema"]) == ("synthesis-writer", "synthesis-answer")
    assert (item["users"], item["min_users"], item["target"]) == ({user: user for user in USERS}, 3, "follow-ups")
    assert list(vectors(bench, run)) == list(USERS)
    assert vectors(bench, run)["ann"] == {
        "user": "ann",
        "lifecycle_state": "power_user",
        "hypothesis_ids": ["H1"],
        "hypothesis_confidences": {"H1": "low"},
        "complaint_taxonomy": [],
        "behavior_tags": [],
        "gap_types": [],
        "quote_count": 1,
        "score_summary": {"og": None, "nft": None, "onchain": None, "rank": None},
    }


def test_nothing_of_a_canvas_is_in_the_packet(bench: SkillWorkspace) -> None:
    """No file name, wallet, heading, title or quote; only ids, classes and numbers."""
    text = read_packet(bench.ws, staged(bench), "all").decode()

    assert ".md" not in text
    assert "wants to be seen" not in text
    assert "reads the ranks" not in text
    assert [user for user in USERS if wallet_of(user)[2:] in text.lower()] == []


def test_too_few_users_are_not_asked_about(bench: SkillWorkspace) -> None:
    """Below observer.synthesis.min_users_for_pattern there is no run, and a note says so."""
    for user in USERS[2:]:
        (bench.root / f"grimoires/observer/canvas/{user}-canvas.md").unlink()
    before, notes = snapshot(bench.root), []

    assert stage(bench, notes=notes) is None
    assert notes == ["no synthesis: 2 users to compare, at least 3 are needed for a pattern"]
    assert {path for path in snapshot(bench.root) if "session" in path} == {
        path for path in before if "session" in path
    }


def test_how_many_are_enough_is_a_setting(bench: SkillWorkspace) -> None:
    """Five are asked for, four are there."""
    marker = bench.root / "mindloop.yaml"
    marker.write_text(marker.read_text("utf-8") + "  synthesis:\n    min_users_for_pattern: 5\n", "utf-8")

    assert bench.ws.settings.get("observer.synthesis.min_users_for_pattern") == 5
    assert stage(bench) is None


def test_a_single_user_shares_nothing(bench: SkillWorkspace) -> None:
    """`--canvas` leaves one user to compare."""
    assert stage(bench, user="ann") is None


def test_a_canvas_that_does_not_parse_is_left_out(bench: SkillWorkspace) -> None:
    """The others are compared."""
    bench.write("grimoires/observer/canvas/ann-canvas.md", "no header\n")

    assert list(vectors(bench, staged(bench))) == ["bob", "cem", "dee"]


def test_the_run_belongs_to_the_agent_whose_lock_is_held(bench: SkillWorkspace) -> None:
    """A run that was begun as another agent is gone on with as that agent."""
    workspace = bench.ws
    with workspace.transaction("research", "agent:other") as tx:
        place = stage_synthesis(tx, workspace, at(NOW))

    assert place is not None
    assert place.agent == "other"
    assert take(bench, place.run, answer())["outcome"] == "done"


def test_in_memory_nothing_is_written(bench: SkillWorkspace) -> None:
    """A dry run has the same packet and leaves the disk alone."""
    run = staged(bench)
    packet, before = read_packet(bench.ws, run, "all"), snapshot(bench.root)
    view = bench.ws.in_memory()
    with view.transaction("agent:researcher") as tx:
        place = stage_synthesis(tx, view, at(NOW))

    assert place is not None
    assert place.run == "synthesis-2026-02-20-002"
    assert read_packet(view, place.run, "all") == packet
    assert snapshot(bench.root) == before


def test_scores_of_the_follow_up_run_count_first(bench: SkillWorkspace) -> None:
    """What a run fetched is fresher than what a canvas or a sidecar says."""
    bench.score(wallet_of("ann"), og_score=41.5, rank=7)
    think(bench, "ann", score_summary={"og": 1, "nft": 2, "onchain": 3, "rank": 4})
    place = bench.begin().place

    assert vectors(bench, staged(bench, part_of=place))["ann"]["score_summary"] == {
        "og": 41.5,
        "nft": 20,
        "onchain": 77,
        "rank": 7,
    }
    assert vectors(bench, staged(bench))["ann"]["score_summary"] == {"og": 1, "nft": 2, "onchain": 3, "rank": 4}


def test_tags_of_a_sidecar_are_shown_unless_a_canvas_says_them(bench: SkillWorkspace) -> None:
    """What anybody said does not come in as a tag, from whoever's sidecar."""
    bench.canvas("bob", body="sourdough every night")
    think(bench, "ann", behavior_tags=["early_adopter", "sourdough_fan", "reads_ranks", "ANN"])

    assert vectors(bench, staged(bench))["ann"]["behavior_tags"] == ["early_adopter"]


def test_words_of_a_canvas_that_cannot_be_used_count_too(bench: SkillWorkspace) -> None:
    """A file of the canvas folder is somebody's, whether it parses or not."""
    bench.write("grimoires/observer/canvas/torn.md", b"\xff\xfe sourdough")
    think(bench, "ann", behavior_tags=["sourdough_fan", "early_adopter"])

    assert vectors(bench, staged(bench))["ann"]["behavior_tags"] == ["early_adopter"]


@pytest.mark.parametrize(
    ("text", "why"),
    [("fears: [", "cognition/ann.yaml"), ("schema_version: 1\nuser: bob\nfears: []\n", "missing")],
    ids=["not YAML", "somebody else's"],
)
def test_a_sidecar_that_is_not_valid_is_not_used_and_told(bench: SkillWorkspace, text: str, why: str) -> None:
    """The user is compared by the canvas alone."""
    bench.write("grimoires/observer/cognition/ann.yaml", text)
    notes: list[str] = []

    assert vectors(bench, staged(bench, notes=notes))["ann"]["behavior_tags"] == []
    assert len(notes) == 1
    assert notes[0].startswith("ann: cognition not used: ")
    assert why in notes[0]


def test_cognition_that_is_off_is_not_looked_at(bench: SkillWorkspace) -> None:
    """observer.cognition.enabled: false."""
    think(bench, "ann", behavior_tags=["early_adopter"])
    marker = bench.root / "mindloop.yaml"
    marker.write_text(marker.read_text("utf-8") + "  cognition:\n    enabled: false\n", "utf-8")

    assert vectors(bench, staged(bench))["ann"]["behavior_tags"] == []


def test_who_was_enriched_last_goes_first_where_there_are_too_many(
    bench: SkillWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A prompt takes so many; who is left out is counted."""
    monkeypatch.setattr(pass_over, "MAX_USERS", 3)
    bench.canvas("ann", updated="2026-01-01")
    notes: list[str] = []

    assert list(vectors(bench, staged(bench, notes=notes))) == ["bob", "cem", "dee"]
    assert notes == ["users left out of the synthesis, those who were enriched longest ago: 1"]


# --- what was thought -------------------------------------------------------------------------------------------------


def test_users_who_were_thought_about_lately_are_compared(
    bench: SkillWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cognition of the last fourteen days, to the second; then a few others, by their canvas alone."""
    monkeypatch.setattr(pass_over, "MAX_FILLED", 1)
    think(bench, "bob", "2026-02-06T09:00:00Z", behavior_tags=["early_adopter"])
    think(bench, "cem", "2026-02-19T09:00:00Z", behavior_tags=["early_adopter"])
    think(bench, "dee", "2026-02-06T08:59:59Z", behavior_tags=["early_adopter"])
    found = vectors(bench, staged(bench, target=COGNITION))

    assert {user: one["behavior_tags"] for user, one in found.items()} == {
        "ann": [],
        "bob": ["early_adopter"],
        "cem": ["early_adopter"],
    }


def test_without_recent_cognition_ten_users_are_filled_in(bench: SkillWorkspace) -> None:
    """At most ten, in the order of their last enrichment; who is left out is counted."""
    for number in range(12):
        bench.canvas(f"u{number:02}", updated=f"2026-02-{number + 1:02}")
    think(bench, "u01", "yesterday", behavior_tags=["early_adopter"])
    notes: list[str] = []
    found = vectors(bench, staged(bench, target=COGNITION, notes=notes))

    assert list(found) == ["ann", "bob", "cem", "dee", *(f"u{number:02}" for number in (6, 7, 8, 9, 10, 11))]
    assert notes == ["users left out of the synthesis, those who were enriched longest ago: 6"]


# --- the answer -------------------------------------------------------------------------------------------------------


def test_an_answer_becomes_the_day_s_file(bench: SkillWorkspace) -> None:
    """What is told holds no word of the judge's, the run is complete."""
    run = staged(bench)
    taken = take(bench, run, answer())

    assert taken == {
        "user": "4 users",
        "item": "all",
        "outcome": "done",
        "told": f"{FILE} (shared hypotheses: 1, convergent complaints: 0, behavioral clusters: 0, "
        "lifecycle transitions: 0)",
    }
    text = (bench.root / FILE).read_text("utf-8")
    assert "\n- they all watch the ranks\n  - Users: ann, bob, cem\n" in text
    assert "host: claude-code\n" in text
    assert read_head(bench.ws, find_run(bench.ws, run))["state"] == "complete"
    with pytest.raises(Negative):
        take(bench, run, answer())


def test_dropped_entries_are_counted(bench: SkillWorkspace) -> None:
    """An entry about somebody else is gone, and it is said that one is."""
    entries = [{"text": "a", "users": ["ann", "bob", "cem"]}, {"text": "b", "users": ["ann", "bob", "eve"]}]
    raw = json.dumps({**{name: [] for name in LISTS}, "behavioral_clusters": entries})

    assert take(bench, staged(bench), raw)["told"].endswith(
        "behavioral clusters: 1, lifecycle transitions: 0, entries dropped: 1)"
    )


def test_a_wrong_answer_changes_nothing_and_the_question_waits_on(bench: SkillWorkspace) -> None:
    """Given at once it can be given again."""
    run = staged(bench)
    before = snapshot(bench.root)
    with pytest.raises(AnswerRefused):
        take(bench, run, answer(users=("ann", "bob")))

    assert snapshot(bench.root) == before
    assert take(bench, run, answer())["outcome"] == "done"


def test_a_filed_answer_that_is_wrong_settles_the_question(bench: SkillWorkspace) -> None:
    """Nobody is asked again by a resume; there is no file, and the reason is told."""
    run = staged(bench)
    file_answer(bench.ws, run, "all", "no json", "claude-code")
    judged = resume(bench.ws, JUDGING, run, at(NOW))

    assert [one["outcome"] for one in judged.done] == ["refused"]
    assert judged.done[0]["told"].startswith("refused: ")
    assert (judged.state, judged.open) == ("complete", [])
    assert not (bench.root / FILE).exists()


def test_a_resume_takes_the_filed_answer_once(bench: SkillWorkspace) -> None:
    """The second one finds nothing to do and changes nothing."""
    run = staged(bench)
    file_answer(bench.ws, run, "all", answer(), "claude-code")

    assert [one["outcome"] for one in resume(bench.ws, JUDGING, run, at(NOW)).done] == ["done"]
    before = snapshot(bench.root)
    assert resume(bench.ws, JUDGING, run, at("2026-02-21T09:00:00Z")).done == []
    assert snapshot(bench.root) == before


def test_a_second_synthesis_of_the_day_replaces_the_first(bench: SkillWorkspace) -> None:
    """The next day's stands beside it."""
    take(bench, staged(bench), answer("first"))
    take(bench, staged(bench), answer("second"))
    take(bench, staged(bench), answer("third"), now="2026-02-21T00:00:00Z")
    folder = bench.root / "grimoires/observer/follow-ups"

    assert sorted(path.name for path in folder.glob("*.md")) == ["2026-02-20-synthesis.md", "2026-02-21-synthesis.md"]
    assert "- second\n" in (bench.root / FILE).read_text("utf-8")
    assert "first" not in (bench.root / FILE).read_text("utf-8")


def test_a_rehearsal_never_replaces_what_a_judge_found(bench: SkillWorkspace) -> None:
    """It is refused, whether it is given or filed; a judge replaces a rehearsal."""
    run = staged(bench)
    take(bench, run, answer("rehearsed"), host="rehearsal")
    take(bench, staged(bench), answer("judged"))
    third = staged(bench)
    with pytest.raises(AnswerRefused, match="a rehearsal does not replace it"):
        take(bench, third, answer("rehearsed"), host="rehearsal")
    file_answer(bench.ws, third, "all", answer("rehearsed"), "rehearsal")

    assert resume(bench.ws, JUDGING, third, at(NOW)).done[0]["outcome"] == "refused"
    assert "- judged\n" in (bench.root / FILE).read_text("utf-8")


@pytest.mark.parametrize("text", ["# my own notes\n", "---\ntype: follow-up-batch\n---\n", "---\nnever closed\n"])
def test_somebody_s_own_file_is_not_written_over(bench: SkillWorkspace, text: str) -> None:
    """The answer waits until the file is moved away."""
    bench.write(FILE, text)
    run = staged(bench)
    file_answer(bench.ws, run, "all", answer(), "claude-code")
    judged = resume(bench.ws, JUDGING, run, at(NOW))

    assert judged.done == []
    assert judged.open == ["all"]
    assert "left open" in judged.warnings[0]
    assert (bench.root / FILE).read_text("utf-8") == text
    (bench.root / FILE).unlink()
    assert resume(bench.ws, JUDGING, run, at(NOW)).done[0]["outcome"] == "done"


def test_what_was_thought_gets_a_file_beside_the_sidecars(bench: SkillWorkspace) -> None:
    """Another type, another folder; no reader of sidecars takes it for one."""
    taken = take(bench, staged(bench, target=COGNITION), answer())
    text = (bench.root / COGNITION_FILE).read_text("utf-8")

    assert taken["told"].startswith(f"{COGNITION_FILE} (")
    assert "type: cognition-synthesis\n" in text
    assert not (bench.root / FILE).exists()


@pytest.mark.parametrize("change", [{"users": None}, {"users": {"ann": 3}}, {"min_users": "3"}, {"target": "../x"}])
def test_a_run_that_was_changed_takes_no_answer(bench: SkillWorkspace, change: dict[str, Any]) -> None:
    """The item says whom it is about and where the answer goes; where it does not, nothing is written."""
    run = staged(bench)
    path = bench.root / find_run(bench.ws, run).item("all")
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **change}), "utf-8")
    with pytest.raises(Malformed):
        take(bench, run, answer())

    assert not (bench.root / FILE).exists()


# --- beside the batches -----------------------------------------------------------------------------------------------


def test_a_synthesis_is_nobody_s_earlier_follow_up(bench: SkillWorkspace) -> None:
    """It names users and lies where batches are; the prior index takes none of it, nor does the next packet."""
    bench.full_run()
    before = dict(batch_index(bench.ws))
    take(bench, staged(bench), answer("CANARYSHARED of all of them", USERS))
    index = batch_index(bench.ws)

    assert dict(index) == before
    assert index.problems == []
    assert "CANARYSHARED" not in "".join(prior_section(bench.ws, user, index)[0] for user in USERS)
    for user in USERS:
        bench.canvas(user, body=hypothesis(), updated="2026-02-21")
    begun = bench.begin(now="2026-02-22T09:00:00Z")
    assert len(begun.waiting) + len(begun.skipped) == 4
    for entry in begun.waiting:
        assert "CANARYSHARED" not in bench.packet(begun.place.run, entry["user"])


def test_doctor_finds_nothing_in_a_workspace_with_both_files(bench: SkillWorkspace) -> None:
    """Runs, packets, answers and both kinds of files are in order."""
    before = findings(bench.root)
    for target in (FOLLOW_UPS, COGNITION):
        take(bench, staged(bench, target=target), answer())

    assert findings(bench.root) == before
