"""The rules for what Step 0 asks for."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from mindloop.skills.follow_up.checks import check_paths, check_score_command
from mindloop.store.checkup import Examined, Look
from mindloop.store.clock import parse_instant
from tests.helpers.doctoring import CANVASES, FOLLOW_UPS, INDEX, sample_workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return sample_workspace(tmp_path / "workspace", sample=False)


def look(root: Path) -> Look:
    now = parse_instant("2026-02-20")
    assert now is not None
    return Look(Examined(str(root)), now)


def test_an_empty_workspace_needs_a_canvas_only(root: Path) -> None:
    """Everything else was made by init."""
    assert [(one.severity, one.path) for one in check_paths(look(root))] == [("info", CANVASES)]


def test_every_missing_path_is_named_and_folders_can_be_made(root: Path) -> None:
    """Step 0 would name the same ones; a folder can be made, an index of nothing is init's to make."""
    shutil.rmtree(root / "grimoires")
    told = [(one.path, one.fix.what if one.fix else None) for one in check_paths(look(root))]
    chronicle = "grimoires/mining/chronicle"
    assert told == [
        (CANVASES, f"make the folder {CANVASES}/"),
        (FOLLOW_UPS, f"make the folder {FOLLOW_UPS}/"),
        (chronicle, f"make the folder {chronicle}/"),
        (INDEX, None),
    ]


def test_a_file_in_the_place_of_a_folder_is_for_a_person(root: Path) -> None:
    """Nothing is made over what stands there."""
    shutil.rmtree(root / FOLLOW_UPS)
    (root / FOLLOW_UPS).write_bytes(b"")
    told = [(one.path, one.fix) for one in check_paths(look(root)) if one.severity == "error"]
    assert told == [(FOLLOW_UPS, None)]


@pytest.mark.parametrize(("mode", "found"), [(0o755, 0), (0o644, 1)])
def test_the_score_command_must_be_executable(root: Path, mode: int, found: int) -> None:
    """A script without its execute bit is no command."""
    script = root / "scores.sh"
    script.write_text("#!/bin/sh\n", encoding="utf-8")
    script.chmod(mode)
    (root / "mindloop.yaml").write_text("schema: 1\nobserver: {score_api: {command: scores.sh}}\n", encoding="utf-8")
    assert len(list(check_score_command(look(root)))) == found
