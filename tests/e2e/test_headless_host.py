"""The headless client as a host, against a scripted model API: what it is sent, and how it fails."""

from __future__ import annotations

import json

import pytest

from mindloop.hosts.claude import SYSTEM_PROMPT, ClaudeHost
from mindloop.hosts.errors import HostFailed, HostMissing
from tests.helpers.client_sandbox import Sandbox, client, environment
from tests.helpers.follow_up_play import answer_of, sample_with_canaries
from tests.helpers.model_api import ModelApi, call, failure, silence, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.helpers.model_api import Block, Request

pytestmark = pytest.mark.e2e
MARK = "HOME-AND-PROJECT-MARK"


class Desk:
    """A person's machine with everything on it that must stay out of a request."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sandbox = Sandbox(folder)
        self.reply: list[Block] = [text("an answer\n")]
        self.api = ModelApi(lambda _: self.reply)
        home, project = self.sandbox.home, self.sandbox.project
        hook = {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": f"echo {MARK}"}]}]}}
        for place in (home, project):
            (place / ".claude").mkdir(exist_ok=True)
            (place / ".claude" / "settings.json").write_text(json.dumps(hook), encoding="utf-8")
            (place / "CLAUDE.md").write_text(MARK, encoding="utf-8")
        (home / ".claude" / "CLAUDE.md").write_text(MARK, encoding="utf-8")
        (home / "secret.txt").write_text(MARK, encoding="utf-8")
        for name, value in environment(home, self.api.url, MINDLOOP_CLAUDE=client()).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(project)

    @property
    def only(self) -> Request:
        """The one request that was made."""
        (request,) = self.api.requests
        return request


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    client()
    made = Desk(tmp_path, monkeypatch)
    with made.api:
        yield made


def test_the_request_holds_the_packet_and_nothing_else(desk: Desk) -> None:
    """No tools, our system prompt, the packet byte for byte; what surrounds it fits into a kilobyte and a half."""
    prompt = "A packet 🦊 e\u0301\u202e\r\n\n  with blanks at its end \n\n"
    assert ClaudeHost().fill(prompt, "default") == "an answer\n"
    assert desk.only.tools == []
    assert desk.only.texts()[1:] == [prompt]
    assert desk.only.system.endswith(SYSTEM_PROMPT)
    assert len(desk.only.raw) - len(prompt.encode()) < 1_500 + len(SYSTEM_PROMPT)
    assert not desk.only.holds(MARK)
    assert list((desk.sandbox.home / ".claude").rglob("*.jsonl")) == []


@pytest.mark.parametrize(
    "line", ["@secret.txt", "@~/secret.txt", "!`cat ~/secret.txt`", "# remember this", "!ls", "/help", "/clear all"]
)
def test_what_the_client_would_act_on_is_data(desk: Desk, line: str) -> None:
    """No line of a packet attaches a file, runs a command or writes a memory."""
    for prompt in (f"{line}\nrest", f"first\n{line} @{desk.sandbox.home}/secret.txt\n"):
        desk.api.requests.clear()
        ClaudeHost().fill(prompt, "default")
        assert desk.only.texts()[-1].lstrip("\n") == prompt
        assert not desk.only.holds(MARK)


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (failure(401, "authentication_error", "invalid x-api-key"), HostMissing, "401"),
        (failure(400, "invalid_request_error", "too\nlong"), HostFailed, "API error 400.*too long"),
        (failure(400, "invalid_request_error", "Your credit balance is too low to access"), HostMissing, "balance"),
        (failure(404, "not_found_error", "model: none"), HostMissing, "selected model"),
        (call("Bash", command="ls"), HostFailed, "maximum number of turns"),
        (text(""), HostFailed, "no text"),
    ],
)
def test_its_failures_are_told_apart(
    desk: Desk, reply: Block, kind: type[HostMissing | HostFailed], words: str
) -> None:
    """What every packet would meet stops the run; what this call met does not."""
    desk.reply = [reply]
    with pytest.raises(kind, match=words):
        ClaudeHost().fill("a packet", "default")


def test_a_client_that_is_not_logged_in_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sent, and the message tells what to run."""
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(HostMissing, match="not logged in") as caught:
        ClaudeHost().fill("a packet", "default")
    assert "/login" in caught.value.hint
    assert desk.api.requests == []


def test_an_api_that_is_not_there_stops_the_run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody listens every packet would fail alike, so the first one says it for all."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("CLAUDE_CODE_MAX_RETRIES", "0")
    with pytest.raises(HostMissing, match="cannot be reached"):
        ClaudeHost().fill("a packet", "default")


def test_a_model_that_does_not_answer_meets_the_time_limit(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client is ended and the error names the limit."""
    monkeypatch.setenv("MINDLOOP_CLAUDE_TIMEOUT", "3")
    desk.reply = [silence()]
    with pytest.raises(HostFailed, match="within 3 s"):
        ClaudeHost().fill("a packet", "default")


def test_driving_the_sample_keeps_users_apart(tmp_path: Path) -> None:
    """`drive.py --host claude`: one request a waiting user, and nothing of one in another's."""
    binary = client()
    sandbox = Sandbox.of_repository(tmp_path)
    people = sample_with_canaries(sandbox)
    with ModelApi(lambda request: [text(answer_of(request.texts()[-1]))]) as api:
        driven = sandbox.script(
            "core/scripts/drive.py", "follow-up", "--host", "claude", ANTHROPIC_BASE_URL=api.url, MINDLOOP_CLAUDE=binary
        )
    assert driven.returncode == 0, driven.stderr
    owners = [[person.slug for person in people if request.holds(person.canary)] for request in api.requests]
    assert sorted(len(owner) for owner in owners) == [1] * 11
    assert len({owner[0] for owner in owners}) == 11
    for request, (owner,) in zip(api.requests, owners, strict=True):
        foreign = [mark for person in people if person.slug != owner for mark in person.own]
        assert [mark for mark in foreign if request.holds(mark)] == []
