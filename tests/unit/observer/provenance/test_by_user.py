"""The index by user, unparsed: every line goes to its user, and only what is new is read."""

from __future__ import annotations

import json

from mindloop.observer.provenance.by_user import is_current, lines_by_user, mark_of, unseen


def line(user: str, **more: object) -> bytes:
    return json.dumps({"content_hash": "a", "canvas_target": user, **more}, separators=(",", ":")).encode()


def test_lines_go_to_their_users() -> None:
    """In file order, whatever the spelling of the name and of the line."""
    odd = b'{ "canvas_target" : "@Bob", "content_hash": "b" }\r'
    escaped = b'{"canvas_target":"zo\\u00eb","content_hash":"c"}'
    data = b"\n".join([b"\xef\xbb\xbf" + line("Bob"), line("ann"), odd, b"", escaped, line("BOB", n=2), b"torn {"])
    assert lines_by_user(data) == {
        "bob": [line("Bob"), odd, line("BOB", n=2)],
        "ann": [line("ann")],
        "zoë": [escaped],
    }


def test_words_that_look_like_a_field_name_nobody() -> None:
    """A text that quotes a record, and a record inside a record."""
    quoted = line("ann", text='"canvas_target":"bob"')
    nested = line("ann", more={"canvas_target": "bob"})
    swapped = b'{"more":{"canvas_target":"bob"},"canvas_target":"ann","content_hash":"a"}'
    assert lines_by_user(b"\n".join([quoted, nested, swapped])) == {"ann": [quoted, nested, swapped]}


def test_a_name_that_is_none_is_nobodys() -> None:
    """A number, nothing, a line that is no object."""
    data = b'{"canvas_target":7}\n{"canvas_target":null}\n["canvas_target"]\n{"canvas_target":""}\n{"x":1}'
    assert lines_by_user(data) == {}


def test_only_what_is_new_is_read() -> None:
    """From the cursor on; a bad line counts as seen and is passed over."""
    lines = [line("ann", n=n) for n in range(3)]
    assert [one["n"] for one in unseen(lines, 0, None)] == [0, 1, 2]
    assert [one["n"] for one in unseen(lines, 2, mark_of(lines[1]))] == [2]
    assert unseen([*lines, b'{"canvas_target":"ann"'], 3, mark_of(lines[2])) == []
    assert unseen(lines, 3, mark_of(lines[2])) == []


def test_a_rewritten_index_is_read_again() -> None:
    """Another line where the last one was, or fewer lines than were seen."""
    lines = [line("ann", n=n) for n in range(3)]
    assert len(unseen(lines, 2, mark_of(lines[0]))) == 3
    assert len(unseen(lines[:1], 2, mark_of(lines[1]))) == 1
    assert not is_current(lines, 0, None)
    assert is_current(lines, 3, mark_of(lines[2]))


def test_a_name_inside_a_record_is_not_the_records_own() -> None:
    """An object within, a key that ends like the field: the line is parsed, and it is nobody's."""
    data = b'{"content_hash":"a","more":{"canvas_target":"bob"}}\n{"x\\"canvas_target":"bob"}'
    assert lines_by_user(data) == {}
