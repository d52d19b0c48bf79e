"""Whatever happens to whatever file: doctor ends with a verdict and leaves no trace."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindloop.cli.app import run
from tests.helpers.doctoring import FOLLOW_UPS, GROWTH, INDEX, RUNS, footprint, sample_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEPT = ("mossgate", "brinepot", "2026-02-12", "v2.", "0x93", "index", "mindloop")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A part of the sample with a run in it: some twenty files."""
    root = sample_workspace(tmp_path_factory.mktemp("doctor") / "w")
    for path in sorted(root.rglob("*")):
        if path.is_file() and not any(part in path.name for part in KEPT):
            path.unlink()
    index = root / INDEX
    index.write_bytes(b"".join(line for line in index.read_bytes().splitlines(keepends=True) if b"mossgate" in line))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINDLOOP_ROOT", str(root))
        patch.setenv("MINDLOOP_NOW", "2026-02-20T09:00:00Z")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert run("follow_up", ["begin", "--canvas", "mossgate"]) == 0
        assert list((root / RUNS).rglob("mossgate.json"))
        yield root


def corrupted(data: bytes, kind: str, place: float, noise: bytes) -> bytes:
    """The bytes of a file after an accident."""
    at = int(place * len(data))
    return {
        "cut": data[:at],
        "overwrite": data[:at] + noise + data[at + len(noise) :],
        "insert": data[:at] + noise + data[at:],
        "zero": data[:at] + b"\0" * (len(data) - at),
        "repeat": data + data[at:],
        "replace": noise,
    }[kind]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    which=st.integers(0, 10_000),
    kind=st.sampled_from(["cut", "overwrite", "insert", "zero", "repeat", "replace"]),
    place=st.floats(0, 1),
    noise=st.one_of(
        st.binary(max_size=40), st.text("{}[]:,\"'\n-#>&*|9 anul\ufeff\u2028", max_size=30).map(str.encode)
    ),
    fix=st.booleans(),
)
def test_any_damage_ends_in_a_verdict(
    small: Path, which: int, kind: str, place: float, noise: bytes, *, fix: bool
) -> None:
    """One damaged file: exit 0 or 1, no fault of ours, nothing on stderr, every byte and time as before."""
    files = sorted(path for path in small.rglob("*") if path.is_file())
    path = files[which % len(files)]
    original, times = path.read_bytes(), os.stat(path)
    try:
        path.write_bytes(corrupted(original, kind, place, noise))
        before = footprint(small)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run("doctor", ["--full", *(["--fix"] if fix else [])])
        assert footprint(small) == before
        assert code in (0, 1)
        said = err.getvalue()  # a repair that cannot be shown says so; a look says nothing here
        assert said == "" or (fix and said.startswith("not repaired: "))
        assert "itself failed" not in out.getvalue()
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.binary(max_size=60), max_size=8), place=st.floats(0, 1))
def test_a_repair_repeated_changes_nothing(
    small: Path, tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], place: float
) -> None:
    """Whatever lines got into the index: the second --fix --yes leaves every file as the first one did."""
    root = tmp_path_factory.mktemp("fix") / "w"
    shutil.copytree(small, root)
    index = root / INDEX
    whole = index.read_bytes().splitlines(keepends=True)
    at = int(place * len(whole))
    index.write_bytes(b"".join(whole[:at]) + b"\n".join(lines) + b"\n" + b"".join(whole[at:]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINDLOOP_ROOT", str(root))
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run("doctor", ["--fix", "--yes"])
            once = {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}
            run("doctor", ["--fix", "--yes"])
    assert {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()} == once
    assert all(line in index.read_bytes() for line in whole)


def test_the_small_workspace_has_something_of_everything(small: Path) -> None:
    """The law above would hold easily on an empty folder."""
    names = {str(path.relative_to(small)) for path in small.rglob("*") if path.is_file()}
    assert {INDEX, f"{GROWTH}/mossgate.yaml", f"{FOLLOW_UPS}/2026-02-12.md", "mindloop.yaml"} <= names
    assert len(names) >= 15
