"""The rules for canvases, on the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.store import atomic
from tests.helpers.doctoring import CANVASES, Doctor, sample_workspace


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Doctor:
    return Doctor(sample_workspace(tmp_path / "workspace"), monkeypatch, capsys)


def put(doctor: Doctor, name: str, user: str, body: str, header: str = "") -> str:
    """Write a canvas; return its path."""
    rel = f"{CANVASES}/{name}"
    (doctor.root / rel).write_text(f"---\ntype: user_canvas\nuser: {user}\n{header}---\n{body}", encoding="utf-8")
    return rel


def test_a_second_canvas_of_one_user(doctor: Doctor) -> None:
    """Of two canvases for one user the other one is an error."""
    rel = put(doctor, "Mossgate.md", '"@MOSSGATE"', "")
    assert [(one["path"], "a second canvas of" in one["what"]) for one in doctor.findings()[:1]] == [(rel, True)]


def test_a_quote_of_somebody_else(doctor: Doctor) -> None:
    """Words that the index knows of another user only are warned of, with the line."""
    text = "nobody ever said this but bob"
    digest = content_hash(text)
    index = doctor.root / "grimoires/mining/provenance/index.jsonl"
    with open(index, "ab") as file:
        file.write(f'{{"content_hash": "{digest}", "canvas_target": "bob"}}\n'.encode())
    rel = put(doctor, "newcomer-canvas.md", "newcomer", f"\n> {text}\n<!-- prov:sha256:{digest} -->\n")
    assert ("quotes", rel, 6) in doctor.new([], "warning")


def test_an_altered_quote(doctor: Doctor) -> None:
    """A real hash under other words is an error at its line."""
    digest = content_hash("what was said")
    rel = put(doctor, "newcomer-canvas.md", "newcomer", f"> what was made up\n<!-- prov:sha256:{digest} -->\n")
    assert ("quotes", rel, 5) in doctor.new([], "error")


def test_a_wallet_that_is_none_and_a_wallet_of_two(doctor: Doctor) -> None:
    """A wallet that no score can be fetched for is warned of, a shared one is a note."""
    bad = put(doctor, "newcomer-canvas.md", "newcomer", "", "wallet: 'vitalik.eth'\n")
    header = next(
        line
        for line in Path(doctor.root, CANVASES, "mossgate-canvas.md").read_text("utf-8").split("\n")
        if "0x" in line
    )
    put(doctor, "other-canvas.md", "other", "", f"{header}\n")
    assert ("canvas", bad, None) in doctor.new([], "warning")
    assert [rule for rule, _, _ in doctor.new([], "info") if rule == "wallets"] == ["wallets"]


def test_placeholders_outside_quotes_and_fences(doctor: Doctor) -> None:
    """What the template left is a note; what people quote or paste is theirs."""
    body = "> {{said}}\n\n```\n{{pasted}}\n```\n- **Evidence**: [prov:PLACEHOLDER]\n"
    rel = put(doctor, "newcomer-canvas.md", "newcomer", body)
    told = [one for one in doctor.findings("info") if one["path"] == rel and one["rule"] == "template"]
    assert [(one["line"], one["what"]) for one in told] == [(10, "left of the template: [prov:PLACEHOLDER]")]


def test_a_header_that_others_read_differently(doctor: Doctor) -> None:
    """A name that YAML takes for a truth value is a note: mindloop reads what is written."""
    rel = put(doctor, "no-canvas.md", "no", "")
    assert ("headers", rel, None) in doctor.new([], "info")


def test_every_file_is_opened_once(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules of several rooms look at the same files, and the disk is asked for each of them once."""
    opened: list[str] = []
    real = atomic.read_file

    def counted(path: str, limit: int | None = None) -> bytes | None:
        opened.append(path)
        return real(path, limit)

    monkeypatch.setattr(atomic, "read_file", counted)
    doctor.findings()
    there = [path for path in opened if Path(path).is_file()]
    assert len(there) > 40
    assert [path for path in set(there) if there.count(path) > 1] == []
