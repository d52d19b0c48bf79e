"""One user's damaged file is that user's trouble: everybody else gets their messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers.skill_workspace import GROWTH, SkillWorkspace, waiting

if TYPE_CHECKING:
    from pathlib import Path

RUNS = "agents/researcher/session/runs"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    for user in ("ann", "bob"):
        made.observe(user, f"{user} said this")
    return made


def outcomes(resumed: Any) -> dict[str, str]:
    return {entry["user"]: entry["outcome"] for entry in resumed.done}


def test_a_growth_file_that_cannot_be_read_costs_the_growth_of_one(bench: SkillWorkspace, tmp_path: Path) -> None:
    """A link that leads to itself costs that user's growth and nothing else, with a warning."""
    path = tmp_path / GROWTH / "ann.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(path.name)

    begun = bench.begin()
    bench.default_answers(begun.place.run, "ann", "bob")
    resumed = bench.resume(begun.place.run)

    assert waiting(begun) == ["ann", "bob"]
    assert outcomes(resumed) == {"ann": "messages", "bob": "messages"}
    assert [warning.split(":")[0] for warning in resumed.warnings] == ["ann"]
    assert bench.growth("bob") is not None


def test_the_growth_of_somebody_else_is_nobodys(bench: SkillWorkspace, tmp_path: Path) -> None:
    """A copied file is not shown in the packet and not written to."""
    bench.full_run()
    copied = (tmp_path / GROWTH / "bob.yaml").read_bytes()
    (tmp_path / GROWTH / "ann.yaml").write_bytes(copied)
    bench.canvas("ann", name="ann-canvas.md", quotes=["ann said this"], updated="2026-02-25")

    begun = bench.begin(now="2026-02-26T09:00:00Z", canvas="ann")
    bench.default_answers(begun.place.run, "ann")
    resumed = bench.resume(begun.place.run, now="2026-02-26T09:30:00Z")

    assert "GROWTH STATE" not in bench.packet(begun.place.run, "ann")
    assert any("growth of another user" in warning for warning in begun.warnings)
    assert outcomes(resumed) == {"ann": "messages"}
    assert (tmp_path / GROWTH / "ann.yaml").read_bytes() == copied


def test_a_counter_beyond_reason_costs_the_growth_of_one(bench: SkillWorkspace, tmp_path: Path) -> None:
    """A number that growth cannot count on from leaves that user's messages without tokens."""
    bench.full_run()
    path = tmp_path / GROWTH / "ann.yaml"
    before = path.read_text("utf-8").replace("next_batch_seq: 2", "next_batch_seq: 999999999999999999")
    path.write_text(before, "utf-8")
    bench.canvas("ann", name="ann-canvas.md", quotes=["ann said this"], updated="2026-02-25")
    bench.canvas("bob", name="bob-canvas.md", quotes=["bob said this"], updated="2026-02-25")

    begun = bench.begin(now="2026-02-26T09:00:00Z")
    bench.default_answers(begun.place.run, "ann", "bob")
    resumed = bench.resume(begun.place.run, now="2026-02-26T09:30:00Z")

    assert outcomes(resumed) == {"ann": "messages", "bob": "messages"}
    assert [warning.split(":")[0] for warning in resumed.warnings] == ["ann"]
    tokens = {one["user"]: one["messages"][0]["token"] for one in bench.batch("2026-02-26")["sections"]}
    assert tokens["ann"] is None
    assert tokens["bob"] is not None


def test_a_growth_file_that_leads_elsewhere_costs_the_growth_of_one(bench: SkillWorkspace, tmp_path: Path) -> None:
    """A link out of the workspace is not written through: that user's messages go without tokens."""
    bench.full_run()
    outside = tmp_path.parent / f"{tmp_path.name}-outside.yaml"
    path = tmp_path / GROWTH / "ann.yaml"
    path.rename(outside)
    path.symlink_to(outside)
    before = outside.read_bytes()
    bench.canvas("ann", name="ann-canvas.md", quotes=["ann said this"], updated="2026-02-25")
    bench.canvas("bob", name="bob-canvas.md", quotes=["bob said this"], updated="2026-02-25")

    begun = bench.begin(now="2026-02-26T09:00:00Z")
    bench.default_answers(begun.place.run, "ann", "bob")
    resumed = bench.resume(begun.place.run, now="2026-02-26T09:30:00Z")

    assert waiting(begun) == ["ann", "bob"]
    assert outcomes(resumed) == {"ann": "messages", "bob": "messages"}
    assert [warning.split(":")[0] for warning in begun.warnings + resumed.warnings] == ["ann", "ann"]
    assert outside.read_bytes() == before


def test_an_answer_of_a_strange_host_is_checked_like_any_other(bench: SkillWorkspace, tmp_path: Path) -> None:
    """What cannot stand in a batch as a host's name is an unknown host."""
    run = bench.begin().place.run
    bench.default_answers(run, "ann")
    path = tmp_path / RUNS / run / "answers" / "ann.json"
    path.write_text(json.dumps({**json.loads(path.read_text("ascii")), "host": "\ud800"}), "ascii")

    assert outcomes(bench.resume(run)) == {"ann": "messages"}
    assert bench.batch()["sections"][0]["host"] == "unknown"


KEYS = ["user", "slug", "default", "canvas", "triggers", "registry", "temporal", "score_line", "fears"]
DAMAGE = [(key, value) for key in KEYS for value in ("missing", None, 7, ["x"], {"x": {}})]
DAMAGE.remove(("fears", None))  # what most users have
DAMAGE.append(("user", "bob"))  # whose growth would be written under ann's name


@pytest.mark.parametrize(("key", "value"), DAMAGE)
def test_a_damaged_dossier_leaves_its_user_open(bench: SkillWorkspace, tmp_path: Path, key: str, value: object) -> None:
    """Whatever is wrong with one item of a run, the others go through, and the answer that was filed stays."""
    begun = bench.begin()
    run = begun.place.run
    bench.default_answers(run, "ann", "bob")
    path = tmp_path / RUNS / run / "ann.json"
    item = json.loads(path.read_text("ascii"))
    if value == "missing":
        del item[key]
    else:
        item[key] = value
    path.write_text(json.dumps(item), "ascii")

    resumed = bench.resume(run)

    assert outcomes(resumed) == {"bob": "messages"}
    assert resumed.open == ["ann"]
    assert [warning.split(":")[0] for warning in resumed.warnings] == ["ann"]
    assert (tmp_path / RUNS / run / "answers" / "ann.json").exists()


def test_another_users_item_is_not_taken_for_ones_own(bench: SkillWorkspace, tmp_path: Path) -> None:
    """A packet under the wrong name goes to nobody."""
    run = bench.begin().place.run
    bench.default_answers(run, "ann", "bob")
    folder = tmp_path / RUNS / run
    (folder / "ann.json").write_bytes((folder / "bob.json").read_bytes())

    resumed = bench.resume(run)

    assert outcomes(resumed) == {"bob": "messages"}
    assert "it is the packet of 'bob'" in resumed.warnings[0]


def test_the_cycle_begins_when_its_packet_was_made(bench: SkillWorkspace) -> None:
    """Messages carry the instant of begin, and so does the boundary for the next decay, however late resume is."""
    bench.full_run()
    bench.canvas("ann", name="ann-canvas.md", quotes=["ann said this"], updated="2026-02-25")
    run = bench.begin(now="2026-02-26T09:00:00Z", canvas="ann").place.run
    bench.default_answers(run, "ann")
    bench.resume(run, now="2026-02-26T17:00:00Z")

    growth = bench.growth("ann")

    assert growth["last_cycle_at"] == "2026-02-26T09:00:00Z"
    assert growth["follow_ups"][-1]["message_ids"][0]["sent_at"] == "2026-02-26T09:00:00Z"
    assert growth["last_updated"] == "2026-02-26T17:00:00Z"
