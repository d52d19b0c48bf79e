"""Run files: who owns a run, what hooks may read, how a raw answer is filed."""

import json
import re
from pathlib import Path

import pytest

from mindloop.protocol.run_files import (
    RunPlace,
    answered_items,
    file_answer,
    find_run,
    prompt_hash,
    read_answer,
    read_head,
    read_packet,
    write_object,
)
from mindloop.store.errors import Malformed, Negative, NewerSchema, WrongInput
from mindloop.store.workspace import Workspace

RUN = "follow-up-2026-02-14-1"
HEAD = {
    "schema": 1,
    "state": "open",
    "started_at": "2026-02-14T10:00:00Z",
    "waiting": {},
    "done": {},
    "skipped": [],
}


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    (tmp_path / "mindloop.yaml").write_text("schema: 1\nstore: x\nagent: researcher\n")
    made = Workspace(str(tmp_path))
    place = RunPlace("researcher", RUN)
    prompt = "hello 🦊\n"
    with made.transaction(place.scope) as tx:
        write_object(tx, place.head, HEAD | {"waiting": {"ann": "Ann"}})
        write_object(
            tx, place.item("ann"), {"schema": 1, "slug": "ann", "prompt": prompt, "sha256": prompt_hash(prompt)}
        )
    return made


def place(workspace: Workspace) -> RunPlace:
    return find_run(workspace, RUN)


def test_the_packet_is_the_prompt_byte_for_byte(workspace) -> None:
    """What a hook hands to the writer is exactly what was assembled."""
    assert read_packet(workspace, RUN, "ann") == "hello 🦊\n".encode()


def test_a_packet_that_was_changed_on_disk_is_refused(workspace) -> None:
    """The hash beside the prompt is checked at every read."""
    path = Path(workspace.path(place(workspace).item("ann")))
    path.write_text(path.read_text("ascii").replace("hello", "hullo"), "ascii")

    with pytest.raises(Malformed, match="not the one that was assembled"):
        read_packet(workspace, RUN, "ann")


def test_an_answer_is_filed_unchanged_whatever_it_holds(workspace) -> None:
    """Bytes that are no UTF-8 come back as they came, as escapes."""
    raw = b'{"user": "ann\xff"}'.decode("utf-8", "surrogateescape")

    file_answer(workspace, RUN, "ann", raw, "person")

    assert read_answer(workspace, place(workspace), "ann")["raw"] == raw
    assert answered_items(workspace, place(workspace)) == {"ann"}


def test_filing_the_same_answer_again_changes_nothing(workspace) -> None:
    """A retried hook is harmless."""
    file_answer(workspace, RUN, "ann", "one", "person")
    before = workspace.read(place(workspace).answer("ann"))

    said = file_answer(workspace, RUN, "ann", "one", "person")

    assert said == "ann: this answer is filed already"
    assert workspace.read(place(workspace).answer("ann")) == before


def test_a_second_answer_keeps_the_first(workspace) -> None:
    """Nothing that a judge said is lost."""
    file_answer(workspace, RUN, "ann", "one", "person")
    file_answer(workspace, RUN, "ann", "two", "claude")

    found = read_answer(workspace, place(workspace), "ann")

    assert (found["raw"], found["replaced"], found["host"]) == ("two", ["one"], "claude")


def test_a_damaged_answer_is_set_aside_for_a_new_one(workspace) -> None:
    """A torn file costs nobody a second try, and its bytes are kept beside it."""
    file_answer(workspace, RUN, "ann", "one", "person")
    path = place(workspace).answer("ann")
    Path(workspace.path(path)).write_bytes(b'{"raw": "on')

    said = file_answer(workspace, RUN, "ann", "two", "person")

    assert said == "ann: answer filed"
    assert read_answer(workspace, place(workspace), "ann")["raw"] == "two"
    assert workspace.read(f"{path}.damaged") == b'{"raw": "on'


def test_a_resumed_answer_is_final(workspace) -> None:
    """What went into a batch cannot be changed behind its back."""
    with workspace.transaction("agent:researcher") as tx:
        head = read_head(tx, place(workspace))
        head["done"]["ann"] = "messages"
        write_object(tx, place(workspace).head, head)

    with pytest.raises(Negative, match="resumed already"):
        file_answer(workspace, RUN, "ann", "late", "person")


@pytest.mark.parametrize("name", ["../ann", "", "Ann", "a/b", "a\x00", "x" * 81, "ann.json"])
def test_a_name_that_could_leave_the_folder_is_refused(workspace, name) -> None:
    """Run and user names reach paths only as lower-case letters, digits, - and _."""
    with pytest.raises(WrongInput):
        read_packet(workspace, RUN, name)
    with pytest.raises(WrongInput):
        read_packet(workspace, name, "ann")


def test_an_unknown_run_or_user_is_a_no(workspace) -> None:
    """Not found is a verdict (exit 1) with the command that lists what there is."""
    with pytest.raises(Negative, match="not in this workspace"):
        read_packet(workspace, "follow-up-2026-02-14-9", "ann")
    with pytest.raises(Negative, match="no packet for 'bob'"):
        read_packet(workspace, RUN, "bob")


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\x00\x00", b"\xff\xfe{}"])
def test_a_damaged_head_is_named(workspace, content) -> None:
    """A file that a person or a disk damaged is refused with its path."""
    Path(workspace.path(place(workspace).head)).write_bytes(content)

    with pytest.raises(Malformed, match=r"follow-up-2026-02-14-1\.json"):
        read_head(workspace, place(workspace))


def test_a_head_of_a_later_version_is_left_alone(workspace) -> None:
    """A newer schema number is refused, not guessed at."""
    Path(workspace.path(place(workspace).head)).write_text(json.dumps({"schema": 2}), "ascii")

    with pytest.raises(NewerSchema, match="schema 2"):
        read_head(workspace, place(workspace))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"state": "asleep"}, "state is 'asleep', expected one of beginning, open, complete"),
        ({"waiting": None}, "waiting is missing, expected an object"),
        ({"done": ["ann"]}, "done is a list, expected an object"),
        ({"skipped": {"ann": "x"}}, "skipped is a dict, expected a list"),
        ({"skipped": [{"user": "ann"}]}, "not all texts"),
        ({"waiting": {"ann": 7}}, "not all texts"),
        ({"skipped": [{"user": "ann", "reason": None}]}, "not all texts"),
        ({"skipped": [{"user": True, "reason": "x"}]}, "not all texts"),
        ({"started_at": None}, "not all texts"),
    ],
)
def test_a_head_of_the_wrong_shape_is_refused(workspace, change, named) -> None:
    """A file that somebody edited is an error with a sentence, never a surprise further on."""
    Path(workspace.path(place(workspace).head)).write_text(json.dumps(HEAD | change), "ascii")

    with pytest.raises(Malformed, match=re.escape(named)):
        read_head(workspace, place(workspace))
