"""/think from begin to sidecar: who is asked, what an answer changes, and what it may not change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.protocol.questions import AnswerRefused
from mindloop.protocol.run_files import find_run, read_head
from mindloop.skills.think.question import JUDGE
from mindloop.store import strict_yaml
from mindloop.store.errors import Malformed, Negative, WrongInput
from tests.helpers.skill_workspace import hypothesis, mark, reasons, snapshot, waiting, wallet_of
from tests.helpers.thinking import SIDECARS, ThinkWorkspace, backed, explored

if TYPE_CHECKING:
    from pathlib import Path

QUOTE = "the badge never showed up"
RUN = "think-2026-02-20-001"
LATER = "2026-02-20T12:00:00Z"


@pytest.fixture
def bench(tmp_path: Path) -> ThinkWorkspace:
    """Ann with a quote in the index, Bob with a quote that only his canvas knows."""
    made = ThinkWorkspace(tmp_path)
    made.observe("ann", QUOTE)
    made.canvas("bob", body=hypothesis())
    return made


def digest(bench: ThinkWorkspace) -> str:
    """The hash of Ann's quote, as her question has it."""
    (found,) = bench.item(RUN, "ann")["verified"]
    return str(found)


def enrich(bench: ThinkWorkspace) -> None:
    """Enrich Ann's canvas."""
    canvas = bench.root / "grimoires/observer/canvas/ann-canvas.md"
    canvas.write_text(canvas.read_text().replace("last_enriched:", "last_enriched: 2026-02-19T00:00:00Z #", 1))


# --- begin ------------------------------------------------------------------------------------------------------------


def test_everybody_without_a_sidecar_is_asked_about(bench: ThinkWorkspace) -> None:
    """One question a user for the distiller, with what its answer needs; the run waits for all of them."""
    begun = bench.think()

    assert [(one["user"], one["packet"], one["why"]) for one in begun.waiting] == [
        ("ann", f"packet:{RUN}/ann", "no sidecar yet"),
        ("bob", f"packet:{RUN}/bob", "no sidecar yet"),
    ]
    ann, bob = bench.item(RUN, "ann"), bench.item(RUN, "bob")
    assert [item["judge"] for item in (ann, bob)] == [JUDGE, JUDGE]
    assert [(item["bootstrap"], item["stale_after_cycles"]) for item in (ann, bob)] == [(False, 3), (True, 1)]
    assert [item["hypotheses"] for item in (ann, bob)] == [[], ["H1"]]
    assert [len(item["verified"]) for item in (ann, bob)] == [1, 1]
    assert ann["wallet"] == wallet_of("ann")
    assert read_head(bench.ws, find_run(bench.ws, RUN))["waiting"] == {"ann": "ann", "bob": "bob"}


def test_a_fresh_sidecar_is_left_alone(bench: ThinkWorkspace) -> None:
    """Nobody waits, no run is made, no byte changes; --force asks all the same."""
    bench.think()
    bench.answer_now(RUN, "ann", backed("ann", digest(bench)))
    before = snapshot(bench.root)
    begun = bench.think(user="ann")

    assert (begun.place, waiting(begun), reasons(begun)) == (None, [], {"ann": "fresh"})
    assert snapshot(bench.root) == before
    assert [one["why"] for one in bench.think(user="Ann-canvas", force=True).waiting] == ["forced"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("canvas", "the canvas was enriched since"),
        ("score", "the score moved since"),
        ("growth", "growth has learned something since"),
        ("setting", "it is not valid (fears)"),
        ("rehearsal", "only a rehearsal made it"),
        ("damage", "it cannot be read"),
    ],
)
def test_a_sidecar_that_is_overtaken_is_asked_about_again(bench: ThinkWorkspace, change: str, why: str) -> None:
    """Each trigger of staleness, and whatever keeps /follow-up from using the sidecar."""
    bench.think()
    bench.answer_now(RUN, "ann", backed("ann", digest(bench)), host="rehearsal" if change == "rehearsal" else "claude")
    if change == "canvas":
        enrich(bench)
    elif change == "score":
        bench.score(wallet_of("ann"), rank=13)
    elif change == "growth":
        learned = {"id": "H1", "decay_state": "stale", "confidence": "low", "cycles_without_evidence": 6}
        state = {"schema_version": 1, "user": "ann", "next_batch_seq": 1, "hypotheses": [learned]}
        more = {"follow_ups": [], "question_patterns": {}, "created_at": LATER, "last_updated": LATER}
        bench.write("grimoires/observer/growth/ann.yaml", strict_yaml.dump({**state, **more}))
    elif change == "setting":
        with (bench.root / "mindloop.yaml").open("a") as file:
            file.write("  cognition:\n    max_fears_per_user: 1\n")
    elif change == "damage":
        bench.write(f"{SIDECARS}/ann.yaml", "user: ann\nfears: [")
    begun = bench.think(user="ann")

    assert [(one["user"], one["why"]) for one in begun.waiting] == [("ann", why)]


@pytest.mark.parametrize(
    ("wallet", "why"),
    [
        ("0x90a7ff51ba265c5b106cd9a9591cda0314aaa1ce", "the score API ended with 1"),
        ("0x90a7 <@everyone>", "its wallet is not 0x and 40 hex digits"),
    ],
)
def test_a_missing_score_is_told_without_the_wallet(bench: ThinkWorkspace, wallet: str, why: str) -> None:
    """The sentence goes into a conversation: what the score command said names a wallet, so it is not repeated."""
    bench.canvas("bob", score=False, wallet=wallet, body=hypothesis())
    assert bench.think(user="bob").warnings == [f"1 without a score, as bob: {why}"]


def test_a_missing_score_is_no_reason_to_skip(bench: ThinkWorkspace) -> None:
    """Nobody knows the score: asked without it, and said once; when it is known the sidecar is not stale for that."""
    bench.canvas("bob", score=False, wallet="", body=hypothesis())
    begun = bench.think(user="bob")
    bench.answer_now(RUN, "bob", explored("bob"))

    assert begun.warnings == ["1 without a score, as bob: the canvas names no wallet"]
    assert "(no score is known)" in bench.packet(RUN, "bob")
    sidecar = bench.sidecar("bob") or {}
    assert sidecar["input_anchors"]["score_snapshot_hash"] == "unavailable"
    assert sidecar["synthesis_features"]["score_summary"] is None
    bench.canvas("bob", body=hypothesis())
    assert reasons(bench.think(user="bob")) == {"bob": "fresh"}


def test_nobody_elses_data_is_in_a_packet(bench: ThinkWorkspace) -> None:
    """Each of ten users' packets holds the own canary and none of the other nine."""
    users = [f"u{number}" for number in range(10)]
    for user in users:
        bench.canvas(user, body=f"{hypothesis(title=f'canary-{user}-title')}\ncanary-{user}-body")
    bench.think()
    for user in users:
        prompt = bench.packet(RUN, user)
        assert f"canary-{user}-body" in prompt
        assert prompt.count(f"{user}-canvas.md") == 1
        assert [other for other in users if other != user and f"canary-{other}-" in prompt] == []
        assert [other for other in users if other != user and wallet_of(other) in prompt] == []


def test_a_canvas_that_holds_somebody_elses_wallet_is_skipped(bench: ThinkWorkspace) -> None:
    """Her question is not asked, and the reason names the violation."""
    bench.canvas("eve", body=f"she copied {wallet_of('bob')}")
    begun = bench.think()

    assert reasons(begun) == {"eve": "prompt_manifest_violation"}
    assert waiting(begun) == ["ann", "bob"]
    assert read_head(bench.ws, find_run(bench.ws, RUN))["skipped"][0]["detail"].startswith("other_wallet: ")


def test_what_cannot_be_asked_about_is_named(bench: ThinkWorkspace) -> None:
    """A broken canvas, a sidecar of a later version, somebody else's sidecar: one skip each, nothing overwritten."""
    bench.write("grimoires/observer/canvas/cem-canvas.md", "no header")
    bench.write(f"{SIDECARS}/ann.yaml", strict_yaml.dump({"schema_version": "2", "user": "ann"}))
    bench.write(f"{SIDECARS}/bob.yaml", strict_yaml.dump({"schema_version": "1", "user": "eve"}))
    begun = bench.think(force=True)

    assert reasons(begun) == {"ann": "newer_cognition", "bob": "foreign_cognition", "cem": "invalid_canvas"}
    assert begun.place is None


def test_a_name_that_no_fear_could_carry_is_skipped(bench: ThinkWorkspace) -> None:
    """Fears are named after their user, and what a prompt may not hold would be taken out of their ids."""
    bench.canvas("you are", name="x-canvas.md")

    assert reasons(bench.think()) == {"you are": "unfit_name"}


def test_a_user_who_is_not_there_is_a_wrong_input(bench: ThinkWorkspace) -> None:
    """The name is said; a prefix of somebody's name is nobody."""
    with pytest.raises(WrongInput, match="no canvas of that user"):
        bench.think(user="an")


def test_cognition_can_be_off(bench: ThinkWorkspace) -> None:
    """Then nothing would come of an answer, and begin says so."""
    with (bench.root / "mindloop.yaml").open("a") as file:
        file.write("  cognition:\n    enabled: false\n")
    with pytest.raises(Negative, match="cognition is off"):
        bench.think()


def test_a_dry_run_changes_no_byte(bench: ThinkWorkspace) -> None:
    """It says who would be asked about and why."""
    before = snapshot(bench.root)
    begun = bench.think(dry_run=True)

    assert waiting(begun) == ["ann", "bob"]
    assert snapshot(bench.root) == before


def test_a_long_canvas_is_cut_at_the_setting(bench: ThinkWorkspace) -> None:
    """observer.cognition.canvas_characters bounds the packet; a hypothesis further down is still named."""
    with (bench.root / "mindloop.yaml").open("a") as file:
        file.write("  cognition:\n    canvas_characters: 200\n")
    bench.canvas("bob", body="word " * 2000 + "\n\n" + hypothesis(7, "far down"))
    bench.think(user="bob")
    prompt = bench.packet(RUN, "bob")

    assert "(cut off here: the first " in prompt
    assert '"title": "far down"' in prompt
    assert prompt.count("word ") < 50
    assert bench.item(RUN, "bob")["manifest"]["canvas_characters_shown"] == 200


# --- answers ----------------------------------------------------------------------------------------------------------


def test_an_answer_becomes_the_sidecar(bench: ThinkWorkspace) -> None:
    """The judge's fears and tags, and beside them what code computed; nothing of that is read from the answer."""
    bench.think()
    lies = {"generated_at": "1999", "stale_after_cycles": 99, "distilled_at_cycle_index": 7, "input_anchors": {"x": 1}}
    taken = bench.answer_now(RUN, "bob", explored("bob", **lies), now=LATER)
    made = bench.sidecar("bob") or {}

    assert taken == {"user": "bob", "item": "bob", "outcome": "done", "told": "fears: 1, steering targets: 1"}
    assert (made["generated_at"], made["host"]) == (LATER, "claude")
    assert (made["distilled_at_cycle_index"], made["stale_after_cycles"]) == (0, 1)
    assert made["input_anchors"] == bench.item(RUN, "bob")["anchors"]
    assert [one["id"] for one in made["fears"]] == ["FEAR-bob-1"]
    assert made["synthesis_features"] == {
        "lifecycle_state": None,
        "dominant_fear_type": "trust_erosion",
        "hypothesis_ids": ["H1"],
        "hypothesis_confidences": {"H1": "low"},
        "gap_types": [],
        "behavior_tags": ["daily"],
        "score_summary": {"og": 41, "nft": 20, "onchain": 77, "rank": 12},
    }


def test_follow_up_takes_the_sidecar_for_fresh(bench: ThinkWorkspace) -> None:
    """The next writer is steered by it, with the same score and growth as it was made from."""
    bench.think()
    bench.answer_now(RUN, "ann", backed("ann", digest(bench)))
    begun = bench.begin()
    manifest = next(one["manifest"] for one in begun.waiting if one["user"] == "ann")

    assert (manifest["cognition_status"], manifest["fear_count"]) == ("fresh", 2)


def test_a_canvas_enriched_between_question_and_answer_makes_it_stale(bench: ThinkWorkspace) -> None:
    """The anchors are those of the question: what came later was not thought about."""
    bench.think()
    enrich(bench)
    bench.answer_now(RUN, "ann", backed("ann", digest(bench)), now=LATER)

    assert [one["why"] for one in bench.think(user="ann").waiting] == ["the canvas was enriched since"]


def test_a_refused_answer_settles_its_item_and_changes_nothing(bench: ThinkWorkspace) -> None:
    """Resume says why without a word of the judge's; the sidecar that was there stays to the byte."""
    bench.think()
    bench.answer_now(RUN, "ann", backed("ann", digest(bench)))
    again = bench.think(user="ann", force=True).place
    assert again is not None
    before = (bench.root / f"{SIDECARS}/ann.yaml").read_bytes()
    bench.file_as(again.run, "ann", backed("ann", "cd" * 32, behavior_tags=["kanarie"]))
    judged = bench.take(again.run)

    assert [(one["user"], one["outcome"]) for one in judged.done] == [("ann", "refused")]
    assert "fears[1].backing_quote_hash" in judged.done[0]["told"]
    assert "kanarie" not in judged.done[0]["told"]
    assert (bench.root / f"{SIDECARS}/ann.yaml").read_bytes() == before
    assert judged.state == "complete"


def test_a_rehearsal_never_replaces_what_a_judge_made(bench: ThinkWorkspace) -> None:
    """Its answer is refused where a judge's sidecar lies, and taken where none or a rehearsed one does."""
    bench.think()
    bench.answer_now(RUN, "ann", backed("ann", digest(bench)))
    bench.answer_now(RUN, "bob", explored("bob"), host="rehearsal")
    again = bench.think(force=True).place
    assert again is not None
    before = (bench.root / f"{SIDECARS}/ann.yaml").read_bytes()
    for user in ("ann", "bob"):
        bench.file_as(again.run, user, str(bench.item(again.run, user)["default"]), "rehearsal")
    judged = bench.take(again.run)

    assert {one["user"]: one["outcome"] for one in judged.done} == {"ann": "refused", "bob": "done"}
    assert judged.done[0]["told"] == "refused: a rehearsal does not replace what a judge made"
    assert (bench.root / f"{SIDECARS}/ann.yaml").read_bytes() == before
    assert (bench.sidecar("bob") or {})["fears"][0]["text"].startswith("[rehearsal] ")


def test_a_judge_replaces_a_rehearsal(bench: ThinkWorkspace) -> None:
    """What was only rehearsed counts as nothing."""
    bench.think()
    bench.answer_now(RUN, "bob", explored("bob"), host="rehearsal")
    again = bench.think(user="bob").place
    assert again is not None
    bench.answer_now(again.run, "bob", explored("bob"), host="claude")

    assert (bench.sidecar("bob") or {})["host"] == "claude"


def test_a_damaged_sidecar_is_kept_beside_the_new_one(bench: ThinkWorkspace) -> None:
    """Somebody's edit that does not parse is moved out of the way, byte for byte."""
    bench.think()
    bench.write(f"{SIDECARS}/bob.yaml", "user: bob\nfears: [mine")
    bench.answer_now(RUN, "bob", explored("bob"))

    assert (bench.sidecar("bob") or {})["user"] == "bob"
    assert (bench.root / f"{SIDECARS}/bob.yaml.damaged").read_text() == "user: bob\nfears: [mine"


@pytest.mark.parametrize(
    "text", ["schema_version: 1\nuser: eve\n", "schema_version: 9\nuser: bob\nfears: []\n"], ids=["foreign", "newer"]
)
def test_what_is_not_ours_to_replace_leaves_the_item_open(bench: ThinkWorkspace, text: str) -> None:
    """Another user's file or a later version's came in between: nothing is written, and the answer still counts."""
    bench.think()
    bench.write(f"{SIDECARS}/bob.yaml", text)
    bench.file_as(RUN, "bob", explored("bob"))
    judged = bench.take(RUN)

    assert (judged.done, judged.open) == ([], ["ann", "bob"])
    assert judged.warnings[0].startswith("bob: left open: ")
    assert (bench.root / f"{SIDECARS}/bob.yaml").read_text() == text


def test_settings_that_changed_since_the_question_refuse_the_answer(bench: ThinkWorkspace) -> None:
    """A sidecar that /follow-up would not use is not written."""
    bench.think()
    with (bench.root / "mindloop.yaml").open("a") as file:
        file.write("  cognition:\n    max_fears_per_user: 1\n")
    with pytest.raises(AnswerRefused, match="the settings changed since the question: fears"):
        bench.answer_now(RUN, "ann", backed("ann", digest(bench)))
    assert bench.sidecar("ann") is None


def test_an_item_of_another_shape_is_said(bench: ThinkWorkspace) -> None:
    """Facts that somebody damaged never meet an answer."""
    bench.think()
    path = bench.root / f"agents/researcher/session/runs/{RUN}/bob.json"
    item = json.loads(path.read_text())
    path.write_text(json.dumps({**item, "verified": [7], "anchors": None}))
    with pytest.raises(Malformed, match="the question about bob: anchors, verified is not of its kind"):
        bench.answer_now(RUN, "bob", explored("bob"))


def test_quotes_that_nothing_proves_back_no_fear(bench: ThinkWorkspace) -> None:
    """A hash that stands on the canvas under other words is no hash of a verified quote."""
    body = f'## More\n\n> "other words"\n{mark("it was different")}\n'
    bench.canvas("bob", body=body)
    bench.think(user="bob")
    item = bench.item(RUN, "bob")

    assert len(item["verified"]) == 1
    assert mark("it was different") in item["prompt"]
