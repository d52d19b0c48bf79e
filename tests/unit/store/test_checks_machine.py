"""What doctor sees of the ground: settings and file system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.store.checks_machine import check_packages, check_settings, file_system
from mindloop.store.checkup import Examined, Look
from mindloop.store.clock import parse_instant

if TYPE_CHECKING:
    from pathlib import Path

MOUNTS = """\
rootfs / rootfs rw 0 0
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
me@host: /home/me/far\\040away fuse.sshfs rw 0 0
tmpfs /home/me/local tmpfs rw 0 0
bad line
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/srv/x", "ext4"),
        ("/home", "nfs4"),
        ("/home/you", "nfs4"),
        ("/homes", "ext4"),
        ("/home/me/far away/x", "fuse.sshfs"),
        ("/home/me/local/x", "tmpfs"),
    ],
)
def test_the_deepest_mount_holds_the_path(path: str, expected: str) -> None:
    """Of all mount points above a path the deepest one tells its file system."""
    assert file_system(MOUNTS, path) == expected


def settings_findings(root: Path, text: str) -> list[tuple[str, str]]:
    (root / "mindloop.yaml").write_text(text, encoding="utf-8")
    now = parse_instant("2026-02-20")
    assert now is not None
    return [(one.severity, one.what) for one in check_settings(Look(Examined(str(root)), now))]


def test_an_unknown_key_is_warned_of_with_the_nearest_one(tmp_path: Path) -> None:
    """A slip of the pen in a key would otherwise be silent."""
    assert settings_findings(tmp_path, "schema: 1\nobserver:\n  growht: {enabled: true}\n") == [
        ("warning", "observer.growht is not known; did you mean observer.growth?")
    ]


@pytest.mark.parametrize("text", ["observer: {root: ../../etc}\n", "agent: [a]\n", "schema: 7\n", "a: b: c\n", "- x\n"])
def test_settings_that_cannot_be_used(tmp_path: Path, text: str) -> None:
    """A wrong value is an error, and says that the rest was looked at with the defaults."""
    assert [severity for severity, _ in settings_findings(tmp_path, text)] == ["error", "info"]


def test_the_packages_are_there(tmp_path: Path) -> None:
    """Where the tests run, everything is installed."""
    now = parse_instant("2026-02-20")
    assert now is not None
    assert [one.what for one in check_packages(Look(Examined(str(tmp_path)), now))] == []
