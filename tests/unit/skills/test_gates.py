"""Users whom nobody writes to now: a stop holds whatever is on, silence is waited for (our steps 2a.1 and 2b.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.canvas.reading import load_canvases
from mindloop.observer.growth.state import new_growth
from mindloop.protocol.step import Done, Skip
from mindloop.skills.follow_up.case import Case, FollowUp
from mindloop.skills.follow_up.gate_steps import check_silence, check_stop
from mindloop.store.documents import write_yaml
from tests.helpers.growth_states import message, record_batch
from tests.helpers.skill_workspace import GROWTH, SkillWorkspace, at, snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.protocol.step import Ask

STOPS = "grimoires/observer/stops"
SENT = "2026-02-20T09:00:00Z"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    made.observe("ann", "ann said this")
    return made


def case_of(bench: SkillWorkspace, now: str, user: str = "ann") -> tuple[FollowUp, Case]:
    """What the gates are given after step 2a."""
    context = FollowUp(bench.ws, at(now), {})
    file = next(one for one in load_canvases(bench.ws) if one.user_guess == user)
    case = Case(file)
    assert file.canvas is not None
    case.canvas = file.canvas
    return context, case


def stop(bench: SkillWorkspace, now: str = SENT) -> tuple[Done | Skip | Ask, list[str]]:
    context, case = case_of(bench, now)
    return check_stop(context, case), context.warnings


def silence(bench: SkillWorkspace, now: str) -> Done | Skip | Ask:
    return check_silence(*case_of(bench, now))


def wait_days(bench: SkillWorkspace, days: str) -> None:
    """Set the gate in the workspace's settings."""
    marker = bench.root / "mindloop.yaml"
    text = "".join(line for line in marker.read_text("utf-8").splitlines(True) if "silence_gate_days" not in line)
    marker.write_text(text.replace("  growth:\n", f"  growth:\n    silence_gate_days: {days}\n"), "utf-8")


def sent(bench: SkillWorkspace, host: str = "claude-code") -> None:
    """One message is recorded for ann at SENT, as that host's."""
    said: Any = {"user": "ann", "slug": "ann", "messages": [message()], "host": host}
    state, _tokens = record_batch(new_growth("ann", None, at(SENT)), said, SENT[:10], at(SENT))
    with bench.ws.transaction("user:ann") as tx:
        write_yaml(tx, f"{GROWTH}/ann.yaml", state, "growth")


@pytest.mark.parametrize("growth", [True, False])
@pytest.mark.parametrize("reason", ["declined", "opted_out", "escalated", "converted"])
def test_a_stop_stops_whether_growth_is_on_or_off(tmp_path: Path, growth: bool, reason: str) -> None:
    """The user leaves with reason `stopped`, and the detail says why and since when."""
    bench = SkillWorkspace(tmp_path, growth=growth)
    bench.observe("ann", "ann said this")
    bench.write(
        f"{STOPS}/ann.yaml",
        f"schema_version: 1\nuser: Ann\nstate: stopped\nreason: {reason}\nsince: 2026-02-01T00:00:00Z\nhistory: []\n",
    )
    outcome, warnings = stop(bench)

    assert isinstance(outcome, Skip)
    assert (outcome.reason, outcome.detail) == ("stopped", f"{reason} since 2026-02-01T00:00:00Z")
    assert warnings == []


@pytest.mark.parametrize("text", [None, "schema_version: 1\nuser: ann\nstate: running\nsince: 2026-02-01T00:00:00Z\n"])
def test_nobody_is_stopped_without_a_stop_that_stands(bench: SkillWorkspace, text: str | None) -> None:
    """No file, and a stop that was lifted, let the user go on."""
    if text is not None:
        bench.write(f"{STOPS}/ann.yaml", text)

    assert isinstance(stop(bench)[0], Done)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe",
        b"state: [",
        b"schema_version: 2\nuser: ann\nstate: running\nsince: x\n",
        b"schema_version: 1\nuser: bob\nstate: running\nsince: x\n",
        b"schema_version: 1\nuser: ann\nstate: paused\nsince: x\n",
        b"schema_version: 1\nuser: ann\nstate: stopped\nreason: because\nsince: x\n",
    ],
    ids=["empty", "no text", "no YAML", "a later version", "somebody else's", "no such state", "no such reason"],
)
def test_a_stop_that_cannot_be_read_holds(bench: SkillWorkspace, text: bytes) -> None:
    """Doubt stops the user, with the reason `stopped`, and the operator is told which file."""
    bench.write(f"{STOPS}/ann.yaml", text)
    outcome, warnings = stop(bench)

    assert isinstance(outcome, Skip)
    assert outcome.reason == "stopped"
    assert "so it holds" in outcome.detail
    assert len(warnings) == 1
    assert warnings[0].startswith("ann: ")
    assert f"{STOPS}/ann.yaml" in warnings[0]


def test_a_folder_in_the_place_of_a_stop_holds(bench: SkillWorkspace, tmp_path: Path) -> None:
    """What is no file cannot be read, so it stops."""
    (tmp_path / STOPS / "ann.yaml").mkdir(parents=True)
    outcome, warnings = stop(bench)

    assert isinstance(outcome, Skip)
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("now", "gated"),
    [
        ("2026-02-20T09:00:00Z", True),
        ("2026-02-22T23:59:59Z", True),
        ("2026-02-23T08:59:59Z", True),
        ("2026-02-23T09:00:00Z", False),
        ("2026-03-01T00:00:00Z", False),
        ("2026-02-20T08:00:00Z", True),
    ],
)
def test_a_message_gates_for_less_than_the_days_that_are_set(bench: SkillWorkspace, now: str, gated: bool) -> None:
    """Three days after it was sent, to the second, the user may be written to again; a clock set back does not open."""
    wait_days(bench, "3")
    sent(bench)
    outcome = silence(bench, now)

    assert isinstance(outcome, Skip) is gated
    if isinstance(outcome, Skip):
        detail = "fu-2026-02-20-ann-1-1 of 2026-02-20 is without an answer; next message from 2026-02-23 on (3 days)"
        assert (outcome.reason, outcome.detail) == ("silence_gate", detail)


@pytest.mark.parametrize(("outcome", "gated"), [("silence", True), ("unknown", False), ("responded", False)])
def test_only_what_was_sent_and_is_unanswered_gates(bench: SkillWorkspace, outcome: str, gated: bool) -> None:
    """Silence gates like a pending message; a reply does not, nor a message that never reached the user."""
    wait_days(bench, "3")
    sent(bench)
    path = bench.root / GROWTH / "ann.yaml"
    path.write_text(path.read_text("utf-8").replace("outcome: pending", f"outcome: {outcome}"), "utf-8")

    assert isinstance(silence(bench, SENT), Skip) is gated


def test_a_rehearsed_batch_gates_nobody(bench: SkillWorkspace) -> None:
    """Its messages were never sent."""
    wait_days(bench, "3")
    sent(bench, "rehearsal")

    assert isinstance(silence(bench, SENT), Done)


@pytest.mark.parametrize("off", ["null", "growth"])
def test_the_gate_is_off_where_it_is_not_set_or_growth_is_off(bench: SkillWorkspace, off: str) -> None:
    """`silence_gate_days: null`, or growth off: nobody is gated."""
    wait_days(bench, "3")
    sent(bench)
    if off == "null":
        wait_days(bench, "null")
    else:
        marker = bench.root / "mindloop.yaml"
        marker.write_text(marker.read_text("utf-8").replace("enabled: true", "enabled: false"), "utf-8")

    assert isinstance(silence(bench, SENT), Done)


@pytest.mark.parametrize("text", ["follow_ups: [", "- x\n", "user: bob\nfollow_ups: []\n"])
def test_a_growth_file_that_cannot_be_used_gates_nobody(bench: SkillWorkspace, text: str) -> None:
    """Step 2g.5 says what is wrong with it; the gate only notes that it could not look."""
    wait_days(bench, "3")
    bench.write(f"{GROWTH}/ann.yaml", f"# outcome: pending, sent_at: 2026-02-20\n{text}")
    outcome = silence(bench, SENT)

    assert isinstance(outcome, Done)
    assert outcome.note == "the silence gate cannot read the growth file"


def test_the_gates_only_read(bench: SkillWorkspace) -> None:
    """Neither a stop nor silence changes a byte, makes a folder or takes a lock."""
    wait_days(bench, "3")
    sent(bench)
    bench.write(f"{STOPS}/ann.yaml", "schema_version: 1\nuser: ann\nstate: stopped\nsince: x\n")
    before = snapshot(bench.root)
    stop(bench)
    silence(bench, SENT)

    assert snapshot(bench.root) == before
