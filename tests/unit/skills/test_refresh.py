"""A stale cognition is thought about again before its user's packet is written (follow-up, step 2c.5)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.hosts.rehearsal import RehearsalHost
from mindloop.protocol.run_files import file_answer, find_run, read_head, read_item
from mindloop.skills.follow_up.drive import drive
from mindloop.store import strict_yaml
from tests.helpers.skill_workspace import SkillWorkspace, answer, at, message
from tests.unit.skills.test_cognition_steps import ANCHORS, sidecar

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.skills.follow_up.begin import Begun

QUOTE = "the badge never showed up"
COGNITION = "grimoires/observer/cognition/ann.yaml"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    """Ann, whose cognition is stale, and bob, who has none."""
    made = SkillWorkspace(tmp_path)
    digest = made.observe("ann", QUOTE)
    made.observe("bob", "bob reads the ranks every day")
    made.write(COGNITION, sidecar(digest, input_anchors={**ANCHORS, "score_snapshot_hash": "00" * 32}))
    return made


def thought(bench: SkillWorkspace, begun: Begun, **changes: Any) -> None:
    """File a distiller's answer about ann: the default, changed."""
    item = read_item(bench.ws, find_run(bench.ws, str(begun.think_run)), "ann")
    said = {**json.loads(item["default"]), **changes}
    file_answer(bench.ws, str(begun.think_run), "ann", json.dumps(said), "claude-code")


def status_of(bench: SkillWorkspace, run: str) -> str:
    return str(bench.item(run, "ann")["manifest"]["cognition_status"])


def test_a_stale_cognition_waits_for_a_question_of_its_own(bench: SkillWorkspace) -> None:
    """Ann waits in a run of /think, with nothing of bob's in her packet; bob's writer can be called at once."""
    begun = bench.begin()
    head = read_head(bench.ws, begun.place)
    item = read_item(bench.ws, find_run(bench.ws, str(begun.think_run)), "ann")

    assert [entry["user"] for entry in begun.waiting] == ["bob"]
    assert [(one.user, one.judge) for one in begun.thinking] == [("ann", "cognition-distiller")]
    assert (head["thinking"], head["think_run"], head["state"]) == ({"ann": "ann"}, begun.think_run, "open")
    assert QUOTE in item["prompt"]
    assert "bob" not in item["prompt"]


def test_the_answer_refreshes_the_sidecar_and_the_writer_sees_it(bench: SkillWorkspace) -> None:
    """Resume writes the new sidecar, then ann's packet with it, and says where her writer's packet is."""
    begun = bench.begin()
    thought(bench, begun)
    resumed = bench.resume(begun.place.run)
    kept: Any = strict_yaml.load((bench.root / COGNITION).read_text("utf-8"))

    assert [entry["packet"] for entry in resumed.begun] == [f"packet:{begun.place.run}/ann"]
    assert (resumed.thinking, resumed.open) == ([], ["ann", "bob"])
    assert status_of(bench, begun.place.run) == "refreshed"
    assert kept["input_anchors"]["score_snapshot_hash"] != "00" * 32
    assert kept["fears"][0]["text"] in bench.item(begun.place.run, "ann")["prompt"]


def test_a_refused_answer_leaves_the_stale_one_in_use(bench: SkillWorkspace) -> None:
    """Nothing of the answer is kept, the old fears reach the writer, and the packet says what they are."""
    before = (bench.root / COGNITION).read_bytes()
    begun = bench.begin()
    thought(bench, begun, fears=[])
    resumed = bench.resume(begun.place.run)

    assert status_of(bench, begun.place.run) == "stale_used"
    assert (bench.root / COGNITION).read_bytes() == before
    assert any("ann: the stale cognition is used" in warning for warning in resumed.warnings)
    assert "quests bore them" in bench.item(begun.place.run, "ann")["prompt"]


def test_nobody_waits_for_ever_for_a_thought(bench: SkillWorkspace) -> None:
    """Without an answer a resume leaves ann where she is; with --allow-stale she goes on with what there is."""
    begun = bench.begin()
    first = bench.resume(begun.place.run)
    second = bench.resume(begun.place.run, allow_stale=True)

    assert (first.begun, first.thinking) == ([], ["ann"])
    assert [entry["user"] for entry in second.begun] == ["ann"]
    assert status_of(bench, begun.place.run) == "stale"


def test_the_run_is_complete_only_when_the_thought_about_are_through(bench: SkillWorkspace) -> None:
    """Bob's messages are written while ann still waits; the run stays open, and ann joins the same batch later."""
    begun = bench.begin()
    run = begun.place.run
    bob = bench.item(run, "bob")["registry"][0]["hash"]
    bench.file(run, "bob", answer("bob", message(bob)))
    first = bench.resume(run)
    thought(bench, begun)
    bench.resume(run)
    ann = bench.item(run, "ann")["registry"][0]["hash"]
    bench.file(run, "ann", answer("ann", message(ann)))
    last = bench.resume(run)

    assert (first.state, [entry["user"] for entry in first.done]) == ("open", ["bob"])
    assert (last.state, [entry["user"] for entry in last.done]) == ("complete", ["ann"])
    assert sorted(bench.batch()["users"]) == ["ann", "bob"]


def test_a_user_who_is_left_out_after_thinking_is_said_to_be(bench: SkillWorkspace) -> None:
    """The canvas went away in between: the run comes to its end with the reason, and a batch that names it."""
    begun = bench.begin(canvas="ann")
    thought(bench, begun)
    (bench.root / "grimoires/observer/canvas/ann-canvas.md").unlink()
    resumed = bench.resume(begun.place.run)

    assert (resumed.state, resumed.begun) == ("complete", [])
    assert [(entry["user"], entry["reason"]) for entry in resumed.skipped] == [("ann", "invalid_canvas")]
    assert bench.batch()["skipped_users"][0]["reason"] == "invalid_canvas"


def test_a_resume_again_asks_nobody_twice(bench: SkillWorkspace) -> None:
    """After the packet is written a further resume changes no byte of it."""
    begun = bench.begin()
    thought(bench, begun)
    bench.resume(begun.place.run)
    before = bench.item(begun.place.run, "ann")
    again = bench.resume(begun.place.run)

    assert again.begun == []
    assert bench.item(begun.place.run, "ann") == before


def test_a_rehearsal_replaces_no_thought(bench: SkillWorkspace) -> None:
    """Driven by the rehearsal, ann's stale sidecar stays byte for byte, and her packet says that it is stale."""
    before = (bench.root / COGNITION).read_bytes()
    driven = drive(bench.ws, RehearsalHost(), at(bench.now), {})
    assert driven.begun is not None
    assert driven.resumed is not None

    assert (bench.root / COGNITION).read_bytes() == before
    assert status_of(bench, driven.begun.place.run) == "stale_used"
    assert sorted(entry["user"] for entry in driven.resumed.done) == ["ann", "bob"]
    assert driven.resumed.state == "complete"
