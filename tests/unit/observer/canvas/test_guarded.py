"""Names and wallets that nobody else's prompt may hold, whatever is wrong with the file that has them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.canvas.guarded import guarded
from mindloop.observer.canvas.reading import load_canvases
from tests.helpers.research import research_workspace

if TYPE_CHECKING:
    from pathlib import Path

DIR = "grimoires/observer/canvas"
WALLET = "0x" + "aB" * 20
BODY = "ab" * 20
GOOD = f'---\ntype: user_canvas\nuser: "alice"\nwallet: "{WALLET}"\nschema_version: 2\n---\nx\n'


def found(root: Path) -> tuple[list[str], list[str]]:
    workspace = research_workspace(root)
    both = guarded(workspace, load_canvases(workspace))
    return both.basenames, [wallet.lower().removeprefix("0x") for wallet in both.wallets]


def written(root: Path, name: str, data: bytes) -> Path:
    path = root / DIR / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        GOOD.encode() + b"\xff\xfe bad",
        GOOD.encode() + b"\0",
        GOOD.encode() + b"a" * 4_100_000,
        GOOD.replace("alice", "../alice").replace("0x", "0X").encode(),
        GOOD.replace("alice", "../alice").replace("wallet:", '"wallet":').encode(),
        GOOD.replace("alice", "../alice").replace("wallet:", "wallet :").encode(),
        GOOD.replace("alice", "../alice").replace("0x", "").encode(),
        GOOD.replace("user_canvas", "user_canvas_template").encode(),
        GOOD.replace("\n", "\r").encode(),
        GOOD.encode("utf-16"),
        GOOD.replace(f'"{WALLET}"', f"[{WALLET}]").encode(),
        GOOD.replace(f'"{WALLET}"', f'"{WALLET} (main)"').encode(),
        f"no header at all {WALLET}".encode(),
    ],
)
def test_a_wallet_is_guarded_whatever_is_wrong(tmp_path: Path, data: bytes) -> None:
    """A broken header, body or type does not open a wallet to other prompts."""
    written(tmp_path, "alice-canvas.md", data)
    assert found(tmp_path) == (["alice-canvas.md"], [BODY])


def test_what_a_usable_canvas_quotes_is_not_guarded(tmp_path: Path) -> None:
    """A canvas without a wallet may quote an address: only its header says what is its user's."""
    written(tmp_path, "bob-canvas.md", f"---\nuser: bob\nwallet: null\n---\n> see {WALLET}\n".encode())
    assert found(tmp_path) == (["bob-canvas.md"], [])


def test_names_of_what_is_no_file(tmp_path: Path) -> None:
    """Folders and links to nowhere keep their names guarded; other files have none to guard."""
    folder = written(tmp_path, "a.txt", b"x").parent
    (folder / "folder-canvas.md").mkdir()
    os.symlink("loop-canvas.md", folder / "loop-canvas.md")
    os.symlink("nowhere.md", folder / "dangling-canvas.md")
    os.mkfifo(folder / "pipe-canvas.md")
    assert found(tmp_path) == (["dangling-canvas.md", "folder-canvas.md", "loop-canvas.md", "pipe-canvas.md"], [])


def test_a_second_canvas_keeps_its_wallet_guarded(tmp_path: Path) -> None:
    """The canvas that does not count for its user still has a wallet."""
    written(tmp_path, "alice-canvas.md", GOOD.replace("aB", "cd").encode())
    written(tmp_path, "alice.md", GOOD.encode())
    assert found(tmp_path) == (["alice-canvas.md", "alice.md"], ["cd" * 20, BODY])
