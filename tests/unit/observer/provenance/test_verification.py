"""Every quote of every canvas, checked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.canvas.reading import load_canvases
from mindloop.observer.provenance import verification
from mindloop.observer.provenance.index import load_index
from mindloop.store.errors import WrongInput
from tests.helpers.research import research_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.store.workspace import Workspace

DIR = "grimoires/observer/canvas"
DONT = "don't"
PLAINLY = "write the quote as the record has it"


def space(tmp_path: Path, body: str) -> Workspace:
    said = {"bob": ["gm", "don't"], "ann": ["hello"]}
    lines = [
        {"record_id": f"{user}-{text}", "content_hash": content_hash(text), "canvas_target": user, "text": text}
        for user, texts in said.items()
        for text in texts
    ]
    return research_workspace(
        tmp_path,
        {
            f"{DIR}/bob-canvas.md": f"---\nuser: Bob\n---\n{body}",
            f"{DIR}/zoe.md": "broken",
            "grimoires/mining/provenance/index.jsonl": "".join(json.dumps(one) + "\n" for one in lines),
        },
    )


def verify(workspace: Workspace, user: str | None = None) -> list[verification.QuoteVerdict]:
    return verification.verify(load_canvases(workspace), load_index(workspace, keep_text=True), user)


def mark(text: str) -> str:
    return f"<!-- prov:sha256:{content_hash(text)} -->\n\n"


@pytest.mark.parametrize(
    ("body", "status", "hint"),
    [
        (f'# x\n\n> "gm"\n{mark("gm")}', "verified", ""),
        (f"# x\n\n> hi\n{mark('hi')}", "verified", "the index has no such record for Bob"),
        (
            f"# x\n\n> hello\n{mark('hello')}",
            "verified",
            "the index has no such record for Bob; it is there for ann",
        ),
        (
            f"# x\n\n> don’t\n{mark(DONT)}",
            "mismatch",
            f"typographic drift: differs from record bob-{DONT} only in apostrophes; {PLAINLY}",
        ),
        (f"# x\n\n> gn\n{mark('gm')}", "mismatch", "the text is not what was hashed; copy it again from its source"),
        (
            '# x\n\n> "gm" — dm\n',
            "unmarked",
            f"known to the index; to mark it, add below it: <!-- prov:sha256:{content_hash('gm')} -->",
        ),
        ("# x\n\n> new\n", "unmarked", ""),
    ],
)
def test_findings(tmp_path: Path, body: str, status: str, hint: str) -> None:
    """Each quote has a verdict, its line in the file, and what to do."""
    found = verify(space(tmp_path, body), "bob")
    assert [(one.user, one.line, one.status, one.hint) for one in found] == [("Bob", 6, status, hint)]


def test_all_users(tmp_path: Path) -> None:
    """Without a name every canvas is checked; one that does not parse is a finding."""
    found = verify(space(tmp_path, f"> gm\n{mark('gm')}> gm\n"))
    assert [(one.path, one.status, one.text) for one in found] == [
        (f"{DIR}/bob-canvas.md", "verified", "gm"),
        (f"{DIR}/bob-canvas.md", "unmarked", "gm"),
        (f"{DIR}/zoe.md", "unreadable", ""),
    ]


def test_nobody(tmp_path: Path) -> None:
    """A name that no canvas has is a wrong call."""
    with pytest.raises(WrongInput, match="no canvas of 'bobby'"):
        verify(space(tmp_path, ""), "bobby")


@pytest.mark.parametrize(
    ("text", "in_index", "elsewhere"), [("gm", True, []), ("hi", False, []), ("hello", False, ["ann"])]
)
def test_where_the_index_has_a_quote(tmp_path: Path, text: str, in_index: bool, elsewhere: list[str]) -> None:
    """Whose record a proved quote is can be read off the verdict, not only off its sentence."""
    (found,) = verify(space(tmp_path, f"> {text}\n{mark(text)}"), "bob")
    assert (found.status, found.in_index, found.elsewhere) == ("verified", in_index, elsewhere)
