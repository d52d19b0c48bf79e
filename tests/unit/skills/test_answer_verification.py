"""The orchestrator verifies everything the writer says (follow-up, SC-2), through begin, answer, resume."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.batch.contract import compat_problems
from mindloop.observer.canonical import content_hash
from tests.helpers.skill_workspace import SkillWorkspace, answer, claim, message

if TYPE_CHECKING:
    from pathlib import Path

QUOTES = ["og score feels low", "I check the board every morning", "nobody told me about seasons"]
HASHES = [content_hash(quote) for quote in QUOTES]
FABRICATED = "ab" * 32


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    made.release("CHRON-1", "2026-02-01", "v2.0.0 Open Ranks")
    for quote, date in zip(QUOTES, ["2026-02-10", None, "2026-02-10"], strict=True):
        made.observe("ann", quote, date=date)
    return made


def resumed(bench: SkillWorkspace, raw: str) -> tuple[str, list[str]]:
    """Ann's outcome and the log after one answer."""
    run = bench.begin().place.run
    bench.file(run, "ann", raw)
    result = bench.resume(run)
    return result.done[0]["outcome"], result.log


def test_the_registry_holds_the_hashes_that_were_recorded(bench: SkillWorkspace) -> None:
    """The verified registry of a user with known quotes is those quotes, in canvas order, with the known hashes."""
    item = bench.item(bench.begin().place.run, "ann")

    assert [(entry["hash"], entry["quote_text"]) for entry in item["registry"]] == list(
        zip(HASHES, QUOTES, strict=True)
    )
    assert [entry["hash_verified"] for entry in item["registry"]] == [True, True, True]
    assert [entry["confidence"] for entry in item["registry"]] == ["day_level", "unknown", "day_level"]
    assert HASHES[0] == "694182fda377fd65c9b859ef72276effd2150f1b7ca7dd877ad1826329c83f40"


def test_a_fabricated_hash_strips_its_message_only(bench: SkillWorkspace) -> None:
    """The message on an invented hash is gone, the honest one stays."""
    raw = answer("ann", message(FABRICATED, "invented"), message(HASHES[0], "honest question?"))
    outcome, log = resumed(bench, raw)
    section = bench.batch()["sections"][0]

    assert outcome == "messages"
    assert [one["message_body"] for one in section["messages"]] == ["honest question?"]
    assert (section["verified"], section["total_quotes"]) == (1, 2)
    assert any("STRIPPED message for ann" in line for line in log)
    assert FABRICATED not in bench.batch_text()


def test_an_altered_text_is_replaced_by_the_registrys(bench: SkillWorkspace) -> None:
    """A real hash with other words shows the words that were really said."""
    raw = answer("ann", message(HASHES[0], anchor_quote_text="og score is great"))
    _, log = resumed(bench, raw)

    assert bench.batch()["sections"][0]["messages"][0]["anchor_quote_text"] == QUOTES[0]
    assert "og score is great" not in bench.batch_text()
    assert any("REPLACED anchor_quote_text" in line for line in log)


def test_a_claim_for_a_blocked_quote_is_stripped(bench: SkillWorkspace) -> None:
    """The undated quote may anchor a message, but no release may be tied to it."""
    blocked = claim(HASHES[1], "CHRON-1", "since v2.0.0 shipped")
    outcome, log = resumed(bench, answer("ann", message(HASHES[1], temporal_claims=[blocked])))

    assert outcome == "messages"
    assert "v2.0.0" not in bench.batch_text()
    assert any("STRIPPED temporal claim" in line and "insufficient_confidence" in line for line in log)


def test_a_claim_may_be_backed_by_another_verified_quote(bench: SkillWorkspace) -> None:
    """The backing quote need not be the anchor, as long as it is the user's own and allowed."""
    backed = claim(HASHES[2], "CHRON-1", "since v2.0.0 shipped")
    resumed(bench, answer("ann", message(HASHES[0], temporal_claims=[backed])))

    assert "since v2.0.0 shipped — what did you do the last time?" in bench.batch_text()


def test_a_quote_whose_canvas_text_was_changed_is_no_anchor(bench: SkillWorkspace) -> None:
    """Words that no longer fit their recorded hash leave the registry's verified part."""
    path = bench.root / "grimoires/observer/canvas/ann-canvas.md"
    path.write_text(path.read_text("utf-8").replace(QUOTES[0], "og score feels high"), "utf-8")
    item = bench.item(bench.begin().place.run, "ann")

    assert [entry["hash_verified"] for entry in item["registry"]] == [False, True, True]
    assert item["manifest"]["verified_quote_count"] == 2
    assert f"sha256:{HASHES[0]}" not in item["prompt"].partition("=== VERIFIED QUOTE REGISTRY")[2].partition("===")[0]


@pytest.mark.parametrize("spell", [str, str.upper, "sha256:{}".format, "prov:sha256:{}".format])
def test_a_hash_is_one_hash_in_any_spelling(bench: SkillWorkspace, spell) -> None:
    """With or without prefix, in any case."""
    outcome, _ = resumed(bench, answer("ann", message("", anchor_quote_hash=spell(HASHES[0]))))

    assert outcome == "messages"


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "no json at all",
        "[]",
        "null",
        "{}",
        '{"user": "ann", "messages": null}',
        '{"user": "bob", "messages": []}',
        '{"user": "ann", "user": "ann", "messages": []}',
        '{"user": "ann", "messages": [], "skip_reason": "because\\n- user: x"}',
        '{"user": "ann", "messages": [], "total": NaN}',
        'Here it is: {"user": "ann", "messages": []}',
        '{"user": "ann", "messages": []',
        "\x00",
        "[" * 100_000,
        "x" * 1_100_000,
    ],
)
def test_an_answer_that_cannot_be_read_skips_the_user_and_keeps_the_raw_text(bench: SkillWorkspace, raw: str) -> None:
    """Whatever the writer returned: subagent_parse_error, the raw text in the log, a batch that says so."""
    outcome, log = resumed(bench, raw)

    assert outcome == "subagent_parse_error"
    assert bench.batch()["skipped_users"] == [{"user": "ann", "reason": "subagent_parse_error"}]
    assert any("REFUSED" in line for line in log)
    assert any(line.startswith("ann: raw: ") for line in log)


@pytest.mark.parametrize("reason", ["no_triggers", "no_quotes", "all_hypotheses_high_confidence"])
def test_a_writers_own_reason_is_kept(bench: SkillWorkspace, reason: str) -> None:
    """The three reasons that a writer may give go into the batch as they are."""
    outcome, _ = resumed(bench, answer("ann", skip_reason=reason))

    assert outcome == reason
    assert bench.batch()["skipped_users"] == [{"user": "ann", "reason": reason}]


@pytest.mark.parametrize(
    "messages",
    [[], [message(FABRICATED)], [message(HASHES[0], "since v2.0.0 shipped")], [{"nonsense": 1}, 7, None]],
    ids=["empty list", "fabricated", "nothing but a version", "malformed"],
)
def test_a_user_without_a_surviving_message_is_skipped(bench: SkillWorkspace, messages: list) -> None:
    """Nothing left to send: all_content_stripped, and no growth is recorded."""
    outcome, _ = resumed(bench, answer("ann", *messages))

    assert outcome == "all_content_stripped"
    assert bench.growth("ann") is None


def test_the_sums_add_up_over_users(bench: SkillWorkspace) -> None:
    """verification_summary counts what the writers referenced: total = verified + stripped."""
    bench.observe("bob", "bob says this")
    run = bench.begin().place.run
    bench.file(run, "ann", answer("ann", message(HASHES[0]), message(FABRICATED), message(HASHES[2])))
    bench.file(run, "bob", answer("bob", message(FABRICATED)))
    bench.resume(run)

    assert bench.batch()["verification_summary"] == {"total_quotes": 4, "verified": 2, "stripped": 2}


def test_real_output_keeps_the_contract_of_older_readers(bench: SkillWorkspace) -> None:
    """Type, keys, headings, metadata lines, anchors and path, as they always were."""
    hostile = '# heading\n## ann\n### Message 9 (x)\n> Anchor quote: "fake"\n[FU:deadbeef]\n---\n<!-- c -->'
    bench.observe("@Bob O'Neil", "a quote with --> and <!-- in it")
    digest = content_hash("a quote with --> and <!-- in it")
    run = bench.begin().place.run
    bench.file(run, "ann", answer("ann", message(HASHES[0], hostile), message(HASHES[1])))
    bench.file(run, "Bob O'Neil", answer("Bob O'Neil", message(digest, hypothesis_or_trigger="a\n## b (c) `d`")))
    bench.resume(run)
    text = bench.batch_text()

    assert compat_problems(text) == []
    assert [section["user"] for section in bench.batch()["sections"]] == ["ann", "Bob O'Neil"]
    assert bench.batch()["total_messages"] == text.count("\n> Anchor quote: ") == 3
    assert "deadbeef" not in text


def test_the_default_answer_passes_every_check(bench: SkillWorkspace) -> None:
    """What the rehearsal host says is a valid, labelled message on the first verified quote."""
    item = bench.item(bench.begin().place.run, "ann")
    default = json.loads(item["default"])
    outcome, log = resumed(bench, item["default"])
    written = bench.batch()["sections"][0]["messages"]

    assert outcome == "messages"
    assert default["messages"][0]["anchor_quote_hash"] == f"sha256:{HASHES[0]}"
    assert [one["message_body"].startswith("[rehearsal]") for one in written] == [True]
    assert [line for line in log if " STRIPPED " in line or " REPLACED " in line or " DROPPED " in line] == []
