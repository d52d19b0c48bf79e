"""Reads JSON or YAML of anybody's: bounded, no key twice, no NaN; a mistake is an error that names its place."""

from __future__ import annotations

import json

from mindloop.store.errors import Malformed, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match
    from typing import Any

LIMIT = 32_000_000
"""Bytes of the largest document that is read."""
_DEPTH = 60
_YAML = (".yaml", ".yml")


def read_document(data: bytes, name: str) -> object:
    """Parse the bytes of a file.

    Args:
        data: JSON or YAML, UTF-8, with or without a byte order mark.
        name: the file's name, for errors and for telling the two apart.

    Raises:
        Malformed: too large, not UTF-8, does not parse, a key twice, a number that is none, nested too deep.
    """
    if len(data) > LIMIT:
        raise Malformed(f"{name}: {len(data)} bytes, at most {LIMIT} are read", "Split it into one file an agent.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{name}: expected UTF-8, byte {error.start} is 0x{data[error.start]:02x}"
        raise Malformed(message, "Convert it first, for example: iconv -f latin1 -t utf-8") from None
    return _yaml(text, name) if _is_yaml(text, name) else _json(text, name)


def document_text(value: object, like: bytes, name: str) -> str:
    """Write a document back in the format that it came in: JSON with two spaces, or YAML.

    Keys keep their order; a byte order mark and the line ends of Windows stay. Comments of YAML are not kept: they are
    not part of the value.

    Args:
        value: the document to write.
        like: the bytes that the file has now.
        name: the file's name.

    Raises:
        WrongInput: it holds what the format cannot, such as a number that is not finite.
    """
    mark = "\ufeff" if like.startswith(b"\xef\xbb\xbf") else ""
    text = mark + _written(value, like, name)
    return text.replace("\n", "\r\n") if b"\r\n" in like and like.count(b"\n") == like.count(b"\r\n") else text


def loses_comments(like: bytes, name: str) -> bool:
    """Whether a document has comments that writing it back would lose: those of YAML."""
    text = like.decode("utf-8-sig", "replace")
    if b"#" not in like or not _is_yaml(text, name):
        return False
    from mindloop.store import strict_yaml

    return strict_yaml.has_comments(text)


def _written(value: object, like: bytes, name: str) -> str:
    if _is_yaml(like.decode("utf-8-sig", "replace"), name):
        from mindloop.store import strict_yaml

        return strict_yaml.dump(value)
    try:
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2, allow_nan=False)  # half a character cannot be written but as an escape
    except ValueError as error:
        raise WrongInput(f"{name}: cannot be written as JSON: {error}", "Leave the number out.") from None
    return text + "\n"


def _is_yaml(text: str, name: str) -> bool:
    return name.lower().endswith(_YAML) or (not name.lower().endswith(".json") and text.lstrip()[:1] not in {"{", "["})


def _yaml(text: str, name: str) -> object:
    from mindloop.store import strict_yaml

    try:
        value = strict_yaml.load(text, name, LIMIT, plain_types=True)
    except Malformed as refused:
        if "recursion" not in refused.message and "nesting depth" not in refused.message:
            raise
        value = None
        deep = True
    else:
        deep = _depth(value) > _DEPTH
    if deep:
        raise Malformed(f"{name}: nested deeper than {_DEPTH} levels", "Write it with fewer levels.")
    return value


def _json(text: str, name: str) -> object:
    try:
        value: object = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        message = f"{name}: line {error.lineno}, column {error.colno}: expected JSON, {error.msg.lower()}"
        raise Malformed(message, "Correct the file there.") from None
    except _Refused as refused:
        raise Malformed(f"{name}: {_place(text)}{refused}", "Correct the file there.") from None
    except RecursionError:
        raise _too_deep(name, text) from None
    except ValueError:
        message = f"{name}: a number of more digits than anybody counts"
        raise Malformed(message, "Correct the file.") from None
    if _depth(value) > _DEPTH:
        raise _too_deep(name, text)
    return value


def _too_deep(name: str, text: str) -> Malformed:
    """Says where the first level too many begins."""
    level = 0
    for token in _tokens(text):
        level += (token.group() in "{[") - (token.group() in "}]")
        if level > _DEPTH:
            where = _line_and_column(text, token.start())
            return Malformed(f"{name}: {where}nested deeper than {_DEPTH} levels", "Write it with fewer levels.")
    return Malformed(f"{name}: nested deeper than {_DEPTH} levels", "Write it with fewer levels.")


def _tokens(text: str) -> Iterator[Match[str]]:
    import re

    return re.finditer(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|NaN|-?Infinity', text)


def _place(text: str) -> str:
    """Where the first key that stands twice, or the first number that is none, is found in valid JSON."""
    keys: list[set[str]] = []
    string: Match[str] | None = None
    for token in _tokens(text):
        word = token.group()
        if word[0] == '"':
            string = token
        elif word in "{[":
            keys.append(set())
        elif word in "}]":
            keys.pop()
        elif word == ":" and string is not None and keys:
            key = json.loads(string.group(), strict=False)
            if key in keys[-1]:
                return _line_and_column(text, string.start())
            keys[-1].add(key)
        elif word not in ",:":
            return _line_and_column(text, token.start())
    return ""


def _line_and_column(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}: "


class _Refused(Exception):
    """What JSON would let through and we do not."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        message = f"the key {twice[:80]!r} stands twice in one object"
        raise _Refused(message)
    return made


def _constant(word: str) -> Any:
    message = f"{word} is no number"
    raise _Refused(message)


def _depth(value: object) -> int:
    deepest, front = 0, [value]
    while front:
        deepest += 1
        front = [
            inner
            for one in front
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if deepest > _DEPTH:
            break
    return deepest
