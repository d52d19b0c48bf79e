"""The workspace: paths, reading, listing, transactions, and the twin in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mindloop.store.errors import Busy, Malformed, StoreFailure, Unreadable, WrongInput
from mindloop.store.workspace import Workspace
from tests.helpers.faults import snapshot
from tests.helpers.folders import fast_folder
from tests.helpers.writers import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SLOW = ("yaml", "json", "re", "typing", "argparse", "subprocess", "datetime", "pathlib", "contextlib", "enum", "signal")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "mindloop.yaml").write_text("schema: 1\n")
    for rel, text in {"a/one.md": "1", "a/two.txt": "2", "a/.hidden.md": "h", "a/deep/three.md": "3"}.items():
        path = tmp_path / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Workspace(str(tmp_path))


def test_importing_it_costs_little() -> None:
    """A command that only reads a file imports nothing slow."""
    code = f"import sys; import mindloop.store.workspace; print([m for m in {SLOW} if m in sys.modules])"
    environment = {"PYTHONPATH": "core", "PATH": os.environ["PATH"]}
    command = [sys.executable, "-S", "-c", code]

    said = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    assert said == "[]\n"


@pytest.mark.parametrize("bad", ["", "/etc/passwd", "../x", "a/../../x", "a\0b", ".", "./", "//x", "a/.."])
def test_paths_stay_inside(bad: str, workspace: Workspace) -> None:
    """Absolute, climbing, empty and NUL paths are refused everywhere."""
    for ask in (workspace.path, workspace.read, workspace.exists, workspace.names, workspace.tree, workspace.size):
        with pytest.raises(WrongInput, match="is no path inside the workspace"):
            ask(bad)
    with workspace.transaction("world") as tx, pytest.raises(WrongInput):
        tx.write(bad, "x")


def test_reading(workspace: Workspace) -> None:
    """Files give bytes or text, missing ones None; a byte order mark and line ends are kept."""
    with open(workspace.path("bom.txt"), "wb") as file:
        file.write(b"\xef\xbb\xbfa\r\n")

    assert workspace.read("a/one.md") == b"1"
    assert workspace.read_text("bom.txt") == "\ufeffa\r\n"
    assert workspace.read("none") is None
    assert workspace.read_text("none") is None
    assert workspace.size("a/one.md") == 1
    assert workspace.size("none") is None
    assert (workspace.exists("a"), workspace.exists("b"), workspace.is_dir("a"), workspace.is_dir("a/one.md")) == (
        True,
        False,
        True,
        False,
    )


def test_bytes_that_are_no_text_are_named(workspace: Workspace) -> None:
    """Latin-1 and UTF-16 are refused with the place of the first bad byte."""
    with open(workspace.path("latin.md"), "wb") as file:
        file.write("naïve".encode("latin-1"))

    with pytest.raises(Malformed, match=r"latin\.md: byte 2 is not UTF-8"):
        workspace.read_text("latin.md")


def test_listing(workspace: Workspace) -> None:
    """Names are of one folder, trees go down; both are sorted, leave out dot files and linked folders."""
    os.symlink(workspace.root, workspace.path("a/loop"))
    os.symlink("nowhere", workspace.path("a/dangling.md"))
    os.symlink("itself.md", workspace.path("a/itself.md"))

    assert workspace.names("a") == ["one.md", "two.txt"]
    assert workspace.names("a", ".md") == ["one.md"]
    assert workspace.names("none") == []
    assert workspace.tree("a", ".md") == ["a/deep/three.md", "a/one.md"]
    assert workspace.folders("a") == ["deep", "loop"]


def test_a_transaction_sees_what_it_staged(workspace: Workspace) -> None:
    """Reads, sizes and lists inside a transaction show the coming state; the disk still has the old one."""
    with workspace.transaction("world") as tx:
        tx.write("a/new.md", "né")
        tx.append("a/one.md", b"more")
        tx.append("a/fresh.jsonl", b"{}\n")
        tx.remove("a/two.txt")
        tx.write("b/c/d.md", b"d")

        assert tx.read_text("a/new.md") == "né"
        assert tx.read("a/one.md") == b"1\nmore\n"
        assert tx.read("a/fresh.jsonl") == b"{}\n"
        assert (tx.exists("a/two.txt"), tx.read("a/two.txt"), tx.size("a/two.txt")) == (False, None, None)
        assert (tx.size("a/new.md"), tx.size("a/one.md"), tx.size("a/deep/three.md")) == (3, 7, 1)
        assert tx.names("a") == ["fresh.jsonl", "new.md", "one.md"]
        assert tx.tree("b") == ["b/c/d.md"]
        assert (tx.is_dir("b"), tx.exists("b/c"), tx.folders("b")) == (True, True, ["c"])
        assert workspace.exists("a/new.md") is False

    assert workspace.tree("a") == ["a/deep/three.md", "a/fresh.jsonl", "a/new.md", "a/one.md"]
    assert workspace.read("a/one.md") == b"1\nmore\n"


def test_appends_and_writes_mix(workspace: Workspace) -> None:
    """Appends after a write join it, a write after appends replaces them, a removed file starts anew."""
    with workspace.transaction("world") as tx:
        tx.write("x", b"1")
        tx.append("x", b"2\n")
        tx.append("a/one.md", b"gone")
        tx.write("a/one.md", b"new")
        tx.remove("a/two.txt")
        tx.append("a/two.txt", b"again")

    assert [workspace.read(rel) for rel in ("x", "a/one.md", "a/two.txt")] == [b"1\n2\n", b"new", b"again\n"]


def test_an_exception_leaves_everything(workspace: Workspace) -> None:
    """Nothing staged reaches the disk when the block fails."""
    before = snapshot(workspace.root)
    tx = workspace.transaction("world", "user:x").__enter__()
    tx.write("a/one.md", "changed")
    tx.append("new.jsonl", b"{}")
    tx.__exit__(KeyError, KeyError(), None)

    assert snapshot(workspace.root) == before


def test_limits_hold_for_staged_files_too(workspace: Workspace) -> None:
    """A file that will be too large is refused like one that is."""
    with workspace.transaction("world") as tx:
        tx.write("x", b"12345")
        tx.append("a/one.md", b"12345")
        for rel in ("x", "a/one.md"):
            with pytest.raises(Malformed, match="at most 4 are read"):
                tx.read(rel, 4)


def test_a_closed_transaction_takes_nothing(workspace: Workspace) -> None:
    """After its block a transaction is over."""
    with workspace.transaction("world") as tx:
        pass

    with pytest.raises(RuntimeError, match="closed"):
        tx.write("x", "late")


def test_a_transaction_names_its_scopes(workspace: Workspace) -> None:
    """At least one scope; kept in the order of locking."""
    with workspace.transaction("user:a", "world", "user:a") as tx:
        assert tx.scopes == ("world", "user:a")
    with pytest.raises(RuntimeError, match="at least one scope"):
        workspace.transaction().__enter__()


def test_text_that_no_file_can_hold_is_refused(workspace: Workspace) -> None:
    """A lone surrogate fails when it is staged, before anything is written."""
    with workspace.transaction("world") as tx, pytest.raises(Malformed, match="surrogate"):
        tx.write("x", "\ud800")


def test_in_memory_changes_no_byte_on_the_disk(workspace: Workspace) -> None:
    """A dry run sees its own changes over several transactions; the folder keeps every byte, name and time."""

    def everything() -> list[tuple[str, bytes, int, int]]:
        found = []
        for folder, _, names in os.walk(workspace.root):
            found.append((folder, b"", os.stat(folder).st_mtime_ns, os.stat(folder).st_mode))
            for name in sorted(names):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found.append((path, file.read(), os.stat(path).st_mtime_ns, os.stat(path).st_mode))
        return sorted(found)

    before = everything()
    twin = workspace.in_memory()
    with twin.transaction("research", "user:bob") as tx:
        tx.write("b/new.md", "new")
        tx.append("a/one.md", b"more")
        tx.remove("a/two.txt")
    with twin.transaction("research") as tx:
        tx.append("a/one.md", b"again")
        tx.append("log.jsonl", b"{}")

    assert twin.read("a/one.md") == b"1\nmore\nagain\n"
    assert (twin.names("a"), twin.tree("b"), twin.folders("b")) == (["one.md"], ["b/new.md"], [])
    assert (twin.exists("a/two.txt"), twin.exists("b"), twin.is_dir("b"), twin.size("log.jsonl")) == (
        False,
        True,
        True,
        3,
    )
    assert twin.size("a/two.txt") is None
    with pytest.raises(Malformed, match="at most 2"):
        twin.read("a/one.md", 2)
    assert twin.recover() == []
    assert workspace.read("a/one.md") == b"1"
    assert everything() == before


def test_a_failed_block_in_memory_leaves_the_twin(workspace: Workspace) -> None:
    """An exception drops what was staged in memory as well."""
    twin = workspace.in_memory()
    tx = twin.transaction("world").__enter__()
    tx.write("x", "1")
    tx.__exit__(KeyError, KeyError(), None)

    assert twin.exists("x") is False


def test_a_read_only_folder_is_readable(tmp_path: Path) -> None:
    """Reading works without any right to write, beside an interrupted change too; writing is refused with the path."""
    with fast_folder(tmp_path) as folder:
        os.chmod(folder, 0o755)
        (folder / "a.md").write_text("1")
        (folder / ".mindloop/journal").mkdir(parents=True)
        (folder / ".mindloop/journal/world~1-1.tmp").write_text("{")
        before = snapshot(folder, own=True)

        def work(report: Callable[[str], None]) -> None:
            if os.geteuid() == 0:
                os.setuid(65534)  # root may write everywhere
            else:
                os.chmod(folder / ".mindloop", 0o555)
            workspace = Workspace(str(folder))
            report(f"{workspace.read('a.md')!r} {workspace.recover()}")
            with workspace.in_memory().transaction("world") as tx:
                tx.write("b.md", "2")
            try:
                workspace.transaction("world").__enter__()
            except StoreFailure as error:
                report(error.message.replace(str(folder), ""))

        said = Writer(work).require_success()
        os.chmod(folder / ".mindloop", 0o755)
        assert snapshot(folder, own=True) == before

    assert said == ["b'1' []", "/.mindloop/locks: could not create the folder: Permission denied"]


def test_there_is_one_holder_of_a_long_lock(workspace: Workspace) -> None:
    """The second is refused at once and told who holds it; transactions go on meanwhile."""
    with workspace.hold("driver", "the first"):
        with pytest.raises(Busy, match=f"driver is not free now: pid {os.getpid()} .the first. holds it"):
            workspace.hold("driver", "the second").__enter__()
        with workspace.transaction("world", timeout=0) as tx:
            tx.write("f", "x")
    with workspace.hold("driver", "the next"):
        assert workspace.read("f") == b"x"


def test_what_may_not_be_looked_at_is_not_missing(tmp_path: Path) -> None:
    """Behind a closed folder nobody knows what is there: that is said, and not that it is missing."""
    with fast_folder(tmp_path) as folder:
        os.chmod(folder, 0o755)
        (folder / "closed/inner").mkdir(parents=True)
        (folder / "closed").chmod(0o600)

        def work(report: Callable[[str], None]) -> None:
            if os.geteuid() == 0:
                os.setuid(65534)  # root may look everywhere
            workspace = Workspace(str(folder))
            for ask in (workspace.exists, workspace.is_dir, workspace.size):
                try:
                    report(str(ask("closed/inner")))
                except Unreadable as error:
                    report(error.message.replace(str(folder), ""))

        said = Writer(work).require_success()
        (folder / "closed").chmod(0o755)

    assert said == ["/closed/inner: could not look at it: Permission denied"] * 3


def test_a_loop_and_a_name_that_cannot_be_are_nothing(workspace: Workspace) -> None:
    """A link that points at itself leads to nothing, and nothing has a name of 300 letters."""
    os.symlink("itself", workspace.path("itself"))
    for rel in ("itself", "x" * 300):
        assert (workspace.exists(rel), workspace.is_dir(rel), workspace.size(rel)) == (False, False, None)
