"""The settings of a workspace: ``mindloop.yaml`` over the shipped defaults."""

from __future__ import annotations

from mindloop.store import schemas, strict_yaml
from mindloop.store.errors import Malformed
from mindloop.store.locate import MARKER, MARKER_LIMIT
from mindloop.store.resources import read_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

_SCHEMA = "settings"


class Settings:
    """Typed settings; what the file does not say, ``core/config/defaults.yaml`` says.

    Args:
        mapping: what the strict reader found in ``mindloop.yaml``; strings are given the types of the schema.
        source: the name that errors show.

    Attributes:
        values: all settings, defaults included; keys this version does not know are kept.
        unknown: dotted names of the keys this version does not know, to be reported.

    Raises:
        Malformed: a value is of the wrong kind; the message names key, value and what was expected.
        NewerSchema: the file is of a later version.
    """

    __slots__ = ("unknown", "values")

    def __init__(self, mapping: Mapping[str, Any], source: str = MARKER) -> None:
        defaults = schemas.typed(strict_yaml.load(read_resource("config/defaults.yaml")), _SCHEMA, "defaults.yaml")
        given = schemas.typed(_without_empty_sections(mapping, defaults), _SCHEMA, source)
        self.values: dict[str, Any] = _merged(defaults, given)
        self.unknown = sorted(_unknown(given, schemas.load_schema(_SCHEMA)))

    def get(self, dotted: str) -> Any:
        """Return one setting, e.g. ``observer.growth.decay.cycles_to_stale``.

        Raises:
            KeyError: neither the file nor the defaults name it: a mistake in the code that asks.
        """
        value: Any = self.values
        for part in dotted.split("."):
            if not isinstance(value, dict) or part not in value:
                raise KeyError(dotted)
            value = value[part]
        return value

    def problems(self) -> list[str]:
        """Return one sentence for each unknown key, with the nearest known one."""
        import difflib  # only for a report

        known = sorted(_dotted(schemas.load_schema(_SCHEMA)))
        found = []
        for key in self.unknown:
            near = difflib.get_close_matches(key, known, 1)
            found.append(f"{MARKER}: {key} is not known" + (f"; did you mean {near[0]}?" if near else ""))
        return found


def load_settings(read_text: Callable[[str, int], str | None]) -> Settings:
    """Read the settings of a workspace; a missing file means the defaults.

    Args:
        read_text: how a file of the workspace is read, by path and most bytes: ``Workspace.read_text``.

    Raises:
        Malformed: the file is not YAML, not a mapping or holds a value of the wrong kind.
    """
    document = strict_yaml.load((read_text(MARKER, MARKER_LIMIT) or "").removeprefix("\ufeff"), MARKER)
    if document is None:
        document = {}
    if not isinstance(document, dict):
        raise Malformed(
            f"{MARKER}: expected `key: value` lines, found a {type(document).__name__}",
            "Write settings as core/config/defaults.yaml does, or leave the file empty.",
        )
    return Settings(document)


def _without_empty_sections(mapping: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out sections that are named and empty (``growth:``): they say nothing."""
    kept = {}
    for key, value in mapping.items():
        default = defaults.get(key)
        if value is None and isinstance(default, dict):
            continue
        both = isinstance(value, dict) and isinstance(default, dict)
        kept[key] = _without_empty_sections(value, default) if both and default is not None else value
    return kept


def _merged(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(defaults)
    for key, value in given.items():
        old = result.get(key)
        result[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def _unknown(given: Mapping[str, Any], schema: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    known = schema.get("properties", {})
    for key, value in given.items():
        if key not in known:
            yield prefix + key
        elif isinstance(value, dict) and "properties" in known[key]:
            yield from _unknown(value, known[key], f"{prefix}{key}.")


def _dotted(schema: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, part in schema.get("properties", {}).items():
        yield prefix + key
        yield from _dotted(part, f"{prefix}{key}.")
