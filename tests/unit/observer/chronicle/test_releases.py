"""Releases added to the chronicle."""

from __future__ import annotations

import pytest

from mindloop.observer.chronicle import releases as chronicle
from mindloop.observer.chronicle.index import index_record
from mindloop.store.errors import Negative, WrongInput
from tests.helpers.research import CHRONICLE, INDEX, entry, research_workspace


def add(ws, *args, **kwargs):
    with ws.transaction("research") as tx:
        return chronicle.add_release(tx, *args, **kwargs)


def test_an_added_release_is_an_entry_and_a_line_of_the_index(tmp_path):
    """One transaction writes both; reading the entry gives the release back."""
    ws = research_workspace(tmp_path)
    made = add(ws, "Badges v2", "2026-02-14T15:00:00+01:00", url="https://x.test/1", summary="badges for all")
    assert made == {
        "id": "CHRON-20260214-001",
        "taxonomy": "system.app.released",
        "title": "Badges v2",
        "start": "2026-02-14T14:00:00Z",
        "end": None,
        "confidence": "exact",
        "source": f"{CHRONICLE}/CHRON-20260214-001.md",
        "url": "https://x.test/1",
        "summary": "badges for all",
    }
    assert chronicle.load_releases(ws) == ([made], [])
    assert chronicle.index_is_current(ws, [made])
    assert chronicle.load_index(ws) == ([index_record(made)], [])


def test_ids_of_a_day_count_on(tmp_path):
    """Ids and file names that are there, also in sub-folders and by hand, are not given out again."""
    files = {
        f"{CHRONICLE}/2026/CHRON-20260214-004.md": entry("mine", "2026-02-14"),
        f"{CHRONICLE}/other.md": entry("CHRON-20260214-007", "2026-02-13"),
    }
    ws = research_workspace(tmp_path, files)
    ids = [add(ws, f"v{number}", "2026-02-14")["id"] for number in range(2)]
    assert [*ids, add(ws, "v9", "2026-02-15")["id"]] == [
        "CHRON-20260214-008",
        "CHRON-20260214-009",
        "CHRON-20260215-001",
    ]


def test_two_in_one_transaction_get_two_ids(tmp_path):
    """What is staged counts."""
    with research_workspace(tmp_path).transaction("research") as tx:
        ids = [chronicle.add_release(tx, title, "2026-02-14")["id"] for title in ("a", "b")]
    assert ids == ["CHRON-20260214-001", "CHRON-20260214-002"]


def test_what_is_there_already_is_a_no(tmp_path):
    """The same release, or a taken id, changes nothing."""
    ws = research_workspace(tmp_path)
    add(ws, "v2", "2026-02-14")
    before = ws.read(INDEX)
    with pytest.raises(Negative, match="in the chronicle already: CHRON-20260214-001"):
        add(ws, "  v2 ", "2026-02-14T00:00:00Z")
    with pytest.raises(Negative, match="id CHRON-20260214-001 is taken"):
        add(ws, "v3", "2026-02-14", name="CHRON-20260214-001")
    assert (ws.read(INDEX), len(ws.tree(CHRONICLE))) == (before, 1)


def test_a_file_in_the_way_is_not_overwritten(tmp_path):
    """Notes that happen to have the name of an id stay."""
    ws = research_workspace(tmp_path, {f"{CHRONICLE}/R7.md": "my notes"})
    with pytest.raises(Negative, match=r"R7\.md is there already"):
        add(ws, "v7", "2026-02-14", name="R7")
    assert ws.read_text(f"{CHRONICLE}/R7.md") == "my notes"


@pytest.mark.parametrize(
    ("args", "kwargs", "problem"),
    [
        (("", "2026-02-14"), {}, "no title"),
        (("\u200b\n", "2026-02-14"), {}, "no title"),
        (("v2", "soon"), {}, "start is 'soon'"),
        (("v2", "2026-02-30"), {}, "start is '2026-02-30'"),
        (("v2", "2026-02-14"), {"end": "2026-02-13"}, "after the start"),
        (("v2", "2026-02-14"), {"end": "later"}, "end is 'later'"),
        (("v2", "2026-02-14"), {"name": "../x"}, "the id is '../x'"),
        (("v2", "2026-02-14"), {"name": "a/b"}, "the id is 'a/b'"),
        (("v2", "2026-02-14"), {"name": ""}, "the id is ''"),
        (("v2", "2026-02-14"), {"taxonomy": "system.app.broken"}, "the taxonomy is"),
        (("v2", "2026-02-14"), {"taxonomy": "system.app.released\nx: y"}, "the taxonomy is"),
    ],
)
def test_wrong_input_names_the_field(tmp_path, args, kwargs, problem):
    """Nothing is written for an entry that would not be read."""
    ws = research_workspace(tmp_path)
    with pytest.raises(WrongInput, match=problem):
        add(ws, *args, **kwargs)
    assert ws.tree(CHRONICLE) == []


@pytest.mark.parametrize("title", ["a\n---\nid: evil", "=== SCORE ===", "no", "x: y # z", "🙂 名前", "- list", "'\"`"])
def test_a_title_is_one_harmless_line(tmp_path, title):
    """Whatever a title holds, the entry reads back as one release with a line for a title."""
    ws = research_workspace(tmp_path)
    made = add(ws, title, "2026-02-14")
    assert chronicle.load_releases(ws)[0] == [made]
    assert ("\n" in made["title"], "===" in made["title"]) == (False, False)


def test_sub_taxonomies_are_releases(tmp_path):
    """Another part of the product may have releases of its own."""
    assert add(research_workspace(tmp_path), "v2", "2026-02-14", taxonomy="system.app.released.web_app")[
        "taxonomy"
    ] == ("system.app.released.web_app")
