"""JSON Schemas of the files, applied without a library where the file is right.

``jsonschema`` costs 80 ms to import, so it only words the errors of a value that this module found wrong. The subset
of keywords is checked by a test against the shipped schemas, and both validators are compared by property tests.
"""

from __future__ import annotations

import re

from mindloop.store.errors import Malformed, NewerSchema
from mindloop.store.lazy_patterns import CompiledLater, when_used
from mindloop.store.resources import read_resource

with CompiledLater():  # those of the decoder in pure Python
    import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Schema = dict[str, Any]

KEYWORDS = frozenset(
    (
        *("$schema", "$id", "$ref", "$defs", "title", "description", "default", "type", "enum", "const", "anyOf"),
        *("properties", "required", "additionalProperties", "propertyNames", "items", "minItems", "maxItems"),
        *("pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum"),
    )
)
_INTEGER = when_used(r"[-+]?[0-9]{1,18}\Z")
_NUMBER = when_used(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?\Z")
_BOOLEANS = {"true": True, "false": False}
_VERSION_KEYS = ("schema", "schema_version")
_MOST_PROBLEMS = 20
_loaded: dict[str, Schema] = {}


def load_schema(name: str) -> Schema:
    """Return the shipped schema ``core/config/schemas/<name>.json``; read once."""
    if name not in _loaded:
        _loaded[name] = json.loads(read_resource(f"config/schemas/{name}.json"))
    return _loaded[name]


def typed(document: object, schema_name: str, source: str = "") -> dict[str, Any]:
    """Give the strings of a strictly read document the types of its schema, and validate it.

    A string becomes an integer, number, boolean only where the schema wants one. Fields the schema does not know stay
    the strings they are and survive a round trip.

    Args:
        document: what ``strict_yaml.load`` returned.
        schema_name: ``growth`` for ``core/config/schemas/growth.json``.
        source: the name that errors show.

    Raises:
        NewerSchema: its schema number is above the one this version knows.
        Malformed: it does not follow the schema; every problem is named.
    """
    schema = load_schema(schema_name)
    value = _coerce(document, schema, schema)
    require_known_version(value, schema, source)
    if not valid(value, schema, schema):
        found = problems(value, schema_name)
        raise Malformed(f"{source or schema_name}: " + "; ".join(found[:_MOST_PROBLEMS]), "Correct the file.")
    return value if isinstance(value, dict) else {}


def require_known_version(value: object, schema: Schema, source: str) -> None:
    """Refuse a file whose schema number is above the ``maximum`` its schema states.

    Raises:
        NewerSchema: it is; the file is left alone.
    """
    for key in _VERSION_KEYS:
        number = value.get(key) if isinstance(value, dict) else None
        known = schema.get("properties", {}).get(key, {}).get("maximum")
        if known is not None and type(number) is int and number > known:
            raise NewerSchema(
                f"{source}: {key} {number} is of a later version of mindloop; this one reads {known}",
                "Update mindloop. Nothing was changed.",
            )


def problems(value: object, schema_name: str) -> list[str]:
    """Return one sentence for each place where a value does not follow its schema; empty when it does."""
    found = [
        f"{'.'.join(str(step) for step in error.absolute_path) or 'the document'}: {_sentence(error)}"
        for error in _errors(value, schema_name)
    ]
    return found or ([] if valid(value, *(load_schema(schema_name),) * 2) else ["the value does not follow the schema"])


def pointer_problems(value: object, schema_name: str) -> list[tuple[str, str]]:
    """Return (JSON pointer, sentence) for each place where a value does not follow its schema; empty when it does."""
    return [(_pointer(error.absolute_path), _sentence(error)) for error in _errors(value, schema_name)]


def _pointer(path: Iterable[object]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _errors(value: object, schema_name: str) -> list[Any]:
    """What the library finds; it is not imported where the value is right."""
    schema = load_schema(schema_name)
    if valid(value, schema, schema):
        return []
    import jsonschema  # 80 ms, only to word an error
    import referencing  # an empty registry: no reference is ever fetched from the net

    validator = jsonschema.Draft202012Validator(schema, registry=referencing.Registry())
    return sorted(validator.iter_errors(value), key=lambda error: [str(step) for step in error.absolute_path])


def _sentence(error: Any) -> str:
    came = json.dumps(error.instance, ensure_ascii=True, default=repr)
    came = came if len(came) <= 60 else came[:57] + "..."
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        return f"{', '.join(missing)} missing"
    return f"found {came}, expected {_expected(error.validator, error.validator_value, error.message)}"


def _expected(keyword: str, wanted: Any, message: str) -> str:
    if keyword == "type":
        return " or ".join([wanted] if isinstance(wanted, str) else wanted)
    if keyword == "enum":
        return "one of " + ", ".join(json.dumps(item) for item in wanted)
    words = {
        "pattern": "text of the shape",
        "minimum": "at least",
        "maximum": "at most",
        "exclusiveMinimum": "more than",
        "minLength": "at least this many characters:",
        "maxLength": "at most this many characters:",
        "minItems": "at least this many items:",
        "maxItems": "at most this many items:",
        "const": "exactly",
    }
    return f"{words[keyword]} {wanted}" if keyword in words else message[:200]


# --- typing by schema -------------------------------------------------------------------------------------------------


def _coerce(value: object, schema: Schema, root: Schema) -> object:
    schema = _resolved(schema, root)
    if isinstance(value, str):
        return _coerce_text(value, _types(schema, root))
    if isinstance(value, list):
        items = schema.get("items")
        return [_coerce(item, items, root) for item in value] if isinstance(items, dict) else value
    if isinstance(value, dict):
        branch = _object_branch(schema, root)
        return {key: _coerce(item, _property(branch, key), root) for key, item in value.items()}
    return value


def _resolved(schema: Schema, root: Schema) -> Schema:
    reference = schema.get("$ref")
    return root["$defs"][reference.removeprefix("#/$defs/")] if reference else schema


def _types(schema: Schema, root: Schema) -> set[str]:
    found: set[str] = set()
    for branch in schema.get("anyOf", ()):
        found |= _types(_resolved(branch, root), root)
    named = schema.get("type", [])
    return found | ({named} if isinstance(named, str) else set(named))


def _object_branch(schema: Schema, root: Schema) -> Schema:
    """Return the branch of an ``anyOf`` that speaks of objects, else the schema itself."""
    for branch in schema.get("anyOf", ()):
        resolved = _resolved(branch, root)
        if "properties" in resolved or "additionalProperties" in resolved:
            return resolved
    return schema


def _property(schema: Schema, key: str) -> Schema:
    known = schema.get("properties", {}).get(key)
    if known is None:
        known = schema.get("additionalProperties")
    return known if isinstance(known, dict) else {}


def _coerce_text(text: str, types: set[str]) -> object:
    if not types or "string" in types:
        return text
    if "boolean" in types and text in _BOOLEANS:
        return _BOOLEANS[text]
    if types & {"integer", "number"} and _INTEGER.match(text):
        return int(text)
    return float(text) if "number" in types and _NUMBER.match(text) else text


# --- validation -------------------------------------------------------------------------------------------------------


def valid(value: object, schema: Schema, root: Schema) -> bool:
    """Tell whether a value follows a schema of the keywords of ``KEYWORDS``."""
    schema = _resolved(schema, root)
    return _valid_as_such(value, schema, root) and _valid_inside(value, schema, root)


def _valid_as_such(value: object, schema: Schema, root: Schema) -> bool:
    if "type" in schema and not _is_type(value, schema["type"]):
        return False
    if "const" in schema and not _same(value, schema["const"]):
        return False
    if "enum" in schema and not any(_same(value, item) for item in schema["enum"]):
        return False
    return "anyOf" not in schema or any(valid(value, branch, root) for branch in schema["anyOf"])


def _valid_inside(value: object, schema: Schema, root: Schema) -> bool:
    if isinstance(value, str):
        return _valid_text(value, schema)
    if isinstance(value, dict):
        return _valid_object(value, schema, root)
    if isinstance(value, list):
        return _valid_list(value, schema, root)
    return isinstance(value, bool) or not isinstance(value, int | float) or _valid_number(value, schema)


def _is_type(value: object, wanted: str | list[str]) -> bool:
    if isinstance(wanted, str):
        return _TYPES[wanted](value)
    return any(_TYPES[name](value) for name in wanted)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: object) -> bool:
    """JSON Schema calls 1.0 an integer."""
    return _is_number(value) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))


_TYPES: dict[str, Callable[[object], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "number": _is_number,
    "integer": _is_integer,
}


def _same(value: object, other: object) -> bool:
    """Compare as JSON does: ``true`` is not 1."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def _valid_text(value: str, schema: Schema) -> bool:
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        return False
    return "pattern" not in schema or re.search(schema["pattern"], value) is not None


def _valid_number(value: float, schema: Schema) -> bool:
    if "minimum" in schema and not value >= schema["minimum"]:
        return False
    if "maximum" in schema and not value <= schema["maximum"]:
        return False
    return "exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"]


def _valid_list(value: list[object], schema: Schema, root: Schema) -> bool:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return False
    items = schema.get("items")
    return items is None or all(valid(item, items, root) for item in value)


def _valid_object(value: dict[str, object], schema: Schema, root: Schema) -> bool:
    if any(name not in value for name in schema.get("required", ())):
        return False
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    names = schema.get("propertyNames")
    for key, item in value.items():
        if names is not None and not valid(key, names, root):
            return False
        if key in known:
            if not valid(item, known[key], root):
                return False
        elif others is False or (others is not True and not valid(item, others, root)):
            return False
    return True
