"""Putting a prompt together: a template cut at its placeholders once, and values that cannot leave their places.

A template holds ``{name}`` for a value, and ``{{#part}}`` and ``{{/part}}`` on lines of their own around what may be
left out. The pieces are joined in one pass: a value that holds a placeholder or a brace stays the text it is.
"""

from __future__ import annotations

import json
import re

from mindloop.observer.lines import one_line, whole
from mindloop.observer.sanitizer import neutralize_sections
from mindloop.store.lazy_patterns import when_used
from mindloop.store.resources import read_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    Piece = tuple[str, str, str]

_LINE_LIMIT = 300
_MARK = when_used(r"^\{\{([#/])([a-z_]+)\}\}\n|\{([a-z_]+)\}", re.MULTILINE)
_JSON_LINE_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_shipped: dict[str, list[Piece]] = {}


def filled(template: list[Piece], values: Mapping[str, str], hidden: Collection[str] = ()) -> str:
    """Join a cut template with its values; the parts named in ``hidden`` are left out to the last byte.

    Raises:
        KeyError: a shown placeholder has no value.
    """
    out: list[str] = []
    part = ""
    for literal, mark, name in template:
        if part not in hidden:
            out.append(literal)
        if mark:
            part = name if mark == "#" else ""
        elif name and part not in hidden:
            out.append(values[name])
    return "".join(out)


def shipped(path: str) -> list[Piece]:
    """A shipped template, cut: ``config/gaps/follow-up.md``; read and cut once a process."""
    if path not in _shipped:
        _shipped[path] = cut(read_resource(path))
    return _shipped[path]


def cut(template: str) -> list[Piece]:
    """A template as (text before, ``#`` or ``/`` or nothing, name of the part or value)."""
    pieces, at = [], 0
    for match in _MARK.finditer(template):
        mark, part, placeholder = match.groups()
        pieces.append((template[at : match.start()], mark or "", part or placeholder))
        at = match.end()
    pieces.append((template[at:], "", ""))
    return pieces


def untrusted(text: str) -> str:
    """Somebody's text for a labelled section of its own: no line of it looks like the start of a section."""
    return whole(neutralize_sections(text)).strip("\n")


def one_value(value: object) -> str:
    """Somebody's text for a place inside a line: one line of at most 300 code points."""
    return whole(one_line(str(value), _LINE_LIMIT))


def one_name(name: str) -> str:
    """Keep a file name on its line; where that changes the name, the manifest's own check refuses the prompt."""
    return whole(" ".join(name.splitlines()))


def as_json(value: Any) -> str:
    """A value as indented JSON in which every line break is the indenter's own."""
    return whole(json.dumps(value, ensure_ascii=False, indent=2).translate(_JSON_LINE_BREAKS))
