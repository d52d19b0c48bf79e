"""Recovery: whose journal it is, what it may touch, and what it does with odd ones."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.store import atomic, commit, journal, journal_files
from mindloop.store.errors import Busy, Malformed, StoreFailure
from mindloop.store.lock import Lock
from mindloop.store.repairs import FinishJournals
from mindloop.store.scopes import lock_path
from mindloop.store.workspace import Workspace
from tests.helpers.faults import snapshot
from tests.helpers.writers import Writer, holding

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "a.txt").write_text("old a\n")
    (tmp_path / "b.txt").write_text("old b\n")
    (tmp_path / "log.jsonl").write_text("{}\n")
    return Workspace(str(tmp_path))


def _journal(workspace: Workspace, name: str, entries: list[dict[str, Any]], scopes: tuple[str, ...]) -> str:
    os.makedirs(journal_files.folder(workspace.root), exist_ok=True)
    path = os.path.join(journal_files.folder(workspace.root), name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": 1, "scopes": scopes, "pid": 1, "entries": entries}, file)
    return path


def _prepared(workspace: Workspace, rel: str, data: bytes) -> dict[str, Any]:
    with open(atomic.temporary(workspace.path(rel)), "wb") as file:
        file.write(data)
    return journal.write_entry(rel, data)


def test_a_committed_journal_is_completed_by_a_reader(workspace: Workspace) -> None:
    """Reading commands finish the change of a dead process and say what they did; twice is once."""
    entries = [
        _prepared(workspace, "a.txt", b"new a\n"),
        journal.append_entry(workspace.root, "log.jsonl", b'{"n":1}\n'),
        {"do": "remove", "path": "b.txt", "size": 6, "crc": zlib.crc32(b"old b\n")},
    ]
    path = _journal(workspace, "research~1-1.json", entries, ("research",))

    assert workspace.recover() == ["completed an interrupted change of a.txt, log.jsonl, b.txt"]
    assert workspace.recover() == []
    assert (workspace.read("a.txt"), workspace.read("b.txt")) == (b"new a\n", None)
    assert workspace.read("log.jsonl") == b'{}\n{"n":1}\n'
    assert os.path.exists(path) is False


def test_an_intent_is_undone(workspace: Workspace) -> None:
    """Without a commit point the prepared files go and the old ones stay."""
    entry = _prepared(workspace, "a.txt", b"new a\n")
    _journal(workspace, "research~1-1.tmp", [entry], ("research",))

    assert workspace.recover() == ["undid an unfinished change of a.txt"]
    assert workspace.read("a.txt") == b"old a\n"
    assert sorted(os.listdir(workspace.root)) == [".mindloop", "a.txt", "b.txt", "log.jsonl"]


def test_the_journal_of_a_live_transaction_is_left_alone(workspace: Workspace) -> None:
    """While its locks are held, neither readers nor transactions of other scopes touch it."""
    _journal(workspace, "research~1-1.json", [_prepared(workspace, "a.txt", b"new a\n")], ("research", "user:alice"))
    with Lock(lock_path(workspace.root, "research"), 1, "live"):
        with workspace.transaction("user:bob") as tx:
            tx.write("c.txt", "c")
        before = snapshot(workspace.root, own=True)
        assert workspace.recover() == []
        assert Writer(lambda report: report(str(workspace.recover()))).require_success() == ["[]"]
        assert snapshot(workspace.root, own=True) == before


def test_a_transaction_first_completes_what_overlaps(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    """A dead change over more scopes than ours is completed before we read a byte."""
    _journal(workspace, "world~1-1.json", [_prepared(workspace, "a.txt", b"new a\n")], ("world", "user:alice"))
    with workspace.transaction("user:alice") as tx:
        assert tx.read("a.txt") == b"new a\n"

    assert capsys.readouterr().err == "note: completed an interrupted change of a.txt\n"


def test_a_dead_change_under_a_held_lock_makes_us_wait(workspace: Workspace) -> None:
    """When another scope of the dead change is busy, we are busy too, and nothing is half done."""
    _journal(workspace, "world~1-1.json", [_prepared(workspace, "a.txt", b"new a\n")], ("world", "user:alice"))

    holder, go = holding(lock_path(workspace.root, "world"))
    with pytest.raises(Busy, match="world is not free"):
        workspace.transaction("user:alice", timeout=0.05).__enter__()
    assert workspace.recover() == []
    os.close(go)
    holder.require_success()

    assert workspace.read("a.txt") == b"old a\n"
    assert workspace.recover() == ["completed an interrupted change of a.txt"]


@pytest.mark.parametrize(
    "entry",
    [
        {"do": "remove", "path": "../outside.txt", "size": 0, "crc": 0},
        {"do": "remove", "path": "/etc/hostname", "size": 0, "crc": 0},
        {"do": "append", "path": "log.jsonl", "at": -1, "data": ""},
        {"do": "append", "path": "log.jsonl", "at": 0, "data": "%%%"},
        {"do": "write", "path": "", "size": 0, "crc": 0},
        {"do": "chmod", "path": "a.txt"},
        {"do": "write", "path": "a.txt", "size": "6", "crc": 0},
        "a.txt",
    ],
    ids=str,
)
def test_a_journal_that_mindloop_did_not_write_does_nothing(entry: Any, workspace: Workspace, tmp_path: Path) -> None:
    """A journal that came with a copied folder may not lead out of it; it is kept aside and reported."""
    outside = tmp_path.parent / "outside.txt"
    outside.write_bytes(b"")
    before = snapshot(workspace.root)
    _journal(workspace, "research~1-1.json", [entry], ("research",))

    notes = workspace.recover()

    assert notes == ["could not complete a change of (unreadable): kept as research~1-1.incomplete"]
    assert snapshot(workspace.root) == before
    assert outside.exists()
    assert workspace.recover() == []


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"scopes": ["../x"], "entries": []}', '{"scopes": 5}'])
def test_a_torn_intent_is_swept_away(text: str, workspace: Workspace) -> None:
    """An intent that was cut short while being written had done nothing yet."""
    path = _journal(workspace, "user.alice~1-1.tmp", [], ("user:alice",))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    before = snapshot(workspace.root)
    with workspace.transaction("user:alice"):
        pass

    assert os.listdir(journal_files.folder(workspace.root)) == []
    assert snapshot(workspace.root) == before


def test_a_prepared_file_that_is_gone_is_reported(workspace: Workspace) -> None:
    """Someone deleted the dot file meanwhile: the rest is completed, the journal kept, the loss named."""
    gone = _prepared(workspace, "a.txt", b"new a\n")
    os.unlink(atomic.temporary(workspace.path("a.txt")))
    _journal(workspace, "research~1-1.json", [gone, _prepared(workspace, "b.txt", b"new b\n")], ("research",))

    assert workspace.recover() == ["could not complete a change of a.txt: kept as research~1-1.incomplete"]
    assert (workspace.read("a.txt"), workspace.read("b.txt")) == (b"old a\n", b"new b\n")


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        pytest.param(b"{}\n", b'{}\n{"n":1}\n', id="not yet"),
        pytest.param(b'{}\n{"n', b'{}\n{"n":1}\n', id="half"),
        pytest.param(b'{}\n{"n":1}\n', b'{}\n{"n":1}\n', id="done"),
        pytest.param(b"{}\n\0\0\0\0\0\0\0\0", b'{}\n{"n":1}\n', id="zeros after a power cut"),
        pytest.param(b'{}\n{"x":1}\n', b'{}\n{"x":1}\n{"n":1}\n', id="others wrote"),
        pytest.param(b'{}\n{"x":1}', b'{}\n{"x":1}\n{"n":1}\n', id="others wrote without newline"),
        pytest.param(b'{}\n{"x":1}\n{"n":1}\n{"y":1}\n', b'{}\n{"x":1}\n{"n":1}\n{"y":1}\n', id="done among others"),
    ],
)
def test_an_append_is_redone_exactly_once(present: bytes, expected: bytes, workspace: Workspace) -> None:
    """Whatever part of it was on the disk, the line is there once, and lines of others stay."""
    entry = journal.append_entry(workspace.root, "log.jsonl", b'{"n":1}\n')
    for _ in range(2):
        _journal(workspace, "research~1-1.json", [entry], ("research",))
        with open(workspace.path("log.jsonl"), "wb") as file:
            file.write(present)
        workspace.recover()

        assert workspace.read("log.jsonl") == expected
        present = expected


def test_a_stale_removal_does_not_touch_a_new_file(workspace: Workspace) -> None:
    """A journal that removes a file removes that file only, not one that was made since."""
    entry = journal.remove_entry(workspace.root, "b.txt")
    assert entry is not None
    with open(workspace.path("b.txt"), "wb") as file:
        file.write(b"made since\n")
    _journal(workspace, "research~1-1.json", [entry], ("research",))
    workspace.recover()

    assert workspace.read("b.txt") == b"made since\n"


def test_a_full_disk_in_the_middle_takes_appends_back(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """An append that finds the disk full leaves no part of the change behind."""
    before = snapshot(workspace.root)
    real = atomic.append_at

    def refuse_the_second(path: str, offset: int, data: bytes) -> None:
        if path.endswith("b.txt"):
            raise StoreFailure(f"{path}: could not append to it: No space left on device", "Free some space.")
        real(path, offset, data)

    monkeypatch.setattr(commit.atomic, "append_at", refuse_the_second)
    tx = workspace.transaction("research").__enter__()
    tx.append("log.jsonl", b'{"n":1}')
    tx.append("b.txt", b"more")
    tx.write("a.txt", "new a\n")
    with pytest.raises(StoreFailure, match="No space left"):
        tx.__exit__(None, None, None)

    assert snapshot(workspace.root) == before
    assert os.listdir(journal_files.folder(workspace.root)) == []


def test_lines_of_others_are_not_taken_back(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """If another program wrote behind our append, the change is completed later instead of cutting its lines off."""
    real = atomic.append_at

    def refuse_the_second(path: str, offset: int, data: bytes) -> None:
        if path.endswith("b.txt"):
            with open(workspace.path("log.jsonl"), "ab") as file:
                file.write(b'{"theirs":1}\n')
            raise StoreFailure(f"{path}: could not append to it: No space left on device", "Free some space.")
        real(path, offset, data)

    with monkeypatch.context() as patch:
        patch.setattr(commit.atomic, "append_at", refuse_the_second)
        tx = workspace.transaction("research").__enter__()
        tx.append("log.jsonl", b'{"n":1}')
        tx.append("b.txt", b"more")
        with pytest.raises(StoreFailure, match="the next command completes it"):
            tx.__exit__(None, None, None)
    workspace.recover()

    assert workspace.read("log.jsonl") == b'{}\n{"n":1}\n{"theirs":1}\n'
    assert workspace.read("b.txt") == b"old b\nmore\n"


def test_a_forked_child_may_not_commit(workspace: Workspace) -> None:
    """A child that falls out of its parent's block changes nothing and frees nothing."""
    with workspace.transaction("research") as tx:
        tx.write("a.txt", "staged\n")
        said = Writer(lambda _report: tx.__exit__(None, None, None)).reports()
        assert workspace.read("a.txt") == b"old a\n"

    assert "RuntimeError: a forked child may not commit its parent's transaction" in said
    assert workspace.read("a.txt") == b"staged\n"


def _odd_entry(path: str, data: bytes = b"", *, do: str = "write") -> dict[str, Any]:
    added = {"at": 0, "data": base64.b64encode(data).decode()}
    return {"do": do, "path": path, **(added if do == "append" else {"size": len(data), "crc": zlib.crc32(data)})}


@pytest.mark.parametrize("ending", ["json", "tmp"])
@pytest.mark.parametrize("do", ["write", "append", "remove"])
@pytest.mark.parametrize(
    "path",
    [
        ".",
        "./",
        "./a.txt",
        "folder",
        "folder/",
        "pipe",
        "loop",
        "a.txt/below",
        "busy.txt",
        "linked-file",
        "linked-folder/precious.txt",
        "linked-folder/new.txt",
        "x" * 252,
        "x" * 300,
        "x/" * 3000 + "x",
        "gr/\ud800",
        ".mindloop/locks/research.lock",
        ".mindloop/journal/other~1-1.json",
    ],
    ids=lambda path: ascii(path)[:40],
)
def test_a_journal_of_what_is_no_file_of_the_workspace_is_kept_aside(
    path: str, do: str, ending: str, tmp_path: Path
) -> None:
    """Nothing that it names is touched, inside or outside; it is told once, and commands go on."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (outside, root / "folder", root / ".mindloop/locks", root / ".mindloop/journal"):
        folder.mkdir(parents=True)
    for place in (outside, root, root / ".mindloop/locks"):
        for name in ("precious.txt", ".precious.txt.tmp", ".new.txt.tmp", "research.lock", "a.txt"):
            (place / name).write_bytes(b"")
    (tmp_path / ".root.tmp").write_bytes(b"")
    (root / "linked-file").symlink_to("../outside/precious.txt")
    (root / "linked-folder").symlink_to("../outside")
    (root / "loop").symlink_to("loop")
    (root / ".busy.txt.tmp").mkdir()
    os.mkfifo(root / "pipe")
    workspace = Workspace(str(root))
    before = sorted(str(one) for one in tmp_path.rglob("*"))
    kept = _journal(workspace, f"research~1-1.{ending}", [_odd_entry(path, do=do)], ("research",))
    with open(kept, "rb") as file:
        content = file.read()

    shown = FinishJournals().changes(workspace)
    notes = workspace.recover()

    place = ".mindloop/journal/research~1-1"
    assert [note.partition(": ")[2] for note in notes] == ["kept as research~1-1.incomplete"]
    assert [(one.path, one.after) for one in shown] == [(f"{place}.{ending}", None), (f"{place}.incomplete", content)]
    assert sorted(str(one) for one in tmp_path.rglob("*")) == sorted([*before, f"{root}/{place}.incomplete"])
    assert workspace.recover() == []
    with workspace.transaction("research", timeout=0.1) as tx:
        tx.write("a.txt", "on we go\n")
    assert (outside / "precious.txt").read_bytes() == b""


def test_the_rest_of_a_change_is_completed(workspace: Workspace) -> None:
    """Where somebody put a folder in the place of one file, the other files get their new content."""
    os.unlink(workspace.path("b.txt"))
    entries = [_prepared(workspace, "a.txt", b"new a\n"), _prepared(workspace, "b.txt", b"new b\n")]
    os.mkdir(workspace.path("b.txt"))
    _journal(workspace, "research~1-1.json", entries, ("research",))

    assert workspace.recover() == ["could not complete a change of b.txt: kept as research~1-1.incomplete"]
    assert workspace.read("a.txt") == b"new a\n"
    assert sorted(os.listdir(workspace.root)) == [".b.txt.tmp", ".mindloop", "a.txt", "b.txt", "log.jsonl"]


def test_a_kept_journal_is_never_replaced(workspace: Workspace) -> None:
    """A second one of the same name is kept beside the first."""
    for text in ("[1]", "[2]"):
        path = _journal(workspace, "research~1-1.json", [], ("research",))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        workspace.recover()

    kept = {
        name: workspace.read(f"{journal_files.FOLDER}/{name}")
        for name in os.listdir(journal_files.folder(workspace.root))
    }
    assert kept == {"research~1-1.incomplete": b"[1]", "research~1-1-2.incomplete": b"[2]"}


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_what_is_no_file_is_no_journal(kind: str, workspace: Workspace) -> None:
    """A folder, a pipe or a link among the journals is passed over and stays."""
    path = os.path.join(journal_files.folder(workspace.root), "research~1-1.tmp")
    os.makedirs(os.path.dirname(path))
    if kind == "folder":
        os.mkdir(path)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        os.symlink(workspace.path("a.txt"), path)

    assert workspace.recover() == []
    with workspace.transaction("research") as tx:
        tx.write("b.txt", "new\n")
    assert os.path.lexists(path)


def test_a_folder_of_journals_elsewhere_is_not_ours(workspace: Workspace, tmp_path: Path) -> None:
    """A link in place of our own folders neither loses files of others nor lets a lock be written there."""
    for own in ("locks", "journal"):
        elsewhere = tmp_path.parent / f"{tmp_path.name}-{own}"
        elsewhere.mkdir()
        (elsewhere / "report~1.tmp").write_bytes(b"theirs")
        (tmp_path / ".mindloop").mkdir(exist_ok=True)
        (tmp_path / f".mindloop/{own}").symlink_to(elsewhere)

        assert workspace.recover() == []
        with (
            pytest.raises(Malformed, match=rf"\.mindloop/{own}: a link leads out"),
            workspace.transaction("world") as tx,
        ):
            tx.write("a.txt", "new\n")
        assert workspace.read("a.txt") == b"old a\n"
        assert os.listdir(elsewhere) == ["report~1.tmp"]
        (tmp_path / f".mindloop/{own}").unlink(missing_ok=True)


def test_a_name_that_mindloop_gives_no_journal_makes_no_lock_of_its_own(workspace: Workspace) -> None:
    """A journal of an odd name is dealt with under a lock that exists anyhow."""
    for name in ("..~1-1", "\x1b[31mresearch~1-1", "~"):
        _journal(workspace, f"{name}.json", ["x"], ())  # type: ignore[list-item]
    assert len(workspace.recover()) == 3
    assert os.listdir(workspace.path(".mindloop/locks")) == ["world.lock"]


def test_equal_checksums_are_not_equal_contents(workspace: Workspace) -> None:
    """What a change names is told apart by SHA-256; a journal of an earlier version by its checksum."""
    entry = journal.write_entry("a.txt", b"new a\n")
    assert entry == {"do": "write", "path": "a.txt", "size": 6, "sha256": hashlib.sha256(b"new a\n").hexdigest()}
    assert journal.fits(b"new a\n", entry) is True
    assert journal.fits(b"new b\n", entry) is False
    assert journal.fits(b"new a\n", {"do": "write", "path": "a.txt", "size": 6, "crc": zlib.crc32(b"new a\n")}) is True
    assert journal.fits(b"new b\n", {"do": "write", "path": "a.txt", "size": 6, "crc": zlib.crc32(b"new a\n")}) is False


@pytest.mark.parametrize("sha256", [5, None, ["x"]])
def test_a_digest_is_a_text(sha256: object, workspace: Workspace) -> None:
    """Anything else is nothing that mindloop wrote."""
    _journal(workspace, "research~1-1.json", [{**journal.write_entry("a.txt", b""), "sha256": sha256}], ("research",))

    assert workspace.recover() == ["could not complete a change of (unreadable): kept as research~1-1.incomplete"]
