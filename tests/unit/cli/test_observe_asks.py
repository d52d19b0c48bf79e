"""``canvas.py observe --ask``: one quote that a person gives, and one question about it, as an export's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.canonical import content_hash
from tests.helpers.command_line import call
from tests.helpers.skill_workspace import CANVASES, INDEX, NOW, SkillWorkspace, snapshot

if TYPE_CHECKING:
    from pathlib import Path

QUOTE = "the page froze when I paid"
RUN = f"ingest-dm-{NOW[:10]}-001"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillWorkspace:
    monkeypatch.setenv("MINDLOOP_ROOT", str(tmp_path))
    monkeypatch.setenv("MINDLOOP_NOW", NOW)
    return SkillWorkspace(tmp_path)


def test_one_quote_is_asked_about(bench: SkillWorkspace) -> None:
    """Recorded as without the flag; the packet holds this quote alone, and the answer marks it and adds a skeleton."""
    bench.observe("ann", "said before")
    called = call("canvas", "observe", "--ask", "--user", "@ann", "--date", "2026-02-10", stdin=f"{QUOTE}\n")
    path, digest = f"{CANVASES}/ann-canvas.md", content_hash(QUOTE)
    assert (called.code, called.out) == (
        0,
        f"{path}: extended; {digest}\nann: packet:{RUN}/ann for quote-selector\nthen: canvas.py resume {RUN}\n",
    )
    packet = call("canvas", "packet", RUN, "ann").out
    assert [packet.count(part) for part in (f'"sha256:{digest}"', '"2026-02-10"', f'"{QUOTE}"')] == [1, 1, 1]
    assert "said before" not in packet
    answer = {
        "user": "ann",
        "quotes": [{"hash": f"sha256:{digest}", "value": "high"}],
        "hypotheses": [{"title": "Paying fails", "evidence": [digest], "unknown": "how often"}],
    }
    assert call("canvas", "answer", RUN, "ann", stdin=json.dumps(answer)).code == 0
    text = (bench.root / path).read_text("utf-8")
    assert f"<!-- prov:sha256:{digest} -->\n<!-- value:high -->\n" in text
    assert ": Paying fails\n" in text
    assert call("provenance", "verify").code == 0


def test_a_rehearsal_answers_it_too(bench: SkillWorkspace) -> None:
    """The run is one of ingest-dm: its driver and its resume take it."""
    asked = call("canvas", "observe", "--ask", "--user", "ann", "--json", stdin=QUOTE).json
    assert (asked["run"], asked["packet"], asked["notes"]) == (RUN, f"packet:{RUN}/ann", [])
    assert call("canvas", "resume", RUN).code == 1
    assert call("drive", "ingest-dm", "--host", "rehearsal", "--run", RUN).code == 0


def test_without_the_flag_nobody_is_asked(bench: SkillWorkspace) -> None:
    """One line, one canvas, one record, no run."""
    called = call("canvas", "observe", "--user", "ann", stdin=QUOTE)
    assert called.out == f"{CANVASES}/ann-canvas.md: made; {content_hash(QUOTE)}\n"
    assert set(call("canvas", "observe", "--user", "ann", "--json", stdin="more").json) == {
        "version", "canvas", "created", "record",
    }  # fmt: skip
    assert not (bench.root / "agents").exists() or not list((bench.root / "agents").rglob("ingest-dm-*"))


def test_what_is_known_is_not_asked_about(bench: SkillWorkspace) -> None:
    """Exit 1, and nothing is written, no run either."""
    call("canvas", "observe", "--user", "ann", stdin=QUOTE)
    before = {path: one for path, one in snapshot(bench.root).items() if ".mindloop" not in path and one[1] != "folder"}
    called = call("canvas", "observe", "--ask", "--user", "ann", stdin=QUOTE.upper())
    after = {path: one for path, one in snapshot(bench.root).items() if ".mindloop" not in path and one[1] != "folder"}
    assert (called.code, called.out, after) == (1, "", before)


def test_a_quote_that_shows_another_user_is_kept_and_not_asked_about(bench: SkillWorkspace) -> None:
    """The quote is recorded, the packet is not made, and why is said without naming anybody."""
    bench.observe("bob", "said before")
    called = call("canvas", "observe", "--ask", "--user", "ann", stdin="see bob-canvas.md for it")
    assert (called.code, len(called.out.splitlines())) == (0, 1)
    assert "no question is asked (prompt_manifest_violation)" in called.err
    assert "bob" not in called.err
    assert len((bench.root / INDEX).read_text("utf-8").splitlines()) == 2
