"""YAML documents with a schema: read typed, written only when they read back equal."""

from __future__ import annotations

from mindloop.store import schemas, strict_yaml
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mindloop.store.files import Files
    from mindloop.store.transaction import Transaction


LIMIT = 4_000_000
_LEAVE_OUT = "Leave out what YAML cannot hold: use text, numbers, truth values, lists and mappings."


def read_yaml(reader: Files, rel: str, schema_name: str, limit: int = LIMIT) -> dict[str, Any] | None:
    """Read a YAML document and give its strings the types of its schema; None where there is no file.

    Raises:
        Malformed: too large, not UTF-8, not YAML, or not as the schema says.
        NewerSchema: written by a later version.
    """
    text = reader.read_text(rel, limit)
    if text is None:
        return None
    return schemas.typed(strict_yaml.load(text.removeprefix("\ufeff"), rel, limit), schema_name, rel)


def write_yaml(tx: Transaction, rel: str, document: Mapping[str, Any], schema_name: str) -> None:
    """Stage a YAML file; raises as ``yaml_text`` does, and then nothing is staged."""
    tx.write(rel, yaml_text(document, schema_name, rel))


def yaml_text(document: Mapping[str, Any], schema_name: str, rel: str) -> str:
    """Return the text of a YAML file, checked against its schema and read back.

    Raises:
        WrongInput: it does not follow the schema or does not read back equal.
    """
    value = dict(document)
    _require_valid(value, rel, schema_name)
    text = strict_yaml.dump(value)
    back = schemas.typed(strict_yaml.load(text, rel, len(text)), schema_name, rel)
    if _as_text(back) != _as_text(value):
        raise WrongInput(f"{rel}: the document would not read back equal; nothing was written", _LEAVE_OUT)
    return text


def _require_valid(value: dict[str, Any], rel: str, schema_name: str) -> None:
    found = schemas.problems(value, schema_name)
    if found:
        raise WrongInput(f"{rel}: " + "; ".join(found[:20]), "Correct these values; nothing was written.")


def _as_text(value: object) -> object:
    """Reduce a document to what YAML says of it: fields no schema types come back as the strings written."""
    if isinstance(value, dict):
        return {key: _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return _number(value) if isinstance(value, int | float) else value


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
