"""The pack as a plugin of the real client: a marketplace, a git source, somebody's project, all in a sandbox."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from typing import TYPE_CHECKING

from tests.helpers.client_sandbox import REPOSITORY, Sandbox, client, copy_files, environment, git

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = "http://127.0.0.1:9"
AUTHOR = ("-c", "user.name=somebody", "-c", "user.email=somebody@localhost")


class PluginSandbox(Sandbox):
    """A home, somebody's project that is a git repository, and the pack as files of a git repository elsewhere.

    Home, project and so the plugin's own folder have a space in their names.

    Attributes:
        source: a git repository of the pack, as its files lie here.
        root: where the plugin was installed; the source's own folder before that.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.home = folder / "my home"
        for path in (self.home / ".claude", self.home / "tmp"):
            path.mkdir(parents=True)
        self.source = self.root = folder / "pack"
        copy_files(self.source)
        commit_all(self.source, self.home)
        commit_all(self.project, self.home)

    def claude(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the client that asks no model."""
        env = environment(self.home, NOBODY, GIT_CONFIG_NOSYSTEM="1")
        return subprocess.run(
            [client(), *argv], cwd=self.project, env=env, capture_output=True, text=True, check=False, timeout=120
        )

    def marketplace(self, name: str, source: object) -> Path:
        """A marketplace whose one entry is the pack, from a source as the client knows them."""
        folder = self.home.parent / name
        (folder / ".claude-plugin").mkdir(parents=True)
        entry = {"name": "mindloop", "description": "the pack", "source": source}
        catalogue = {"name": name, "owner": {"name": "somebody"}, "description": "one plugin", "plugins": [entry]}
        (folder / ".claude-plugin/marketplace.json").write_text(json.dumps(catalogue), encoding="utf-8")
        return folder

    def install(self, marketplace: Path | str, name: str) -> None:
        """Add a marketplace and install the pack from it, as a person types it; AssertionError where it fails."""
        for argv in (("marketplace", "add", str(marketplace)), ("install", f"mindloop@{name}")):
            ended = self.claude("plugin", *argv)
            assert ended.returncode == 0, ended.stdout + ended.stderr
        (found,) = json.loads(self.claude("plugin", "list", "--json").stdout)
        self.root = type(self.source)(found["installPath"])

    def bare(self) -> Path:
        """A bare repository of the pack, made when it is asked for."""
        bare = self.home.parent / "served" / "pack.git"
        git("clone", "-q", "--bare", str(self.source), str(bare), cwd=self.project, home=self.home)
        return bare

    def install_from_git(self) -> None:
        """Install from a bare git repository: the client makes a copy of its own."""
        self.install(self.marketplace("market", {"source": "url", "url": f"file://{self.bare()}"}), "market")

    def new_project(self, folder: Path) -> None:
        """Go on in another project, empty and with a space in its name."""
        self.project = folder / "another project"
        self.project.mkdir(parents=True)
        commit_all(self.project, self.home)

    def link_packages(self) -> None:
        """Put the packages of this repository where setup.py would have put them."""
        place = self.home / ".local/share/mindloop"
        place.mkdir(parents=True)
        (place / "venv").symlink_to(REPOSITORY / ".venv")

    def script(self, *argv: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the plugin in the project, as a person would at a terminal."""
        return super().script(str(self.root / argv[0]), *argv[1:], stdin=stdin, **env)

    def fingerprint(self, *roots: Path) -> dict[str, str]:
        """Everything below the plugin's folder or the given ones, without the client's own notes (.in_use)."""
        found = {}
        for folder, folders, names in (step for root in roots or (self.root,) for step in os.walk(root)):
            folders[:] = sorted(set(folders) - {".in_use"})
            for name in [*folders, *names]:
                path = os.path.join(folder, name)
                found[path] = f"{os.lstat(path).st_mode:o} {_content(path)}"
        return found


def _content(path: str) -> str:
    if os.path.islink(path):
        return os.readlink(path)
    if os.path.isdir(path):
        return "folder"
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def commit_all(folder: Path, home: Path) -> None:
    """Make a folder a git repository with one commit of everything in it."""
    git("init", "-q", "-b", "main", ".", cwd=folder, home=home)
    git("add", "-A", cwd=folder, home=home)
    git(*AUTHOR, "commit", "-q", "--allow-empty", "-m", "everything", cwd=folder, home=home)
