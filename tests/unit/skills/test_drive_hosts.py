"""Driving with a host: several calls at a time, walls that stop the run, and what is never asked or paid twice."""

import threading
from datetime import UTC, datetime

import pytest

from mindloop.hosts.errors import HostFailed, HostMissing
from mindloop.protocol.run_files import all_runs, answered_items
from mindloop.skills.follow_up.drive import drive, drive_on
from tests.helpers.big_workspace import make_big_workspace

NOW = datetime(2026, 2, 14, 10, tzinfo=UTC)


class Recording:
    """Answers with the default and remembers who asked; fails on the calls it is told to."""

    name = "recording"

    def __init__(self, workers: int = 1, failures: dict[int, Exception] | None = None) -> None:
        self.workers = workers
        self.failures = failures or {}
        self.prompts: list[str] = []
        self.together = 0
        self._now = 0
        self._lock = threading.Lock()
        self._meeting = threading.Barrier(workers) if workers > 1 else None

    def fill(self, prompt: str, default: str) -> str:
        """Answer with the default, after the first calls have met."""
        with self._lock:
            number = len(self.prompts)
            self.prompts.append(prompt)
            self._now += 1
            self.together = max(self.together, self._now)
        if self._meeting and number < self.workers:
            self._meeting.wait(10)
        with self._lock:
            self._now -= 1
        if number in self.failures:
            raise self.failures[number]
        return default


@pytest.fixture
def workspace(tmp_path):
    return make_big_workspace(str(tmp_path), 6, 60)


def test_a_host_is_asked_for_as_many_users_at_a_time_as_it_takes(workspace) -> None:
    """Three workers: three calls run at once, no more, and everybody is asked exactly once."""
    host = Recording(workers=3)

    driven = drive(workspace, host, NOW, {})

    assert host.together == 3
    assert len(host.prompts) == len(set(host.prompts)) == 6
    assert [(entry["user"], entry["messages"]) for entry in driven.resumed.done] == [
        (f"user0000{number}", 1) for number in range(6)
    ]


@pytest.mark.parametrize("workers", [1, 3])
def test_a_call_that_fails_costs_one_user(workspace, workers) -> None:
    """An API error for one user is that user's parse error; the others have their messages."""
    driven = drive(workspace, Recording(workers, {1: HostFailed("the API said 529", "Wait.")}), NOW, {})

    outcomes = sorted(entry["outcome"] for entry in driven.resumed.done)
    assert outcomes == ["messages"] * 5 + ["subagent_parse_error"]
    assert "the API said 529" in "".join(driven.warnings)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_wall_stops_the_run_and_the_rest_can_be_driven_on(workspace, workers) -> None:
    """A client that is not logged in ends the drive; answers that came stay filed and nobody is asked twice."""
    with pytest.raises(HostMissing, match="not logged in"):
        drive(workspace, Recording(workers, {3: HostMissing("not logged in", "Log in.")}), NOW, {})
    place = all_runs(workspace)[0]
    filed = answered_items(workspace, place)
    second = Recording()

    driven = drive_on(workspace, second, place.run, NOW)

    assert len(filed) <= 5
    assert len(second.prompts) == 6 - len(filed)
    assert (driven.resumed.state, len(driven.resumed.done)) == ("complete", 6)
