"""``canvas.py ingest`` from end to end: what one user said gets in, whatever the export is like, and nothing else."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.cli import canvas_ingest
from mindloop.observer.canonical import content_hash
from mindloop.observer.canvas.reading import load_canvases
from mindloop.observer.growth import metrics
from mindloop.observer.growth.record import record_batch
from mindloop.observer.growth.state import new_growth
from mindloop.observer.names import slug
from mindloop.observer.provenance.index import load_index
from mindloop.store.documents import write_yaml
from tests.helpers.command_line import Called, call
from tests.helpers.direct_messages import BOB, US, discord, entry, said
from tests.helpers.growth_states import message, result
from tests.helpers.skill_workspace import INDEX, SkillWorkspace, at, snapshot

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-11-30T09:00:00Z"
WALLET = f"0x{'aB' * 20}"
CANVAS = "grimoires/observer/canvas/bob-canvas.md"


def test_a_replys_worth_is_named_as_growth_names_it() -> None:
    """The command knows the words without loading growth."""
    assert tuple(metrics.QUALITY) == canvas_ingest.QUALITY


@pytest.fixture
def skill(tmp_path: Path) -> SkillWorkspace:
    """An empty workspace."""
    return SkillWorkspace(tmp_path / "ws", now=NOW)


def run(skill: SkillWorkspace, *argv: str, stdin: str = "", code: int = 0) -> Called:
    """Run a verb of canvas.py there."""
    called = call("canvas", *argv, stdin=stdin, MINDLOOP_ROOT=str(skill.root), MINDLOOP_NOW=NOW)
    assert called.code == code, f"{called.code}\n{called.err}"
    return called


def put(skill: SkillWorkspace, data: bytes, name: str = "dm.json") -> str:
    """Write an export beside the workspace."""
    path = skill.root.parent / name
    path.write_bytes(data)
    return str(path)


def ingest(skill: SkillWorkspace, data: bytes, *argv: str, user: str = "bob", name: str = "dm.json") -> dict[str, Any]:
    """Ingest an export."""
    return run(skill, "ingest", put(skill, data, name), "--user", user, "--json", *argv).json


def refused(skill: SkillWorkspace, data: bytes, *argv: str, user: str = "bob") -> str:
    """Ingest an export that is refused: exit 2, a message, and not one byte of the workspace changes."""
    before = snapshot(skill.root)
    called = run(skill, "ingest", put(skill, data), "--user", user, *argv, code=2)
    after = snapshot(skill.root)
    assert {path: found[1] for path, found in after.items() if ".mindloop" not in path} == {
        path: found[1] for path, found in before.items() if ".mindloop" not in path
    }
    assert called.out == ""
    return called.err


def quotes(skill: SkillWorkspace, user: str = "bob") -> list[tuple[str, str]]:
    """Every quote of a canvas with its status; all of the index is fine."""
    assert load_index(skill.ws).problems == []
    called = call("provenance", "verify", "--user", user, "--json", MINDLOOP_ROOT=str(skill.root))
    return [(one["text"], one["status"]) for one in called.json["quotes"]]


def records(skill: SkillWorkspace) -> list[dict[str, Any]]:
    """The index."""
    return [json.loads(line) for line in (skill.root / INDEX).read_text("utf-8").splitlines()]


# --- what gets in -----------------------------------------------------------------------------------------------------


def test_an_export_becomes_a_canvas(skill: SkillWorkspace) -> None:
    """The user's messages are in the index with place, chain and thread, and on a new canvas, oldest first."""
    data = discord(entry(0, "hi, how is it going?", US), entry(1, "it broke\ntwice"), entry(2, "i left"))
    came = ingest(skill, data, "--wallet", WALLET, "--operator", "me")
    assert {key: came[key] for key in ("user", "canvas", "created", "new", "better", "shown", "own", "entries")} == {
        "user": "bob", "canvas": CANVAS, "created": True, "new": 2, "better": 0, "shown": 2, "own": 2, "entries": 3,
    }  # fmt: skip
    assert quotes(skill) == [("it broke twice", "verified"), ("i left", "verified")]
    first, second = records(skill)
    assert (first["text"], first["message_index"], first["parent_hash"]) == ("it broke\ntwice", 1, None)
    assert (second["parent_hash"], second["source_timestamp"]) == (
        content_hash("it broke\ntwice"),
        "2026-02-11T10:02:00Z",
    )
    assert {first[key] for key in ("thread_id",)} == {"thread-discord-bob-2026-02-11"}
    assert (first["source_type"], first["ingested_by"], first["raw_source_ref"]) == (
        "discord_dm",
        "ingest-dm",
        "dm.json",
    )
    canvas = load_canvases(skill.ws)[0].canvas
    assert canvas is not None
    assert (canvas.wallet, canvas.last_enriched, canvas.updated) == (WALLET, NOW, NOW)
    text = (skill.root / CANVAS).read_text("utf-8")
    assert "enrichment_trigger: ingest-dm\n" in text
    assert "> — Discord DM, 2026-02-11\n" in text


def test_the_same_file_again_changes_nothing(skill: SkillWorkspace) -> None:
    """A second time there is nothing new: no byte, no run, exit 0."""
    data = said("it broke", "i left")
    ingest(skill, data)
    before = snapshot(skill.root)
    came = ingest(skill, data)
    assert (came["new"], came["better"], came["run"], came["created"]) == (0, 0, None, False)
    after = snapshot(skill.root)
    assert {path: one for path, one in after.items() if ".mindloop" not in path and one[1] != "folder"} == {
        path: one for path, one in before.items() if ".mindloop" not in path and one[1] != "folder"
    }


def test_a_longer_export_adds_what_is_new(skill: SkillWorkspace) -> None:
    """A later export of the same conversation only adds its end."""
    ingest(skill, said("it broke"))
    came = ingest(skill, said("it broke", "i left"))
    assert (came["new"], came["created"], came["shown"]) == (1, False, 1)
    assert quotes(skill) == [("it broke", "verified"), ("i left", "verified")]


def test_two_equal_messages_are_one_quote(skill: SkillWorkspace) -> None:
    """Said twice, it stands on the canvas once, with the earlier time."""
    ingest(skill, said("gm", "it broke", "GM"))
    assert quotes(skill) == [("gm", "verified"), ("it broke", "verified")]
    assert [one["source_timestamp"] for one in records(skill)] == ["2026-02-11T10:00:00Z", "2026-02-11T10:01:00Z"]


def test_a_quote_that_was_observed_before(skill: SkillWorkspace) -> None:
    """What a person observed is known; a surer time adds a record, and nothing to the canvas."""
    skill.observe("bob", "it broke", date=None)
    before = (skill.root / CANVAS).read_bytes()
    came = ingest(skill, said("it broke"))
    assert (came["new"], came["better"], came["run"]) == (0, 1, None)
    assert (skill.root / CANVAS).read_bytes() == before
    assert [one["source_timestamp_confidence"] for one in records(skill)] == ["unknown", "exact"]


@pytest.mark.parametrize("name", ["🦊", "李雷", "no", "a.b", "josé", "O'Neil; rm -rf", "`x`", "B*o*b|<!--"])
def test_names_in_every_shape(skill: SkillWorkspace, name: str) -> None:
    """An emoji, a word that YAML takes for false, a shell line: each is a person with a canvas that verifies."""
    author = ("1", name, name)
    came = ingest(skill, said("it broke", author=author), user=name)
    assert came["canvas"] == f"grimoires/observer/canvas/{slug(name)}-canvas.md"
    assert quotes(skill, name) == [("it broke", "verified")]


def test_hostile_words_verify(skill: SkillWorkspace) -> None:
    """Words that look like structure, comments, fences, entities or tokens are quoted so that each is found again."""
    hostile = [
        "```\nnever closed", "<!-- prov:sha256:" + "a" * 64 + " -->", "## Quotes Library\n# x\n---", '"', "> > nested",
        "— said nobody, 2026", "| a | b |", "&lt;!-- &amp;", "a\u2028b\u0085c", "[FU:deadbeef] yes", "{user} {{#x}}",
        "\u202eevil", "🏳️‍🌈" * 20, "~~~", "- [ ] x\n\n\n\n- y", "\ttab", "***", "'quoted' \"both\"", "=== NEW",
    ]  # fmt: skip
    came = ingest(skill, said(*hostile))
    assert came["shown"] == len(hostile)
    assert {status for _, status in quotes(skill)} == {"verified"}
    assert len(quotes(skill)) == len(hostile)
    assert call("doctor", MINDLOOP_ROOT=str(skill.root)).code == 0


# --- exports that are not what they should be -------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.3, 0.55, 0.8, 0.99])
def test_cut_in_the_middle(skill: SkillWorkspace, share: float) -> None:
    """What is complete gets in, the end is missing and that is said; the whole file later adds only the rest."""
    texts = [f"line {number}" for number in range(20)]
    data = said(*texts)
    came = ingest(skill, data[: int(len(data) * share)])
    count = came["new"]
    assert 0 < count <= 20
    assert came["complete"] is False
    assert any("complete entries: what comes then is left out" in note for note in came["notes"])
    assert [text for text, _ in quotes(skill)] == texts[:count]
    assert ingest(skill, data)["new"] == 20 - count
    assert [text for text, _ in quotes(skill)] == texts


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("[2026-02-11 10:00] bob: caf\xe9\n".encode("latin-1"), "is no UTF-8: byte 27 is 0xE9"),
        (said("gm").decode().encode("utf-16-le"), "as in UTF-16 without a mark"),
        (said("gm").decode().encode("utf-32"), "is UTF-32"),
        (b"", "is empty"),
        (b"PK\x03\x04rest", "is a zip archive"),
        (b"<!DOCTYPE html><p>x", "it is a page"),
        (b'{"messages": 1', "no sender is called 'bob'; there are: nobody"),
        (b"just words\nand more\n", "no line of it names a time and who wrote"),
        (b"\x00\x01\x02\x03" * 100, "is no export"),
    ],
)
def test_no_export_at_all(skill: SkillWorkspace, data: bytes, reason: str) -> None:
    """Another encoding, an archive, a page, nothing: refused with what came, and nothing is written."""
    assert reason in refused(skill, data)


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_name_themselves(skill: SkillWorkspace, codec: str) -> None:
    """UTF-8 with and without its mark and UTF-16 with one are read."""
    ingest(skill, said("café ☕").decode().encode(codec))
    assert quotes(skill) == [("café ☕", "verified")]


def test_a_pipe_is_refused_before_it_is_read(skill: SkillWorkspace, tmp_path: Path) -> None:
    """An export is read more than once: what cannot be is to be saved first, and nothing is taken out of it."""
    read, write = os.pipe()
    try:
        os.write(write, b"[2026-02-11 14:23] bob: hello\n")
        called = run(skill, "ingest", f"/dev/fd/{read}", "--user", "bob", code=2)
        assert os.read(read, 100) == b"[2026-02-11 14:23] bob: hello\n"
    finally:
        os.close(read)
        os.close(write)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for err in (called.err, run(skill, "ingest", str(fifo), "--user", "bob", code=2).err):
        assert "is no regular file but a pipe or a device" in err
        assert "Save it to a file first" in err


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (discord(entry(0, "hi", US), entry(1, "a"))[:-200], "the file is cut off after 1 complete entry"),
        (b'author,date,content\nme,2026-02-11,hi\nme,2026-02-11,"x"y\nbob,2026-02-11,hi\n', "a row is broken"),
        (discord(entry(0, "hi", US), entry(1, "x" * 200_001)), "longer than 200000 characters"),
        (discord(entry(0, "hi", US), entry(1, "a\0")), "spoiled by control characters"),
    ],
)
def test_what_was_wrong_with_an_export_is_said_with_the_error(skill: SkillWorkspace, data: bytes, note: str) -> None:
    """Nobody there is the user, perhaps because the export ends before: its notes stand beside the error."""
    err = refused(skill, data)
    assert "no sender is called 'bob'" in err
    assert note in err


def test_the_last_day_there_is(skill: SkillWorkspace) -> None:
    """A clock at the end of all days is no fault."""
    path = put(skill, b"[03/04/2026 14:23] bob: hello\n")
    called = call(
        "canvas", "ingest", path, "--user", "bob", MINDLOOP_ROOT=str(skill.root), MINDLOOP_NOW="9999-12-31T23:59:59Z"
    )
    assert called.code == 0


def test_words_that_nobody_sees(skill: SkillWorkspace) -> None:
    """Zero-width and direction marks alone are no quote, observed or ingested."""
    called = run(skill, "observe", "--user", "bob", stdin="\u200b\u202e", code=2)
    assert "the text shows nothing" in called.err
    came = ingest(skill, said("\u200b\u202e", "it broke"))
    assert came["new"] == 1
    assert any("1 message left out: the text shows nothing" in note for note in came["notes"])


def test_a_file_that_is_not_there(skill: SkillWorkspace) -> None:
    """A missing file and a folder are refused by name."""
    for path in (str(skill.root / "nowhere.json"), str(skill.root), "a\0b"):
        assert "cannot be read" in run(skill, "ingest", path, "--user", "bob", code=2).err


LOG = "[{one}] bob: it broke\n[{two}] me: oh\n[{two}] bob: i left\n"
DAYS = {
    "dmy by the first": ("13/02/2026 10:00", "03/04/2026 10:00", (), "2026-02-13 day_level, 2026-04-03 day_level"),
    "mdy by the first": ("02/13/2026 10:00", "03/04/2026 10:00", (), "2026-02-13 day_level, 2026-03-04 day_level"),
    "dmy by option": (
        "03/04/2026 10:00", "05/04/2026 10:00", ("--date-order", "dmy"), "2026-04-03 day_level, 2026-04-05 day_level",
    ),
    "dots, with a zone": (
        "11.02.2026 10:00", "12.02.2026 10:00", ("--tz", "UTC"), "2026-02-11 exact, 2026-02-12 exact",
    ),
    "12 and 24 hours": (
        "2026-02-11 11:00 PM", "2026-02-12 23:30", ("--tz", "+01:00"), "2026-02-11 exact, 2026-02-12 exact",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DAYS)
def test_localised_dates(skill: SkillWorkspace, case: str) -> None:
    """Days are read the one way that fits the file, and never surer than the file is."""
    one, two, argv, expected = DAYS[case]
    ingest(skill, LOG.format(one=one, two=two).encode(), *argv, name="dm.log")
    found = [f"{each['source_timestamp'][:10]} {each['source_timestamp_confidence']}" for each in records(skill)]
    assert ", ".join(found) == expected
    assert {each["source_type"] for each in records(skill)} == {"dm_log"}
    assert records(skill)[0]["source_timestamp_raw"] == one


def test_a_log_that_changed_its_clock(skill: SkillWorkspace) -> None:
    """The dates of one clock say nothing about the other's: nothing lies in the future, nothing is guessed."""
    written = ("20/02/2026 14:23", "21/02/2026 14:23", "2/11/2026 2:23:00 PM", "3/12/2026 2:23:00 PM")
    data = "".join(f"[{raw}] bob: thing {number}\n" for number, raw in enumerate(written)).encode()
    path = put(skill, data, "dm.log")
    argv = ("canvas", "ingest", path, "--user", "bob", "--tz", "UTC", "--json")
    assert call(*argv, MINDLOOP_ROOT=str(skill.root), MINDLOOP_NOW="2026-11-22").code == 0
    assert sorted(one["source_timestamp"][:10] for one in records(skill)) == [
        "2026-02-11", "2026-02-20", "2026-02-21", "2026-03-12",
    ]  # fmt: skip


def test_a_date_that_can_be_read_in_two_ways(skill: SkillWorkspace) -> None:
    """Nothing is guessed: no instant, the day as it was written, and what to pass."""
    came = ingest(skill, b"[03/04/2026 10:00] bob: it broke\n", name="dm.log")
    assert [(one["source_timestamp"], one["source_timestamp_raw"]) for one in records(skill)] == [
        (None, "03/04/2026 10:00")
    ]
    assert any("pass --date-order" in note for note in came["notes"])
    assert "> — DM, undated\n" in (skill.root / CANVAS).read_text("utf-8")


def test_two_users_in_one_file(skill: SkillWorkspace) -> None:
    """Each gets their own words and none of the other's."""
    data = discord(entry(0, "it broke"), entry(1, "i love it", ("3", "ann", "Ann")), entry(2, "hello both", US))
    ingest(skill, data, "--operator", "me")
    ingest(skill, data, "--operator", "me", user="ann")
    assert (quotes(skill), quotes(skill, "ann")) == ([("it broke", "verified")], [("i love it", "verified")])
    assert {(one["canvas_target"], one["text"]) for one in records(skill)} == {
        ("bob", "it broke"),
        ("ann", "i love it"),
    }


def test_one_known_users_words_are_not_anothers(skill: SkillWorkspace) -> None:
    """Whoever is left is not taken for the user where that is another user, unless --sender says so."""
    alice = ("3", "alice", "Alice")
    data = discord(entry(0, "hi", US), entry(1, "it broke", alice))
    assert ingest(skill, data, "--operator", "me", user="robert")["new"] == 1
    skill.observe("alice", "gm")
    for user in ("bob", "robert"):
        err = refused(skill, data, "--operator", "me", user=user)
        assert f"'alice' (id 3) is another user: those words are not taken for {user!r}" in err
    (skill.root / "grimoires/observer/canvas/alice-canvas.md").unlink()
    assert "is another user" in refused(skill, data, "--operator", "me")
    assert ingest(skill, data, "--operator", "me", "--sender", "alice")["new"] == 1


def test_who_only_reacted_is_there(skill: SkillWorkspace) -> None:
    """Where the user joined and said nothing, the one who spoke is somebody else."""
    data = discord(entry(0, "hi", US), entry(1, "", type="RecipientAdd"), entry(2, "it broke", ("3", "eve", "Eve")))
    assert "'bob' is there without a message of their own" in refused(skill, data, "--operator", "me")


def test_nobody_there_is_the_user(skill: SkillWorkspace) -> None:
    """Who is there is listed, and how to say who it is."""
    err = refused(skill, discord(entry(0, "a", BOB), entry(1, "b", US)), user="zoe")
    assert "there are: 'bob'" in err
    assert "--sender NAME" in err
    assert "cannot be the user" in refused(skill, said("a"), "--operator", "bob")


def test_a_reply_that_quotes_our_message_back(skill: SkillWorkspace) -> None:
    """Our words come back as quoted lines or whole, from the export or from a batch; none of them becomes a quote."""
    skill.observe("bob", "the score feels low")
    skill.full_run()
    body = skill.batch("2026-11-30")["sections"][0]["messages"][0]["message_body"]
    data = discord(
        entry(0, "what did you do when it broke?", US), entry(1, "> what did you do when it broke?\ni left"),
        entry(2, body, when="2026-12-01T10:00:00Z"),
        entry(3, f"> {body} [FU:deadbeef]\nnothing", when="2026-11-30T09:00:01Z"),
        entry(4, f"{body}\n[FU:deadbeef]", when="2026-12-01T10:00:01Z"),
    )  # fmt: skip
    ingest(skill, data)
    assert [text for text, _ in quotes(skill)] == ["the score feels low", "i left", "nothing"]
    assert [one.get("reply_tokens") for one in records(skill)] == [None, None, ["deadbeef"]]


def test_what_was_said_before_we_wrote_it_is_the_users(skill: SkillWorkspace) -> None:
    """A message of a batch is an echo only from the moment on at which the batch was written."""
    skill.observe("bob", "the score feels low")
    skill.full_run()
    body = skill.batch("2026-11-30")["sections"][0]["messages"][0]["message_body"]
    for when, is_kept in (("2026-11-30T08:59:59Z", True), ("2026-11-30T09:00:00Z", False), ("soon", False)):
        found = ingest(skill, discord(entry(0, "hi", US), entry(1, body, when=when)))
        assert found["quotes"] == is_kept


def test_a_token_with_words_that_were_said_before(skill: SkillWorkspace) -> None:
    """Its record is kept beside the first one, whichever export comes first; on the canvas the words stand once."""
    first = [entry(0, "like it?", US), entry(1, "not yet")]
    later = [entry(2, "and now? [FU:deadbeef]", US), entry(3, "> and now? [FU:deadbeef]\nnot yet")]
    for turn, order in enumerate(([first, later], [later, first], [first + later])):
        twin = SkillWorkspace(skill.root.parent / f"twin{turn}", now=NOW)
        came = [ingest(twin, discord(*part)) for part in order]
        assert sum(one["new"] for one in came) == sum(one["shown"] for one in came) == 1
        assert sum(one["replies"] + one["better"] for one in came) == 1
        assert quotes(twin) == [("not yet", "verified")]
        found = sorted((one["source_timestamp"], one.get("reply_tokens")) for one in records(twin))
        assert found == [("2026-02-11T10:01:00Z", None), ("2026-02-11T10:03:00Z", ["deadbeef"])]
        before = snapshot(twin.root / "grimoires")
        for part in order:
            again = ingest(twin, discord(*part))
            assert (again["new"], again["better"], again["replies"], again["run"]) == (0, 0, 0, None)
        assert snapshot(twin.root / "grimoires") == before


@pytest.mark.parametrize(
    ("first", "second", "then", "now"),
    [
        (("--tz", "Europe/Berlin"), ("--tz", "Asia/Tokyo"), "2026-04-03T08:00:00Z", "2026-04-03T01:00:00Z"),
        (("--date-order", "dmy"), ("--date-order", "mdy"), "2026-04-03T00:00:00Z", "2026-03-04T00:00:00Z"),
        (
            ("--date-order", "dmy"),
            ("--date-order", "mdy", "--tz", "UTC"),
            "2026-04-03T00:00:00Z",
            "2026-03-04T10:00:00Z",
        ),
    ],
)
def test_a_stamp_that_is_read_otherwise_the_second_time(
    skill: SkillWorkspace, first: tuple[str, ...], second: tuple[str, ...], then: str, now: str
) -> None:
    """What is on record stays; the note says what it is, what it would be, and where to correct it."""
    data = b"[03/04/2026 10:00] me: hi\n[03/04/2026 10:00] bob: it broke\n"
    order = () if "--date-order" in first else ("--date-order", "dmy")
    ingest(skill, data, *first, *order)
    before = (skill.root / INDEX).read_bytes()
    came = ingest(skill, data, *second, *order)
    assert (came["new"], came["better"]) == (0, 0)
    assert (skill.root / INDEX).read_bytes() == before
    note = next(note for note in came["notes"] if "another time" in note)
    for part in (f"'03/04/2026 10:00' is {then} on record", f"{now} as it is read now", "the record stays",
                 f"correct source_timestamp of {records(skill)[0]['record_id']} in {INDEX}"):  # fmt: skip
        assert part in note
    assert not any("another time" in one for one in ingest(skill, data, *first, *order)["notes"])


def test_a_surer_reading_of_a_stamp_is_no_other_one(skill: SkillWorkspace) -> None:
    """A zone makes a day an instant of that day; nothing is disputed."""
    data = b"[2026-02-11 23:30] bob: it broke\n"
    assert ingest(skill, data)["new"] == 1
    for zone, better in (("Pacific/Honolulu", 1), ("Pacific/Honolulu", 0)):
        came = ingest(skill, data, "--tz", zone)
        assert (came["better"], [note for note in came["notes"] if "another time" in note]) == (better, [])
    assert any("another time" in note for note in ingest(skill, data, "--tz", "Asia/Tokyo")["notes"])


def test_a_date_is_not_guessed_from_the_order_of_dates(skill: SkillWorkspace) -> None:
    """Dates that come in order under one reading only may be those of the other."""
    data = "".join(f"[{day}/2025 10:00] bob: thing of {day}\n" for day in ("01/05", "02/03", "03/04")).encode()
    came = ingest(skill, data)
    assert {one["source_timestamp"] for one in records(skill)} == {None}
    assert any("pass --date-order" in note for note in came["notes"])


def test_tokens_pasted(skill: SkillWorkspace) -> None:
    """A token beside the user's words is kept with the record; alone it is no quote."""
    ingest(skill, said("[FU:DEADBEEF] it broke", "[FU:deadbeef]", "[FU:nothex!!] x"))
    assert [(one["text"], one.get("reply_tokens")) for one in records(skill)] == [
        ("[FU:DEADBEEF] it broke", ["deadbeef"]),
        ("[FU:nothex!!] x", None),
    ]


def test_forwarded_and_foreign_entries(skill: SkillWorkspace) -> None:
    """Forwarded words, system lines, reactions and half a character get nowhere near a canvas."""
    data = discord(
        entry(0, "it broke"), entry(1, "not mine", reference={"type": "Forward"}), entry(2, "Pinned.", type="Call"),
    )  # fmt: skip
    data = data.replace(b'"Pinned."', b'"half \\ud83d"')
    ingest(skill, data)
    assert quotes(skill) == [("it broke", "verified")]


# --- limits -----------------------------------------------------------------------------------------------------------


def settings(skill: SkillWorkspace, lines: str) -> None:
    """Add settings below ``observer``."""
    marker = skill.root / "mindloop.yaml"
    marker.write_text(marker.read_text("utf-8") + lines, "utf-8")


def test_the_canvas_takes_the_newest_of_many(skill: SkillWorkspace) -> None:
    """More quotes than the setting allows are in the index alone, and how many is said."""
    settings(skill, "  ingest: {max_quotes: 2}\n")
    came = ingest(skill, said("a", "b", "c", "d"))
    assert (came["new"], came["shown"], len(records(skill))) == (4, 2, 4)
    assert quotes(skill) == [("c", "verified"), ("d", "verified")]
    assert any(note.startswith("2 older quotes in the index alone") for note in came["notes"])


def test_a_canvas_never_outgrows_its_limit(skill: SkillWorkspace) -> None:
    """What has no room on the canvas is in the index, and the canvas still reads."""
    settings(skill, "  canvas_max_bytes: 8000\n")
    came = ingest(skill, said(*(f"{number} " + "x" * 900 for number in range(10))))
    assert came["new"] == 10
    assert 0 < came["shown"] < 10
    assert (skill.root / CANVAS).stat().st_size <= 8000
    assert [text.split()[0] for text, _ in quotes(skill)] == [str(number) for number in range(10 - came["shown"], 10)]


def test_a_full_canvas_keeps_every_byte(skill: SkillWorkspace) -> None:
    """Where not one quote has room the canvas is left alone, so that it can still be read; the index takes all."""
    settings(skill, "  canvas_max_bytes: 8000\n")
    text = "---\nuser: bob\n---\n" + "x" * 7_970
    skill.write(CANVAS, text)
    came = ingest(skill, said("it broke"))
    assert (came["new"], came["shown"], len(records(skill))) == (1, 0, 1)
    assert (skill.root / CANVAS).read_text("utf-8") == text


def test_a_canvas_that_would_hide_its_quotes(skill: SkillWorkspace) -> None:
    """Below a fence that is never closed nothing is found again: refused, with the line, and nothing is written."""
    skill.write(CANVAS, "---\nuser: bob\n---\n```\nopen\n")
    assert "the code fence of line 4 is never closed" in refused(skill, said("it broke"))


def test_a_canvas_of_a_person_is_extended_to_the_byte(skill: SkillWorkspace) -> None:
    """Only dates and new lines differ; quotes that a person marked by hand are not added again."""
    mark = f"<!-- prov:sha256:{content_hash('gm')} -->"
    before = f"---\r\nuser: Bob # him\r\nupdated: 2026-01-01\r\n---\r\n> gm\r\n{mark}\r\n\r\ntext"
    skill.write("grimoires/observer/canvas/bob.md", before)
    came = ingest(skill, said("gm", "it broke"))
    text = (skill.root / "grimoires/observer/canvas/bob.md").read_bytes().decode()
    added = f'> "it broke"\r\n> — Discord DM, 2026-02-11\r\n<!-- prov:sha256:{content_hash("it broke")} -->'
    assert (
        text
        == before.replace("2026-01-01\r\n", f"'{NOW}'\r\nlast_enriched: '{NOW}'\r\n")
        + f"\r\n\r\n## Quotes Library\r\n\r\n{added}\r\n"
    )
    assert (came["user"], came["shown"], came["new"]) == ("Bob", 1, 2)


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (("--wallet", "0x12"), "the wallet is '0x12'"),
        (("--responds-to", "fu-2026-02-14-../x-1-1"), "is no message's id"),
        (("--responds-to", "fu-2026-02-14-bob-1-1\n"), "is no message's id"),
        (("--signal-quality", "high"), "rates no reply"),
        (("--tz", "Mars"), "there is no time zone 'Mars'"),
        (("--date-order", "ymd"), "invalid choice"),
    ],
)
def test_wrong_options(skill: SkillWorkspace, argv: tuple[str, ...], reason: str) -> None:
    """Each is refused before anything is written."""
    assert reason in refused(skill, said("it broke"), *argv)


def test_an_unsafe_user(skill: SkillWorkspace) -> None:
    """A name that could leave its folder is refused."""
    assert "unsafe user name" in refused(skill, said("it broke"), user="../x")


def test_a_wallet_is_filled_even_later(skill: SkillWorkspace) -> None:
    """An empty wallet is filled by the same file again; another wallet is refused."""
    ingest(skill, said("it broke"))
    ingest(skill, said("it broke"), "--wallet", WALLET)
    canvas = load_canvases(skill.ws)[0].canvas
    assert canvas is not None
    assert canvas.wallet == WALLET
    assert "Correct the canvas by hand" in refused(skill, said("it broke"), "--wallet", f"0x{'1' * 40}")


# --- replies ----------------------------------------------------------------------------------------------------------

GROWTH = "grimoires/observer/growth/bob.yaml"
SENT = at("2026-02-10T10:00:00Z")


def growth(skill: SkillWorkspace) -> dict[str, Any]:
    """The first message that growth keeps of bob."""
    state = skill.growth("bob")
    assert state is not None
    message: dict[str, Any] = state["follow_ups"][0]["message_ids"][0]
    return message


@pytest.fixture
def sent(skill: SkillWorkspace) -> str:
    """The id of a message that was sent to bob on 2026-02-10."""
    state, _ = record_batch(
        new_growth("bob", None, SENT), result(message(), slug="bob"), "2026-02-10", SENT, max_batches=10
    )
    with skill.ws.transaction("user:bob") as tx:
        write_yaml(tx, GROWTH, state, "growth")
    return state["follow_ups"][0]["message_ids"][0]["id"]


def test_a_reply_is_recorded_with_its_words(skill: SkillWorkspace, sent: str) -> None:
    """The message is answered, at the time of the first words after it, and rated; the same again changes nothing."""
    data = discord(entry(0, "before", when="2026-02-09T10:00:00Z"), entry(1, "it broke"))
    came = ingest(skill, data, "--responds-to", sent, "--signal-quality", "high")
    found = growth(skill)
    assert came["outcome"] == "responded"
    assert (found["outcome"], found["signal_quality"], found["response_date"], found["outcome_at"]) == (
        "responded", "high", "2026-02-11T10:01:00Z", NOW,
    )  # fmt: skip
    before = (skill.root / GROWTH).read_bytes()
    again = ingest(skill, data, "--responds-to", sent, "--signal-quality", "high")
    assert (again["outcome"], (skill.root / GROWTH).read_bytes()) == (None, before)
    assert f"{sent} stays 'responded': 'responded' changes nothing" in again["notes"]


def test_a_reply_whose_time_nobody_knows(skill: SkillWorkspace, sent: str) -> None:
    """That it is one is taken from the person who says so, as of now, and that is said."""
    came = ingest(skill, discord(entry(0, "yes", when="soon")), "--responds-to", sent)
    assert (came["outcome"], growth(skill)["response_date"]) == ("responded", NOW)
    assert any("is taken from you, as of now" in note for note in came["notes"])


def test_a_reply_of_the_same_day(skill: SkillWorkspace, sent: str) -> None:
    """Where only the day is known it may be one; when exactly is not made up, and that is said."""
    came = ingest(skill, b"[2026-02-10 08:00] bob: yes\n", "--responds-to", sent, name="dm.log")
    assert (came["outcome"], growth(skill)["response_date"]) == ("responded", NOW)
    assert any("its reply counts as of now" in note for note in came["notes"])


@pytest.mark.parametrize(
    ("texts", "hint"),
    [
        ((("before", "2026-02-09T10:00:00Z"), ("just before", "2026-02-10T09:59:59Z")), "is it the right id?"),
        ((("before", "2026-02-09T10:00:00Z"), ("sometime", "soon")), "pass --tz or --date-order"),
    ],
)
def test_what_was_said_before_is_no_reply(
    skill: SkillWorkspace, sent: str, texts: tuple[tuple[str, str], ...], hint: str
) -> None:
    """Where all whose time is known was said before the message was sent, growth stays as it is; the rest goes on."""
    before = (skill.root / GROWTH).read_bytes()
    data = discord(*(entry(number, *one[:1], when=one[1]) for number, one in enumerate(texts)))
    came = ingest(skill, data, "--responds-to", sent)
    assert (came["new"], came["outcome"], (skill.root / GROWTH).read_bytes()) == (2, None, before)
    (note,) = [note for note in came["notes"] if note.startswith("the reply is not recorded: ")]
    assert "was said before 2026-02-10T10:00:00Z, when the message was sent" in note
    assert hint in note


@pytest.mark.parametrize("text", ["[FU:deadbeef]", "\u200b"])
def test_a_reply_without_words_is_one(skill: SkillWorkspace, sent: str, text: str) -> None:
    """A message that becomes no quote was sent all the same."""
    data = discord(entry(0, "before", when="2026-02-09T10:00:00Z"), entry(1, text))
    came = ingest(skill, data, "--responds-to", sent)
    assert (came["new"], came["outcome"], growth(skill)["outcome"]) == (1, "responded", "responded")


@pytest.mark.parametrize("known", ["nothing", "another", "damaged", "rehearsed"])
def test_a_reply_to_what_growth_does_not_know(skill: SkillWorkspace, sent: str, known: str) -> None:
    """The quotes get in all the same, growth stays as it is, and the reason is said."""
    text = (skill.root / GROWTH).read_text("utf-8")
    if known == "nothing":
        (skill.root / GROWTH).unlink()
    elif known == "damaged":
        skill.write(GROWTH, "user: [\n")
    elif known == "rehearsed":
        skill.write(GROWTH, text.replace("batch_seq: 1\n", "batch_seq: 1\n  host: rehearsal\n", 1))
        assert "host: rehearsal" in (skill.root / GROWTH).read_text("utf-8")
    before = skill.root.joinpath(GROWTH).read_bytes() if known != "nothing" else b""
    wanted = "fu-2026-02-10-bob-7-1" if known == "another" else sent
    came = ingest(skill, said("it broke"), "--responds-to", wanted)
    assert (came["new"], came["outcome"]) == (1, None)
    assert any(note.startswith("the reply is not recorded: ") for note in came["notes"])
    assert (skill.root.joinpath(GROWTH).read_bytes() if known != "nothing" else b"") == before


def proposed(skill: SkillWorkspace) -> list[tuple[str, str, str]]:
    """What growth proposes now for what is new of bob."""
    argv = ("growth", "match", "bob", "--json")
    found = call(*argv, MINDLOOP_ROOT=str(skill.root), MINDLOOP_NOW=NOW).json["proposed"]
    return [(one["match_type"], one["match_confidence"], one["follow_up_id"]) for one in found]


def test_words_that_were_said_before_may_be_the_reply(skill: SkillWorkspace, sent: str) -> None:
    """They get a record of their own and are proposed; the canvas keeps them once, the same again changes nothing."""
    first = [entry(0, "yes", when="2026-02-09T10:00:00Z")]
    whole = [*first, entry(1, "yes", when="2026-02-11T10:00:00Z"), entry(2, "yes", when="2026-02-11T11:00:00Z")]
    ingest(skill, discord(*first))
    assert proposed(skill) == []
    canvas = (skill.root / CANVAS).read_bytes()
    called = run(skill, "ingest", put(skill, discord(*whole)), "--user", "bob")
    assert "bob: 0 new of 3 quotes" in called.out
    assert "1 known quote said again since we wrote: growth.py match USER" in called.out
    assert [one["source_timestamp"][8:10] for one in records(skill)] == ["09", "11"]
    assert (skill.root / CANVAS).read_bytes() == canvas
    assert proposed(skill) == [("temporal", "low", sent)]
    before = snapshot(skill.root / "grimoires")
    again = ingest(skill, discord(*whole))
    assert (again["new"], again["again"], again["run"]) == (0, 0, None)
    assert snapshot(skill.root / "grimoires") == before


@pytest.mark.parametrize("state", ["responded", "rehearsed", "damaged", "nothing"])
def test_words_that_come_again_to_no_message_that_waits(skill: SkillWorkspace, sent: str, state: str) -> None:
    """What is answered or only rehearsed waits for nothing; a growth that cannot be read is said, and that is all."""
    first, later = entry(0, "yes", when="2026-02-09T10:00:00Z"), entry(1, "yes", when="2026-02-11T10:00:00Z")
    ingest(skill, discord(first))
    text = (skill.root / GROWTH).read_text("utf-8")
    changed = {
        "responded": text.replace("outcome: pending", "outcome: responded"),
        "rehearsed": text.replace("batch_seq: 1\n", "batch_seq: 1\n  host: rehearsal\n", 1),
        "damaged": "user: [\n",
    }
    if state == "nothing":
        (skill.root / GROWTH).unlink()
    else:
        assert changed[state] != text
        skill.write(GROWTH, changed[state])
    came = ingest(skill, discord(first, later))
    assert (came["again"], len(records(skill))) == (0, 1)
    assert any("may be a reply, and is passed over" in note for note in came["notes"]) is (state == "damaged")


@pytest.mark.parametrize("native", [True, False])
def test_a_reply_to_a_line_of_ours_with_its_token(skill: SkillWorkspace, sent: str, native: bool) -> None:
    """By Discord's own reply it is certain as by token, by its place as by thread, whatever the words say."""
    token = growth(skill)["token"]
    more = {"type": "Reply", "reference": {"messageId": str(10**18 + 1)}} if native else {}
    ours = entry(1, f"and now? [FU:{token}]", US), entry(3, "bye", US)
    theirs = entry(0, "hi", when="2026-02-11T09:00:00Z"), entry(2, "hm", **more), entry(4, "later")
    ingest(skill, discord(*ours, *theirs))
    found = {one["text"]: (one.get("reply_tokens"), one.get("prompt_tokens")) for one in records(skill)}
    expected = ([token], None) if native else (None, [token])
    assert found == {"hi": (None, None), "hm": expected, "later": (None, None)}
    assert (("token" if native else "thread"), "high", sent) in proposed(skill)


# --- the question -----------------------------------------------------------------------------------------------------


def asked(skill: SkillWorkspace, *texts: str) -> tuple[str, list[str]]:
    """Ingest and return the run and the hashes of the quotes."""
    came = ingest(skill, said(*texts))
    assert came["packet"] == f"packet:{came['run']}/bob"
    return str(came["run"]), [content_hash(text) for text in texts]


def selection(**parts: Any) -> str:
    """An answer."""
    return json.dumps({"user": "bob", "quotes": [], "hypotheses": [], **parts})


def test_the_question_holds_one_user(skill: SkillWorkspace) -> None:
    """The packet names the user's canvas once and shows the new quotes; its judge and facts stand in the run."""
    run_name, hashes = asked(skill, "it broke", "i left")
    packet = run(skill, "packet", run_name, "bob").raw.decode()
    assert packet.count("bob-canvas.md") == 1
    assert all(f'"sha256:{digest}"' in packet for digest in hashes)
    item = skill.item(run_name, "bob")
    assert (item["judge"], item["quotes"], item["canvas"]) == ("quote-selector", hashes, CANVAS)


def test_an_answer_changes_the_canvas(skill: SkillWorkspace) -> None:
    """Values are noted, hypotheses added, every quote still verifies, and all else stays to the byte."""
    run_name, hashes = asked(skill, "it broke", "i left")
    before = (skill.root / CANVAS).read_text("utf-8")
    raw = selection(
        quotes=[{"hash": hashes[0], "value": "high"}],
        hypotheses=[{"title": "leaves what breaks", "evidence": [f"sha256:{hashes[1]}"], "unknown": "why\nso soon"}],
    )
    told = run(skill, "answer", run_name, "bob", stdin=raw).out
    assert told == "bob: 1 quote marked, 1 of them high; hypotheses added: H1\n"
    entry_lines = (
        "\n\n### H1: leaves what breaks\n\n- **Confidence**: Low (skeleton from direct messages, 2026-11-30)\n"
        f"- **Evidence**: [prov:sha256:{hashes[1]}]\n- **Unknown**: why so soon"
    )
    mark = f"<!-- prov:sha256:{hashes[0]} -->"
    assert (skill.root / CANVAS).read_text("utf-8") == before.replace(
        "## Level 3 Hypotheses", f"## Level 3 Hypotheses{entry_lines}"
    ).replace(mark, f"{mark}\n<!-- value:high -->")
    assert quotes(skill) == [("it broke", "verified"), ("i left", "verified")]
    assert run(skill, "answer", run_name, "bob", stdin=raw, code=1).out == ""


def test_quotes_that_had_no_room_come_when_they_matter(skill: SkillWorkspace) -> None:
    """A chosen quote that only the index has is put on the canvas."""
    settings(skill, "  ingest: {max_quotes: 1}\n")
    run_name, hashes = asked(skill, "it broke", "i left", "gm")
    raw = selection(
        quotes=[{"hash": hashes[1], "value": "medium"}], hypotheses=[{"title": "leaves", "evidence": [hashes[0]]}]
    )
    assert "2 quotes put on the canvas" in run(skill, "answer", run_name, "bob", stdin=raw).out
    assert quotes(skill) == [("gm", "verified"), ("it broke", "verified"), ("i left", "verified")]
    assert f"{hashes[1]} -->\n<!-- value:medium -->" in (skill.root / CANVAS).read_text("utf-8")


def test_an_answer_that_fits_nothing(skill: SkillWorkspace) -> None:
    """A wrong answer is refused and changes nothing; foreign hashes and known titles are left out and counted."""
    run_name, hashes = asked(skill, "it broke")
    before = snapshot(skill.root)
    assert '"user" is another one' in run(skill, "answer", run_name, "bob", stdin=selection(user="eve"), code=2).err
    assert {name: one[1] for name, one in snapshot(skill.root).items()} == {
        name: one[1] for name, one in before.items()
    }
    raw = selection(
        quotes=[{"hash": "f" * 64, "value": "high"}],
        hypotheses=[{"title": "Leaves", "evidence": hashes}, {"title": "leaves", "evidence": hashes}],
    )
    told = run(skill, "answer", run_name, "bob", stdin=raw).out
    assert "hypotheses added: H1; 1 on the canvas already" in told
    assert "1 left out of the answer" in told


def test_filed_answers_are_taken_by_resume(skill: SkillWorkspace) -> None:
    """What a hook filed is applied once; a refused one settles the question and changes nothing."""
    run_name, hashes = asked(skill, "it broke")
    skill.file(run_name, "bob", selection(quotes=[{"hash": hashes[0], "value": "high"}]))
    came = run(skill, "resume", run_name, "--json").json
    assert [(one["user"], one["outcome"]) for one in came["done"]] == [("bob", "done")]
    assert "<!-- value:high -->" in (skill.root / CANVAS).read_text("utf-8")
    other, _ = asked(skill, "and again")
    skill.file(other, "bob", "no idea")
    before = (skill.root / CANVAS).read_bytes()
    assert [one["outcome"] for one in run(skill, "resume", other, "--json").json["done"]] == ["refused"]
    assert (skill.root / CANVAS).read_bytes() == before


def test_a_rehearsal_changes_nothing_that_counts(skill: SkillWorkspace) -> None:
    """Driven without a model the question is settled, the canvas keeps every byte."""
    run_name, _ = asked(skill, "it broke")
    before = (skill.root / CANVAS).read_bytes()
    env = {"MINDLOOP_ROOT": str(skill.root), "MINDLOOP_NOW": NOW}
    assert call("drive", "ingest-dm", "--host", "rehearsal", "--run", run_name, **env).code == 0
    assert (skill.root / CANVAS).read_bytes() == before


def test_a_canvas_that_is_somebody_elses_by_then(skill: SkillWorkspace) -> None:
    """Where the canvas was renamed between question and answer nothing is written to another person's file."""
    run_name, hashes = asked(skill, "it broke")
    text = (skill.root / CANVAS).read_text("utf-8")
    skill.write(CANVAS, text.replace("user: bob", "user: eve", 1))
    raw = selection(quotes=[{"hash": hashes[0], "value": "high"}])
    assert "is not the canvas of bob any more" in run(skill, "answer", run_name, "bob", stdin=raw, code=2).err
    assert "value:high" not in (skill.root / CANVAS).read_text("utf-8")


def test_no_question_where_it_would_show_another_user(skill: SkillWorkspace) -> None:
    """Words that name another user's canvas or wallet are kept, and no judge is asked about them."""
    other = f"0x{'12' * 20}"
    skill.canvas("ann", wallet=other)
    for words in ("see ann-canvas.md please", f"send it to {other.upper()}"):
        came = ingest(skill, said(words))
        assert (came["new"], came["run"], came["packet"]) == (1, None, None)
        assert any("prompt_manifest_violation" in note for note in came["notes"])
        assert not any("ann" in note or "12" * 20 in note.lower() for note in came["notes"])


def test_nobody_is_asked_on_wish(skill: SkillWorkspace) -> None:
    """With --no-ask there is no run."""
    assert ingest(skill, said("it broke"), "--no-ask")["run"] is None
    assert call("follow_up", "status", "--json", MINDLOOP_ROOT=str(skill.root)).json["runs"] == []


def test_what_is_told(skill: SkillWorkspace) -> None:
    """The result is short whatever the export holds, names the next step, and holds no word of the user's."""
    path = put(skill, said(*(f"secret {number} " + "x" * 300 for number in range(300))))
    called = run(skill, "ingest", path, "--user", "bob")
    assert called.out == (
        "bob: 300 new of 300 quotes (300 own messages in 300 entries)\n"
        f"  {CANVAS} made, 200 quotes put on it\n"
        "  thread: thread-discord-bob-2026-02-11\n"
        "  bob: packet:ingest-dm-2026-11-30-001/bob for quote-selector\n"
        "  then: canvas.py resume ingest-dm-2026-11-30-001\n"
    )
    assert "secret" not in called.err
    assert len(called.out.encode()) < 2_048
