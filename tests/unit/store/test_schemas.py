"""Schemas: typing by schema, validation, the wording of errors."""

from __future__ import annotations

import json
import os
import re

import pytest

from mindloop.store import schemas
from mindloop.store.errors import Malformed, NewerSchema
from mindloop.store.resources import resource

NAMES = ["cognition", "growth", "provenance-record", "settings"]
GROWTH = {"schema_version": "1", "user": "no", "next_batch_seq": "1", "follow_ups": []}


def _inner(schema: object) -> list[dict[str, object]]:
    """Return every schema inside a schema, itself included."""
    if not isinstance(schema, dict):
        return []
    found = [schema]
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            found += [inner for part in value.values() for inner in _inner(part)]
        elif key in ("items", "additionalProperties", "propertyNames"):
            found += _inner(value)
        elif key == "anyOf":
            found += [inner for part in value for inner in _inner(part)]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_uses_what_the_quick_validator_knows(name: str) -> None:
    r"""Only known keywords; patterns are anchored with \Z and name digits as [0-9]; references stay inside."""
    for inner in _inner(schemas.load_schema(name)):
        assert set(inner) <= schemas.KEYWORDS
        pattern = str(inner.get("pattern", r"\Z"))
        assert re.compile(pattern)
        assert pattern.endswith(r"\Z")
        assert "\\d" not in pattern
        assert str(inner.get("$ref", "#/$defs/")).startswith("#/$defs/")


def test_every_shipped_schema_is_json_with_a_title() -> None:
    """Each file in the folder loads and says what it is."""
    for name in os.listdir(resource("config/schemas")):
        with open(resource(f"config/schemas/{name}"), encoding="utf-8") as file:
            assert json.load(file)["title"]


def test_strings_get_the_types_of_the_schema() -> None:
    """Numbers, nulls and text are told apart by the schema, not by their looks; unknown fields stay strings."""
    message = {"id": "fu-2026-02-11-no-1-1", "token": "12345678", "outcome": "pending", "thread_id": None, "x": "7"}
    follow_up = {"batch_date": "2026-02-11", "batch_seq": "1", "messages_sent": "2", "message_ids": [message]}
    state = {**GROWTH, "follow_ups": [follow_up], "last_scores": {"og": "41.5", "nft": None}, "ours": "12"}

    found = schemas.typed(state, "growth", "growth/no.yaml")

    assert found["schema_version"] == 1
    assert found["user"] == "no"
    assert found["follow_ups"][0]["batch_seq"] == 1
    assert found["follow_ups"][0]["message_ids"][0] == message
    assert found["last_scores"] == {"og": 41.5, "nft": None}
    assert found["ours"] == "12"


def test_typing_twice_is_typing_once() -> None:
    """A typed document passes unchanged."""
    once = schemas.typed(GROWTH, "growth")

    assert schemas.typed(once, "growth") == once


@pytest.mark.parametrize("number", ["0x1", "1_0", "१", "1e999", "nan", "", "1.5", "9" * 30])
def test_what_is_no_integer_is_not_made_one(number: str) -> None:
    """Only plain decimal digits become an integer."""
    with pytest.raises(Malformed, match="next_batch_seq"):
        schemas.typed({**GROWTH, "next_batch_seq": number}, "growth")


def test_every_problem_is_named_with_place_value_and_expectation() -> None:
    """The error says where, what came and what was expected, for each of them."""
    state = {**GROWTH, "next_batch_seq": "0", "hypotheses": [{"id": "H1", "confidence": "huge"}, {}]}
    del state["follow_ups"]

    with pytest.raises(Malformed) as caught:
        schemas.typed(state, "growth", "g.yaml")

    assert caught.value.message == (
        "g.yaml: the document: follow_ups missing; "
        'hypotheses.0.confidence: found "huge", expected one of "low", "medium", "high"; '
        "hypotheses.1: id missing; "
        "next_batch_seq: found 0, expected at least 1"
    )


def test_a_later_version_is_told_from_a_mistake() -> None:
    """A schema number above ours is NewerSchema, whatever else is unknown."""
    with pytest.raises(NewerSchema, match=r"g\.yaml: schema_version 2 is of a later version"):
        schemas.typed({"schema_version": "2", "brand": "new"}, "growth", "g.yaml")


@pytest.mark.parametrize("document", [None, "text", [], ["a"]])
def test_what_is_no_mapping_is_refused(document: object) -> None:
    """An empty file or a list is no document."""
    with pytest.raises(Malformed):
        schemas.typed(document, "growth", "g.yaml")


def test_problems_of_a_right_value_are_none() -> None:
    """A valid record has no problems, and jsonschema is not asked."""
    record = {"content_hash": "a" * 64, "canvas_target": "bob", "message_index": 0, "parent_hash": None}

    assert schemas.problems(record, "provenance-record") == []
    assert schemas.problems({**record, "content_hash": "a" * 64 + "\n"}, "provenance-record") != []
