"""Many records at once: what is taken, what is known, what is known better now."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.provenance import bulk
from mindloop.observer.provenance.bulk import Index, Source
from mindloop.observer.provenance.index import index_from, ingest, load_index
from mindloop.observer.provenance.quotes import best_records
from mindloop.observer.provenance.record import make_record
from mindloop.observer.provenance.said import Said
from mindloop.store.errors import WrongInput
from tests.helpers.research import research_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.store.workspace import Workspace

NOW = datetime(2026, 11, 30, tzinfo=UTC)
INDEX = "grimoires/mining/provenance/index.jsonl"


def source(user: str = "bob") -> Source:
    return Source(user, "discord_dm", "ingest-dm", "dm.json", "thread-discord-bob-2026-01-01", NOW)


def add(workspace: Workspace, *said: Said, user: str = "bob") -> tuple[list[str], list[str]]:
    with workspace.transaction("research") as tx:
        index = Index(tx, user)
        gate = index.gate(said)
        index.add(source(user), gate.taken)
    return [one.text for one in gate.new], [one.text for one in gate.better]


def lines(root: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (root / INDEX).read_text("utf-8").splitlines()]


def test_a_record_has_every_field(tmp_path: Path) -> None:
    """What is written is a record as the single gate writes it, with the tokens of the message beside it."""
    workspace = research_workspace(tmp_path)
    said = Said("gm all", "2026-01-02T03:04:05Z", "exact", raw="02.01.26", index=7, tokens=("deadbeef",))
    said.parent = content_hash("before")
    add(workspace, said)
    assert lines(tmp_path) == [
        {
            "content_hash": content_hash("gm all"),
            "normalization_version": 1,
            "source_timestamp": "2026-01-02T03:04:05Z",
            "source_timestamp_raw": "02.01.26",
            "source_timestamp_confidence": "exact",
            "text": "gm all",
            "source_type": "discord_dm",
            "canvas_target": "bob",
            "raw_source_ref": "dm.json",
            "ingested_by": "ingest-dm",
            "ingested_at": "2026-11-30T00:00:00Z",
            "thread_id": "thread-discord-bob-2026-01-01",
            "message_index": 7,
            "parent_hash": content_hash("before"),
            "reply_tokens": ["deadbeef"],
            "record_id": lines(tmp_path)[0]["record_id"],
        }
    ]


def test_one_id_whichever_door(tmp_path: Path) -> None:
    """A text gets the id that the single gate would have given it."""
    one, many = research_workspace(tmp_path / "a"), research_workspace(tmp_path / "b")
    with one.transaction("research") as tx:
        ingest(tx, make_record("Bob", "gm", source_type="discord_dm", ingested_by="ingest-dm", now=NOW))
    add(many, Said("gm", None, "unknown"), user="@bob")
    assert lines(tmp_path / "a")[0]["record_id"] == lines(tmp_path / "b")[0]["record_id"]


@pytest.fixture(autouse=True)
def folders(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()


def test_equal_words_count_once_and_the_best_time_stays(tmp_path: Path) -> None:
    """Of equal words the surest and then the earliest occurrence is taken, wherever it stands."""
    workspace = research_workspace(tmp_path)
    taken = add(
        workspace,
        Said("ok", "2026-01-03T00:00:00Z", "exact"),
        Said("OK", "2026-01-01T00:00:00Z", "day_level"),
        Said(" ok ", "2026-01-02T00:00:00Z", "exact"),
        Said("ok", None, "unknown"),
    )
    assert taken == ([" ok "], [])
    assert [one["source_timestamp"] for one in lines(tmp_path)] == ["2026-01-02T00:00:00Z"]


def test_only_an_earlier_or_surer_time_adds_a_record(tmp_path: Path) -> None:
    """What is known is passed over, unless it tells more; then there is a further record with an id of its own."""
    workspace = research_workspace(tmp_path)
    add(workspace, Said("ok", "2026-01-03T00:00:00Z", "day_level"))
    assert add(workspace, Said("ok", "2026-01-04T00:00:00Z", "day_level")) == ([], [])
    assert add(workspace, Said("ok", "2026-01-02T00:00:00Z", "day_level")) == ([], ["ok"])
    assert add(workspace, Said("ok", "2026-01-09T00:00:00Z", "exact")) == ([], ["ok"])
    assert add(workspace, Said("ok", "2026-01-09T00:00:00Z", "exact")) == ([], [])
    found = lines(tmp_path)
    assert len({one["record_id"] for one in found}) == 3
    best = best_records(load_index(workspace).for_user("bob"))[content_hash("ok")]
    assert (best["source_timestamp"], best["source_timestamp_confidence"]) == ("2026-01-09T00:00:00Z", "exact")


def test_another_users_words_are_no_obstacle(tmp_path: Path) -> None:
    """Each user has hashes of their own; spellings of one name are one user."""
    workspace = research_workspace(tmp_path)
    add(workspace, Said("gm", None, "unknown"), user="Ann")
    assert add(workspace, Said("gm", None, "unknown")) == (["gm"], [])
    assert add(workspace, Said("gm", None, "unknown"), user="@ANN") == ([], [])


@pytest.mark.parametrize("limit", [0, 1_000_000])
def test_what_was_there_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """However much is added, every byte of before stays: a mark at the start, bad lines, a torn last one."""
    monkeypatch.setattr(bulk, "_APPEND_LIMIT", limit)
    before = '\ufeff{"content_hash": "x"}\n\nnot json\r\n{"torn'.encode()
    workspace = research_workspace(tmp_path, {INDEX: before.decode()})
    add(workspace, Said("gm", None, "unknown"), Said("gn", None, "unknown"))
    data = (tmp_path / INDEX).read_bytes()
    assert data.startswith(before + b"\n")
    assert index_from(data, INDEX).size == 2


def test_nothing_to_add_writes_nothing(tmp_path: Path) -> None:
    """No records, no file."""
    workspace = research_workspace(tmp_path)
    assert add(workspace) == ([], [])
    assert not (tmp_path / INDEX).exists()


@pytest.mark.parametrize("text", ["", " \n", "a\0b", "\ud83d", "x" * 200_001, "\u200b\u202e", "\ufeff \u2060"])
def test_words_that_no_index_takes(text: str) -> None:
    """What the single gate refuses is refused here too."""
    with pytest.raises(WrongInput):
        Said(text, None, "unknown")


def test_a_source_must_exist() -> None:
    """A source type or ingester out of the list is refused with the list."""
    with pytest.raises(WrongInput, match="the source type is 'fax'"):
        Source("bob", "fax", "ingest-dm", "", None, NOW)
    with pytest.raises(WrongInput, match="the ingester is 'me'"):
        Source("bob", "discord_dm", "me", "", None, NOW)


def test_a_token_that_no_record_has_adds_one(tmp_path: Path) -> None:
    """Of known words each token is kept once, with the best time that it came with; beside new ones too."""
    workspace = research_workspace(tmp_path)
    early, late = "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"
    add(workspace, Said("ok", early, "exact"), Said("ok", late, "exact", tokens=("deadbeef",)))
    add(workspace, Said("ok", late, "exact", tokens=("deadbeef",)), Said("gm", late, "exact", tokens=("0badcafe",)))
    add(workspace, Said("ok", late, "exact", tokens=("deadbeef", "0badcafe")), Said("gm [FU:deadbeef]", late, "exact"))
    add(workspace, Said("gm [FU:deadbeef]", late, "exact", tokens=("deadbeef",)))
    assert [(one["text"], one["source_timestamp"], one.get("reply_tokens")) for one in lines(tmp_path)] == [
        ("ok", early, None),
        ("ok", late, ["deadbeef"]),
        ("gm", late, ["0badcafe"]),
        ("gm [FU:deadbeef]", late, None),
        ("ok", late, ["deadbeef", "0badcafe"]),
    ]
    assert len({one["record_id"] for one in lines(tmp_path)}) == 5


def test_a_stamp_is_read_once(tmp_path: Path) -> None:
    """The same stamp at another time is disputed and takes no record; more sureness within its day is none of that."""
    workspace = research_workspace(tmp_path)
    day, raw = "2026-04-03T00:00:00Z", "03/04/2026 10:00"

    def gated(moment: str, confidence: str, raw: str | None = raw) -> tuple[int, list[str]]:
        with workspace.transaction("research") as tx:
            index = Index(tx, "bob")
            gate = index.gate([Said("ok", moment, confidence, raw=raw)])
            index.add(source(), gate.taken)
        return len(gate.taken), [gate.disputed.moment] if gate.disputed else []

    assert gated(day, "day_level") == (1, [])
    assert gated("2026-03-04T00:00:00Z", "day_level") == (0, [day])
    assert gated("2026-03-04T10:00:00Z", "exact") == (0, [day])
    assert gated("2026-04-03T08:00:00Z", "exact") == (1, [])
    assert gated("2026-04-03T01:00:00Z", "exact") == (0, ["2026-04-03T08:00:00Z"])
    assert gated("2026-04-03T01:00:00Z", "exact", raw="another stamp") == (1, [])
    assert gated(day, "day_level") == (0, [])


def again(workspace: Workspace, *said: Said, sent: tuple[str, ...] | None = ()) -> list[tuple[str, str | None]]:
    """What is taken because it was said again; with ``None`` nobody may ask when our messages were sent."""

    def waiting() -> tuple[str, ...]:
        assert sent is not None
        return sent

    with workspace.transaction("research") as tx:
        index = Index(tx, "bob")
        gate = index.gate(said, waiting)
        index.add(source(), gate.taken)
    return [(one.text, one.moment) for one in gate.again]


def test_what_is_said_again_after_we_wrote_gets_a_record(tmp_path: Path) -> None:
    """The first time since each message of ours, whether the words were known or are new here; twice is once."""
    workspace = research_workspace(tmp_path)
    day = [f"2026-01-{number:02d}T10:00:00Z" for number in range(1, 10)]
    sent = (day[4], day[1])
    whole = [Said("yes", moment, "exact") for moment in day]
    assert again(workspace, *whole[:2], sent=()) == []
    assert again(workspace, *whole[:4], sent=sent) == [("yes", day[1])]
    assert again(workspace, *reversed(whole), sent=sent) == [("yes", day[4])]
    assert again(workspace, *whole, sent=sent) == []
    other = research_workspace(tmp_path / "a")
    assert again(other, *whole, sent=sent) == [("yes", day[1]), ("yes", day[4])]
    best = best_records(load_index(workspace).for_user("bob"))[content_hash("yes")]
    assert best["source_timestamp"] == day[0]


def test_nobody_asks_when_we_wrote_where_nothing_comes_again(tmp_path: Path) -> None:
    """New words, words of no known time and what is on record already cost no look at growth."""
    workspace = research_workspace(tmp_path)
    said = [Said("yes", "2026-01-02T10:00:00Z", "exact"), Said("no", None, "unknown"), Said("no", None, "day_level")]
    assert again(workspace, *said, sent=None) == []
    assert again(workspace, *said, Said("yes", "2026-01-01T10:00:00Z", "exact"), sent=None) == []


@pytest.mark.parametrize(
    ("known", "said", "sent", "taken"),
    [
        (("2026-01-01T10:00:00Z", "exact"), ("2026-01-02T09:59:59Z", "exact"), "2026-01-02T10:00:00Z", False),
        (("2026-01-01T10:00:00Z", "exact"), ("2026-01-02T10:00:00Z", "exact"), "2026-01-02T10:00:00Z", True),
        (("2026-01-01T10:00:00Z", "exact"), ("2026-01-02T00:00:00Z", "day_level"), "2026-01-02T10:00:00Z", True),
        (("2026-01-02T00:00:00Z", "day_level"), ("2026-01-03T00:00:00Z", "day_level"), "2026-01-02T10:00:00Z", False),
        (("2026-01-01T10:00:00Z", "exact"), ("2026-01-02T08:00:00Z", "exact"), "2026-01-02", True),
        (("2026-01-03T10:00:00Z", "exact"), ("2026-01-04T00:00:00Z", "day_level"), "2026-01-02T10:00:00Z", False),
        ((None, "unknown"), ("2026-01-02T00:00:00Z", "day_level"), "2026-01-02T10:00:00Z", False),
    ],
)
def test_again_is_told_by_days_where_only_days_are_known(
    tmp_path: Path, known: tuple[str | None, str], said: tuple[str, str], sent: str, taken: bool
) -> None:
    """Not before the message, and no record as late as it; a surer time of unknown words is better, not again."""
    workspace = research_workspace(tmp_path)
    add(workspace, Said("yes", *known))
    assert bool(again(workspace, Said("yes", *said), sent=(sent,))) is taken


def test_a_question_that_stood_before_adds_a_record(tmp_path: Path) -> None:
    """Words that are known get one more where they come after another question of ours; a token tells that too."""
    workspace = research_workspace(tmp_path)
    early, late = "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"
    add(workspace, Said("ok", early, "exact"))
    for _ in range(2):
        add(
            workspace, Said("ok", late, "exact", prompts=("deadbeef",)), Said("gm", late, "exact", tokens=("0badcafe",))
        )
        add(workspace, Said("gm", late, "exact", prompts=("0badcafe",)))
    assert [(one["text"], one.get("reply_tokens"), one.get("prompt_tokens")) for one in lines(tmp_path)] == [
        ("ok", None, None), ("gm", ["0badcafe"], None), ("ok", None, ["deadbeef"]),
    ]  # fmt: skip
