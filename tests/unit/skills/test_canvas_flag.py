"""`--canvas USER` means one user, whole, in any spelling; the guards still look at everybody (follow-up, step 1)."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

from mindloop.store.errors import WrongInput
from tests.helpers.skill_workspace import CANVASES, SkillWorkspace, reasons, snapshot, waiting, wallet_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    for user in ("bob", "bobby", "Bo"):
        made.canvas(user)
    made.canvas("ñandú", name="nandu.md")
    made.canvas("Kim Lee", name="kim.md")
    return made


@pytest.mark.parametrize(
    ("wanted", "user"),
    [
        ("bob", "bob"),
        ("@bob", "bob"),
        ("BOB", "bob"),
        (" bob ", "bob"),
        ("bob-canvas", "bob"),
        ("bobby", "bobby"),
        ("bo", "Bo"),
        ("ñandú", "ñandú"),
        (unicodedata.normalize("NFD", "ÑANDÚ"), "ñandú"),
        ("nandu", "ñandú"),
        ("kim", "Kim Lee"),
        ("kim lee", "Kim Lee"),
        ("@Kim Lee", "Kim Lee"),
    ],
)
def test_a_user_is_found_in_every_spelling(bench: SkillWorkspace, wanted: str, user: str) -> None:
    """User name or file name, with or without @ and `-canvas`, in any case and normal form; never a prefix."""
    begun = bench.begin(canvas=wanted)

    assert (waiting(begun), reasons(begun)) == ([user], {})


@pytest.mark.parametrize("wanted", ["b", "bobb", "bob*", "bob-canvas-canvas", "*", "canvas", "../bob", "@", "Kim", "x"])
def test_nobody_is_found_by_a_part_of_a_name(bench: SkillWorkspace, wanted: str) -> None:
    """A prefix, a pattern or a path is nobody: wrong input, and not a byte is written."""
    if wanted == "Kim":
        (bench.root / CANVASES / "kim.md").unlink()
    before = snapshot(bench.root)

    with pytest.raises(WrongInput, match="no canvas of that user"):
        bench.begin(canvas=wanted)
    assert snapshot(bench.root) == before


def test_the_guard_looks_at_users_who_were_not_chosen(bench: SkillWorkspace) -> None:
    """Under --canvas the wallet of an unchosen user is still somebody else's."""
    bench.canvas("bob", body=f"sent to {wallet_of('bobby')}")

    assert reasons(bench.begin(canvas="bob")) == {"bob": "prompt_manifest_violation"}


def test_the_guard_knows_the_file_names_of_broken_canvases(bench: SkillWorkspace) -> None:
    """A canvas that does not parse has a name that must not leak either."""
    bench.write(f"{CANVASES}/broken-canvas.md", "---\nuser: [\n---\n")
    bench.canvas("bob", body="see broken-canvas.md")

    assert reasons(bench.begin(canvas="bob")) == {"bob": "prompt_manifest_violation"}


def test_a_longer_name_that_ends_like_another_is_no_violation(bench: SkillWorkspace) -> None:
    """`bigbob-canvas.md` holds the letters of `bob-canvas.md` and is another name."""
    bench.canvas("bigbob")
    begun = bench.begin()

    assert reasons(begun) == {}
    assert "bigbob" in waiting(begun)


def test_a_chosen_broken_canvas_says_why(bench: SkillWorkspace) -> None:
    """--canvas on a file that does not parse is a skip with its reason, not an unknown user."""
    bench.write(f"{CANVASES}/torn-canvas.md", "---\nuser: [\n---\n")

    assert reasons(bench.begin(canvas="torn")) == {"torn": "invalid_canvas"}


def test_one_wallet_of_two_users_keeps_neither_back(bench: SkillWorkspace) -> None:
    """A shared wallet is one's own for both."""
    bench.canvas("bobby", wallet=wallet_of("bob").upper().replace("0X", "0x"))

    assert reasons(bench.begin()) == {}
