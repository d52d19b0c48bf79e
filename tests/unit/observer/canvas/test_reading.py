"""The canvas folder: nobody hides anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.observer.canvas.reading import load_canvas, load_canvases, matches
from tests.helpers.research import research_workspace

if TYPE_CHECKING:
    from pathlib import Path

DIR = "grimoires/observer/canvas"


def note(user: str, wallet: str = "null") -> str:
    return f"---\nuser: {user}\nwallet: {wallet}\n---\n> gm\n"


def load(tmp_path: Path, files: dict[str, str]) -> list[tuple[str, str, bool]]:
    workspace = research_workspace(tmp_path, {f"{DIR}/{name}": text for name, text in files.items()})
    return [(one.path.rsplit("/", 1)[-1], one.user_guess, one.canvas is not None) for one in load_canvases(workspace)]


def test_sorted_and_complete(tmp_path: Path) -> None:
    """Files come by name; other files, templates, dot files and sub-folders do not come at all."""
    files = {
        "zoe.md": note("zoe"),
        "bob-canvas.md": note("Bob"),
        "a.txt": "x",
        ".hidden.md": note("h"),
        "old/x.md": note("x"),
        "template.md": "---\ntype: user_canvas_template\nuser: '{{username}}'\n---\n",
    }
    assert load(tmp_path, files) == [("bob-canvas.md", "Bob", True), ("zoe.md", "zoe", True)]


def test_no_folder(tmp_path: Path) -> None:
    """Without a folder there are no canvases."""
    assert load_canvases(research_workspace(tmp_path)) == []


def test_one_bad_file_stops_nobody(tmp_path: Path) -> None:
    """A bad canvas is listed with whose it seems to be; the others are read."""
    files = {"a-canvas.md": "no header", "b.md": note("../x"), "c.md": note("carl"), "d.md": "---\nuser: [\n---\n"}
    assert load(tmp_path, files) == [
        ("a-canvas.md", "a", False),
        ("b.md", "../x", False),
        ("c.md", "carl", True),
        ("d.md", "d", False),
    ]


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """A canvas that is not UTF-8 is refused and names the byte."""
    workspace = research_workspace(tmp_path, {f"{DIR}/bob.md": ""})
    (tmp_path / DIR / "bob.md").write_bytes(b"---\nuser: bob\n---\n\xff\xfe")
    found = load_canvases(workspace)[0]
    assert (found.canvas, "byte 18 is not UTF-8" in str(found.error)) == (None, True)


def test_duplicates(tmp_path: Path) -> None:
    """Of two canvases for one user the -canvas.md counts; the other says so."""
    files = {
        "bob.md": note("bob"),
        "bob-canvas.md": note("Bob"),
        "x-canvas.md": note('"@BOB"'),
        "bobby.md": note("bobby"),
    }
    workspace = research_workspace(tmp_path, {f"{DIR}/{name}": text for name, text in files.items()})
    found = load_canvases(workspace)
    assert [(one.path.rsplit("/", 1)[-1], one.error and one.error.message) for one in found] == [
        ("bob-canvas.md", None),
        ("bob.md", f"{DIR}/bob.md: a second canvas of Bob; {DIR}/bob-canvas.md counts"),
        ("bobby.md", None),
        ("x-canvas.md", f"{DIR}/x-canvas.md: a second canvas of Bob; {DIR}/bob-canvas.md counts"),
    ]


def test_two_users_with_one_slug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two names that lead to one file name do not both count: they would share growth and packets."""
    monkeypatch.setattr("mindloop.observer.canvas.parse.slug", lambda name: name[:5])
    files = {"a.md": note("alice 2"), "b-canvas.md": note("alice 1"), "c.md": note("bob")}
    workspace = research_workspace(tmp_path, {f"{DIR}/{name}": text for name, text in files.items()})
    found = load_canvases(workspace)
    assert [(one.user_guess, one.problem) for one in found] == [
        ("alice 2", f"{DIR}/a.md: 'alice 2' and 'alice 1' of {DIR}/b-canvas.md share a slug; the second one counts"),
        ("alice 1", ""),
        ("bob", ""),
    ]


def test_a_huge_canvas_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit the size decides; the error names both numbers and the setting."""
    workspace = research_workspace(tmp_path, {f"{DIR}/bob.md": note("bob")})
    with (tmp_path / DIR / "bob.md").open("r+b") as file:
        file.truncate(50_000_000)
    assert workspace.settings.get("observer.canvas_max_bytes") == 4_000_000
    monkeypatch.setattr(type(workspace), "read", lambda *_: pytest.fail("it was read"))
    found = load_canvas(workspace, f"{DIR}/bob.md")
    assert found is not None
    assert str(found.error) == (
        f"{DIR}/bob.md: 50000000 bytes, at most 4000000 are read\n"
        "Make the canvas smaller, or raise observer.canvas_max_bytes in mindloop.yaml."
    )


def test_file_names_that_break_a_line(tmp_path: Path) -> None:
    """A file name with a line break is refused and shown on one line."""
    workspace = research_workspace(tmp_path, {f"{DIR}/a\n## b.md": note("bob")})
    found = load_canvases(workspace)[0]
    assert (found.path, found.user_guess, found.canvas) == (f"{DIR}/a ## b.md", "a ## b", None)


@pytest.mark.parametrize("name", ["bob", "@bob", "BOB", "papa-flavio", "papa-flavio-canvas", "Papa-Flavio"])
def test_matches(tmp_path: Path, name: str) -> None:
    """A canvas is meant by its user, its stem or its whole name, in any case."""
    workspace = research_workspace(tmp_path, {f"{DIR}/papa-flavio-canvas.md": note("Bob")})
    assert matches(load_canvases(workspace)[0], name)


@pytest.mark.parametrize("name", ["juniper_jot", "juniper_jot-canvas", "Juniper_Jot-Canvas"])
def test_matches_with_and_without_the_suffix(tmp_path: Path, name: str) -> None:
    """A file without -canvas is found by a name that has it."""
    workspace = research_workspace(tmp_path, {f"{DIR}/juniper_jot.md": note("Bob")})
    assert matches(load_canvases(workspace)[0], name)


@pytest.mark.parametrize("name", ["-canvas", "bo", "bob*", "bobby", "papa", "", "papa-flavio-canvas.md.md"])
def test_matches_nothing_else(tmp_path: Path, name: str) -> None:
    """A part of a name, a pattern or a longer name means nobody."""
    workspace = research_workspace(tmp_path, {f"{DIR}/papa-flavio-canvas.md": note("Bob")})
    assert not matches(load_canvases(workspace)[0], name)
