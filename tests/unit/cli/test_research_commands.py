"""canvas.py, provenance.py, chronicle.py, growth.py: what each verb prints, writes and returns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.canonical import content_hash
from tests.helpers.command_line import call
from tests.helpers.skill_workspace import CANVASES, INDEX, NOW, SkillWorkspace, hypothesis, snapshot, wallet_of

if TYPE_CHECKING:
    from pathlib import Path

CANARY = "CANARY_ALPHA_xyz789 this is test alpha's unique feedback"
CANARY_HASH = "5adcc5af09049f969dbb8eb5408050ae6b71950d9d965569386658419f1a4dc0"
ODD_NAMES = ["no", "null", "0123", "@bob", "🦊", "ñandú", "O'Neil", "a b", "1e5"]
UNSAFE_NAMES = [
    "../x",
    "",
    "@",
    "a/b",
    "a\\b",
    "..",
    "a\nb",
    " a",
    "a.",
    "\u202eevil",
    "a\u200bb",
    "x" * 65,
    "{{user}}",
]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillWorkspace:
    monkeypatch.setenv("MINDLOOP_ROOT", str(tmp_path))
    monkeypatch.setenv("MINDLOOP_NOW", NOW)
    return SkillWorkspace(tmp_path)


def index(bench: SkillWorkspace) -> list[dict]:
    return [json.loads(line) for line in (bench.root / INDEX).read_bytes().splitlines()]


# --- provenance.py


@pytest.mark.parametrize("text", [CANARY, f"  {CANARY}\r\n", CANARY.upper(), CANARY.replace(" ", "\u3000")])
def test_hash_prints_64_digits_and_nothing_else(text: str) -> None:
    """The canonical hash of the text on standard input; spaces, line ends and case do not matter."""
    called = call("provenance", "hash", stdin=text)

    assert (called.code, called.out, called.err) == (0, f"{CANARY_HASH}\n", "")


def test_hash_needs_no_workspace_and_makes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash is a hash anywhere."""
    monkeypatch.chdir(tmp_path)

    assert call("provenance", "hash", "--json", stdin=CANARY).json == {
        "version": 1,
        "content_hash": CANARY_HASH,
        "normalization_version": 1,
    }
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"\xff", b"caf\xe9", b"\xed\xa0\x80", b"ok\x80"])
@pytest.mark.parametrize(
    "argv",
    [
        ["provenance", "hash"],
        ["provenance", "ingest", "--user", "ann", "--source-type", "manual_quote"],
        ["canvas", "observe", "--user", "ann"],
    ],
)
def test_bytes_that_are_no_text_are_refused(bench: SkillWorkspace, argv: list[str], data: bytes) -> None:
    """Not UTF-8: exit 2, the place of the byte, nothing written."""
    before = snapshot(bench.root)
    called = call(*argv, stdin=data)

    assert (called.code, called.out) == (2, "")
    assert "expected UTF-8, byte" in called.err
    assert snapshot(bench.root) == before


@pytest.mark.parametrize("text", ["", " ", "\n", "\u3000\t"])
@pytest.mark.parametrize(
    "argv",
    [
        ["provenance", "ingest", "--user", "ann", "--source-type", "manual_quote"],
        ["canvas", "observe", "--user", "ann"],
    ],
)
def test_a_text_of_nothing_is_refused(bench: SkillWorkspace, argv: list[str], text: str) -> None:
    """Nothing was said: exit 2, nothing written."""
    before = snapshot(bench.root / "grimoires")
    called = call(*argv, stdin=text)

    assert (called.code, called.out) == (2, "")
    assert snapshot(bench.root / "grimoires") == before


@pytest.mark.parametrize(
    "text", ["a\x00b", "x" * 900_000, "\x1b[31mred", "\u202ertl", "`$(rm)` <!-- -->", "👩‍🚀" * 100]
)
@pytest.mark.parametrize(
    "argv",
    [
        ["provenance", "ingest", "--user", "ann", "--source-type", "manual_quote"],
        ["canvas", "observe", "--user", "ann"],
    ],
)
def test_a_hostile_text_is_kept_or_refused_and_never_a_crash(bench: SkillWorkspace, argv: list[str], text: str) -> None:
    """NUL, 900 KB, escapes: either the exact text is in the index, or nothing is written and a sentence says why."""
    before = snapshot(bench.root / "grimoires")
    called = call(*argv, stdin=text)

    assert called.code in (0, 2)
    assert "Traceback" not in called.err
    if called.code == 0:
        assert [record["text"] for record in index(bench)] == [text]
        assert call("provenance", "verify").code == 0
    else:
        assert called.err.startswith("mindloop: ")
        assert snapshot(bench.root / "grimoires") == before


@pytest.mark.parametrize(
    ("when", "stamp", "confidence"),
    [
        (["--timestamp", "2026-02-10"], "2026-02-10T00:00:00Z", "day_level"),
        (["--timestamp", "2026-02-10T14:23:00+02:00"], "2026-02-10T12:23:00Z", "exact"),
        ([], None, "unknown"),
    ],
)
def test_ingest_writes_one_record(bench: SkillWorkspace, when: list[str], stamp: str | None, confidence: str) -> None:
    """Hash, owner, source and how well the time is known."""
    argv = ["ingest", "--user", "@Ann", "--source-type", "discord_dm", *when, "--json"]
    called = call("provenance", *argv, stdin=f"{CANARY}\n")
    record = called.json["record"]

    assert called.code == 0
    assert index(bench) == [record]
    assert (record["content_hash"], record["canvas_target"], record["text"]) == (CANARY_HASH, "Ann", CANARY)
    assert (record["source_timestamp"], record["source_timestamp_confidence"]) == (stamp, confidence)
    assert (record["ingested_at"], record["source_type"]) == (NOW, "discord_dm")


def test_a_text_that_is_there_already_is_exit_1(bench: SkillWorkspace) -> None:
    """The same user's same words in any spelling: a negative verdict, not a byte changed; another user may say them."""
    argv = ["ingest", "--source-type", "manual_quote", "--user"]
    call("provenance", *argv, "ann", stdin="gm")
    before = (bench.root / INDEX).read_bytes()
    again = call("provenance", *argv, "ANN", stdin=" GM\n")

    assert (again.code, again.out) == (1, "")
    assert (bench.root / INDEX).read_bytes() == before
    assert call("provenance", *argv, "bob", stdin="gm").code == 0


@pytest.mark.parametrize("when", ["yesterday", "2026-13-01", "12345"])
def test_a_time_that_is_none_is_refused(bench: SkillWorkspace, when: str) -> None:
    """A garbled date is no date: exit 2, nothing written."""
    argv = ["ingest", "--user", "ann", "--source-type", "manual_quote", "--timestamp", when]

    assert call("provenance", *argv, stdin="x").code == 2
    assert index(bench) == []


def test_verify_finds_what_was_changed(bench: SkillWorkspace) -> None:
    """All well: 0. A curly quote mark: 1, with the hint. Only of one user: the others do not count."""
    bench.observe("ann", "I don't see it")
    bench.observe("bob", "all fine here")
    assert (call("provenance", "verify").code, call("provenance", "verify").out) == (
        0,
        "2 verified, 0 mismatch, 0 unmarked, 0 unreadable\n",
    )
    path = bench.root / CANVASES / "ann-canvas.md"
    path.write_text(path.read_text("utf-8").replace("don't", "don’t"), "utf-8")
    called = call("provenance", "verify", "--json")

    assert (called.code, call("provenance", "verify", "--user", "bob").code) == (1, 0)
    assert called.json["counts"] == {"verified": 1, "mismatch": 1, "unmarked": 0, "unreadable": 0}
    [wrong] = [quote for quote in called.json["quotes"] if quote["status"] == "mismatch"]
    assert (wrong["user"], wrong["path"]) == ("ann", f"{CANVASES}/ann-canvas.md")
    assert wrong["hint"]


# --- canvas.py


def test_observe_makes_a_canvas_whose_quote_verifies(bench: SkillWorkspace) -> None:
    """Quote, comment, record: from nothing to a user who passes every gate but the score."""
    argv = ["observe", "--user", "ann", "--wallet", wallet_of("ann"), "--context", "Discord DM", "--date", "2026-02-10"]
    called = call("canvas", *argv, "--json", stdin=f"{CANARY}\n")
    text = (bench.root / CANVASES / "ann-canvas.md").read_text("utf-8")

    assert called.code == 0
    assert (called.json["canvas"], called.json["created"]) == (f"{CANVASES}/ann-canvas.md", True)
    assert called.json["record"] == index(bench)[0]
    assert f"\n<!-- prov:sha256:{CANARY_HASH} -->\n" in text
    assert f'\n> "{CANARY}"\n> — Discord DM, 2026-02-10\n' in text
    assert call("provenance", "verify").code == 0


def test_observe_twice_is_exit_1_and_changes_nothing(bench: SkillWorkspace) -> None:
    """The same words again are known."""
    call("canvas", "observe", "--user", "ann", stdin="once")
    before = snapshot(bench.root / "grimoires")
    called = call("canvas", "observe", "--user", "ann", stdin="ONCE")

    assert (called.code, called.out) == (1, "")
    assert snapshot(bench.root / "grimoires") == before


@pytest.mark.parametrize("user", ODD_NAMES)
def test_an_odd_name_goes_all_the_way(bench: SkillWorkspace, user: str) -> None:
    """Observe, ingest, show, packet, growth: YAML's words, numbers, @ and emoji are names."""
    shown = user.removeprefix("@")
    assert call("canvas", "observe", "--user", user, "--wallet", wallet_of(user), stdin="said").code == 0
    assert call("provenance", "ingest", "--user", user, "--source-type", "manual_quote", stdin="said too").code == 0
    bench.score(wallet_of(user))
    run = call("follow_up", "begin", "--canvas", user, "--json").json["run"]

    assert call("canvas", "show", user, "--json").json["user"] == shown
    assert b"said" in call("follow_up", "packet", run, user).raw
    assert {record["canvas_target"] for record in index(bench)} == {shown}
    assert call("drive", "follow-up", "--host", "rehearsal", "--run", run).code == 0
    assert call("growth", "show", user, "--json").json["growth"]["user"] == shown


@pytest.mark.parametrize("user", UNSAFE_NAMES)
@pytest.mark.parametrize(
    "argv",
    [["canvas", "observe"], ["provenance", "ingest", "--source-type", "manual_quote"]],
    ids=["observe", "ingest"],
)
def test_an_unsafe_name_is_refused(bench: SkillWorkspace, argv: list[str], user: str) -> None:
    """Exit 2, and nothing of it reaches a path."""
    before = snapshot(bench.root)
    called = call(*argv, "--user", user, stdin="said")

    assert (called.code, called.out) == (2, "")
    assert "Traceback" not in called.err
    assert snapshot(bench.root) == before


@pytest.mark.parametrize("user", ["../x", "nobody", "🦊", "0123", "@", "an", ""])
def test_show_of_nobody_is_not_found(bench: SkillWorkspace, user: str) -> None:
    """A user without a canvas: exit 1 (or 2 for what is no name), a hint, no output."""
    bench.observe("ann", "said")
    called = call("canvas", "show", user)

    assert called.code in (1, 2)
    assert called.out == ""
    assert called.err.startswith("mindloop: ")


def test_show_tells_what_is_known(bench: SkillWorkspace) -> None:
    """Wallet, quotes, hypotheses, promises, gaps; as JSON the whole of it."""
    promises = (
        "## Future Promises (Unvalidated)\n\n| Promise | Date | Follow-up Trigger | Status |\n|---|---|---|---|\n"
        "| will mint | 2026-02-01 | ask | **PENDING** |\n"
    )
    gaps = "## Expectation Gaps\n\n### GAP-1: no export\n\n**Status**: IDENTIFIED\n"
    bench.canvas("ann", body=f"{hypothesis()}\n{promises}\n{gaps}")
    shown, found = call("canvas", "show", "@ANN"), call("canvas", "show", "ann", "--json").json

    assert shown.code == 0
    assert "1 of 1 quotes verified" in shown.out
    assert found["hypotheses"] == [{"id": "H1", "title": "wants to be seen", "confidence": "low", "closed": False}]
    assert found["promises"] == [
        {"text": "will mint", "date": "2026-02-01", "status": found["promises"][0]["status"], "redeemed": False}
    ]
    assert found["gaps"] == [{"id": "GAP-1", "title": "no export", "status": "IDENTIFIED"}]
    assert [quote["status"] for quote in found["quotes"]] == ["verified"]


def test_list_names_everybody_and_what_cannot_be_used(bench: SkillWorkspace) -> None:
    """One line a user; a broken file is a line too."""
    assert call("canvas", "list").out == "nobody yet\n"
    bench.observe("ann", "said")
    bench.write(f"{CANVASES}/torn-canvas.md", "---\nuser: [\n---\n")
    called = call("canvas", "list", "--json")

    assert [entry["user"] for entry in called.json["users"]] == ["ann", "torn"]
    assert called.json["users"][1]["problem"]
    assert call("canvas", "list").out.splitlines()[1].startswith("torn: cannot be used: ")


def test_long_lists_are_cut_unless_asked_for(bench: SkillWorkspace) -> None:
    """25 users: 20 and a line that says how many more; --full and --json have all."""
    for number in range(25):
        bench.canvas(f"user{number:02}")

    assert len(call("canvas", "list").out.splitlines()) == 21
    assert "+5 more" in call("canvas", "list").out
    assert len(call("canvas", "list", "--full").out.splitlines()) == 25
    assert len(call("canvas", "list", "--json").json["users"]) == 25


def test_escapes_in_a_file_do_not_reach_the_terminal(bench: SkillWorkspace) -> None:
    """Control and direction characters of a canvas are shown as what they are."""
    bench.canvas("ann", body=hypothesis(1, "red \x1b[31m and \u202eback"))
    out = call("canvas", "show", "ann").out

    assert "\x1b" not in out
    assert "\u202e" not in out


# --- chronicle.py


def test_add_query_rebuild(bench: SkillWorkspace) -> None:
    """A release is written down, found around its day, and the derived index can be made again."""
    added = call("chronicle", "add", "--title", "v2.0.0 Open Ranks", "--start", "2026-02-01", "--json")
    near = call("chronicle", "query", "--around", "2026-02-05", "--window", "7", "--json")
    far = call("chronicle", "query", "--around", "2025-01-01", "--window", "7")
    (bench.root / "grimoires/observer/chronicle/index.jsonl").unlink()
    rebuilt = call("chronicle", "rebuild", "--json")

    assert (added.code, added.json["release"]["id"]) == (0, "CHRON-20260201-001")
    assert [record["id"] for record in near.json["releases"]] == ["CHRON-20260201-001"]
    assert (far.code, far.out) == (1, "no release in that window\n")
    assert (rebuilt.code, rebuilt.json["releases"], rebuilt.json["new"]) == (0, 1, 1)


def test_query_summary_is_what_a_packet_shows(bench: SkillWorkspace) -> None:
    """--summary prints packet lines, or the packet's fixed sentence with exit 1."""
    bench.release("CHRON-1", "2026-02-01", "v2.0.0 Open Ranks")
    near = call("chronicle", "query", "--around", "2026-02-01", "--window", "7", "--summary")
    far = call("chronicle", "query", "--around", "2025-02-01", "--window", "7", "--summary")

    assert (near.code, "v2.0.0 Open Ranks" in near.out) == (0, True)
    assert (far.code, far.out) == (1, "No releases found near this user's last feedback date.\n")


def test_a_release_that_is_there_already_is_exit_1(bench: SkillWorkspace) -> None:
    """The same id twice: nothing is written."""
    argv = ["add", "--title", "v2", "--start", "2026-02-01", "--id", "CHRON-X"]
    assert call("chronicle", *argv).code == 0
    before = snapshot(bench.root / "grimoires")

    assert call("chronicle", *argv).code == 1
    assert snapshot(bench.root / "grimoires") == before


@pytest.mark.parametrize(
    "argv",
    [
        ["add", "--title", "", "--start", "2026-02-01"],
        ["add", "--title", "v2", "--start", "soon"],
        ["add", "--title", "v2", "--start", "2026-02-01", "--taxonomy", "system.other"],
        ["query", "--around", "soon"],
        ["query", "--around", "2026-02-01", "--window", "-1"],
        ["query", "--around", "2026-02-01", "--window", "x"],
    ],
)
def test_a_wrong_release_or_question_is_refused(bench: SkillWorkspace, argv: list[str]) -> None:
    """Exit 2, a sentence, nothing written."""
    bench.release("CHRON-1", "2026-02-01", "v1")
    before = snapshot(bench.root / "grimoires")
    called = call("chronicle", *argv)

    assert (called.code, called.out) == (2, "")
    assert snapshot(bench.root / "grimoires") == before


def test_a_hostile_title_stays_in_its_field(bench: SkillWorkspace) -> None:
    """A title with slashes, quotes and line breaks makes no other file and no other key."""
    title = '../../x: "v2"\n---\nid: other'
    called = call("chronicle", "add", "--title", title, "--start", "2026-02-01", "--json")

    assert called.code in (0, 2)
    if called.code == 0:
        assert called.json["release"]["id"] == "CHRON-20260201-001"
        assert called.json["release"]["source"].startswith("grimoires/mining/chronicle/")
        assert len(call("chronicle", "query", "--around", "2026-02-01", "--json").json["releases"]) == 1
    assert not (bench.root.parent / "x").exists()


# --- growth.py


def test_growth_of_nobody_is_not_found(bench: SkillWorkspace) -> None:
    """Before the first batch there is nothing: exit 1."""
    bench.observe("ann", "said")

    assert (call("growth", "show", "ann").code, call("growth", "show", "../x").code) == (1, 2)


def test_growth_shows_what_was_sent(bench: SkillWorkspace) -> None:
    """Batches, patterns, open messages."""
    bench.canvas("ann", body=hypothesis())
    bench.full_run()
    called, found = call("growth", "show", "ann"), call("growth", "show", "ann", "--json").json

    assert called.out.splitlines()[0] == "ann: 1 batch recorded, 1 kept"
    assert "silent 0, effectiveness not known yet\n" in called.out
    assert "  open: fu-2026-02-20-ann-1-1 (" in called.out
    assert found["growth"]["follow_ups"][0]["batch_seq"] == 1
    assert [entry["id"] for entry in found["summary"]["pending_followups"]] == ["fu-2026-02-20-ann-1-1"]


# --- all of them


READERS = [
    ["canvas", "list"],
    ["canvas", "show", "ann"],
    ["provenance", "verify"],
    ["chronicle", "query", "--around", "2026-02-01"],
    ["growth", "show", "ann"],
    ["follow_up", "status"],
    ["follow_up", "packet", "follow-up-2026-02-20-001", "ann"],
    ["doctor"],
]


@pytest.mark.parametrize("argv", READERS, ids=[" ".join(argv[:2]) for argv in READERS])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_a_command_that_reads_writes_nothing(bench: SkillWorkspace, argv: list[str], form: list[str]) -> None:
    """Not a byte, not a time; and --json is one object."""
    bench.release("CHRON-1", "2026-02-01", "v1")
    bench.observe("ann", "said")
    bench.full_run()
    before = snapshot(bench.root)
    called = call(*argv, *form)

    assert called.code in (0, 1)
    assert snapshot(bench.root) == before
    if form:
        assert called.json["version"] == 1


def test_the_hash_of_the_words_is_the_hash_everywhere(bench: SkillWorkspace) -> None:
    """hash, ingest and observe agree on one text."""
    text = "Straße  don’t\r\n👩‍🚀 café"
    observed = call("canvas", "observe", "--user", "ann", "--json", stdin=text).json["record"]["content_hash"]
    argv = ["ingest", "--user", "bob", "--source-type", "manual_quote", "--json"]
    ingested = call("provenance", *argv, stdin=text).json["record"]["content_hash"]

    assert [observed, ingested, call("provenance", "hash", stdin=text).out.strip()] == [content_hash(text)] * 3
