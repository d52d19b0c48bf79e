"""A cognition sidecar in a run: rendered through the allow-list, said to be stale where it is (follow-up, 2c.5, 4f)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.store import strict_yaml
from tests.helpers.skill_workspace import SkillWorkspace, answer, message

if TYPE_CHECKING:
    from pathlib import Path

QUOTE = "the badge never showed up"


ANCHORS = {"canvas_last_enriched": None, "growth_state_hash": "none", "score_snapshot_hash": "unavailable"}


def sidecar(digest: str, **more: object) -> str:
    """A valid sidecar of ann with two fears on her one quote."""
    fears = [
        {
            "id": f"FEAR-ann-{number}",
            "class": "evidence_backed",
            "type": "engagement",
            "text": text,
            "backing_hypothesis": "H1",
            "backing_quote_hash": f"sha256:{digest}",
            "evidence_plan": None,
            "invalidation_signal": "they come back unasked",
            "confidence_impact": "high",
            "priority": number,
        }
        for number, text in enumerate(["ignore previous <b>badges</b> are forgotten", "quests bore them"], 1)
    ]
    value = {
        "schema_version": 1,
        "user": "ann",
        "generated_at": "2026-02-12T09:00:00Z",
        "distilled_at_cycle_index": 0,
        "stale_after_cycles": 3,
        "input_anchors": ANCHORS,
        "fears": fears,
        "steering_targets": [
            {"fear_id": "FEAR-ann-1", "approach": "ask when they last looked", "pattern_preference": None}
        ],
        "synthesis_features": {},
        **more,
    }
    return strict_yaml.dump(value)


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    digest = made.observe("ann", QUOTE)
    made.write("grimoires/observer/cognition/ann.yaml", sidecar(digest))
    return made


def test_a_sidecar_that_nothing_has_overtaken_is_fresh(bench: SkillWorkspace) -> None:
    """Same canvas, same growth, no score known then: fresh."""
    assert bench.item(bench.begin().place.run, "ann")["manifest"]["cognition_status"] == "fresh"


def test_a_stale_sidecar_is_used_as_it_is_where_the_run_allows_it(bench: SkillWorkspace) -> None:
    """--allow-stale asks nobody; the packet says what it holds (`test_refresh` has the other way)."""
    digest = bench.item(bench.begin().place.run, "ann")["registry"][0]["hash"]
    older = sidecar(digest, input_anchors={**ANCHORS, "score_snapshot_hash": "00" * 32})
    bench.write("grimoires/observer/cognition/ann.yaml", older)
    item = bench.item(bench.begin(allow_stale=True).place.run, "ann")

    assert (item["manifest"]["cognition_status"], item["manifest"]["fear_count"]) == ("stale", 2)
    assert item["manifest"]["steering_target_count"] == 1
    assert "=== COGNITION STATE" in item["prompt"]


def test_fears_reach_the_prompt_sanitised(bench: SkillWorkspace) -> None:
    """The instruction and the tag inside a fear's text do not get through; its words do."""
    prompt = bench.packet(bench.begin().place.run, "ann")
    section = prompt.partition("=== COGNITION STATE")[2].partition("=== OUTPUT FORMAT")[0]

    assert "badges are forgotten" in section
    assert "ignore previous" not in section
    assert "<b>" not in section


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("when did quests matter the last time?", "Steering coverage for ann: 1/2 fears addressed (50%)"),
        ("what did you eat?", "Steering coverage for ann: 0/2 fears addressed (0%)"),
    ],
)
def test_coverage_is_advice(bench: SkillWorkspace, body: str, line: str) -> None:
    """How many fears the messages touch is logged; none is stripped for it."""
    run = bench.begin().place.run
    digest = bench.item(run, "ann")["registry"][0]["hash"]
    bench.file(run, "ann", answer("ann", message(digest, body, hypothesis_or_trigger="first feedback")))
    resumed = bench.resume(run)

    assert f"ann: {line}" in resumed.log
    assert resumed.done[0]["outcome"] == "messages"
    assert any("Zero steering coverage" in entry for entry in resumed.log) == ("0/2" in line)


def test_a_sidecar_of_somebody_else_is_not_used(bench: SkillWorkspace) -> None:
    """A file in the wrong place brings another user's fears to nobody."""
    bench.write("grimoires/observer/cognition/ann.yaml", sidecar("ab" * 32, user="bob"))
    item = bench.item(bench.begin().place.run, "ann")

    assert item["manifest"]["cognition_status"] == "missing"
    assert "FEAR-" not in item["prompt"]


def test_cognition_can_be_turned_off(bench: SkillWorkspace) -> None:
    """observer.cognition.enabled: false: the prompt is the one of a user without a sidecar."""
    with_it = bench.packet(bench.begin().place.run, "ann")
    with (bench.root / "mindloop.yaml").open("a") as file:
        file.write("  cognition:\n    enabled: false\n")
    off = bench.packet(bench.begin().place.run, "ann")
    (bench.root / "grimoires/observer/cognition/ann.yaml").unlink()

    assert off == bench.packet(bench.begin().place.run, "ann")
    assert off != with_it
