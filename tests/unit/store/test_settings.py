"""Settings: defaults, types, unknown keys."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import mindloop
from mindloop.store import schemas, strict_yaml
from mindloop.store.errors import Malformed, NewerSchema
from mindloop.store.resources import read_resource
from mindloop.store.settings import Settings
from mindloop.store.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULTS = {
    "schema": 1,
    "agent": "researcher",
    "observer.root": "observer",
    "observer.growth.enabled": False,
    "observer.growth.response_window.max_cycles": 3,
    "observer.growth.response_window.max_days": 14,
    "observer.growth.decay.cycles_to_decaying": 3,
    "observer.growth.decay.cycles_to_stale": 6,
    "observer.growth.score_delta.threshold": 5,
    "observer.growth.retention.max_batches_per_user": 10,
    "observer.cognition.enabled": True,
    "observer.cognition.max_fears_per_user": 5,
    "observer.cognition.stale_after_cycles": 3,
    "observer.golden_path.chronicle_window_days": 7,
    "observer.provenance.strict": False,
    "observer.canvas_max_bytes": 4_000_000,
    "observer.score_api.timeout_seconds": 30,
}


@pytest.mark.parametrize(("key", "expected"), DEFAULTS.items(), ids=DEFAULTS)
def test_defaults(key: str, expected: object) -> None:
    """An empty file means these values."""
    assert Settings({}).get(key) == expected


def test_every_default_has_a_comment_and_a_place_in_the_schema() -> None:
    """The defaults file explains each key and uses none the schema does not know."""
    lines = [line for line in read_resource("config/defaults.yaml").splitlines() if not line.startswith("#")]

    assert [line for line in lines if not line.endswith(":") and " # " not in line and line != "schema: 1"] == []
    assert Settings(strict_yaml.load(read_resource("config/defaults.yaml"))).unknown == []


def _leaves(values: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in values.items():
        yield from _leaves(value, f"{prefix}{key}.") if isinstance(value, dict) else [prefix + key]


def _asked_for(source: Path) -> Iterator[str]:
    """The words that a module gives to a ``get``."""
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            first = node.args[0]
            if name == "get" and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def test_every_setting_has_a_reader() -> None:
    """A key that can be set does something: the library asks for each by its whole name."""
    library = Path(mindloop.__file__).parent
    asked = {key for source in library.rglob("*.py") for key in _asked_for(source)}
    version = {"schema"}  # compared when the file is read

    assert set(_leaves(Settings({}).values)) - version - asked == set()


@pytest.mark.parametrize("types", [["engagement", "doubt"], [], ["pmf"] * 9])
def test_only_the_eight_kinds_of_fear_can_be_configured(types: list[str]) -> None:
    """A kind that no packet could show is refused with the file, and fewer of the eight are fine."""
    with pytest.raises(Malformed, match="fear_types"):
        Settings({"observer": {"cognition": {"fear_types": types}}})

    some = Settings({"observer": {"cognition": {"fear_types": ["pmf", "identity"]}}})
    assert some.get("observer.cognition.fear_types") == ["pmf", "identity"]


def test_the_file_goes_over_the_defaults(tmp_path: Path) -> None:
    """What mindloop.yaml says wins, key by key; an empty section says nothing."""
    text = "\ufeffschema: 1\nagent: 'no'\nobserver:\n  growth:\n    enabled: true\n  cognition:\n  golden_path: ~\n"
    (tmp_path / "mindloop.yaml").write_text(text)

    settings = Workspace(str(tmp_path)).settings

    assert settings.get("agent") == "no"
    assert settings.get("observer.growth.enabled") is True
    assert settings.get("observer.growth.decay.cycles_to_stale") == 6
    assert settings.get("observer.cognition.max_fears_per_user") == 5
    assert settings.get("observer.golden_path.chronicle_window_days") == 7


def test_unknown_keys_are_kept_and_reported() -> None:
    """A key this version does not know stays, and doctor names the nearest known one."""
    settings = Settings({"observer": {"growht": {"enabled": "true"}, "growth": {"mine": "1"}}, "team": "x"})

    assert settings.get("team") == "x"
    assert settings.get("observer.growht.enabled") == "true"
    assert settings.unknown == ["observer.growht", "observer.growth.mine", "team"]
    assert settings.problems()[0] == "mindloop.yaml: observer.growht is not known; did you mean observer.growth?"
    assert settings.problems()[2].startswith("mindloop.yaml: team is not known")


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("enabled", "yes", 'observer.growth.enabled: found "yes", expected boolean'),
        ("enabled", None, "observer.growth.enabled: found null, expected boolean"),
        ("decay", "6", 'observer.growth.decay: found "6", expected object'),
        ("retention", {"max_batches_per_user": "0"}, "max_batches_per_user: found 0, expected at least 1"),
    ],
)
def test_a_value_of_the_wrong_kind_names_key_value_and_expectation(key: str, value: object, expected: str) -> None:
    """A wrong setting is an error, not a default."""
    with pytest.raises(Malformed) as caught:
        Settings({"observer": {"growth": {key: value}}})

    assert expected in caught.value.message


@pytest.mark.parametrize("root", ["../x", "a/b", "", "x\n", ".hidden"])
def test_the_root_is_one_folder_name(root: str) -> None:
    """observer.root becomes a path, so it may not lead anywhere else."""
    with pytest.raises(Malformed, match=r"observer\.root"):
        Settings({"observer": {"root": root}})


def test_a_later_file_is_refused() -> None:
    """schema: 2 is of a later version."""
    with pytest.raises(NewerSchema, match="later version"):
        Settings({"schema": "2"})


def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path) -> None:
    """A list in mindloop.yaml is an error; no file at all means the defaults."""
    assert Workspace(str(tmp_path)).settings.get("agent") == "researcher"
    (tmp_path / "mindloop.yaml").write_text("- a\n")

    with pytest.raises(Malformed, match="expected `key: value` lines, found a list"):
        _ = Workspace(str(tmp_path)).settings.values


def test_an_unknown_name_in_code_is_a_key_error() -> None:
    """Asking for a setting that does not exist is a mistake of the caller."""
    with pytest.raises(KeyError, match=r"observer\.nothing"):
        Settings({}).get("observer.nothing")


def test_the_settings_schema_knows_every_default_type() -> None:
    """The defaults are valid by the schema."""
    assert schemas.problems(Settings({}).values, "settings") == []
