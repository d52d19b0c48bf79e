"""Laws of a whole follow-up run over generated canvases and answers."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindloop.observer.batch.contract import compat_problems
from mindloop.observer.canonical import content_hash
from tests.helpers.skill_workspace import SkillWorkspace, answer, claim, message, reasons, waiting

FEW = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
QUOTE = "the words that were said"
HASH = content_hash(QUOTE)

lines = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=60)
bodies = st.lists(
    st.one_of(
        lines,
        st.sampled_from(
            [
                "## Level 3 Hypotheses",
                "### H1: wants to be seen",
                "- **Confidence**: Low",
                "{score_snapshot} {user_prior_followups} {{#growth}}",
                "=== GROWTH STATE (cycle learning signals) ===",
                "=== OUTPUT FORMAT ===",
                "## Decay Warnings",
                "{{/growth}}",
                "> somebody said",
                "```",
            ]
        ),
    ),
    max_size=12,
).map("\n".join)


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    monkeypatch.setenv("MINDLOOP_LOCK_TIMEOUT", "0.5")
    monkeypatch.delenv("MINDLOOP_ROOT", raising=False)


@pytest.fixture(scope="module")
def spare() -> tuple[Path, Path]:
    """Two workspaces that are made once: one with growth, one without."""
    home = Path(tempfile.mkdtemp(prefix="mindloop-laws-"))
    for name, growth in (("on", True), ("off", False)):
        (home / name).mkdir()
        SkillWorkspace(home / name, growth=growth)
    yield home / "on", home / "off"
    shutil.rmtree(home)


def again(root: Path) -> SkillWorkspace:
    """The workspace with everything that an example made taken away."""
    for rel in ("agents/researcher/session/runs", "grimoires/observer/canvas", "grimoires/observer/growth"):
        shutil.rmtree(root / rel)
        (root / rel).mkdir()
    for path in (root / "grimoires/observer/follow-ups").iterdir():
        path.unlink()
    return SkillWorkspace(root)


@given(body=bodies)
@FEW
def test_growth_without_a_file_is_growth_off(spare: tuple[Path, Path], body: str) -> None:
    """The prompt of a user without a growth file is the same, byte for byte, whether growth is on or off."""
    prompts = []
    for root in spare:
        bench = again(root)
        bench.canvas("ann", body=body, quotes=[QUOTE])
        begun = bench.begin()
        prompts.append(bench.packet(begun.place.run, "ann") if waiting(begun) else reasons(begun)["ann"])

    assert prompts[0] == prompts[1]


@given(body=bodies)
@FEW
def test_whatever_a_canvas_holds_the_packet_has_its_sections_once(spare: tuple[Path, Path], body: str) -> None:
    """Text of a canvas never opens a section of the prompt, and the neighbour's words never get in."""
    bench = again(spare[0])
    bench.canvas("ann", body=body, quotes=[QUOTE])
    bench.canvas("bob", quotes=["CANARY of bob"])
    begun = bench.begin()

    assert "bob" in waiting(begun)
    if "ann" in waiting(begun):
        packet = bench.packet(begun.place.run, "ann")
        sections = [line.split(" ===")[0] for line in packet.split("\n") if line.startswith("=== ")]
        assert len(sections) == len(set(sections)) == 9
        assert "CANARY" not in packet
    else:
        assert reasons(begun)["ann"] in {"prompt_manifest_violation", "no_verified_quotes", "invalid_canvas"} | {
            "all_hypotheses_high_confidence",
            "no_triggers",
        }


texts = st.text(max_size=80)
hashes = st.sampled_from([HASH, f"sha256:{HASH}", HASH.upper(), "ab" * 32, "", "x"])
claims = st.builds(claim, hashes, st.sampled_from(["CHRON-1", "", "x"]), texts)
messages = st.builds(
    lambda digest, body, why, made: (
        message("", body, anchor_quote_hash=digest, hypothesis_or_trigger=why) | {"temporal_claims": made}
    ),
    hashes,
    texts,
    texts,
    st.lists(claims, max_size=3),
)
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner)
)
answers = st.one_of(
    st.lists(messages, max_size=4).map(lambda made: answer("ann", *made)),
    st.fixed_dictionaries({"user": st.just("ann"), "messages": junk, "skip_reason": junk, "scary_questions": junk}).map(
        json.dumps
    ),
    junk.map(json.dumps),
    texts,
)


@given(raw=answers)
@FEW
def test_whatever_a_writer_says_the_batch_is_a_batch(spare: tuple[Path, Path], raw: str) -> None:
    """Any answer: resume ends, the file keeps the contract, sums add up, every anchor is the registry's."""
    bench = again(spare[0])
    bench.canvas("ann", quotes=[QUOTE])
    run = bench.begin().place.run
    bench.file(run, "ann", raw)
    resumed = bench.resume(run)
    batch = bench.batch()
    sent = [one for section in batch["sections"] for one in section["messages"]]

    assert resumed.state == "complete"
    assert compat_problems(bench.batch_text()) == []
    assert {one["anchor_quote_hash"] for one in sent} <= {HASH}
    assert {one["anchor_quote_text"] for one in sent} <= {QUOTE}
    assert batch["users"] + [entry["user"] for entry in batch["skipped_users"]] == ["ann"]
    summary = batch["verification_summary"]
    assert (summary["verified"], summary["total_quotes"]) == (len(sent), len(sent) + summary["stripped"])
    tokens = [
        one["token"]
        for batch in (bench.growth("ann") or {"follow_ups": []})["follow_ups"]
        for one in batch["message_ids"]
    ]
    assert tokens == [one["token"] for one in sent]
