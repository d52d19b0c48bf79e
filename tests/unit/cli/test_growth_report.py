"""`growth.py report`: one set of facts for a terminal, a pipe, a document and a program."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from mindloop.cli import growth_tables
from mindloop.observer.growth.report_tables import headline, tables
from mindloop.store import strict_yaml
from tests.helpers.command_line import SCRIPTS, Called, call
from tests.helpers.skill_workspace import GROWTH, NOW, SkillWorkspace

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.observer.growth.report_tables import Table

STOPS = "grimoires/observer/stops"
HOSTILE = "[red]ev|l[/red] `x` <b>\u202e\u200b"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    return SkillWorkspace(tmp_path)


def report(bench: SkillWorkspace, *argv: str) -> Called:
    return call("growth", "report", *argv, MINDLOOP_ROOT=str(bench.root), MINDLOOP_NOW=NOW)


def give(bench: SkillWorkspace, slug: str, title: str = "wants to be seen", user: str | None = None) -> None:
    """A user who answered one message, is silent on one, and owes an answer to a third."""
    counters = {"times_used": 3, "responded_count": 1, "silence_count": 1, "signal_quality_sum": 1.0}
    state = {
        "schema_version": 1,
        "user": user or slug,
        "next_batch_seq": 2,
        "hypotheses": [
            {"id": "H1", "title": title, "decay_state": "decaying", "cycles_without_evidence": 4, "confidence": "low"}
        ],
        "follow_ups": [
            {
                "batch_date": "2026-02-17",
                "batch_seq": 1,
                "messages_sent": 3,
                "message_ids": [
                    message(slug, 1, "responded", response_date="2026-02-18T09:00:00Z"),
                    message(slug, 2, "silence"),
                    message(slug, 3, "pending"),
                ],
            }
        ],
        "question_patterns": {"probe_gap": {**counters, "signal_quality_count": 1}},
    }
    bench.write(f"{GROWTH}/{slug}.yaml", strict_yaml.dump(state))


def message(slug: str, number: int, outcome: str, **more: str) -> dict[str, Any]:
    return {
        "id": f"fu-2026-02-17-{slug}-1-{number}",
        "token": f"{number:08}",
        "outcome": outcome,
        "question_pattern": "probe_gap",
        "sent_at": "2026-02-17T09:00:00Z",
        **more,
    }


def test_without_any_data_it_says_so(bench: SkillWorkspace) -> None:
    """Exit 0 and a sentence, in every format; so it does for a user whom growth does not know."""
    sentence = "Growth knows nothing yet. It begins with the first batch of messages: follow_up.py begin"

    for argv in ((), ("--full",), ("--markdown",)):
        called = report(bench, *argv)
        assert (called.code, called.err) == (0, "")
        assert sentence.replace("_", "\\_" if argv == ("--markdown",) else "_") in called.out
    assert report(bench, "nobody").out.splitlines()[1].startswith("Growth knows nothing of nobody yet.")
    assert report(bench, "--json").json["users"] == 0


def test_json_has_all_facts(bench: SkillWorkspace) -> None:
    """One object with its version; rates are numbers, names are as they are written."""
    give(bench, "ann")
    give(bench, "bob")
    call("growth", "stop", "bob", "declined", MINDLOOP_ROOT=str(bench.root), MINDLOOP_NOW=NOW)
    found = report(bench, "--json").json

    assert (found["version"], found["as_of"], found["user"], found["users"]) == (1, NOW, None, 2)
    assert found["messages"] == {
        "used": 6,
        "answered": 2,
        "silent": 2,
        "waiting": 2,
        "unsent": 0,
        "response_rate": 0.5,
        "answered_late": 0,
        "within_48_hours": {"answered": 2, "of": 4, "rate": 0.5},
    }
    assert found["patterns"][0]["effectiveness"] == 50
    assert [(one["user"], one["id"]) for one in found["hypotheses"]["listed"]] == [("ann", "H1"), ("bob", "H1")]
    assert [(one["user"], one["stopped"]) for one in found["silence"]["waiting"]] == [("ann", False), ("bob", True)]
    assert found["stopped"] == [{"user": "bob", "reason": "declined", "since": NOW, "problem": ""}]
    assert found["problems"] == []


@pytest.mark.parametrize("spelling", ["ann", "@Ann"])
def test_of_one_user_nobody_else_is_told(bench: SkillWorkspace, spelling: str) -> None:
    """With a name the report is that user's alone, in every format."""
    give(bench, "ann")
    give(bench, "bob", title="bob's secret")
    bench.write(f"{STOPS}/bob.yaml", "schema_version: 1\nuser: bob\nstate: stopped\nsince: 2026-02-01\n")

    for argv in ((), ("--markdown",), ("--json",)):
        out = report(bench, spelling, *argv).out
        assert "ann" in out.lower()
        assert "bob" not in out


def test_files_that_cannot_be_used_cost_nobody_else(bench: SkillWorkspace) -> None:
    """They are named on stderr and in the JSON, proposals are no growth, and the exit code stays 0."""
    give(bench, "ann")
    give(bench, "eve", user="bob")
    bench.write(f"{GROWTH}/zoe.yaml", "user: [")
    bench.write(f"{GROWTH}/ann.proposed_matches.yaml", "matches: []\n")
    called = report(bench)
    first, second = report(bench, "--json").json["problems"]

    assert called.code == 0
    assert "Growth of 1 user on" in called.out
    assert called.err == f"note: left out: {first}\nnote: left out: {second}\n"
    assert first == f"{GROWTH}/eve.yaml: it is of another user, whose file is named bob.yaml"
    assert second.startswith(f"{GROWTH}/zoe.yaml: line 2, column 1: ")


def test_a_user_whose_file_is_broken_is_not_unknown(bench: SkillWorkspace) -> None:
    """Exit 0 as ever, the file is named, and it is not said that growth knows nothing."""
    bench.write(f"{GROWTH}/zoe.yaml", "user: [")
    called = report(bench, "zoe")

    assert called.code == 0
    assert called.out.splitlines()[1] == "What growth knows of zoe cannot be read."
    assert "knows nothing" not in called.out
    assert called.err.startswith(f"note: left out: {GROWTH}/zoe.yaml: ")


def test_replies_that_wait_are_counted_once_each(bench: SkillWorkspace) -> None:
    """A reply with several guesses is one; settled ones are none; of a user nobody else's; a broken file is told."""
    for slug in ("ann", "bob"):
        give(bench, slug)
        propose(bench, slug, ("a", 1, "pending"), ("a", 2, "pending"), ("b", 1, "rejected"), ("c", 1, "pending"))
    propose(bench, "eve", ("a", 1, "confirmed"))
    assert report(bench).out.splitlines()[1] == "4 replies to confirm for 2 users (growth.py list)"
    assert report(bench, "ann").out.splitlines()[1] == "2 replies to confirm (growth.py list USER)"
    assert report(bench, "--json").json["to_confirm"] == {"replies": 4, "users": 2}
    bench.write(f"{GROWTH}/bob.proposed_matches.yaml", "user: [pending")
    called = report(bench)
    assert called.out.splitlines()[1] == "2 replies to confirm for 1 user (growth.py list)"
    assert called.err.startswith(f"note: left out: {GROWTH}/bob.proposed_matches.yaml: ")


def propose(bench: SkillWorkspace, slug: str, *matches: tuple[str, int, str]) -> None:
    """Proposals of a user: a letter for the reply, the number of the message, the status."""
    rows = [
        {
            "match_type": "ambiguous",
            "signal_id": letter * 64,
            "follow_up_id": f"fu-2026-02-17-{slug}-1-{number}",
            "status": status,
        }
        for letter, number, status in matches
    ]
    document = {"schema_version": 1, "user": slug, "matches": rows}
    bench.write(f"{GROWTH}/{slug}.proposed_matches.yaml", strict_yaml.dump(document))


def test_a_stop_that_cannot_be_read_is_told(bench: SkillWorkspace) -> None:
    """It stands, under its file's name, whatever it says inside."""
    bench.write(f"{STOPS}/ann.yaml", "user: [")
    bench.write(f"{STOPS}/ben.yaml", "schema_version: 1\nuser: eve\nstate: running\nsince: x\n")
    found = report(bench, "--json").json["stopped"]

    assert [(one["user"], one["reason"], bool(one["problem"])) for one in found] == [
        ("ann", "", True),
        ("ben", "", True),
    ]
    assert report(bench).out.count("the file cannot be read") == 2
    assert report(bench, "ann", "--json").json["stopped"][0]["problem"] == found[0]["problem"]


@pytest.mark.parametrize("argv", [(), ("--markdown",)])
def test_a_report_of_many_users_stays_short(bench: SkillWorkspace, argv: tuple[str, ...]) -> None:
    """At most 2 KB with 200 users of long names, and it says how many rows are missing; --full has them all."""
    for number in range(200):
        give(bench, f"{'x' * 40}{number:03}", title="t" * 300)
    short, full = report(bench, *argv), report(bench, *argv, "--full")

    assert len(short.raw) <= 2048
    assert "more: --full)" in short.out
    assert full.out.count("decaying") > 200
    assert "more: --full)" not in full.out


@pytest.mark.parametrize("width", [80, 100, 40, 200])
def test_at_a_terminal_no_line_is_too_wide(bench: SkillWorkspace, width: int) -> None:
    """Tables fit the terminal, and grow no wider than people read."""
    for slug in ("ann", "oatmilk_oracle_of_the_north"):
        give(bench, slug, title="Stops looking when the numbers do not move, and says so to nobody at all")
    text = terminal(*drawn(bench), width=width)

    assert max(len(line) for line in text.splitlines()) <= min(width, 100)
    if width >= 80:
        assert "█████░░░░░ 50%" in text
        assert "████░░ 4 of 6" in text
        assert "decaying" in text


def drawn(bench: SkillWorkspace) -> tuple[list[str], list[Table]]:
    facts = report(bench, "--json").json
    return headline(facts), tables(facts)


def terminal(lines: list[str], shown: list[Table], width: int = 80, *, full: bool = False) -> str:
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=True, no_color=True, markup=False, emoji=False, highlight=False
    )
    growth_tables.show(lines, shown, full=full, console=console)
    text = out.getvalue()
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[2m"):
        text = text.replace(code, "")
    return text


def test_names_and_titles_are_never_markup(bench: SkillWorkspace) -> None:
    """What looks like colours, links or tags is shown; what is invisible is gone; the terminal gets no escape of it."""
    give(bench, "ann", title=HOSTILE)
    text = terminal(*drawn(bench), width=100)
    document = report(bench, "--markdown").out

    assert "H1: [red]ev|l[/red] `x` <b>" in text
    assert "\x1b" not in text
    assert not {"\u202e", "\u200b"} & set(text + document + report(bench).out)
    assert r"\[red\]ev\|l\[/red\] \`x\` \<b\>" in document


def test_every_format_tells_the_same_numbers(bench: SkillWorkspace) -> None:
    """Each cell of the tables is in the text, in the document and on the terminal."""
    for slug in ("ann", "bob", "eve"):
        give(bench, slug)
    lines, shown = drawn(bench)
    outputs = [report(bench, "--full").out, report(bench, "--full", "--markdown").out.replace("\\", "")]
    outputs.append(terminal(lines, shown, width=100, full=True))

    for output in outputs:
        for table in shown:
            assert table.title in output
            for row in table.rows:
                assert all(str(cell) in output for cell in row), row


@pytest.mark.parametrize("width", [80, 72])
def test_a_terminal_gets_tables_and_a_pipe_does_not(bench: SkillWorkspace, width: int) -> None:
    """The command itself, at a terminal of 72 columns or more: bars and rules, and nothing of them in a pipe."""
    give(bench, "ann")
    raw = at_a_terminal(bench, width)
    seen = re.sub(r"\x1b\[[0-9;]*m", "", raw)

    assert "Which questions work" in seen
    assert "█████░░░░░ 50%" in seen
    assert "────────" in seen
    assert "36m" not in raw
    assert not {"█", "─", "\x1b"} & set(report(bench).out)


def test_a_narrow_terminal_gets_the_plain_text(bench: SkillWorkspace) -> None:
    """Below 72 columns it says what a pipe gets, letter for letter."""
    give(bench, "ann")
    assert at_a_terminal(bench, 71).replace("\r\n", "\n") == report(bench).out


def at_a_terminal(bench: SkillWorkspace, width: int) -> str:
    """What the command writes to a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MINDLOOP_", "COLUMNS"))}
    env = {**kept, "MINDLOOP_ROOT": str(bench.root), "MINDLOOP_NOW": NOW, "TERM": "xterm", "NO_COLOR": "1"}
    command = [sys.executable, str(SCRIPTS / "growth.py"), "report"]
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=env) as process:
        os.close(slave)
        raw = b"".join(iter(lambda: read_terminal(master), b"")).decode("utf-8")
        complaints = process.stderr.read() if process.stderr else b""
    os.close(master)
    assert (process.returncode, complaints) == (0, b"")
    return raw


def read_terminal(master: int) -> bytes:
    """Some of what a terminal was sent; nothing at its end."""
    try:
        return os.read(master, 65_536)
    except OSError:
        return b""


def test_json_is_one_line_of_utf8(bench: SkillWorkspace) -> None:
    """Programs read it as it comes."""
    give(bench, "ann", title="名前")
    raw = report(bench, "--json").raw

    assert raw.count(b"\n") == 1
    assert json.loads(raw)["hypotheses"]["listed"][0]["title"] == "名前"
    assert "名前".encode() in raw
