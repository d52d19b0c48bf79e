"""Laws of the hooks: no spelling that the client takes for a judge gets past them, and nothing but the packet does."""

from __future__ import annotations

import json
import subprocess
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.cli.hooks import JUDGES, judge_of, names_judge
from mindloop.cli.hooks_packet import handle
from tests.helpers.hook_runs import PACKET, REFERENCE, open_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROOT = Path(__file__).parents[2]
IGNORED = "".join(
    char
    for char in map(chr, range(0x3100))
    if char == "_" or unicodedata.category(char) == "Pd" or (char.isspace() and char not in "\x1c\x1d\x1e\x1f")
)
WIDE = 0xFEE0
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda more: st.lists(more) | st.dictionaries(st.text(), more),
)


def as_the_client_compares(name: str) -> str:
    """What client 2.1.197 compares: the compatibility form without case, blanks, dashes and underscores."""
    folded = unicodedata.normalize("NFKC", name).lower()
    return "".join(char for char in folded if char not in IGNORED)


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, str]:
    """A judge, and a name that the client takes for it."""
    letters = draw(st.sampled_from(sorted(JUDGES)))
    prefix = draw(st.sampled_from(["", "mindloop:", "Mind-Loop\uff1a", "a:b:"]))
    separators = st.text(st.sampled_from(IGNORED), max_size=2)
    drawn = []
    for char in letters:
        shape = draw(st.sampled_from([char, char.upper(), chr(ord(char) + WIDE), chr(ord(char.upper()) + WIDE)]))
        drawn.append(draw(separators) + shape)
    return JUDGES[letters], prefix + "".join(drawn) + draw(separators)


@given(spellings())
def test_every_spelling_of_a_judge_is_that_judge(spelled: tuple[str, str]) -> None:
    """Width, case, separators and prefixes together."""
    judge, name = spelled
    assert as_the_client_compares(name).rpartition(":")[2] == as_the_client_compares(judge)
    assert judge_of(name) == judge
    assert names_judge(f"before {name} after")


@given(st.text())
def test_what_is_no_judge_for_the_client_passes_unless_it_only_adds_signs(name: str) -> None:
    """Whoever is taken for a judge wrongly has its letters and digits, in their order, after the last colon."""
    found = judge_of(name)
    if found is not None:
        last = as_the_client_compares(name).rpartition(":")[2]
        assert "".join(char for char in last if char.isascii() and char.isalnum()) == as_the_client_compares(found)


@pytest.fixture(scope="module")
def place() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        open_run(Path(folder))
        yield folder


@given(spellings(), st.one_of(st.just(REFERENCE), JSON), st.dictionaries(st.text(), JSON, max_size=3))
@settings(deadline=None)
def test_a_judge_gets_its_packet_or_nothing(
    place: str, spelled: tuple[str, str], prompt: object, more: dict[str, object]
) -> None:
    """Whatever else a call carries, it is refused or it becomes the packet, in the foreground."""
    asked = {**more, "subagent_type": spelled[1], "prompt": prompt}
    said = handle({"tool_name": "Agent", "cwd": place, "tool_input": asked})
    assert said is not None
    out = said["hookSpecificOutput"]
    if out.get("permissionDecision") != "deny":
        assert (spelled[0], prompt) == ("follow-up-writer", REFERENCE)
        assert (out["updatedInput"]["prompt"], out["updatedInput"]["run_in_background"]) == (PACKET, False)
        assert set(out["updatedInput"]) <= {"subagent_type", "description", "prompt", "run_in_background", "model"}


@given(spellings(), st.text())
@settings(deadline=None, max_examples=25)
def test_without_its_hook_the_gate_stays_shut_for_every_spelling(spelled: tuple[str, str], prompt: str) -> None:
    """The shell line of the settings blocks the call as the client writes it down."""
    entries = json.loads((ROOT / ".claude" / "settings.json").read_text(encoding="utf-8"))["hooks"]["PreToolUse"]
    (command,) = [hook["command"] for one in entries for hook in one["hooks"] if one["matcher"].startswith("Agent")]
    event = {"tool_name": "Agent", "tool_input": {"prompt": prompt, "subagent_type": spelled[1]}}
    data = json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
    env = {"PATH": "/usr/bin:/bin", "CLAUDE_PROJECT_DIR": "/nowhere"}
    assert (
        subprocess.run(["/bin/sh", "-c", command], input=data, env=env, capture_output=True, check=False).returncode
        == 2
    )
