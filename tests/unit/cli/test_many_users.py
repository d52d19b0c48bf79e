"""More users than one screen: a conversation reaches every one of them with the commands that its page names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from mindloop.protocol.run_files import file_answer, find_run, read_item
from tests.helpers.big_workspace import make_big_workspace
from tests.helpers.command_line import call
from tests.helpers.skill_workspace import NOW

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.store.workspace import Workspace

USERS = 33


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("MINDLOOP_ROOT", str(tmp_path))
    monkeypatch.setenv("MINDLOOP_NOW", NOW)
    return make_big_workspace(str(tmp_path), USERS, USERS * 6)


def answer_all(workspace: Workspace, printed: str) -> int:
    """Do what the client does with each printed reference; return how many there were."""
    found = re.findall(r"packet:([\w-]+)/([\w-]+)", printed)
    for run, slug in found:
        file_answer(
            workspace, run, slug, read_item(workspace, find_run(workspace, run), slug)["default"], "claude-code"
        )
    return len(found)


def test_begin_and_status_lead_to_everybody(many: Workspace) -> None:
    """Begin shows twenty, status the next ten and the next, until nobody waits; resume then finishes all."""
    printed = call("follow_up", "begin").out
    run = printed.split()[1].rstrip(";")
    shown = [answer_all(many, printed)]
    while shown[-1]:
        shown.append(answer_all(many, call("follow_up", "status", run).out))
    resumed = call("follow_up", "resume", run, "--json").json

    assert shown == [20, 10, 3, 0]
    assert (resumed["state"], len(resumed["done"])) == ("complete", USERS)


def test_a_screen_stays_small(many: Workspace) -> None:
    """What a model reads does not grow with the number of users."""
    printed = call("follow_up", "begin").out
    run = printed.split()[1].rstrip(";")

    assert len(printed.encode()) <= 2048
    assert len(call("follow_up", "status", run).out.encode()) <= 2048
