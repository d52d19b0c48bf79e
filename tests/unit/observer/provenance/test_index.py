"""The provenance index: read whole, asked for one hash, extended."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.provenance.index import Duplicate, find, ingest, load_index, load_user
from mindloop.observer.provenance.record import make_record
from mindloop.store.errors import WrongInput
from tests.helpers.research import research_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.observer.types import ProvenanceRecord
    from mindloop.store.workspace import Workspace

REL = "grimoires/mining/provenance/index.jsonl"
NOW = datetime(2026, 2, 11, tzinfo=UTC)
GM = content_hash("gm")


def line(user: str = "bob", digest: str = GM, **fields: object) -> str:
    return json.dumps({"record_id": "r1", "content_hash": digest, "canvas_target": user, **fields})


def space(tmp_path: Path, *lines: str) -> Workspace:
    return research_workspace(tmp_path, {REL: "".join(f"{one}\n" for one in lines)})


def add(workspace: Workspace, user: str, text: str) -> ProvenanceRecord:
    record = make_record(user, text, source_type="discord_dm", ingested_by="ingest-dm", now=NOW)
    with workspace.transaction("research") as tx:
        return ingest(tx, record)


def test_records_by_user(tmp_path: Path) -> None:
    """A user's records come in file order, in one spelling of hash and name, without their text."""
    lines = [
        line(
            "Bob", f"sha256:{GM.upper()}", source_timestamp="2026-02-11", source_timestamp_confidence="exact", text="gm"
        ),
        line("ann"),
        line("@bob", "b" * 64),
    ]
    index = load_index(space(tmp_path, *lines))
    assert index.for_user("BOB") == [
        {
            "content_hash": GM,
            "source_timestamp": "2026-02-11",
            "source_timestamp_confidence": "exact",
            "canvas_target": "BOB",
            "record_id": "r1",
        },
        {
            "content_hash": "b" * 64,
            "source_timestamp": None,
            "source_timestamp_confidence": "unknown",
            "canvas_target": "BOB",
            "record_id": "r1",
        },
    ]
    assert (index.size, index.users(), index.problems, index.for_user("bobby")) == (3, ["bob", "ann"], [], [])


def test_text_on_request(tmp_path: Path) -> None:
    """The text is there when it was asked for."""
    workspace = space(tmp_path, line(text="gm"))
    assert [one.get("text") for one in load_index(workspace, keep_text=True).for_user("bob")] == ["gm"]


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_empty_index(tmp_path: Path, text: str) -> None:
    """An empty index is no problem."""
    index = load_index(research_workspace(tmp_path, {REL: text}))
    assert (index.size, index.problems) == (0, [])


def test_no_index(tmp_path: Path) -> None:
    """No index is an empty one."""
    assert load_index(research_workspace(tmp_path)).size == 0


BAD = {
    "broken": ('{"content_hash": ', "Expecting value"),
    "not an object": ("[1]", "a record must be an object"),
    "surrogate": (line(text="x").replace('"x"', '"\\ud83d"'), "half of a surrogate pair"),
    "no hash": ('{"canvas_target": "bob"}', "content_hash is missing, expected 64 hex digits"),
    "bad hash": (line(digest="PLACEHOLDER"), "content_hash is 'PLACEHOLDER', expected 64 hex digits"),
    "number for a hash": ('{"content_hash": 7, "canvas_target": "bob"}', "content_hash is 7"),
    "no user": (f'{{"content_hash": "{GM}"}}', "canvas_target is missing, expected a user name"),
    "list of users": (f'{{"content_hash": "{GM}", "canvas_target": ["bob"]}}', "canvas_target is ['bob']"),
    "nul": (line() + "\0", "Extra data"),
    "not a number": (line().replace('"r1"', "NaN"), "NaN is not JSON"),
    "twice": (line()[:-1] + ', "canvas_target": "ann"}', "the key 'canvas_target' stands there twice"),
}


@pytest.mark.parametrize(("bad", "reason"), BAD.values(), ids=BAD.keys())
def test_bad_lines_are_reported_and_passed_over(tmp_path: Path, bad: str, reason: str) -> None:
    """One line that cannot be used is named by its number; the lines around it count."""
    index = load_index(space(tmp_path, line(), bad, line("ann")))
    assert (index.users(), len(index.problems)) == (["bob", "ann"], 1)
    assert index.problems[0].startswith(f"{REL}:2: ")
    assert reason in index.problems[0]


def test_torn_bom_crlf_and_bad_bytes(tmp_path: Path) -> None:
    """A BOM and CRLF are fine, bytes that are no text and a torn end are reported."""
    workspace = space(tmp_path)
    data = f"\ufeff{line()}\r\n".encode() + b"\xff\xfe\n" + line("ann").encode() + b"\n" + line("zoe").encode()[:40]
    (tmp_path / REL).write_bytes(data)
    index = load_index(workspace)
    assert index.users() == ["bob", "ann"]
    assert [problem.split(": ")[0] for problem in index.problems] == [f"{REL}:2", f"{REL}:4"]
    assert "torn last line" in index.problems[1]


def test_many_bad_lines_are_counted(tmp_path: Path) -> None:
    """A ruined index gives a hundred reports and a number, not a flood."""
    index = load_index(space(tmp_path, *["x"] * 150))
    assert (len(index.problems), index.problems[-1]) == (101, f"{REL}: 50 more lines cannot be used")


def test_others_with(tmp_path: Path) -> None:
    """Who else said the same is known."""
    index = load_index(space(tmp_path, line("Bob"), line("Ann"), line("zoe", "b" * 64)))
    assert index.others_with(GM, "BOB") == ["ann"]


SPELLINGS = {
    "compact": f'{{"content_hash":"{GM}","canvas_target":"bob"}}',
    "spaced": f'{{ "canvas_target" :  "bob" ,\t"content_hash" : "{GM}" }}',
    "upper case": f'{{"content_hash":"{GM.upper()}","canvas_target":"BOB"}}',
    "mixed case": f'{{"content_hash":"{GM[:30].upper()}{GM[30:]}","canvas_target":"@bob"}}',
    "prefixed": f'{{"content_hash":"sha256:{GM}","canvas_target":"bob"}}',
    "escaped": f'{{"content_hash":"\\u00{ord(GM[0]):02x}{GM[1:]}","canvas_target":"bob"}}',
    "escaped name": f'{{"content_hash":"{GM}","canvas_target":"\\u0062ob"}}',
    "carriage return": f'{{"content_hash":"{GM}","canvas_target":"bob"}}\r',
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_duplicate_is_found_in_any_spelling(tmp_path: Path, spelling: str) -> None:
    """However a foreign line writes the hash, the same words of the same user are not taken twice."""
    workspace = space(tmp_path, line("ann"), spelling, line("zoe"))
    before = (tmp_path / REL).read_bytes()
    with pytest.raises(Duplicate, match="already in the index for"):
        add(workspace, "Bob", "GM")
    assert (tmp_path / REL).read_bytes() == before


@pytest.mark.parametrize(
    "near",
    [
        line("ann"),
        line("bobby"),
        line("bob", "b" * 64, parent_hash=GM),
        line("bob", "b" * 64, text=f"see {GM}"),
        f'{{"content_hash":"{GM}","canvas_target":"bob"',
        f'{{"content_hash":"{GM}"}}',
    ],
)
def test_what_only_looks_like_a_duplicate(tmp_path: Path, near: str) -> None:
    """Another user, another field or a broken line does not stand in the way."""
    workspace = space(tmp_path, near)
    assert add(workspace, "bob", "gm")["content_hash"] == GM


def test_a_hash_across_two_windows_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search has no seam."""
    workspace = space(tmp_path, line("ann"), line("bob"), line("zoe"))
    found = []
    for window in range(1, 130):
        monkeypatch.setattr("mindloop.observer.provenance.index._WINDOW", window)
        found.append(find(workspace, "bob", GM) is not None)
    assert found == [True] * 129


def test_ingest_appends_one_line(tmp_path: Path) -> None:
    """What was there stays byte for byte; the new record is one line more and reads back."""
    workspace = space(tmp_path, line("ann"))
    before = (tmp_path / REL).read_bytes()
    written = add(workspace, "bob", "hi\n👩\u200d🚀")
    after = (tmp_path / REL).read_bytes()
    assert after.startswith(before)
    assert json.loads(after[len(before) :]) == written
    assert find(workspace, "BOB", f"sha256:{written['content_hash']}") == written


def test_ingest_after_a_torn_line(tmp_path: Path) -> None:
    """A torn end stays a line of its own and swallows nothing."""
    workspace = research_workspace(tmp_path, {REL: line("ann") + "\n" + line("zoe")[:30]})
    add(workspace, "bob", "gm")
    index = load_index(workspace)
    assert (index.users(), len(index.problems)) == (["ann", "bob"], 1)


def test_ingest_makes_the_file(tmp_path: Path) -> None:
    """The first record makes the index."""
    workspace = research_workspace(tmp_path)
    add(workspace, "bob", "gm")
    assert load_index(workspace).size == 1


def test_two_of_one_transaction(tmp_path: Path) -> None:
    """A duplicate is seen within its own transaction; the words of two users are two records."""
    workspace = research_workspace(tmp_path)
    with workspace.transaction("research") as tx:
        one, two = (
            ingest(tx, make_record(user, "gm", source_type="discord_dm", ingested_by="ingest-dm", now=NOW))
            for user in ("bob", "ann")
        )
        again = make_record("BOB", "GM", source_type="discord_dm", ingested_by="observe", now=NOW)
        with pytest.raises(Duplicate) as caught:
            ingest(tx, again)
    assert caught.value.record["record_id"] == one["record_id"] != two["record_id"]
    assert load_index(workspace).size == 2


def test_ids_are_new(tmp_path: Path) -> None:
    """An id that the index has already, for whatever reason, is not given again."""
    workspace = research_workspace(tmp_path)
    first = add(workspace, "bob", "gm")
    taken = line("zoe", "b" * 64).replace("r1", first["record_id"])
    (tmp_path / REL).write_text(f"{taken}\n", encoding="utf-8")
    second = add(workspace, "bob", "gm")
    assert second["record_id"].startswith(first["record_id"])
    assert second["record_id"] != first["record_id"]


def test_find_knows_no_bad_hash(tmp_path: Path) -> None:
    """What is no hash is not looked for."""
    assert find(space(tmp_path, line()), "bob", "PLACEHOLDER") is None


def test_a_record_that_is_too_long(tmp_path: Path) -> None:
    """A record that would not read back is refused before a byte is written."""
    workspace = space(tmp_path)
    record = make_record(
        "bob", "gm", source_type="discord_dm", ingested_by="observe", now=NOW, raw_source_ref="x" * 2_000_000
    )
    with pytest.raises(WrongInput), workspace.transaction("research") as tx:
        ingest(tx, record)
    assert (tmp_path / REL).read_bytes() == b""


@pytest.mark.parametrize("name", ["bob", "Bob", "@BOB", "ñandú", "O'Neil", "no", "🦊"])
def test_one_users_records_are_those_of_the_whole_index(tmp_path: Path, name: str) -> None:
    """Leaving out the lines of others leaves out none of one's own, however the line spells the name."""
    said = enumerate([name, name.upper(), name.casefold(), "bobby", "kim", "Ñandu"])
    records = [{"content_hash": f"{number:064x}", "canvas_target": user, "text": "t"} for number, user in said]
    lines = [json.dumps(record, ensure_ascii=bool(number % 2)) for number, record in enumerate(records)]
    workspace = research_workspace(tmp_path, {REL: "\r\n".join([*lines, "{torn"])})

    own = load_user(workspace, name).for_user(name)

    assert len(own) == 3
    assert own == load_index(workspace, keep_text=True).for_user(name)
