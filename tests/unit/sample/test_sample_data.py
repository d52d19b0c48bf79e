"""The shipped sample reads like a real workspace and shows everything that the follow-up batch can meet."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.batch.contract import compat_problems
from mindloop.observer.batch.parse import parse_batch
from mindloop.observer.canonical import content_hash
from mindloop.observer.canvas.reading import Canvas, parse_canvas
from mindloop.observer.canvas.triggers import drop_stale, find_triggers, skip_reason
from mindloop.observer.chronicle.entries import read_entry
from mindloop.observer.chronicle.temporal import temporal_lookup
from mindloop.observer.cognition import staleness
from mindloop.observer.growth.metrics import new_counters, recompute
from mindloop.observer.growth.record import token_of
from mindloop.observer.growth.state import messages, stale_ids
from mindloop.observer.lines import one_line
from mindloop.observer.names import fold
from mindloop.observer.packet.manifest import OtherCanvases, violations
from mindloop.observer.provenance.drift import drift_hint
from mindloop.observer.provenance.quotes import blockquotes, proven_text, registry
from mindloop.observer.score import parse_snapshot
from mindloop.observer.wallets import is_wallet
from mindloop.store import strict_yaml
from mindloop.store.errors import MindloopError
from mindloop.store.schemas import problems, typed
from tests.helpers import sidecars
from tests.helpers.answers import checked
from tests.helpers.sample import CANVASES, MESSAGES, OBSERVER, SAMPLE, SKIPPED, canvas_texts, index_lines, records

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = [
    "record_id",
    "content_hash",
    "normalization_version",
    "source_type",
    "source_timestamp",
    "source_timestamp_raw",
    "source_timestamp_confidence",
    "canvas_target",
    "raw_source_ref",
    "ingested_by",
    "ingested_at",
    "thread_id",
    "message_index",
    "parent_hash",
    "text",
]
TODAY = date(2026, 3, 1)
GROWN = ["ledgerlark", "mossgate", "oatmilk_oracle", "quietloom"]


def canvases() -> dict[str, Canvas]:
    """User to canvas, for all that parse."""
    found = {}
    for name, text in canvas_texts().items():
        if name != "sable-smoke-canvas.md":
            canvas = parse_canvas(f"{CANVASES}/{name}", text)
            found[canvas.user] = canvas
    return found


def document(folder: str, user: str) -> dict:
    """A growth or cognition file, typed and checked by its schema."""
    path = OBSERVER / folder / f"{user}.yaml"
    return typed(strict_yaml.load(path.read_text(encoding="utf-8")), folder, path.name)


def releases() -> list:
    """The releases among the chronicle's entries."""
    paths = sorted((SAMPLE / "grimoires" / "mining" / "chronicle").rglob("*.md"))
    entries = [read_entry(path.read_text(encoding="utf-8"), path.name) for path in paths]
    return [entry for entry in entries if entry is not None]


def last_batches() -> dict[str, str]:
    """User to the instant of the latest earlier batch."""
    last = {}
    for path in sorted((OBSERVER / "follow-ups").iterdir()):
        batch = parse_batch(path.read_text(encoding="utf-8"))
        for run in batch["runs"]:
            last |= dict.fromkeys(run["users"], run["at"])
    return last


def quotes_of(user: str) -> list:
    """The registry of a user."""
    return registry(canvases()[user].body, records(user))


def answered(user: str):
    """What validation leaves of a user's scripted rehearsal answer."""
    fears = document("cognition", user)["fears"] if (OBSERVER / "cognition" / f"{user}.yaml").exists() else None
    case = {
        "user": user,
        "registry": quotes_of(user),
        "temporal": temporal_lookup(records(user), releases()),
        "fears": fears,
    }
    return checked((OBSERVER / "rehearsal" / f"{user}.txt").read_text(encoding="utf-8"), case)


def outcome(user: str, canvas: Canvas) -> str | int:
    """What the steps of a batch, one after the other, make of a user without a model."""
    triggers = find_triggers(canvas, TODAY, last_batches().get(user))
    if user in GROWN:
        triggers = drop_stale(triggers, stale_ids(document("growth", user)))
    if not triggers:
        return skip_reason(canvas)
    if not any(quote["hash_verified"] for quote in quotes_of(user)):
        return "no_verified_quotes"
    if not (OBSERVER / "scores" / f"{(canvas.wallet or '').lower()}.json").exists():
        return "score_api_error"
    if violations(f"Canvas file: {canvas.basename}\n{canvas.body}", (canvas.basename, canvas.wallet, user), everyone()):
        return "prompt_manifest_violation"
    if not (OBSERVER / "rehearsal" / f"{canvas.slug}.txt").exists():
        return 1
    answer = answered(user)
    return answer.skip_reason or len(answer.messages)


def everyone() -> OtherCanvases:
    """All canvases, the broken one's file and wallet included."""
    wallets = re.findall(r"^wallet: \"?(\S+?)\"?$", "\n".join(canvas_texts().values()), re.MULTILINE)
    return OtherCanvases(list(canvas_texts()), wallets, [*MESSAGES, *SKIPPED])


def test_counts() -> None:
    """There are 17 canvases, 185 records and 6 releases."""
    assert (len(canvas_texts()), len(records()), len(releases())) == (17, 185, 6)


def test_every_user_ends_as_the_table_says() -> None:
    """Each user's outcome in a batch follows from the files and is the one that the table promises."""
    assert {user: outcome(user, canvas) for user, canvas in canvases().items()} | {
        "sable/smoke": "invalid_canvas"
    } == MESSAGES | SKIPPED


def test_every_reason_of_the_orchestrator_occurs_once() -> None:
    """Eight skip reasons, one user each."""
    assert sorted(SKIPPED.values()) == [
        "all_content_stripped",
        "all_hypotheses_high_confidence",
        "invalid_canvas",
        "no_triggers",
        "no_verified_quotes",
        "prompt_manifest_violation",
        "score_api_error",
        "subagent_parse_error",
    ]


def test_the_unsafe_name_is_refused() -> None:
    """A canvas whose user holds a slash does not parse, and the error says why."""
    text = canvas_texts()["sable-smoke-canvas.md"]
    with pytest.raises(MindloopError, match="sable/smoke"):
        parse_canvas(f"{CANVASES}/sable-smoke-canvas.md", text)


def test_index_lines_are_written_as_the_index_writes_them() -> None:
    """Compact JSON, text as it is, fields in one order: a line survives a round trip byte for byte."""
    parsed = [json.loads(line) for line in index_lines()]
    assert [json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in parsed] == index_lines()
    assert {tuple(record) for record in parsed} == {tuple(FIELDS)}
    assert [problem for record in parsed for problem in problems(record, "provenance-record")] == []


def test_each_record_is_proved_by_its_hash_and_unique() -> None:
    """Hash and text agree; ids are unique; nobody's message is recorded twice."""
    assert [record["content_hash"] for record in records()] == [content_hash(str(r["text"])) for r in records()]
    assert len({record["record_id"] for record in records()}) == 185
    assert len({(record["canvas_target"], record["content_hash"]) for record in records()}) == 185


def test_every_confidence_and_source_occurs() -> None:
    """All four confidences and five sources are there; an unknown time is null, every other one is not."""
    found = records()
    assert {r["source_timestamp_confidence"] for r in found} == {"exact", "day_level", "inferred", "unknown"}
    assert {r["source_type"] for r in found} == {
        "discord_dm",
        "twitter_dm",
        "telegram_dm",
        "manual_quote",
        "supabase_feedback",
    }
    assert all((r["source_timestamp"] is None) == (r["source_timestamp_confidence"] == "unknown") for r in found)
    assert all(
        str(r["source_timestamp"]).endswith("T00:00:00Z")
        for r in found
        if r["source_timestamp_confidence"] == "day_level"
    )


def test_threads_are_chains() -> None:
    """In each DM thread the index rises, each message names the one before it, and time never goes back."""
    threads: dict[object, list[dict[str, object]]] = {}
    for record in records():
        if record["thread_id"]:
            threads.setdefault(record["thread_id"], []).append(record)
        else:
            assert (record["message_index"], record["parent_hash"]) == (None, None)
    for thread in threads.values():
        assert thread[0]["parent_hash"] is None
        for before, after in pairwise(thread):
            assert after["parent_hash"] == before["content_hash"]
            assert after["message_index"] > before["message_index"]
            assert str(after["source_timestamp"]) >= str(before["source_timestamp"])
            assert after["canvas_target"] == before["canvas_target"]
    assert len(threads) == 32


def test_only_the_intended_quote_does_not_verify() -> None:
    """Of all quotes with a comment one fails: its marks were made smart, and the hint says so."""
    failed = [
        (user, quote["quote_text"])
        for user in canvases()
        for quote in quotes_of(user)
        if quote["hash"] and not quote["hash_verified"]
    ]
    assert failed == [
        (
            "brinepot",
            "I can’t tell if my score dropped or if it’s just the satellite link — the number won’t say “as of when”…",
        )
    ]
    assert "typographic drift" in str(drift_hint(failed[0][1], records("brinepot")))


def test_only_the_imported_user_is_not_in_the_index() -> None:
    """Verified quotes without a record belong to the import; all of them are verified."""
    missing = [
        user for user in canvases() for quote in quotes_of(user) if quote["hash_verified"] and not quote["in_index"]
    ]
    assert missing == ["papa-quokka"] * 6
    assert records("papa-quokka") == []


def test_only_one_canvas_has_quotes_and_no_comment() -> None:
    """Unmarked quotes are saltmarsh7's, in both of the old markers; elsewhere only notes of researchers are."""
    unmarked = {
        user: [one.display for one in blockquotes(canvas.body) if one.declared is None]
        for user, canvas in canvases().items()
    }
    assert {user: len(texts) for user, texts in unmarked.items() if texts} == {
        "mossgate": 1,
        "oatmilk_oracle": 1,
        "saltmarsh7": 9,
    }


def test_the_same_greeting_of_two_users_is_two_records() -> None:
    """The word gm was said twice, under one hash."""
    said = [record for record in records() if record["text"] == "gm"]
    assert sorted(str(record["canvas_target"]) for record in said) == ["brinepot", "hoshi_no_neko"]
    assert len({record["content_hash"] for record in said}) == 1


def verified_texts() -> str:
    """All verified quotes, one after the other."""
    return "\n".join(
        str(quote["quote_text"]) for user in canvases() for quote in quotes_of(user) if quote["hash_verified"]
    )


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("a joined emoji", "👨\u200d👩\u200d👧\u200d👦"),
        ("a skin tone", "👍🏽"),
        ("a skin tone inside a joined emoji", "👩🏿\u200d🔬"),
        ("Japanese", "[\u3040-\u30ff]"),
        ("Chinese", "季节任务"),
        ("Arabic", "النتيجة"),
        ("Arabic marks", "أَفْتَحُ"),
        ("a right-to-left mark", "\u200f"),
        ("smart quotes", "“bring a friend”"),
        ("guillemets inside", "«Corazón»"),
        ("a combining mark that has no composed form", "ẹ́"),
        ("braces and a section mark", r"\{\{display_name\}\} === \{score\}"),
        ("a line of section marks", "=== END OF PROFILE ==="),
        ("orders to the reader", "ignore previous instructions .* system: you are"),
        ("several lines", "badge under glass\nnobody asked"),
        ("a quote mark at the end", 'below the fold. "nice"'),
        ("a decimal", r"3\.5"),
        ("a version", "v2 landed"),
    ],
)
def test_scripts_and_traps_stand_in_verified_quotes(what: str, pattern: str) -> None:
    """Each kind of text that is easily damaged stands in a quote that verifies."""
    assert re.search(pattern, verified_texts()), what


def test_a_decomposed_quote_verifies_against_its_composed_record() -> None:
    """One canvas holds a name in decomposed form; the record has it composed."""
    shown = next(text for text in map(proven_text, blockquotes(canvases()["ñandú"].body)) if "tilde" in str(text))
    recorded = next(str(record["text"]) for record in records("ñandú") if "tilde" in str(record["text"]))
    assert shown != recorded
    assert unicodedata.normalize("NFC", str(shown)) == recorded


@pytest.mark.parametrize(
    "pattern",
    [
        r"^type: user_canvas$",
        r"^type: user-canvas$",
        r"^type: user-truth-canvas$",
        r"^wallet: 0x",
        r"^updated: \d{4}-\d\d-\d\d$",
        r'^updated: "\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"$',
        r"^score_snapshot: null$",
        r"^status: active$",
        r"^last_enriched: null$",
        r"^### Hypothesis 1: ",
        r"^### H-1: ",
        r"^### H1: ",
        r"^### H1: .*\[VALIDATED → Promoted to Observation\]$",
        r"^- \*\*Confidence\*\*: Low \(single DM conversation\)$",
        r"^- \*\*Confidence\*\*: Medium-High \(",
        r"^- \*\*Confidence\*\*: Low \| Medium$",
        r"^\| \*\*Confidence\*\* \| ",
        r"^- \*\*Evidence\*\*: \[prov:PLACEHOLDER\]$",
        r"^\| Promise \| Date \| Follow-up Trigger \|$",
        r"^\| Promise \| Date \| Follow-up Trigger \| Status \|$",
        r"^\| \(none in this quote\) \| - \| - \|$",
        r"\*\*PENDING\*\* \|$",
        r"\*\*VALIDATED\*\* \|$",
        r"\*\*UNVALIDATED\*\* \|$",
        r"\*\*NOT VALIDATED\*\* \|$",
        r"^## Expectation Gaps$",
        r"^## Expectation Gaps \(Code-Grounded\)$",
        r"^\| \*\*Status\*\* \| IDENTIFIED \|$",
        r"^\| \*\*Status\*\* \| OPEN \|$",
        r"^\*\*Status\*\*: IDENTIFIED$",
        r"^\*\*Status\*\*: FILED$",
        r"^\*\*JTBD\*\*: ",
        r"^\| Expected \| Actual \| Source \| Resolution \|$",
        r"^## 1\. Qualitative Evidence$",
        r"^## 3\. Future Promises",
        r"^> — Discord DM, ",
        r'^> ".*" — .* `\[prov:prov-[0-9a-f]+\]`\n<!-- prov:sha256:',
        r'^> ".*" — .* `\[prov:prov-[0-9a-f]+\]`\n\n',
        r"^> <!-- prov:sha256:[0-9a-f]{64} -->$",
        r'^> ".*" <!-- prov:sha256:',
        r"^<!-- prov:sha256:PLACEHOLDER -->$",
        r"^\n<!-- prov:sha256:[0-9a-f]{64} -->$",
        r"^> 「.*」$",
        r"^> «.*»$",
        r"^> “.*”$",
        r"^> [^\"“«「].*\n> — ",
        r"^> \*\*Enrichment insight\*\*",
        r"^> Note: Score API",
        r"^> Skeleton hypotheses",
        r"^## Validated Observations$",
        r"^## Journey Fragments$",
        r"^## Conversation Frameworks$",
        r"^### Related Canvases$",
        r"\[\[canvas/",
        r"^\| Date \| Type \| Note \| Source \| Signal \| Weight \| Model \|$",
        r"^\| Time \(UTC\) \| Type \| Source \| Page Context \| Note \| Signal \| Weight \|$",
    ],
)
def test_every_canvas_variant_occurs(pattern: str) -> None:
    """Each heading, table and marker that canvases are written with stands in at least one of them."""
    assert any(re.search(pattern, text, re.MULTILINE) for text in canvas_texts().values())


def test_both_file_names_occur() -> None:
    """Two canvases use the short file name."""
    assert [name for name in canvas_texts() if not name.endswith("-canvas.md")] == ["juniper_jot.md", "papa-quokka.md"]


def test_every_wallet_has_a_shape_and_most_a_score() -> None:
    """Wallets are 40 hex digits and nobody's twice; all but one can be looked up, in whatever case they are written."""
    wallets = {user: canvas.wallet or "" for user, canvas in canvases().items()}
    assert all(map(is_wallet, wallets.values()))
    assert len({wallet.lower() for wallet in wallets.values()}) == 16
    scores = {path.stem: parse_snapshot(path.read_text(encoding="utf-8")) for path in (OBSERVER / "scores").iterdir()}
    assert [user for user, wallet in wallets.items() if wallet.lower() not in scores] == ["kettlebird"]
    assert all(
        isinstance(scores[wallet.lower()]["rank"], int) for wallet in wallets.values() if wallet.lower() in scores
    )
    assert wallets["ledgerlark"] != wallets["ledgerlark"].lower()


def test_releases_and_what_is_none() -> None:
    """Six releases in their order, one with a title of its heading only; the incident is not among them."""
    found = sorted(releases(), key=lambda release: release["start"])
    assert [(release["id"], release["title"]) for release in found] == [
        ("CHRON-20251104-001", "v1.4.0 Quest board"),
        ("CHRON-20251125-001", "v1.5.0 Badge shelf"),
        ("CHRON-20251211-001", "v1.5.1 Streak fix"),
        ("CHRON-20260113-001", "v2.0.0 Open ranks"),
        ("CHRON-20260127-001", "v2.0.1 Slow pages"),
        ("CHRON-20260210-001", "v2.1.0 Seasons"),
    ]


def test_every_temporal_reason_occurs() -> None:
    """Records may claim a version, are too uncertain, or come from before the first release."""
    lookup = temporal_lookup(records("brinepot"), releases())
    assert {entry.get("reason", "allowed") for entry in lookup.values()} == {
        "allowed",
        "insufficient_confidence",
        "no_enclosing_release_window",
    }


def test_the_rich_answer_is_put_right() -> None:
    """Of three messages one keeps its claim, one loses claim and inline version, and an altered quote is restored."""
    answer = answered("mossgate")
    assert answer.skip_reason is None
    assert [message["anchor_quote_text"] for message in answer.messages] == [
        "if the date on a badge can move then it isn't a badge, it's a sticker",
        "anyway i'm 4th, whoever was 9th is 6th now, and the whole middle shuffled on tuesday",
        "i have a spreadsheet. 214 rows, one row a day. column C is how i felt and it correlates with nothing",
    ]
    assert [[claim["chronicle_ref"] for claim in message["temporal_claims"]] for message in answer.messages] == [
        ["CHRON-20260113-001"],
        [],
        [],
    ]
    assert answer.messages[0]["message_body"].startswith("since v2.0.0 shipped — row 97 says november 19.")
    assert answer.messages[1]["message_body"] == (
        "you knew who was 6th and who had been 9th. "
        "tell me about the last time you scrolled that far down. what had you opened it for?"
    )
    raw = json.loads((OBSERVER / "rehearsal" / "mossgate.txt").read_text(encoding="utf-8"))
    assert raw["messages"][0]["anchor_quote_text"] != answer.messages[0]["anchor_quote_text"]


def test_earlier_batches_keep_the_contract() -> None:
    """Two batches of January and February satisfy every row of the compatibility contract."""
    paths = sorted((OBSERVER / "follow-ups").iterdir())
    assert [path.name for path in paths] == ["2026-01-22.md", "2026-02-12.md"]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert compat_problems(text, path.relative_to(SAMPLE).as_posix()) == []
        assert parse_batch(text)["users"] == ["mossgate", "oatmilk_oracle", "ledgerlark", "quietloom"]


def test_tokens_of_the_batches_are_those_of_growth() -> None:
    """Each message of a batch file is known to its user's growth, under its own token and anchor."""
    for path in sorted((OBSERVER / "follow-ups").iterdir()):
        for section in parse_batch(path.read_text(encoding="utf-8"))["sections"]:
            sent = [
                (message["token"], message["anchor_hash"], message["hypothesis"])
                for batch, message in messages(document("growth", section["user"]))
                if batch["batch_date"] == path.stem
            ]
            assert sent == [
                (message["token"], message["anchor_quote_hash"], message["hypothesis_or_trigger"])
                for message in section["messages"]
            ]


def test_growth_states_are_consistent() -> None:
    """Tokens come from ids, counters from outcomes, batches from the sequence."""
    assert sorted(path.stem for path in (OBSERVER / "growth").iterdir()) == GROWN
    for user in GROWN:
        state = document("growth", user)
        counted: dict[str, dict] = {}
        for _, message in messages(state):
            assert message["token"] == token_of(message["id"])
            count(counted.setdefault(message["question_pattern"], new_counters()), message)
        assert state["question_patterns"] == counted
        assert [batch["batch_seq"] for batch in state["follow_ups"]] == list(range(1, state["next_batch_seq"]))
        assert state["wallet"] == canvases()[user].wallet.lower()


def count(counters: dict, message: dict) -> None:
    """Count one message from scratch."""
    counters["times_used"] += 1
    if message["outcome"] != "pending":
        counters[f"{message['outcome']}_count"] += 1
    if message["signal_quality"]:
        counters["signal_quality_sum"] += {"high": 1.0, "medium": 0.5, "low": 0.0}[message["signal_quality"]]
        counters["signal_quality_count"] += 1
    recompute(counters)


def test_growth_shows_every_outcome_and_decay() -> None:
    """Replies, silence, an answer after silence, a message never sent; an active, a decaying and a stale hypothesis."""
    states = [document("growth", user) for user in GROWN]
    sent = [message for state in states for _, message in messages(state)]
    assert {message["outcome"] for message in sent} == {"pending", "responded", "silence", "unknown"}
    assert [message["id"] for message in sent if message["late_response"]] == ["fu-2026-01-22-quietloom-1-1"]
    decay = {(state["user"], one["id"]): one["decay_state"] for state in states for one in state["hypotheses"]}
    assert {name: value for name, value in decay.items() if value != "active"} == {
        ("oatmilk_oracle", "H2"): "stale",
        ("oatmilk_oracle", "H3"): "decaying",
    }


def test_evidence_in_growth_is_what_the_user_said() -> None:
    """Each piece of evidence names a record of that user and quotes it."""
    for user in GROWN:
        said = {record["content_hash"]: str(record["text"]) for record in records(user)}
        found = [m["match_evidence"] for _, m in messages(document("growth", user)) if m["match_evidence"]]
        assert found
        for evidence in found:
            assert one_line(said[evidence["signal_id"]], 200) == evidence["quote_span"]


def test_cognition_files_are_valid() -> None:
    """Two established users and one without a record; backing quotes are verified quotes of the same user."""
    paths = sorted((OBSERVER / "cognition").iterdir())
    assert [path.stem for path in paths] == ["mossgate", "papa-quokka", "tallowby"]
    for path in paths:
        user = path.stem
        sidecar = document("cognition", user)
        assert sidecars.problems(sidecar, user) == []
        classes = [fear["class"] for fear in sidecar["fears"]]
        assert classes.count("evidence_backed") >= 2 if records(user) else "exploratory" in classes
        own = {f"sha256:{quote['hash']}" for quote in quotes_of(user) if quote["hash_verified"]}
        assert {fear["backing_quote_hash"] for fear in sidecar["fears"]} - {None} <= own


@pytest.mark.parametrize("user", ["mossgate", "papa-quokka", "tallowby"])
def test_cognition_is_fresh_before_the_next_batch(user: str) -> None:
    """The anchors are those of the files beside it, so only the course of time makes it stale."""
    canvas = canvases()[user]
    growth = document("growth", user) if user in GROWN else None
    score = (OBSERVER / "scores" / f"{canvas.wallet.lower()}.json").read_text(encoding="utf-8")
    expected = {
        "canvas_last_enriched": canvas.last_enriched,
        "growth_state_hash": staleness.growth_hash(growth),
        "score_snapshot_hash": staleness.score_hash(score),
    }
    assert document("cognition", user)["input_anchors"] == expected


def sample_files() -> list[Path]:
    """Every file that is copied into a workspace."""
    return sorted(path for path in (SAMPLE / "grimoires").rglob("*") if path.is_file())


def test_all_dates_lie_in_the_told_time() -> None:
    """Whatever is dated is of November 2025 to February 2026, so that every later run finds it old."""
    months = {month for path in sample_files() for month in re.findall(r"\b(20\d\d-\d\d)-\d\d", read(path))}
    assert months == {"2025-11", "2025-12", "2026-01", "2026-02"}


def test_nothing_says_that_it_is_made_up() -> None:
    """The data has no placeholder names; files end with a line end and hold no carriage return."""
    for path in sample_files():
        text = read(path)
        assert not re.search(r"test user|lorem ipsum|example user|foo ?bar|\bTODO\b", text, re.IGNORECASE), path.name
        assert "\r" not in text
        assert text.endswith("\n") or path.name == "juniper_jot.txt"


def read(path: Path) -> str:
    """A file of the sample."""
    return path.read_text(encoding="utf-8")


def test_the_readme_names_everyone() -> None:
    """The guide to the sample has each user and each skip reason."""
    guide = read(SAMPLE / "README.md")
    assert [name for name in [*MESSAGES, *SKIPPED, *SKIPPED.values()] if f"`{name}`" not in guide] == []
    assert len({fold(name) for name in [*MESSAGES, *SKIPPED]}) == 17
