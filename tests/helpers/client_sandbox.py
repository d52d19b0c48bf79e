"""The real client in a sandbox: a home, a configuration and a project of its own, and nothing of the person's.

The client is the program that MINDLOOP_CLIENT names, else the one that ``make test`` installs into ``.e2e``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

REPOSITORY = Path(__file__).resolve().parents[2]
VERSION = "2.1.197"
_INSTALLED = REPOSITORY / ".e2e" / "node_modules" / ".bin" / "claude"
_KEY = "sk-of-nobody"
_SWITCHES = (
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_AUTOUPDATER",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
)


def client() -> str:
    """Path of the client; the test that asks is skipped, with what to do, where there is none."""
    named = os.environ.get("MINDLOOP_CLIENT", "")
    found = named or str(_INSTALLED)
    if not os.access(found, os.X_OK):
        pytest.skip(
            f"no Claude Code client at {found}: needs Node.js, then `make test` installs it (or MINDLOOP_CLIENT)"
        )
    return os.path.abspath(found)


def environment(home: Path, url: str, **more: str) -> dict[str, str]:
    """The client's whole environment: the sandbox's folders, the stand-in's address, nothing of ours."""
    node = shutil.which("node")
    places = ["/usr/local/bin", "/usr/bin", "/bin", *([os.path.dirname(node)] if node else [])]
    return {
        "PATH": ":".join(places),
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_TMPDIR": str(home / "tmp"),
        "TMPDIR": str(home / "tmp"),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": _KEY,
        "NO_PROXY": "*",
        "no_proxy": "*",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "SHELL": "/bin/sh",
        **dict.fromkeys(_SWITCHES, "1"),
        **more,
    }


class Sandbox:
    """A home and a project below one folder, which may have a space in its name.

    Attributes:
        home: the client's HOME; its configuration is in ``.claude`` there.
        project: where the client is started; empty unless it was made from the repository.
    """

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "a project"
        for path in (self.home / ".claude", self.home / "tmp", self.project):
            path.mkdir(parents=True)

    @classmethod
    def of_repository(cls, folder: Path, *, clone: bool = False) -> Self:
        """A sandbox whose project is this repository.

        Args:
            folder: an empty folder to build it in.
            clone: take the last commit by ``git clone``; else the files as they lie here, without the ignored ones.
        """
        made = cls(folder)
        if clone:
            made.project.rmdir()
            git("clone", "-q", "--no-hardlinks", str(REPOSITORY), str(made.project), cwd=folder, home=made.home)
        else:
            copy_files(made.project)
            git("init", "-q", ".", cwd=made.project, home=made.home)
        # The commands run under this interpreter's packages, as they would after `make install`.
        (made.project / ".venv").symlink_to(REPOSITORY / ".venv")
        return made

    def trust(self) -> None:
        """Answer the client's question about this folder with yes."""
        known = {"projects": {str(self.project): {"hasTrustDialogAccepted": True}}, "hasCompletedOnboarding": True}
        (self.home / ".claude" / ".claude.json").write_text(json.dumps(known), encoding="utf-8")

    def ask(self, url: str, prompt: str, *flags: str, cwd: Path | None = None, **env: str) -> Turn:
        """Run one headless turn and return what the client printed."""
        argv = [client(), "-p", prompt, "--output-format", "stream-json", "--verbose", *flags]
        return Turn(*self._run(argv, cwd or self.project, environment(self.home, url, **env)))

    def script(self, *argv: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the project, as a person would at a terminal."""
        return subprocess.run(
            ["python3", *argv],
            cwd=self.project,
            env=environment(self.home, "http://127.0.0.1:9", **env),
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    @staticmethod
    def _run(argv: list[str], cwd: Path, env: dict[str, str]) -> tuple[int, str, str]:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=180)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        return process.returncode, out, err


def copy_files(target: Path) -> None:
    """Copy the files of this repository as they lie here, without the ignored ones."""
    if not (REPOSITORY / ".git").exists():  # unpacked from an archive
        left_out = shutil.ignore_patterns(".venv", ".e2e", ".*_cache", "__pycache__", "node_modules")
        shutil.copytree(REPOSITORY, target, ignore=left_out, dirs_exist_ok=True)
        return
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=REPOSITORY, home=target)
    for name in filter(None, listed.split("\0")):
        source = REPOSITORY / name
        if source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)


def git(*arguments: str, cwd: Path, home: Path) -> str:
    """Run git without anybody's configuration."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    argv = ["git", "-c", "safe.directory=*", *arguments]
    return subprocess.run(argv, cwd=cwd, env=env, check=True, capture_output=True, text=True).stdout


class Turn:
    """What one run of the client printed.

    Attributes:
        code: its exit code.
        out: standard output, one JSON object a line.
        err: standard error.
        events: the objects of ``out``.
    """

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err
        self.events: list[dict[str, Any]] = [json.loads(line) for line in out.splitlines() if line.startswith("{")]

    @property
    def result(self) -> dict[str, Any]:
        """The last object, which sums the turn up; empty where there is none."""
        found = [event for event in self.events if event.get("type") == "result"]
        return found[-1] if found else {}

    @property
    def denied(self) -> list[dict[str, Any]]:
        """The tool calls that were refused."""
        return list(self.result.get("permission_denials", []))

    @property
    def version(self) -> str:
        """The client's own version."""
        starts = [event for event in self.events if event.get("subtype") == "init"]
        return str(starts[0]["claude_code_version"]) if starts else ""

    def really_ran(self) -> Self:
        """Raise unless a model was asked and the turn came to its end.

        The exit code alone says nothing: an aborted or unknown slash command ends with 0 too.
        """
        stopped = re.findall(r"<local-command-stderr>(.*?)</local-command-stderr>", self.out, re.DOTALL)
        fine = self.code == 0 and not self.result.get("is_error") and not stopped and self.result.get("num_turns")
        assert fine, f"exit {self.code}, stopped by {stopped}, result {self.result}, stderr {self.err[:500]!r}"
        assert self.version == VERSION, f"these tests describe client {VERSION}, found {self.version}"
        return self
