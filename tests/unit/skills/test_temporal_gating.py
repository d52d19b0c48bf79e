"""A message names a release only where the quote's record proves when it was said (follow-up, SC-3 and SC-4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.helpers.skill_workspace import SkillWorkspace, answer, at, claim, message

if TYPE_CHECKING:
    from pathlib import Path

QUOTE = "the badge never showed up for me"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    made.release("CHRON-20260201-001", "2026-02-01T12:00:00Z", "v2.0.0 Open Ranks")
    made.release("CHRON-20260215-001", "2026-02-15T12:00:00Z", "v2.1.0 Seasons")
    return made


def answered(bench: SkillWorkspace, ref: str, text: str, date: str | None) -> tuple[dict, str]:
    """Ann says QUOTE on a date, a writer claims a release for it; returns the temporal table and the batch."""
    digest = bench.observe("ann", QUOTE, date=date)
    run = bench.begin(canvas="ann").place.run
    table = bench.item(run, "ann")["temporal"]
    bench.file(run, "ann", answer("ann", message(digest, temporal_claims=[claim(digest, ref, text)])))
    bench.resume(run)
    return table[digest], bench.batch_text()


def test_an_undated_quote_gets_no_version(bench: SkillWorkspace) -> None:
    """Confidence `unknown`: the table says no, and the writer's claim is not in the batch."""
    entry, text = answered(bench, "CHRON-20260201-001", "since v2.0.0 shipped", None)

    assert entry == {"version_attribution_allowed": False, "reason": "insufficient_confidence"}
    assert "v2.0.0" not in text
    assert bench.batch()["temporal_summary"] == {"total_claims": 1, "valid": 0, "stripped": 1}


def test_a_day_inside_a_window_gets_its_release(bench: SkillWorkspace) -> None:
    """Confidence `day_level` in a window: the claim that names this very release opens the message."""
    entry, text = answered(bench, "CHRON-20260201-001", "since v2.0.0 shipped", "2026-02-10")

    assert entry == {
        "version_attribution_allowed": True,
        "chronicle_ref": "CHRON-20260201-001",
        "release_name": "v2.0.0 Open Ranks",
    }
    assert "\nsince v2.0.0 shipped — what did you do the last time?\n" in text
    assert bench.batch()["temporal_summary"] == {"total_claims": 1, "valid": 1, "stripped": 0}


def test_a_day_before_every_window_gets_no_version(bench: SkillWorkspace) -> None:
    """Confidence `day_level` without an enclosing window: no attribution."""
    entry, text = answered(bench, "CHRON-20260201-001", "since v2.0.0 shipped", "2026-01-31")

    assert entry == {"version_attribution_allowed": False, "reason": "no_enclosing_release_window"}
    assert "v2.0.0" not in text


def test_a_real_release_that_is_not_the_quotes_own_is_stripped(bench: SkillWorkspace) -> None:
    """The right quote with a neighbour's release id is as wrong as an invented one."""
    _, text = answered(bench, "CHRON-20260215-001", "since v2.1.0 shipped", "2026-02-10")

    assert "v2.1.0" not in text
    assert bench.batch()["temporal_summary"] == {"total_claims": 1, "valid": 0, "stripped": 1}


def test_a_claim_that_names_another_version_than_its_release_is_stripped(bench: SkillWorkspace) -> None:
    """The claim's words are the writer's: a version that the release does not carry never goes out."""
    _, text = answered(bench, "CHRON-20260201-001", "since v9.9.9 shipped", "2026-02-10")

    assert "9.9.9" not in text


def test_the_exact_instant_of_a_release_belongs_to_it(bench: SkillWorkspace) -> None:
    """Windows are closed at the left: one second earlier is the release before."""
    first = bench.observe("ann", "said at the very second", date="2026-02-15T12:00:00Z")
    before = bench.observe("ann", "said a second before", date="2026-02-15T11:59:59Z")
    table = bench.item(bench.begin().place.run, "ann")["temporal"]

    assert table[first]["chronicle_ref"] == "CHRON-20260215-001"
    assert table[before]["chronicle_ref"] == "CHRON-20260201-001"


def test_without_releases_nothing_is_attributed(tmp_path: Path) -> None:
    """An empty chronicle allows nothing and stops nobody."""
    bench = SkillWorkspace(tmp_path)
    digest = bench.observe("ann", QUOTE)
    run = bench.begin().place.run

    assert bench.item(run, "ann")["temporal"][digest]["reason"] == "no_enclosing_release_window"
    assert "Chronicle not available" in bench.packet(run, "ann")


def test_a_version_inside_the_body_is_taken_out(bench: SkillWorkspace) -> None:
    """Even where attribution is allowed the body itself carries none: only the checked claim does."""
    digest = bench.observe("ann", QUOTE)
    run = bench.begin().place.run
    body = "since v2.0.0 shipped, did you look at the badge?"
    bench.file(run, "ann", answer("ann", message(digest, body)))
    bench.resume(run)

    assert "v2.0.0" not in bench.batch_text()
    assert "did you look at the badge?" in bench.batch_text()


def test_the_packet_shows_releases_around_the_users_last_words(bench: SkillWorkspace) -> None:
    """The chronicle section centres on `last_enriched`, else on today; what is far away is not in it."""
    bench.canvas("zoe", quotes=[QUOTE], last_enriched="2026-02-03")
    bench.canvas("kim", quotes=[QUOTE], last_enriched="2025-06-01")
    run = bench.begin().place.run

    def section(user: str) -> str:
        return bench.packet(run, user).partition("=== CHRONICLE ENTRIES")[2].partition("\n=== ")[0]

    assert "v2.0.0 Open Ranks" in section("zoe")
    assert "v2.1.0 Seasons" not in section("zoe")
    assert "No releases found near this user's last feedback date." in section("kim")
    assert at(bench.now).isoformat().startswith("2026-02-20")
