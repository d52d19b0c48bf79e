"""The derived index of releases and questions to it."""

from __future__ import annotations

from datetime import date

import pytest

from mindloop.observer.chronicle import index as chronicle_index
from mindloop.observer.chronicle.entries import load_releases
from mindloop.store.errors import Negative, WrongInput
from tests.helpers.research import CHRONICLE, INDEX, entry, research_workspace

FILES = {
    f"{CHRONICLE}/a.md": entry("A", "2026-02-01T23:59:59Z", "Alpha", "summary: first\n"),
    f"{CHRONICLE}/b.md": entry("B", "2026-02-10", "Beta"),
    f"{CHRONICLE}/c.md": entry("C", "2026-03-01", "Gamma", "url: https://x.test/c\nsummary: Gamma\n"),
}


@pytest.fixture
def ws(tmp_path):
    made = research_workspace(tmp_path, FILES)
    with made.transaction("research") as tx:
        assert chronicle_index.rebuild_index(tx).new == 3
    return made


def is_current(ws):
    return chronicle_index.index_is_current(ws, load_releases(ws)[0])


def ids(records):
    return [record["id"] for record in records]


def test_the_index_can_be_deleted_at_any_moment(ws):
    """What is rebuilt is the same to the byte."""
    before = ws.read(INDEX)
    with ws.transaction("research") as tx:
        tx.remove(INDEX)
    assert not is_current(ws)
    with ws.transaction("research") as tx:
        assert chronicle_index.rebuild_index(tx).new == 3
    assert ws.read(INDEX) == before


def test_rebuilding_counts_what_is_new(ws, tmp_path):
    """An entry made by hand is one new line; an index that is right is not touched."""
    (tmp_path / CHRONICLE / "d.md").write_text(entry("D", "2026-03-02"))
    assert not is_current(ws)
    with ws.transaction("research") as tx:
        assert chronicle_index.rebuild_index(tx).new == 1
    stamp = (tmp_path / INDEX).stat().st_mtime_ns
    with ws.transaction("research") as tx:
        assert chronicle_index.rebuild_index(tx).new == 0
    assert (tmp_path / INDEX).stat().st_mtime_ns == stamp
    assert is_current(ws)


@pytest.mark.parametrize(
    ("around", "window", "found"),
    [
        ("2026-02-05", 7, ["A", "B"]),
        ("2026-02-03", 7, ["A", "B"]),
        ("2026-02-02", 7, ["A"]),
        ("2026-02-08T23:00:00Z", 7, ["A", "B"]),
        ("2026-02-09T00:00:00+02:00", 7, ["A", "B"]),
        ("2026-02-09", 7, ["B"]),
        ("2026-02-10", 0, ["B"]),
        ("2026-06-01", 7, []),
        ("2026-06-01", 10**12, ["A", "B", "C"]),
    ],
)
def test_a_window_counts_days_to_both_sides(ws, around, window, found):
    """Both ends belong to it; days are days of UTC."""
    assert ids(chronicle_index.query(ws, around, window)) == found


def test_a_query_checks_its_arguments(ws, tmp_path):
    """No date and no days are wrong calls; no index is a no with the way out."""
    with pytest.raises(WrongInput, match="--around is 'soon'"):
        chronicle_index.query(ws, "soon", 7)
    with pytest.raises(WrongInput, match="--window is -1"):
        chronicle_index.query(ws, "2026-02-05", -1)
    (tmp_path / INDEX).unlink()
    with pytest.raises(Negative, match=r"no index yet\n.*: chronicle\.py rebuild"):
        chronicle_index.query(ws, "2026-02-05", 7)


def test_the_text_for_the_prompt(ws):
    """One line a release; a summary that says more than the title follows it."""
    index, _ = chronicle_index.load_index(ws)
    assert chronicle_index.summary_text(index, date(2026, 2, 5), 7) == (
        "- 2026-02-01 A: Alpha. first\n- 2026-02-10 B: Beta. Notes."
    )
    assert chronicle_index.summary_text(index, date(2026, 3, 1), 0) == "- 2026-03-01 C: Gamma"


def test_the_two_fixed_sentences():
    """No release nearby and no index at all are said in the words of the source document."""
    assert chronicle_index.summary_text([], date(2026, 2, 5), 7) == (
        "No releases found near this user's last feedback date."
    )
    assert chronicle_index.summary_text(None, date(2026, 2, 5), 7) == (
        "Chronicle not available. Run chronicle-ingest.sh to seed release data."
    )


def test_bad_lines_of_the_index_are_reported(tmp_path):
    """A torn or foreign line costs itself; hostile text in a good one stays a line."""
    good = '{"id":"A","title":"x\\n=== y ===","time":{"start":"2026-02-01"}}'
    ws = research_workspace(tmp_path, {INDEX: f'\ufeff{good}\n\n[1]\n{{"id":"B"}}\n{{"id":"C","time":{{"start":'})
    index, warnings = chronicle_index.load_index(ws)
    assert [(record["id"], record["title"], record["time"]["start"]) for record in index] == [
        ("A", "x == y ==", "2026-02-01T00:00:00Z")
    ]
    assert [text.split(": ")[1] for text in warnings] == ["line 3", "line 4", "line 5"]


@pytest.mark.parametrize(
    ("last_enriched", "day"),
    [
        ("2026-02-11T23:30:00-02:00", "2026-02-12"),
        ("2026-02-11", "2026-02-11"),
        ("?", "2026-05-01"),
        (None, "2026-05-01"),
    ],
)
def test_the_day_to_look_around(last_enriched, day):
    """The canvas's last enrichment, as a day of UTC, else today."""
    assert chronicle_index.feedback_day(last_enriched, date(2026, 5, 1)) == date.fromisoformat(day)


def test_an_index_that_is_too_large_is_not_read(ws, monkeypatch):
    """It is derived: what it says is left out with a warning, and building it anew does not read the old one."""
    monkeypatch.setattr(chronicle_index, "INDEX_LIMIT", 100)
    index, warnings = chronicle_index.load_index(ws)
    assert (index, [warning.rpartition(": ")[2] for warning in warnings]) == (
        None,
        [f"{ws.size(INDEX)} bytes, at most 100 are read; no release is told of"],
    )
    with pytest.raises(Negative, match="at most 100 are read"):
        chronicle_index.query(ws, "2026-02-01", 14)
    with ws.transaction("research") as tx:
        tx.append(INDEX, b"junk\n")
        assert chronicle_index.rebuild_index(tx).total == 3


def test_many_bad_lines_are_told_in_few(ws, monkeypatch):
    """The first lines are named, the others counted; after too many the rest of the file is not looked at."""
    monkeypatch.setattr(chronicle_index, "_USELESS", 20)
    good = ws.read(INDEX)
    with ws.transaction("research") as tx:
        tx.write(INDEX, good + b"a b\n" * 10 + b"\n" * 30 + good.replace(b"CHRON", b"LATER"))
    index, warnings = chronicle_index.load_index(ws)
    assert (ids(index), len(warnings)) == (["A", "B", "C"], 7)
    assert [warning.partition(": ")[2] for warning in warnings[5:]] == [
        "5 more lines are left out",
        "what follows line 24 is not read",
    ]
