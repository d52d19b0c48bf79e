"""The whole circle by commands alone, from an empty folder: quotes, thoughts, messages, a reply, what it teaches."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.batch.parse import parse_batch
from mindloop.store import strict_yaml
from tests.helpers.command_line import Called, script

if TYPE_CHECKING:
    from pathlib import Path

WALLET = "0x00000000000000000000000000000000000f0e21"
FOLLOW_UPS = "grimoires/observer/follow-ups"
GROWTH = "grimoires/observer/growth"


class Circle:
    """A folder and the commands that are called in it, one after the other, as processes of their own."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def call(self, name: str, *argv: str, at: str, stdin: str = "", code: int = 0) -> Called:
        """Call a command at an instant; its exit code is part of the promise."""
        called = script(name, *argv, cwd=self.root, stdin=stdin.encode(), MINDLOOP_NOW=at)
        assert called.code == code, called.err + called.out
        return called

    def growth(self, slug: str) -> Any:
        """The user's growth file, parsed."""
        return strict_yaml.load((self.root / GROWTH / f"{slug}.yaml").read_text("utf-8"))

    def batch(self, day: str) -> Any:
        """The batch file of a day, parsed."""
        return parse_batch((self.root / FOLLOW_UPS / f"{day}.md").read_text("utf-8"))


def export(*messages: tuple[str, str, str]) -> str:
    """A DiscordChatExporter file of a direct message channel: (time, who, words) each."""
    rows = [
        {
            "id": str(1000 + number),
            "type": "Default",
            "timestamp": time,
            "timestampEdited": None,
            "content": words,
            "author": {"id": f"{hash(who) % 1000}", "name": who, "nickname": who},
            "reactions": [],
            "attachments": [],
        }
        for number, (time, who, words) in enumerate(messages)
    ]
    return json.dumps({"channel": {"id": "77", "type": "DirectTextChat"}, "messages": rows, "messageCount": len(rows)})


@pytest.fixture
def circle(tmp_path: Path) -> Circle:
    root = tmp_path / "a research"
    root.mkdir()
    made = Circle(root)
    at = "2026-02-10T08:00:00Z"
    script("init.py", "--root", str(root), cwd=tmp_path, MINDLOOP_NOW=at)
    made.call("chronicle.py", "add", "--title", "v1.4 Badge page", "--start", "2026-02-01", at=at)
    (root / f"grimoires/observer/scores/{WALLET}.json").write_text(
        json.dumps({"rank": 40, "og_score": 12, "nft_score": 3, "onchain_score": 55}), "utf-8"
    )
    return made


def test_from_an_empty_folder_to_a_confidence_that_changed(circle: Circle) -> None:
    """Observe and ingest, think, write, ingest the reply, match, confirm: the next packet shows what was learned."""
    observe_and_ingest(circle)
    think(circle)
    message = follow_up(circle)
    reply(circle, message)
    confirm(circle, message)
    next_packet(circle, message)


def observe_and_ingest(circle: Circle) -> None:
    at = "2026-02-10T09:00:00Z"
    circle.call(
        "canvas.py", "observe", "--user", "fern", "--wallet", WALLET, "--date", "2026-02-05", at=at,
        stdin="the badge page froze twice, so i just stopped checking it",
    )  # fmt: skip
    (circle.root / "dm.json").write_text(
        export(
            ("2026-02-06T10:00:00+00:00", "me", "how do you track your badges?"),
            ("2026-02-06T10:01:00+00:00", "fern", "i keep a sheet of every badge i miss"),
            ("2026-02-06T10:02:00+00:00", "fern", "the sheet takes me an hour each sunday"),
        ),
        "utf-8",
    )
    told = circle.call("canvas.py", "ingest", "dm.json", "--user", "fern", "--operator", "me", "--json", at=at).json
    verified = circle.call("provenance.py", "verify", "--json", at=at).json
    canvas = (circle.root / "grimoires/observer/canvas/fern-canvas.md").read_text("utf-8")

    assert "how do you track" not in canvas
    assert canvas.count("<!-- prov:sha256:") == 3
    assert [quote["status"] for quote in verified["quotes"]] == ["verified"] * 3
    circle.call("drive.py", "ingest-dm", "--host", "rehearsal", "--run", told["run"], at=at)


def think(circle: Circle) -> None:
    at = "2026-02-10T10:00:00Z"
    begun = circle.call("cognition.py", "begin", "--json", at=at).json
    item = json.loads((circle.root / f"agents/researcher/session/runs/{begun['run']}/fern.json").read_text("utf-8"))
    circle.call("cognition.py", "answer", begun["run"], "fern", at=at, stdin=item["default"])
    shown = circle.call("cognition.py", "show", "fern", at=at).out

    assert "fresh" in shown
    assert "FEAR-fern-1" in shown


def follow_up(circle: Circle) -> dict[str, Any]:
    """A person answers the packet, so that the batch counts as sent; the message comes back."""
    at = "2026-02-10T11:00:00Z"
    begun = circle.call("follow_up.py", "begin", "--json", at=at).json
    packet = circle.call("follow_up.py", "packet", begun["run"], "fern", "--json", at=at).json
    anchor = re.search(r"[0-9a-f]{64}", packet["prompt"].partition("VERIFIED QUOTE REGISTRY")[2])
    assert anchor is not None
    said = {
        "user": "fern",
        "scary_questions": ["do they care at all?", "would they notice?", "who else has a sheet?"],
        "messages": [
            {
                "hypothesis_or_trigger": "badge sheet habit",
                "anchor_quote_hash": f"sha256:{anchor[0]}",
                "anchor_quote_text": "",
                "message_body": "what did you do the last time the page froze?",
                "temporal_claims": [],
            }
        ],
        "quotes_used": [anchor[0]],
        "skip_reason": None,
    }
    circle.call("follow_up.py", "answer", begun["run"], "fern", at=at, stdin=json.dumps(said))
    circle.call("follow_up.py", "resume", begun["run"], at=at)
    message: dict[str, Any] = circle.growth("fern")["follow_ups"][0]["message_ids"][0]

    assert packet["manifest"]["cognition_status"] == "fresh"
    assert message["outcome"] == "pending"
    assert circle.batch("2026-02-10")["sections"][0]["messages"][0]["token"] == message["token"]
    circle.call(
        "canvas.py", "observe", "--user", "fern", at="2026-02-11T11:00:00Z", stdin="my sheet has a tab for frost"
    )
    gated = circle.call("follow_up.py", "begin", "--json", at="2026-02-12T11:00:00Z").json
    assert gated["skipped"] == [{"user": "fern", "reason": "silence_gate"}]
    return message


def reply(circle: Circle, message: dict[str, Any]) -> None:
    at = "2026-02-13T09:00:00Z"
    (circle.root / "reply.json").write_text(
        export(
            ("2026-02-11T10:00:00+00:00", "me", f"what did you do the last time? [FU:{message['token']}]"),
            ("2026-02-12T10:00:00+00:00", "fern", f"i opened my badge sheet again [FU:{message['token']}]"),
        ),
        "utf-8",
    )
    circle.call("canvas.py", "ingest", "reply.json", "--user", "fern", "--operator", "me", "--no-ask", at=at)
    circle.call("growth.py", "match", "fern", at=at)
    found = circle.call("growth.py", "list", "fern", "--json", at=at).json["users"][0]["pending"]

    assert [(one["match_type"], one["match_confidence"]) for one in found] == [("token", "high")]
    assert found[0]["follow_up_id"] == message["id"]
    assert circle.growth("fern")["follow_ups"][0]["message_ids"][0]["outcome"] == "pending"


def confirm(circle: Circle, message: dict[str, Any]) -> None:
    at = "2026-02-13T10:00:00Z"
    told = circle.call("growth.py", "confirm", "fern", message["token"], "--json", at=at).json
    said = {
        "direction": "supports",
        "strength": "high",
        "quote_span": "my badge sheet",
        "rationale": "they did it again",
    }
    item = circle.call("follow_up.py", "status", told["run"], "--json", at=at).json["waiting"][0]
    circle.call("growth.py", "answer", told["run"], item, at=at, stdin=json.dumps(said))
    kept = circle.growth("fern")["follow_ups"][0]["message_ids"][0]

    assert (kept["outcome"], kept["signal_quality"]) == ("responded", "high")
    assert kept["match_evidence"]["direction"] == "supports"
    report = circle.call("growth.py", "report", "--json", at=at).json
    assert report["patterns"][0]["effectiveness"] == 100


def next_packet(circle: Circle, message: dict[str, Any]) -> None:
    at = "2026-02-13T11:00:00Z"
    begun = circle.call("follow_up.py", "begin", "--allow-stale", "--json", at=at).json
    prompt = circle.call("follow_up.py", "packet", begun["run"], "fern", at=at).out
    section = prompt.partition("=== GROWTH STATE")[2].partition("=== COGNITION")[0]

    assert [entry["user"] for entry in begun["waiting"]] == ["fern"]
    assert f"Patterns that work for fern: {message['question_pattern']}" in section
    assert "No outstanding follow-ups." in section
    assert "what did you do the last time the page froze?" in prompt.partition("=== PRIOR FOLLOW-UPS")[2]
