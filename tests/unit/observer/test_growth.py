"""The names that other packages take growth from."""

from __future__ import annotations

from mindloop.observer import growth


def test_the_facade_names_what_it_has():
    """Every announced name is there, and nothing else is announced."""
    assert all(callable(getattr(growth, name)) for name in growth.__all__)
    assert growth.__all__ == sorted(growth.__all__)
