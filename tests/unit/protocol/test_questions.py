"""Runs of one question an item: what is staged, and when a run is through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mindloop.protocol.gap import Gap
from mindloop.protocol.questions import AnswerRefused, Question, settle, stage_run
from mindloop.protocol.run_files import all_runs, prompt_hash, read_head, read_item, read_object
from mindloop.store.errors import WrongInput
from mindloop.store.workspace import Workspace
from tests.helpers.skill_workspace import at

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.protocol.run_files import RunPlace

NOW = at("2026-02-20T09:00:00Z")


def question(item: str, user: str = "", **facts: object) -> Question:
    gap = Gap(item, f"what of {item}?", evidence="it is said", schema="think-answer", default="{}")
    return Question(gap, user=user or item, judge="somebody", facts=dict(facts))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(str(tmp_path))


def staged(workspace: Workspace, *questions: Question, **more: Any) -> RunPlace:
    with workspace.transaction("agent:researcher") as tx:
        return stage_run(tx, "researcher", "think", NOW, questions, **more)


def test_an_item_holds_its_packet_and_its_facts(workspace: Workspace) -> None:
    """The exact prompt with its hash, who answers, the default, and whatever the answer is checked against."""
    place = staged(workspace, question("ann", "Änn", verified=["ab"]))
    packet = "what of ann?\nit is said"

    assert read_item(workspace, place, "ann") == {
        "verified": ["ab"],
        "schema": 1,
        "run": "think-2026-02-20-001",
        "user": "Änn",
        "slug": "ann",
        "judge": "somebody",
        "sha256": prompt_hash(packet),
        "prompt": packet,
        "default": "{}",
        "answer_schema": "think-answer",
    }


def test_facts_do_not_replace_the_packet(workspace: Workspace) -> None:
    """A fact with the name of a field of the item loses against the field."""
    place = staged(workspace, question("ann", prompt="another", slug="bob", judge="nobody"))
    item = read_item(workspace, place, "ann")

    assert (item["prompt"], item["slug"], item["judge"]) == ("what of ann?\nit is said", "ann", "somebody")


def test_the_head_says_who_waits(workspace: Workspace) -> None:
    """A run is open with everybody waiting; flags that are not set, and more than a hundred warnings, are left out."""
    left_out = [{"user": "cem", "reason": "fresh", "detail": "x"}]
    place = staged(
        workspace,
        question("ann", "Änn"),
        question("bob"),
        flags={"force": True, "user": None},
        skipped=left_out,
        warnings=[str(number) for number in range(101)],
    )

    assert read_head(workspace, place) == {
        "schema": 1,
        "skill": "think",
        "state": "open",
        "started_at": "2026-02-20T09:00:00Z",
        "flags": {"force": True},
        "waiting": {"ann": "Änn", "bob": "bob"},
        "done": {},
        "skipped": left_out,
        "warnings": [str(number) for number in range(100)],
    }


def test_runs_of_a_day_are_numbered(workspace: Workspace) -> None:
    """The second run of a skill on a day has the next number."""
    staged(workspace, question("ann"))
    staged(workspace, question("ann"))

    assert [place.run for place in all_runs(workspace)] == ["think-2026-02-20-001", "think-2026-02-20-002"]


def test_a_run_without_questions_is_complete(workspace: Workspace) -> None:
    """Nobody waits, so nothing is left to do."""
    assert read_head(workspace, staged(workspace))["state"] == "complete"


def test_a_refused_transaction_leaves_no_run(workspace: Workspace) -> None:
    """Head and items are one change: an error while they are staged leaves none of them."""
    with pytest.raises(WrongInput):
        staged(workspace, question("ann"), question("../bob"))

    assert all_runs(workspace) == []
    assert read_object(workspace, "agents/researcher/session/runs/think-2026-02-20-001/ann.json") is None


def test_the_last_settled_item_completes_the_run(workspace: Workspace) -> None:
    """Each item has its outcome; the run is open until the last one."""
    place = staged(workspace, question("ann"), question("bob"))
    states = []
    for item, outcome in (("ann", "done"), ("bob", "refused")):
        with workspace.transaction(place.scope) as tx:
            settle(tx, place, read_head(tx, place), item, outcome, now=at("2026-02-20T10:00:00Z"))
        states.append(read_head(workspace, place)["state"])

    assert states == ["open", "complete"]
    assert read_head(workspace, place)["done"] == {"ann": "done", "bob": "refused"}
    assert read_head(workspace, place)["updated_at"] == "2026-02-20T10:00:00Z"


def test_a_refused_answer_is_a_wrong_input() -> None:
    """The command that meets it exits with 2."""
    assert AnswerRefused("no", "do").exit_code == 2
