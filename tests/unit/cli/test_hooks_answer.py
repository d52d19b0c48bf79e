"""After a judge has answered."""

from __future__ import annotations

import json

import pytest

from mindloop.cli.hooks import WRITER
from mindloop.cli.hooks_answer import handle
from tests.helpers.hook_runs import PACKET, REFERENCE, RUN, after, open_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def shown(event: dict[str, Any]) -> dict[str, Any]:
    answer = handle(event)
    assert answer is not None
    assert answer["hookSpecificOutput"].pop("hookEventName") == "PostToolUse"
    return answer["hookSpecificOutput"]["updatedToolOutput"]


def receipt(event: dict[str, Any]) -> str:
    (block,) = shown(event)["content"]
    return block["text"]


def filed(root: Path) -> str | None:
    path = root / "agents/researcher/session/runs" / RUN / "answers/alice.json"
    return json.loads(path.read_text(encoding="ascii"))["raw"] if path.exists() else None


@pytest.mark.parametrize("answer", ["{}", "", " \n🦊\u202e\r\n\0 lone \ud83d surrogate \n\n", "x" * 300_000])
def test_the_raw_answer_is_filed_unchanged(tmp_path: Path, answer: str) -> None:
    """Whatever the model wrote is kept as it is; what it is worth is decided later."""
    open_run(tmp_path)
    assert receipt(after(tmp_path, answer)) == f"{REFERENCE}: alice: answer filed"
    assert filed(tmp_path) == answer


def test_the_conversation_sees_a_receipt_in_the_responses_own_shape(tmp_path: Path) -> None:
    """Answer, packet and the writer's id are gone; every other field stays, or the client would not take it."""
    open_run(tmp_path)
    event = after(tmp_path, "SECRET", totalTokens=7)
    assert shown(event) == {
        **event["tool_response"],
        "content": [{"type": "text", "text": f"{REFERENCE}: alice: answer filed"}],
        "prompt": REFERENCE,
        "agentId": "",
    }


def test_several_text_blocks_are_one_answer(tmp_path: Path) -> None:
    """Text blocks are joined, anything else is not text."""
    open_run(tmp_path)
    blocks = [{"type": "text", "text": '{"a"'}, {"type": "image"}, "x", {"type": "text", "text": ": 1}"}]
    handle(after(tmp_path, "", content=blocks))
    assert filed(tmp_path) == '{"a": 1}'


def test_a_failed_model_call_is_no_answer(tmp_path: Path) -> None:
    """The client reports it as text; the packet stays open. The same words from a model are an answer."""
    open_run(tmp_path)
    event = after(tmp_path, "API Error: 529\noverloaded", usage={"output_tokens": 0})
    assert receipt(event) == f"{REFERENCE}: not filed, still open; call it again later: API Error: 529 overloaded"
    assert filed(tmp_path) is None
    handle(after(tmp_path, "API Error: 529"))
    assert filed(tmp_path) == "API Error: 529"


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"prompt": PACKET + " "}, "the follow-up-writer was not given this packet"),
        ({"description": "packet"}, "carried no packet reference"),
        ({"description": f"packet:{RUN}/bob"}, "has no packet for 'bob'"),
        ({"description": "packet:nowhere/alice"}, "is not in this workspace"),
        ({"status": "interrupted"}, "status 'interrupted'"),
    ],
)
def test_an_answer_that_belongs_to_no_packet_is_not_filed(tmp_path: Path, event: dict[str, str], words: str) -> None:
    """The receipt says why, and the answer is not shown either."""
    open_run(tmp_path)
    said = receipt(after(tmp_path, "SECRET", **event))
    assert "not filed" in said
    assert words in said
    assert "SECRET" not in said
    assert filed(tmp_path) is None


@pytest.mark.parametrize(("judge", "called"), [("reply-classifier", "mindloop:reply_classifier"), (None, WRITER)])
def test_each_judges_answer_is_filed(tmp_path: Path, judge: str | None, called: str) -> None:
    """Whose packet it was decides, a plugin's prefix does not; a packet of an older run is the writer's."""
    open_run(tmp_path, judge=judge)
    assert receipt(after(tmp_path, "{}", judge=called)) == f"{REFERENCE}: alice: answer filed"
    assert filed(tmp_path) == "{}"


@pytest.mark.parametrize(("judge", "called"), [("quote-selector", WRITER), (None, "quote-selector")])
def test_an_answer_of_another_judge_is_not_filed(tmp_path: Path, judge: str | None, called: str) -> None:
    """Even word for word the same prompt does not make one judge the other."""
    open_run(tmp_path, judge=judge)
    said = receipt(after(tmp_path, "SECRET", judge=called))
    assert said == f"{REFERENCE}: not filed, still open: the {called} was not given this packet"
    assert filed(tmp_path) is None


def test_a_user_who_was_resumed_keeps_the_answer_that_counted(tmp_path: Path) -> None:
    """A late second answer changes nothing and says so."""
    open_run(tmp_path, done={"alice": "messages"})
    said = receipt(after(tmp_path, "late"))
    assert said.startswith(f"{REFERENCE}: not filed, nothing to do: 'alice' of ")
    assert "resumed already" in said
    assert filed(tmp_path) is None


def test_a_fault_of_ours_shows_neither_answer_nor_packet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The conversation is told that it went wrong, in words that hold no text of anybody."""

    def fail(*_: object) -> str:
        raise RuntimeError(PACKET)

    monkeypatch.setattr("mindloop.protocol.run_files.file_answer", fail)
    open_run(tmp_path)
    said = receipt(after(tmp_path, "SECRET"))
    assert said == f"{REFERENCE}: not filed, still open: RuntimeError in a hook of mindloop"


@pytest.mark.parametrize(
    "change",
    [
        {"tool_input": {"subagent_type": "Explore"}},
        {"tool_name": "Bash"},
    ],
)
def test_it_is_silent_for_everybody_else(tmp_path: Path, change: dict[str, object]) -> None:
    """Other subagents and other tools are left as they are."""
    open_run(tmp_path)
    assert handle({**after(tmp_path, "x"), **change}) is None


@pytest.mark.parametrize(
    "response", ["SECRET", ["SECRET"], {}, {"result": "SECRET"}, {"status": "async_launched"}, None]
)
def test_an_answer_in_a_shape_that_we_do_not_know_is_shown_to_nobody(tmp_path: Path, response: object) -> None:
    """A later client may answer differently: the packet stays open, and the conversation sees a receipt."""
    open_run(tmp_path)
    event = {**after(tmp_path, "x"), "tool_response": response}
    assert "SECRET" not in json.dumps(shown(event))
    assert "not filed, still open" in receipt(event)
    assert filed(tmp_path) is None
