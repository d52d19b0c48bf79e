"""Patterns that are compiled at their first use."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
import yaml

from mindloop.store.lazy_patterns import CompiledLater, LazyPattern, when_used


def test_a_promise_works_like_its_pattern() -> None:
    """Every method and attribute is the compiled pattern's own."""
    promise = when_used(r"(\d+)-x", re.IGNORECASE)

    assert promise.match("12-X").group(1) == "12"
    assert promise.sub("y", "a 7-x b") == "a y b"
    assert (promise.pattern, promise.groups) == (r"(\d+)-x", 1)


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
