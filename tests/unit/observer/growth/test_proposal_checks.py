"""Doctor's look at proposed matches: what cannot be used, what nobody finds, what growth contradicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.growth.checks import disagreements, match_problems
from mindloop.observer.growth.proposals import match_id
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line
from tests.helpers.growing import reply, workspace

if TYPE_CHECKING:
    from pathlib import Path

SIGNAL, SENT = "a" * 64, "fu-2026-02-14-ann-1-1"
NAME = match_id(SIGNAL, SENT)


def match(**more: Any) -> dict[str, Any]:
    held = {"id": NAME, "signal_id": SIGNAL, "follow_up_id": SENT, "follow_up_token": "00000001", "status": "pending"}
    return {**held, "confirmed_at": None, **more}


def state(**more: Any) -> dict[str, Any]:
    return {"follow_ups": [{"message_ids": [{"id": SENT, "token": "00000001", "outcome": "pending", **more}]}]}


@pytest.mark.parametrize(
    ("matches", "what"),
    [
        ([match()], []),
        ([match(status="confirmed", confirmed_at="2026-02-14T09:30:00Z")], []),
        ([match(), match(status="rejected")], [f"the match {NAME} is there twice; a person would be asked twice"]),
        (
            [match(id="0" * 16)],
            [f"the match 0000000000000000 is {NAME} by its signal and message; it is found by neither"],
        ),
        ([match(status="confirmed")], [f"the match {NAME} is confirmed and says confirmed_at None"]),
        ([match(confirmed_at="x")], [f"the match {NAME} is pending and says confirmed_at 'x'"]),
    ],
)
def test_a_match_is_there_once_under_its_own_id(matches: list[dict[str, Any]], what: list[str]) -> None:
    """And says when it was confirmed exactly where it was."""
    assert list(match_problems({"matches": matches})) == what


@pytest.mark.parametrize(
    ("held", "sent", "what"),
    [
        (match(), state(), []),
        (match(follow_up_id="fu-2025-01-01-ann-1-1"), state(), []),
        (
            match(follow_up_token="00000002"),
            state(),
            [f"the match {NAME} has the token 00000002, its message 00000001"],
        ),
        (match(status="confirmed"), state(), [f"the match {NAME} is confirmed, and growth says pending of {SENT}"]),
        (match(status="confirmed"), state(outcome="responded"), []),
    ],
)
def test_growth_has_the_last_word(held: dict[str, Any], sent: dict[str, Any], what: list[str]) -> None:
    """A token, an outcome; a message that is no longer kept is nobody's fault."""
    assert list(disagreements({"matches": [held]}, sent)) == what


def test_doctor_names_the_file(tmp_path: Path) -> None:
    """A sound file is silent; one that growth contradicts, one of nobody, one under a wrong name are told."""
    skill = workspace(tmp_path / "w", "ann", "bob")

    def told() -> list[tuple[str, str, str]]:
        return [
            (one["severity"], one["path"].rpartition("/")[2], one["what"])
            for one in lab.findings(skill.root)
            if one["rule"] == "proposed-matches"
        ]

    lab.succeed(Line("growth", "match", "ann", stdin=reply(skill, "ann")), skill.root)
    assert told() == []
    path = skill.root / "grimoires/observer/growth/ann.proposed_matches.yaml"
    text = path.read_text()
    path.write_text(text.replace("status: pending", "status: maybe"))
    ((severity, name, what),) = told()
    assert (severity, name) == ("error", path.name)
    assert "maybe" in what
    path.write_text(text.replace("user: ann", "user: kim"))
    ((severity, _, what),) = told()
    assert (severity, what) == (
        "warning",
        "it is of 'kim', whose file is named kim.proposed_matches.yaml; nobody reads it",
    )
    path.unlink()
    skill.write("grimoires/observer/growth/kim.proposed_matches.yaml", text.replace("user: ann", "user: kim"))
    assert told() == [
        ("warning", "kim.proposed_matches.yaml", "growth knows nothing of 'kim'; none of it can be confirmed")
    ]
