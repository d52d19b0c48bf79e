"""The rules for batch files, releases and sidecars, on the sample."""

from __future__ import annotations

import pytest

from tests.helpers.doctoring import CHRONICLE_INDEX, COGNITION, FOLLOW_UPS, GROWTH, Doctor, sample_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

BATCH = f"{FOLLOW_UPS}/2026-02-12.md"


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Doctor:
    return Doctor(sample_workspace(tmp_path / "workspace"), monkeypatch, capsys)


def edit(doctor: Doctor, rel: str, old: str, new: str) -> None:
    """Replace a piece of a file that is there."""
    path = doctor.root / rel
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def said(doctor: Doctor, rel: str, *severities: str) -> list[str]:
    """What is said of one file."""
    return [one["what"] for one in doctor.findings(*severities) if one["path"] == rel]


def test_an_altered_anchor(doctor: Doctor) -> None:
    """A message whose anchor is not what was said is an error that names user and message."""
    edit(doctor, BATCH, '> Anchor quote: "', '> Anchor quote: "really, ')
    (what,) = said(doctor, BATCH)
    assert what.startswith("mossgate, message 1: the anchor 'really, ")
    assert what.endswith("is not what was hashed")


def test_a_batch_that_breaks_the_contract(doctor: Doctor) -> None:
    """What other readers rely on is checked row by row."""
    edit(doctor, BATCH, "total_messages: ", "total_massages: ")
    (what,) = said(doctor, BATCH)
    assert what.startswith("breaks the batch contract: the key total_messages is missing")


def test_other_files_among_the_batches(doctor: Doctor) -> None:
    """A synthesis belongs there, another note is passed over."""
    for name, kind in (("2026-02-12-synthesis.md", "follow-up-synthesis"), ("notes.md", "note")):
        (doctor.root / FOLLOW_UPS / name).write_text(f"---\ntype: {kind}\n---\n", encoding="utf-8")
    assert said(doctor, f"{FOLLOW_UPS}/2026-02-12-synthesis.md", "error", "warning", "info") == []
    assert said(doctor, f"{FOLLOW_UPS}/notes.md", "info") == ["not a batch; it is passed over"]


def test_a_batch_under_another_name(doctor: Doctor) -> None:
    """Whoever looks for a day's batch would not find it."""
    (doctor.root / BATCH).rename(doctor.root / FOLLOW_UPS / "february.md")
    assert said(doctor, f"{FOLLOW_UPS}/february.md")[0].startswith("breaks the batch contract: the path is")


def test_two_releases_of_one_id(doctor: Doctor) -> None:
    """A claim that names the id could mean either."""
    folder = doctor.root / "grimoires/mining/chronicle/2026"
    (folder / "copy.md").write_bytes((folder / "v2.1.0-seasons.md").read_bytes())
    rules = [rule for rule, _, _ in doctor.new([]) if rule.startswith("chronicle")]
    assert rules == ["chronicle", "chronicle-index"]


def test_an_entry_without_a_start(doctor: Doctor) -> None:
    """A release that begins at no time opens no window."""
    rel = "grimoires/mining/chronicle/2026/v2.1.0-seasons.md"
    edit(doctor, rel, "start:", "begin:")
    assert said(doctor, rel)[0].startswith("time.start is None")


def test_no_index_of_releases(doctor: Doctor) -> None:
    """It can be deleted at any moment, and made again."""
    (doctor.root / CHRONICLE_INDEX).unlink()
    assert said(doctor, CHRONICLE_INDEX) == ["the index is missing, so packets say nothing of releases"]


def test_a_sidecar_under_another_name(doctor: Doctor) -> None:
    """A growth file that nobody would find is warned of; one of nobody known is a note."""
    path = doctor.root / GROWTH / "mossgate.yaml"
    path.rename(path.with_name("moss.yaml"))
    assert said(doctor, f"{GROWTH}/moss.yaml") == [
        "it is of 'mossgate', whose file is named mossgate.yaml; nobody reads it"
    ]
    (doctor.root / "grimoires/observer/canvas/quietloom-canvas.md").unlink()
    assert said(doctor, f"{GROWTH}/quietloom.yaml", "info") == ["'quietloom' has no canvas"]


def test_a_cognition_file_that_is_not_used(doctor: Doctor) -> None:
    """What makes /follow-up leave a sidecar out is an error here."""
    edit(doctor, f"{COGNITION}/mossgate.yaml", "FEAR-mossgate-1", "FEAR-mossgate-7")
    assert said(doctor, f"{COGNITION}/mossgate.yaml")[0].startswith("not used: fears[1].id: expected")


def test_a_newer_growth_file(doctor: Doctor) -> None:
    """A file of a later version is named as such and left alone."""
    edit(doctor, f"{GROWTH}/mossgate.yaml", "schema_version: ", "schema_version: 9 # ")
    assert said(doctor, f"{GROWTH}/mossgate.yaml")[0].startswith("schema_version 9 is of a later version of mindloop")
