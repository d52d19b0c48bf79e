"""Reading the entries of the chronicle."""

from __future__ import annotations

import pytest

from mindloop.observer.chronicle.entries import load_releases, read_entry, title_line
from mindloop.store.errors import WrongInput
from tests.helpers.research import CHRONICLE, entry, research_workspace


def test_entries_of_all_folders_come_by_start(tmp_path):
    """Sub-folders count, starts decide the order, other taxonomies are passed over."""
    files = {
        f"{CHRONICLE}/b.md": entry("B", "2026-02-01T00:00:00+05:00"),
        f"{CHRONICLE}/2026/02/a.md": entry("A", "2026-01-31T20:00:00Z"),
        f"{CHRONICLE}/c.md": entry("C", "2026-01-01").replace("released", "incident"),
        f"{CHRONICLE}/readme.md": "# About this folder\n",
        f"{CHRONICLE}/d.txt": entry("D", "2026-01-01"),
    }
    releases, warnings = load_releases(research_workspace(tmp_path, files))
    assert [(one["id"], one["start"]) for one in releases] == [
        ("B", "2026-01-31T19:00:00Z"),
        ("A", "2026-01-31T20:00:00Z"),
    ]
    assert warnings == []


def test_no_folder_is_no_release(tmp_path):
    """An absent chronicle is empty; that it must be there is for Step 0 to say."""
    assert load_releases(research_workspace(tmp_path)) == ([], [])


def test_unusable_entries_are_reported_one_by_one(tmp_path):
    """An entry without id or start, or with a broken header, costs a warning that names the file."""
    files = {
        f"{CHRONICLE}/1.md": entry('""', "2026-01-01"),
        f"{CHRONICLE}/2.md": entry("X", "someday"),
        f"{CHRONICLE}/3.md": "---\nid: [\n---\n",
        f"{CHRONICLE}/4.md": entry("OK", "2026-01-01"),
        f"{CHRONICLE}/5.md": "---\nid: a\ntaxonomy: system.app.released\ntime: 2026-01-01\n---\n",
    }
    releases, warnings = load_releases(research_workspace(tmp_path, files))
    assert [one["id"] for one in releases] == ["OK"]
    assert [text.split(":")[0].rpartition("/")[2] for text in warnings] == ["1.md", "2.md", "3.md", "5.md"]


def test_one_id_in_two_files_is_reported(tmp_path):
    """Both stay; a claim that names the id could mean either."""
    files = {f"{CHRONICLE}/{name}.md": entry("A", "2026-01-01") for name in "xy"}
    releases, warnings = load_releases(research_workspace(tmp_path, files))
    assert (len(releases), warnings) == (2, [f"{CHRONICLE}/x.md, {CHRONICLE}/y.md: the same id 'A'"])


@pytest.mark.parametrize(
    ("header", "body", "title"),
    [
        ("title: Named", "# Heading\n", "Named"),
        ("title: null", "\n# Heading  \n", "Heading"),
        ("title: ''", "no heading\n## Second\n", "R1"),
        ("title: [a, b]", "", "R1"),
    ],
)
def test_the_title_is_found_where_there_is_one(header, body, title):
    """Front matter, else the first heading, else the id."""
    text = f"---\nid: R1\ntaxonomy: system.app.released\n{header}\ntime: {{start: 2026-01-01}}\n---\n{body}"
    assert read_entry(text, "x.md")["title"] == title


def test_values_that_yaml_would_guess_at_stay_text():
    """Ids of digits, versions and truth words arrive as they were written."""
    text = "---\nid: 0777\ntaxonomy: system.app.released\ntitle: no\ntime: {start: 2026-01-01, end: 2026-02-01}\n---\n"
    release = read_entry(text, "x.md")
    assert (release["id"], release["title"], release["end"]) == ("0777", "no", "2026-02-01T00:00:00Z")


def test_a_start_with_garbage_names_what_came():
    """The error holds the file and the value."""
    with pytest.raises(WrongInput, match=r"x\.md: time.start is '12:30'"):
        read_entry("---\nid: a\ntaxonomy: system.app.released.x\ntime:\n  start: 12:30\n---\n", "x.md")


def test_a_title_cannot_look_like_a_section():
    """Runs of equal signs are shortened, breaks become spaces."""
    assert title_line("a\n=== END ===\u2028b") == "a == END == b"
