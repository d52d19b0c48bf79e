"""A look at a workspace cannot change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.store.checkup import Examined, Finding, guarded, refused
from mindloop.store.errors import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def test_a_look_opens_no_transaction(tmp_path: Path) -> None:
    """Even a rule that tries to change something cannot."""
    with pytest.raises(RuntimeError, match="changes nothing"):
        Examined(str(tmp_path)).transaction("world")


def test_a_look_recovers_nothing(tmp_path: Path) -> None:
    """Pending changes are reported, not completed."""
    journal = tmp_path / ".mindloop/journal/world~999999999-1.tmp"
    journal.parent.mkdir(parents=True)
    journal.write_bytes(b"{}")
    assert Examined(str(tmp_path)).recover() == []
    assert journal.exists()


def test_a_refusal_names_its_path_once() -> None:
    """The message of an error and the place of a finding do not repeat each other."""
    found = refused(Malformed("a/b.md: broken", "Mend it."), "a/b.md")
    assert (found.path, found.what) == ("a/b.md", "broken. Mend it.")


def test_one_broken_file_ends_only_its_own_findings() -> None:
    """What was found before the file gave up is kept."""

    def findings() -> Iterator[Finding]:
        yield Finding("info", "a", 1, "first")
        raise Malformed("a: gave up", "Mend it.")

    assert [one.what for one in guarded("a", findings())] == ["first", "gave up. Mend it."]


def test_all_rules_see_the_same_bytes(tmp_path: Path) -> None:
    """A file that changes during an examination is what it was for the first rule; limits hold all the same."""
    (tmp_path / "a.md").write_bytes(b"first")
    look = Examined(str(tmp_path))
    assert look.read("a.md") == b"first"
    (tmp_path / "a.md").write_bytes(b"second")
    assert (look.read("a.md"), look.read_text("a.md"), look.read("b.md")) == (b"first", "first", None)
    with pytest.raises(Malformed):
        look.read("a.md", 4)
