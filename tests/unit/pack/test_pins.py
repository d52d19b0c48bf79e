"""What is pinned stays pinned, everywhere to the same thing."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.helpers.client_sandbox import VERSION

ROOT = Path(__file__).parents[3]
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)[^\n]*\\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def pins(name: str) -> dict[str, tuple[str, str]]:
    """Package to version and hashes."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return {found[1]: (found[2], found[3]) for found in PIN.finditer(text)}


def wanted(name: str) -> set[str]:
    lines = (ROOT / "requirements" / f"{name}.in").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and line[0] not in "#-"}


@pytest.mark.parametrize("name", ["runtime", "dev"])
def test_every_package_has_a_version_and_hashes_and_no_address(name: str) -> None:
    """Each line that is no comment belongs to a pin; where packages come from is the reader's own configuration."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    rest = [line for line in PIN.sub("", text).splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert rest == []
    assert "://" not in text
    assert {re.split("[><=]", line)[0] for line in wanted(name)} <= set(pins(name))


def test_tests_run_with_what_people_run_with() -> None:
    """The packages of a person are among those of the tests, version and hashes alike."""
    assert pins("runtime").items() <= pins("dev").items()


def test_the_package_asks_for_what_is_pinned() -> None:
    """pyproject.toml and requirements/runtime.in say the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["dependencies"]) == wanted("runtime")


def test_the_client_is_pinned_for_every_platform() -> None:
    """The lock holds version and integrity of each package, and no address."""
    package = json.loads((ROOT / "e2e" / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((ROOT / "e2e" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert package["dependencies"] == {"@anthropic-ai/claude-code": VERSION} == lock[""]["dependencies"]
    locked = {name: entry for name, entry in lock.items() if name}
    assert len(locked) == 9
    for entry in locked.values():
        assert entry["version"] == VERSION
        assert entry["integrity"].startswith("sha512-")
        assert "resolved" not in entry
