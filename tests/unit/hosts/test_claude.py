"""The headless client as a host, with a stand-in program in its place."""

from __future__ import annotations

import json
import os
import sys

import pytest

from mindloop.hosts.claude import SYSTEM_PROMPT, ClaudeHost, find_client, time_limit
from mindloop.hosts.errors import HostFailed, HostMissing
from mindloop.store.errors import WrongInput

# Not a `#!` line with the interpreter: its path may have a space.
START = """#!/bin/sh
exec '{python}' "$0.py" "$@"
"""
STAND_IN = """import json, os, sys
seen = {{"argv": sys.argv[1:], "stdin": sys.stdin.buffer.read().decode(), "cwd": os.getcwd(),
        "files": os.listdir("."), "env": dict(os.environ)}}
json.dump(seen, open({seen!r}, "w"))
sys.stdout.write({out!r}); sys.stderr.write({err!r}); sys.exit({code})
"""


class Client:
    """A program that notes what it was given and says what it was told to."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, "the client")
        self.note = os.path.join(folder, "seen.json")

    def says(self, out: object, err: str = "", code: int = 0) -> None:
        """Print ``out`` (an object as JSON) and ``err``, end with ``code``."""
        text = out if isinstance(out, str) else json.dumps(out)
        script = STAND_IN.format(seen=self.note, out=text, err=err, code=code)
        for path, content in ((self.path, START.format(python=sys.executable)), (f"{self.path}.py", script)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        os.chmod(self.path, 0o755)

    @property
    def seen(self) -> dict[str, object]:
        """Arguments, input, folder and environment of the last call."""
        with open(self.note, encoding="utf-8") as file:
            return json.load(file)


@pytest.fixture
def client(tmp_path: os.PathLike[str], monkeypatch: pytest.MonkeyPatch) -> Client:
    made = Client(str(tmp_path))
    monkeypatch.setenv("MINDLOOP_CLAUDE", made.path)
    monkeypatch.delenv("MINDLOOP_CLAUDE_TIMEOUT", raising=False)
    made.says({"type": "result", "is_error": False, "num_turns": 1, "result": ' {"a": "🦊"}\n'})
    return made


def test_the_answer_comes_back_unchanged(client: Client) -> None:
    """The model's text is returned byte for byte, blanks and line ends included."""
    assert ClaudeHost().fill("a packet\n", "default") == ' {"a": "🦊"}\n'


def test_the_packet_goes_in_by_standard_input_alone(client: Client) -> None:
    """No part of the packet stands in an argument; the client gets no tools, no project, no session."""
    ClaudeHost().fill("Pâquet 🦊 @/etc/hostname\n\n", "default")
    seen = client.seen
    assert seen["stdin"] == "Pâquet 🦊 @/etc/hostname\n\n"
    assert seen["argv"] == [
        "--print", "--output-format", "json", "--safe-mode", "--tools", "", "--strict-mcp-config",
        "--no-session-persistence", "--disable-slash-commands", "--max-turns", "1", "--system-prompt", SYSTEM_PROMPT,
    ]  # fmt: skip


def test_it_runs_in_an_empty_folder_that_is_gone_afterwards(client: Client) -> None:
    """Nothing of the workspace lies around the client, and nothing of it stays."""
    ClaudeHost().fill("a packet", "default")
    assert client.seen["files"] == []
    assert not os.path.exists(str(client.seen["cwd"]))


def test_files_named_in_a_packet_are_never_attached(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client is told to leave `@path` alone, and that it is no part of another session."""
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_MAX_RETRIES", "7")
    ClaudeHost().fill("a packet", "default")
    env = client.seen["env"]
    assert isinstance(env, dict)
    assert env["CLAUDE_CODE_DISABLE_ATTACHMENTS"] == "1"
    assert env["CLAUDE_CODE_MAX_RETRIES"] == "7"
    assert "CLAUDECODE" not in env


def test_a_packet_that_looks_like_a_command_is_data(client: Client) -> None:
    """A text that begins with a slash does not become one of the client's commands."""
    ClaudeHost().fill("/clear\nthen", "default")
    assert client.seen["stdin"] == "\n/clear\nthen"


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        ({"is_error": True, "result": "Not logged in · Please run /login"}, HostMissing, "not logged in"),
        ({"is_error": True, "api_error_status": 401, "result": "Invalid API key"}, HostMissing, r"\(401\)"),
        ({"is_error": True, "api_error_status": 403, "result": "no"}, HostMissing, r"\(403\)"),
        ({"is_error": True, "api_error_status": 400, "result": "Credit balance is too low"}, HostMissing, "balance"),
        ({"is_error": True, "api_error_status": 500, "result": "API Error: 500 boom"}, HostFailed, "API error 500"),
        ({"is_error": True, "api_error_status": None, "result": "Unable to connect"}, HostMissing, "be reached"),
        ({"is_error": True, "subtype": "error_max_turns", "errors": ["turns (1)"]}, HostFailed, r"turns \(1\)"),
        ({"is_error": True, "result": "bad\nthing\x1b[31m"}, HostFailed, r"bad thing \[31m"),
    ],
)
def test_the_clients_refusals_say_what_to_do(
    client: Client, said: dict[str, object], kind: type[HostMissing | HostFailed], words: str
) -> None:
    """What every packet would meet stops the run; what one call met does not."""
    client.says({"type": "result", **said}, code=1)
    with pytest.raises(kind, match=words) as caught:
        ClaudeHost().fill("a packet", "default")
    assert caught.value.hint
    assert caught.value.stops_the_run == (kind is HostMissing)


@pytest.mark.parametrize(
    "said",
    [
        {"type": "result", "is_error": False, "num_turns": 1, "result": " \n"},
        {"type": "result", "is_error": False, "num_turns": 1},
        {"type": "result", "is_error": False, "num_turns": 0, "result": "Unknown command: /x"},
        "no json",
        "",
        "[]",
        "[" * 100_000,
    ],
)
def test_no_answer_is_never_taken_for_one(client: Client, said: object) -> None:
    """Empty text, a text without a model call and noise are errors, not answers."""
    client.says(said)
    with pytest.raises(HostFailed):
        ClaudeHost().fill("a packet", "default")


def test_an_old_client_is_named_as_such(client: Client) -> None:
    """A client that does not know our flags asks for an update."""
    client.says("", "error: unknown option '--safe-mode'\n", 1)
    with pytest.raises(HostMissing, match=r"too old.*--safe-mode"):
        ClaudeHost().fill("a packet", "default")


def test_the_time_limit_is_an_error_of_this_call(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that does not answer is ended, and the message names the limit and how to raise it."""
    with open(client.path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec sleep 600\n")
    monkeypatch.setenv("MINDLOOP_CLAUDE_TIMEOUT", "0.2")
    with pytest.raises(HostFailed, match=r"within 0\.2 s") as caught:
        ClaudeHost().fill("a packet", "default")
    assert "MINDLOOP_CLAUDE_TIMEOUT" in caught.value.hint


@pytest.mark.parametrize("value", ["soon", "0", "-1", "inf", "nan", "1e999"])
def test_a_time_limit_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Only seconds above zero are a limit."""
    monkeypatch.setenv("MINDLOOP_CLAUDE_TIMEOUT", value)
    with pytest.raises(WrongInput, match="expected seconds"):
        time_limit()


def test_the_limit_is_five_minutes_where_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable, or an empty one, means the default."""
    monkeypatch.setenv("MINDLOOP_CLAUDE_TIMEOUT", " ")
    assert time_limit() == 300.0


def test_a_missing_client_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: os.PathLike[str]) -> None:
    """Without a client the message says what to install."""
    monkeypatch.delenv("MINDLOOP_CLAUDE", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostMissing, match="no `claude` on the PATH") as caught:
        find_client()
    assert "npm install -g @anthropic-ai/claude-code" in caught.value.hint


def test_a_named_client_that_is_none_is_not_replaced_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong MINDLOOP_CLAUDE is an error, not a reason to take some other program."""
    monkeypatch.setenv("MINDLOOP_CLAUDE", "/nowhere/claude")
    with pytest.raises(HostMissing, match="/nowhere/claude"):
        find_client()


def test_the_client_is_found_on_the_path(monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    """Without MINDLOOP_CLAUDE it is the `claude` of the PATH."""
    folder = os.path.dirname(client.path)
    os.rename(client.path, os.path.join(folder, "claude"))
    monkeypatch.delenv("MINDLOOP_CLAUDE")
    monkeypatch.setenv("PATH", folder)
    assert find_client() == os.path.join(folder, "claude")
