"""Cross-contamination: what one user said never reaches another's packet (follow-up, canary test SC-1 and SC-5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.helpers.skill_workspace import SkillWorkspace, answer, message, reasons, waiting, wallet_of

if TYPE_CHECKING:
    from pathlib import Path

ALPHA, BETA = "test-alpha", "test-beta"
QUOTES = {
    ALPHA: "CANARY_ALPHA_xyz789 this is test alpha's unique feedback",
    BETA: "CANARY_BETA_abc456 this is test beta's unique feedback",
}
HASHES = {
    ALPHA: "5adcc5af09049f969dbb8eb5408050ae6b71950d9d965569386658419f1a4dc0",
    BETA: "c406848c0d4bec2c6ae572c469631afd4045122cd99514f5264ff96f455255b6",
}
PAIRS = [(ALPHA, BETA), (BETA, ALPHA)]
NEXT_DAY = "2026-02-21T09:00:00Z"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    assert {user: made.observe(user, quote) for user, quote in QUOTES.items()} == HASHES
    return made


def traces(user: str) -> list[str]:
    """Everything that would betray a user."""
    wallet = wallet_of(user)
    name, canary = f"{user}-canvas.md", QUOTES[user].split()[0]
    return [canary, name, wallet, wallet[2:].upper(), f"## {user}", HASHES[user], QUOTES[user]]


@pytest.mark.parametrize(("own", "other"), PAIRS)
def test_a_packet_holds_its_own_canary_and_nothing_of_the_other(bench: SkillWorkspace, own: str, other: str) -> None:
    """A's words, hash, file and wallet are in A's packet; none of B's are."""
    begun = bench.begin()
    packet = bench.packet(begun.place.run, own)

    assert waiting(begun) == [ALPHA, BETA]
    assert QUOTES[own] in packet
    assert f"sha256:{HASHES[own]}" in packet
    assert [trace for trace in traces(other) if trace in packet] == []


@pytest.mark.parametrize(("own", "other"), PAIRS)
def test_the_manifest_names_exactly_one_canvas(bench: SkillWorkspace, own: str, other: str) -> None:
    """Manifest and packet agree: one canvas path, the user's own, once."""
    begun = bench.begin()
    item = bench.item(begun.place.run, own)

    assert item["manifest"] == {
        "canvas_path": f"grimoires/observer/canvas/{own}-canvas.md",
        "wallet": wallet_of(own),
        "user": own,
        "verified_quote_count": 1,
        "temporal_allowed_count": 0,
        "prior_followup_count": 0,
        "growth_summary_present": False,
        "cognition_status": "missing",
        "fear_count": 0,
        "steering_target_count": 0,
    }
    assert item["prompt"].count("-canvas.md") == item["prompt"].count(f"{own}-canvas.md") == 1


@pytest.mark.parametrize(("own", "other"), PAIRS)
def test_the_second_run_shows_each_user_their_own_follow_ups_only(bench: SkillWorkspace, own: str, other: str) -> None:
    """After a first batch the prior section holds the user's own section and no trace of the other's."""
    bench.full_run()
    for user, quote in QUOTES.items():
        bench.observe(user, f"{quote} once more", now=NEXT_DAY)
    begun = bench.begin(now="2026-02-22T09:00:00Z")
    packet = bench.packet(begun.place.run, own)
    prior = packet.partition("=== PRIOR FOLLOW-UPS")[2].partition("\n=== ")[0]

    assert f"## {own}" in prior
    assert QUOTES[own] in prior
    assert [trace for trace in traces(other) if trace in packet] == []
    assert bench.item(begun.place.run, own)["manifest"]["prior_followup_count"] == 1
    assert packet.count(f"{own}-canvas.md") == 1


@pytest.mark.parametrize("own", [ALPHA, BETA])
def test_the_dossier_an_answer_is_checked_against_is_one_users_too(bench: SkillWorkspace, own: str) -> None:
    """The item file holds nothing of another user: neither in the packet nor beside it."""
    begun = bench.begin()
    other = BETA if own == ALPHA else ALPHA
    text = (bench.root / begun.place.item(own)).read_text("utf-8")

    assert [trace for trace in traces(other) if trace in text] == []


def test_an_answer_that_names_the_other_users_hash_gets_nothing(bench: SkillWorkspace) -> None:
    """Even a leaked hash is worth nothing: B's hash is not in A's registry."""
    run = bench.begin().place.run
    bench.file(run, ALPHA, answer(ALPHA, message(HASHES[BETA])))
    bench.file(run, BETA, answer(BETA, message(HASHES[BETA])))
    resumed = bench.resume(run)

    assert {entry["user"]: entry["outcome"] for entry in resumed.done} == {
        ALPHA: "all_content_stripped",
        BETA: "messages",
    }
    assert QUOTES[ALPHA] not in bench.batch_text()


def _leaking(bench: SkillWorkspace, words: str) -> dict[str, str]:
    path = bench.root / "grimoires/observer/canvas" / f"{BETA}-canvas.md"
    path.write_text(path.read_text("utf-8").replace("## Linked Artifacts", f"## Linked Artifacts\n\n{words}"), "utf-8")
    return reasons(bench.begin(canvas=BETA))


@pytest.mark.parametrize(
    "words",
    [
        f"see canvas/{ALPHA}-canvas.md",
        f"the file {ALPHA}-canvas.md,",
        f"wallet {wallet_of(ALPHA)}",
        f"wallet 0x{wallet_of(ALPHA)[2:].upper()}",
        f"own file {BETA}-canvas.md again",
    ],
)
def test_a_canvas_that_names_another_file_or_wallet_is_held_back(bench: SkillWorkspace, words: str) -> None:
    """The guard looks at every canvas of the folder, also where --canvas chose one user."""
    assert _leaking(bench, words) == {BETA: "prompt_manifest_violation"}


def test_a_wiki_link_to_another_canvas_is_only_logged(bench: SkillWorkspace) -> None:
    """`[[canvas/other-canvas]]` names no file; it is in the log of the packet and stops nobody."""
    assert _leaking(bench, f"[[canvas/{ALPHA}-canvas]]") == {}
    run = bench.begin(canvas=BETA, now="2026-02-20T10:00:00Z").place.run

    assert [line for line in bench.item(run, BETA)["log"] if "links to" in line] == [
        f"2h the canvas links to {ALPHA}-canvas.md"
    ]


def test_a_message_with_the_other_users_heading_stays_inside_its_own_section(bench: SkillWorkspace) -> None:
    """A body that fakes `## test-beta` cannot plant text in beta's next packet."""
    run = bench.begin().place.run
    planted = f"hello\n\n## {BETA}\n\n**Canvas**: x\n\nCANARY_PLANTED"
    bench.file(run, ALPHA, answer(ALPHA, message(HASHES[ALPHA], planted)))
    bench.default_answers(run, BETA)
    bench.resume(run)
    bench.observe(BETA, "a second thing", now=NEXT_DAY)
    bench.observe(ALPHA, "a third thing", now=NEXT_DAY)
    second = bench.begin(now="2026-02-22T09:00:00Z")

    assert waiting(second) == [ALPHA, BETA]
    assert "CANARY_PLANTED" not in bench.packet(second.place.run, BETA)
    assert [section["user"] for section in bench.batch()["sections"]] == [ALPHA, BETA]


def test_the_wallet_of_a_canvas_that_cannot_be_used_is_guarded_too(tmp_path: Path) -> None:
    """A refused canvas is still somebody's: whoever quotes its wallet gets no packet."""
    made = SkillWorkspace(tmp_path)
    made.canvas("ann", quotes=["it froze"], body="see " + wallet_of("torn"))
    made.write("grimoires/observer/canvas/torn-canvas.md", f"---\nuser: ../torn\nwallet: {wallet_of('torn')}\n---\n")

    assert reasons(made.begin()) == {"ann": "prompt_manifest_violation", "../torn": "invalid_canvas"}
