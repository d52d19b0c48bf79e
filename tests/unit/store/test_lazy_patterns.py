"""Patterns that are compiled at their first use."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from contextlib import suppress
from copy import copy, deepcopy
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
import yaml

from mindloop.store.lazy_patterns import CompiledLater, LazyPattern, when_used
from tests.helpers.command_line import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


def test_a_promise_works_like_its_pattern() -> None:
    """Every method and attribute is the compiled pattern's own."""
    promise = when_used(r"(\d+)-x", re.IGNORECASE)

    assert promise.match("12-X").group(1) == "12"
    assert promise.sub("y", "a 7-x b") == "a y b"
    assert (promise.pattern, promise.groups) == (r"(\d+)-x", 1)


def test_a_promise_counts_as_a_pattern() -> None:
    """A library may hand its pattern to the functions of `re`, as `gettext` does, or copy it."""
    promise = when_used(r"\d+")

    assert [found[0] for found in re.finditer(promise, "1 and 22")] == ["1", "22"]
    assert re.sub(promise, "x", "a1") == "ax"
    assert isinstance(promise, re.Pattern)
    assert {copy(promise), deepcopy(promise), pickle.loads(pickle.dumps(promise))} == {re.compile(r"\d+")}


def test_gettext_reads_its_plural_forms() -> None:
    """The parser of arguments imports it with promises for patterns."""
    code = "import mindloop.cli.parsing, gettext; print(gettext.c2py('n != 1')(2))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY / "core", capture_output=True, text=True, check=True
    )

    assert done.stdout == "1\n"


def test_a_broken_pattern_fails_when_it_is_used() -> None:
    """Nothing is swallowed: the error comes late, and it comes."""
    with pytest.raises(re.error, match="unterminated"):
        LazyPattern("(").match("x")


@pytest.mark.parametrize("ending", ["well", "badly"])
def test_compiling_is_back_to_normal_afterwards(ending: str) -> None:
    """`re.compile` is the real one again, however the block ends."""
    with suppress(ZeroDivisionError), CompiledLater():
        assert isinstance(re.compile("a"), LazyPattern)
        assert 1 / (ending == "well")

    assert isinstance(re.compile("a"), re.Pattern)


def test_the_pure_reader_of_the_library_still_works() -> None:
    """Whoever uses the library beside us gets what it always did, promises and all."""
    assert yaml.load("a: [1, 2.5, yes]", Loader=yaml.SafeLoader) == {"a": [1, 2.5, True]}
    with pytest.raises(yaml.reader.ReaderError, match="special characters"):
        yaml.load("a: \x01", Loader=yaml.SafeLoader)


MODULES = sorted((REPOSITORY / "core" / "mindloop").rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(REPOSITORY / "core")) for path in MODULES])
def test_every_pattern_of_ours_is_a_promise_that_can_be_kept(path: Path) -> None:
    """No module compiles one when it is imported, and none is broken for whoever uses it first."""
    name = ".".join(path.relative_to(REPOSITORY / "core").with_suffix("").parts).removesuffix(".__init__")
    module = import_module(name)
    held = [one for value in vars(module).values() for one in (value if isinstance(value, list | tuple) else [value])]
    promises = [one for one in held if isinstance(one, LazyPattern)]

    assert [one.groups >= 0 for one in promises] == [True] * len(promises)
    assert [one.pattern for one in held if type(one) is re.Pattern] == []
