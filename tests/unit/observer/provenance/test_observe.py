"""Recording a quote: canvas and index together, or nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.canvas.reading import InvalidCanvas, load_canvases
from mindloop.observer.names import slug
from mindloop.observer.provenance.index import Duplicate, load_index
from mindloop.observer.provenance.observe import Observed, add_quote
from mindloop.observer.provenance.quotes import registry
from mindloop.store.errors import WrongInput
from tests.helpers.research import research_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.store.workspace import Workspace

DIR = "grimoires/observer/canvas"
NOW = datetime(2026, 2, 11, 14, 23, tzinfo=UTC)
WALLET = f"0x{'aB' * 20}"


def observe(
    workspace: Workspace,
    user: str,
    quote: str,
    wallet: str | None = None,
    date: str | None = None,
    context: str | None = "dm",
) -> Observed:
    with workspace.transaction("research", f"user:{slug(user)}") as tx:
        return add_quote(tx, user, quote, wallet, context, date, NOW)


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file() and ".mindloop" not in str(path)}


def verified(workspace: Workspace) -> list[tuple[str, str, bool]]:
    index = load_index(workspace)
    return [
        (one.canvas.user, quote["quote_text"], quote["in_index"])
        for one in load_canvases(workspace)
        if one.canvas
        for quote in registry(one.canvas.body, index.for_user(one.canvas.user))
        if quote["hash_verified"]
    ]


def test_a_first_quote(tmp_path: Path) -> None:
    """A new user gets a canvas and a record that belong together."""
    workspace = research_workspace(tmp_path)
    made = observe(workspace, "@Bob", "the score\nfeels low", WALLET, "2026-02-10T10:00:00Z")
    assert (made.path, made.created) == (f"{DIR}/bob-canvas.md", True)
    assert verified(workspace) == [("Bob", "the score\nfeels low", True)]
    assert {key: made.record[key] for key in ("source_type", "ingested_by", "canvas_target", "raw_source_ref")} == {  # type: ignore[literal-required]  # the keys stand beside
        "source_type": "manual_quote",
        "ingested_by": "observe",
        "canvas_target": "Bob",
        "raw_source_ref": "observe-bob-2026-02-11",
    }
    assert "> — dm, 2026-02-10\n" in (tmp_path / made.path).read_text(encoding="utf-8")


def test_without_a_date(tmp_path: Path) -> None:
    """When nobody knows the day, the canvas says when it was observed and the record says unknown."""
    workspace = research_workspace(tmp_path)
    made = observe(workspace, "bob", "gm", context=None)
    assert "> — quote, observed 2026-02-11\n" in (tmp_path / made.path).read_text(encoding="utf-8")
    assert (made.record["source_timestamp"], made.record["source_timestamp_confidence"]) == (None, "unknown")


def test_a_second_quote_moves_nothing(tmp_path: Path) -> None:
    """The canvas is extended where it stands: only the date and the new lines differ."""
    before = (
        "\ufeff---\r\n# mine\r\nuser:   'bob'  # him\r\nupdated: 2026-01-01 # old\r\nx: [1,2]\r\n---\r\n"
        "free  text\t\r\n\r\n## Quotes Library\r\n\r\n> old\r\n\r\n\r\n## Linked Artifacts\r\n*x*"
    )
    workspace = research_workspace(tmp_path, {f"{DIR}/bob.md": before})
    made = observe(workspace, "BOB", "gm", date="2026-02-10")
    comment = f"<!-- prov:sha256:{content_hash('gm')} -->"
    expected = before.replace("2026-01-01", "'2026-02-11T14:23:00Z'").replace(
        "> old\r\n", f'> old\r\n\r\n> "gm"\r\n> — dm, 2026-02-10\r\n{comment}\r\n'
    )
    assert (tmp_path / f"{DIR}/bob.md").read_bytes().decode() == expected
    assert (made.path, made.created, made.record["canvas_target"]) == (f"{DIR}/bob.md", False, "bob")


def test_a_duplicate_changes_nothing(tmp_path: Path) -> None:
    """The same words of the same user are refused and every byte stays."""
    workspace = research_workspace(tmp_path)
    observe(workspace, "bob", "GM all")
    before = snapshot(tmp_path)
    with pytest.raises(Duplicate):
        observe(workspace, "Bob", " gm  ALL")
    assert snapshot(tmp_path) == before


def test_two_users_may_say_the_same(tmp_path: Path) -> None:
    """The same words of another user are another record."""
    workspace = research_workspace(tmp_path)
    observe(workspace, "bob", "gm")
    observe(workspace, "ann", "gm")
    assert verified(workspace) == [("ann", "gm", True), ("bob", "gm", True)]


def test_a_quote_that_stands_there_already(tmp_path: Path) -> None:
    """A quote that a canvas proves already only gets its record."""
    text = f"---\nuser: bob\n---\n> gm\n<!-- prov:sha256:{content_hash('gm')} -->\n"
    workspace = research_workspace(tmp_path, {f"{DIR}/bob.md": text})
    observe(workspace, "bob", "gm")
    assert (tmp_path / f"{DIR}/bob.md").read_text(encoding="utf-8") == text
    assert verified(workspace) == [("bob", "gm", True)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [("null", WALLET, WALLET), (WALLET, WALLET.upper().replace("X", "x"), WALLET), (WALLET, None, WALLET)],
)
def test_wallets(tmp_path: Path, old: str, new: str | None, expected: str) -> None:
    """An empty wallet is filled, the same one in another case is left as it is written."""
    text = f"---\nuser: bob\nwallet: {old}\n---\n"
    workspace = research_workspace(tmp_path, {f"{DIR}/bob-canvas.md": text})
    observe(workspace, "bob", "gm", new)
    assert [one.canvas and one.canvas.wallet for one in load_canvases(workspace)] == [expected]


@pytest.mark.parametrize(
    ("user", "quote", "wallet", "date", "reason"),
    [
        ("bob", "gm", f"0x{'1' * 40}", None, f"the wallet is {WALLET}, not 0x1111"),
        ("bob", "gm", "0x12", None, "the wallet is '0x12'"),
        ("bob", "", None, None, "there is no text"),
        ("bob", "a\0b", None, None, "control character"),
        ("bob", "gm", None, "yesterday", "the timestamp is 'yesterday'"),
        ("../x", "gm", None, None, "unsafe user name"),
        ("fenced", "gm", None, None, "the code fence of line 4 is never closed"),
        ("carl", "gm", None, None, "is the canvas of other, expected that of carl"),
        ("tom", "gm", None, None, "is a template, expected the canvas of tom"),
    ],
)
def test_wrong_input_changes_nothing(
    tmp_path: Path, user: str, quote: str, wallet: str | None, date: str | None, reason: str
) -> None:
    """Each wrong input is refused with its reason, and every byte stays."""
    files = {
        "bob-canvas.md": f"---\nuser: bob\nwallet: {WALLET}\n---\n",
        "fenced-canvas.md": "---\nuser: fenced\n---\n```\n> never closed\n",
        "carl-canvas.md": "---\nuser: other\n---\n",
        "tom-canvas.md": "---\ntype: user_canvas_template\n---\n",
    }
    workspace = research_workspace(tmp_path, {f"{DIR}/{name}": text for name, text in files.items()})
    before = snapshot(tmp_path)
    with pytest.raises(WrongInput, match=reason):
        observe(workspace, user, quote, wallet, date)
    assert snapshot(tmp_path) == before


def test_a_canvas_never_outgrows_its_limit(tmp_path: Path) -> None:
    """A quote that would make the canvas unreadable is refused, and every byte stays."""
    workspace = research_workspace(tmp_path, {f"{DIR}/bob-canvas.md": "---\nuser: bob\n---\n"})
    (tmp_path / "mindloop.yaml").write_text("schema: 1\nobserver:\n  canvas_max_bytes: 1000\n", encoding="utf-8")
    before = snapshot(tmp_path)
    with pytest.raises(InvalidCanvas, match="bytes, at most 1000 are read"):
        observe(workspace, "bob", "x" * 1000)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", ["bob-canvas.md", "bob.md"])
def test_a_broken_canvas_is_left_alone(tmp_path: Path, name: str) -> None:
    """A user whose canvas does not parse gets no second one."""
    workspace = research_workspace(tmp_path, {f"{DIR}/{name}": "---\nuser: @bob\n---\n"})
    before = snapshot(tmp_path)
    with pytest.raises(InvalidCanvas, match="cannot start any token"):
        observe(workspace, "bob", "gm")
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("user", ["no", "0123", "🦊", "a.b", "josé", "李雷", "con"])
def test_names_in_every_shape(tmp_path: Path, user: str) -> None:
    """Every safe name gets a canvas of its own that reads back."""
    workspace = research_workspace(tmp_path)
    made = observe(workspace, user, "gm")
    again = observe(workspace, user, "gn")
    assert (made.path, again.created) == (f"{DIR}/{slug(user)}-canvas.md", False)
    assert [text for name, text, _ in verified(workspace) if name == user] == ["gm", "gn"]


def test_in_memory(tmp_path: Path) -> None:
    """A rehearsal of the command sees its own change and leaves the disk alone."""
    workspace = research_workspace(tmp_path)
    before = snapshot(tmp_path)
    twin = workspace.in_memory()
    observe(twin, "bob", "gm")
    assert (verified(twin), snapshot(tmp_path)) == ([("bob", "gm", True)], before)
