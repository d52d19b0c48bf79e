"""One spelling for every key: camelCase as the workflow tools have it, the column names of the tables as aliases."""

from __future__ import annotations

from mindloop.store.errors import Malformed
from mindloop.store.schemas import load_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Warnings = list[tuple[str, str]]

ALIASES = {
    "workflowPropertyConditions": "propertyConditions",
    "customPropertyId": "propertyId",
    "isActive": "active",
}
"""Spellings that are more than another way to join words; after the joining."""


def canonical(document: object, schema_name: str) -> tuple[dict[str, Any], Warnings]:
    """Return the document in the canonical spelling, unknown keys kept, and a warning for each unknown key.

    Raises:
        Malformed: it is no object, or holds one key in both spellings.
    """
    if not isinstance(document, dict):
        came = "nothing" if document is None else f"a {type(document).__name__}"
        raise Malformed(f"/: found {came}, expected an object", "Write an object with schemaVersion, stages, ….")
    schema = load_schema(schema_name)
    warnings: Warnings = []
    walked = _walked(document, schema, schema, "", warnings)
    return walked, warnings


def _walked(value: Any, schema: dict[str, Any], root: dict[str, Any], pointer: str, warnings: Warnings) -> Any:
    schema = _object_or_array(schema, root)
    if isinstance(value, list):
        items = schema.get("items", {})
        return [_walked(one, items, root, f"{pointer}/{at}", warnings) for at, one in enumerate(value)]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    known = schema["properties"]
    made: dict[str, Any] = {}
    for key, inner in value.items():
        name = _name(key, known)
        where = f"{pointer}/{escaped(str(key))}"
        if name in made:
            raise Malformed(f"{where}: this key stands here in two spellings", "Keep one of them.")
        if name not in known:
            warnings.append((where, _unknown(str(key), known)))
        made[name] = _walked(inner, known.get(name, {}), root, f"{pointer}/{escaped(name)}", warnings)
    return made


def _object_or_array(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """The branch of a schema that speaks of what can hold keys."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    for branch in schema.get("anyOf", ()):
        found = _object_or_array(branch, root)
        if "properties" in found or "items" in found:
            return found
    return schema


def _name(key: str, known: dict[str, Any]) -> str:
    if key in known:
        return key
    name = joined(key)
    return name if name in known else key


def joined(key: str) -> str:
    """A column's name in the canonical spelling: ``check_until_match`` is ``checkUntilMatch``."""
    first, *rest = key.split("_")
    made = first + "".join(word[:1].upper() + word[1:] for word in rest)
    return ALIASES.get(made, made)


def _unknown(key: str, known: dict[str, Any]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, known, 1)
    return f"unknown key {key[:80]!r}" + (f"; did you mean {near[0]}?" if near else "") + "; it is kept and not used"


def escaped(name: str) -> str:
    """A name as one step of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")
