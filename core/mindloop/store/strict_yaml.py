"""YAML in which nothing is guessed: the one module that imports ``yaml``.

Reading goes through the C parser. A plain ``null``, ``~`` or nothing is None; every other scalar stays the string that
was written, and the schema of the file gives it its type. So ``user: no``, ``0x1f``, ``12:30``, ``0777`` and the token
``12e45678`` arrive as they were typed. Duplicate keys, tags and aliases are refused.

Writing quotes every string that any YAML 1.1 or 1.2 reader would take for something else.
"""

from __future__ import annotations

from mindloop.store.errors import Malformed, WrongInput
from mindloop.store.lazy_patterns import CompiledLater, when_used

with CompiledLater():
    import yaml
    from yaml.constructor import ConstructorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_TAG = "tag:yaml.org,2002:"
_NULL = _TAG + "null"
_NULLS = ("", "~", "null")
_TEXT_TAGS = ("!", _TAG + "str")
_TAGS: dict[Any, tuple[str | None, ...]] = {
    yaml.SequenceStartEvent: (None, "!", _TAG + "seq"),
    yaml.MappingStartEvent: (None, "!", _TAG + "map"),
}
_READER_LIMIT = 1_000_000
_OTHER_BREAKS = frozenset("\r\u0085\u2028\u2029")
_PRIVATE_USE = range(0xE000, 0xF900)


class _Reader:
    """Builds None, str, list and dict, and nothing else, from the parser's events.

    The library's own way, over nodes and constructors, takes four times as long.
    """

    __slots__ = ("_next",)

    def __init__(self, next_event: Any) -> None:
        self._next = next_event

    def document(self) -> object:
        """The one document; None where there is none."""
        self._next()  # the stream starts
        start = self._next()
        if start.__class__ is yaml.StreamEndEvent:
            return None
        value = self._value(self._next())
        self._next()  # the document ends
        more = self._next()
        if more.__class__ is not yaml.StreamEndEvent:
            context = "expected a single document in the stream"
            raise ConstructorError(context, start.start_mark, "but found another document", more.start_mark)
        return value

    def span_of(self, key: str) -> tuple[int, int] | None:
        """Where the value of a top-level key begins and ends (see ``value_span``)."""
        self._next()  # the stream starts
        if self._next().__class__ is yaml.StreamEndEvent or self._next().__class__ is not yaml.MappingStartEvent:
            return None
        event = self._next()
        while event.__class__ is not yaml.MappingEndEvent:
            found = self._key(event) == key
            value = self._next()
            if found and (value.__class__ is not yaml.ScalarEvent or value.style in ("|", ">")):
                raise WrongInput(f"{key!r} is not a value of one line", "Edit the header by hand.")
            if found:
                return value.start_mark.index, value.end_mark.index
            self._value(value)
            event = self._next()
        return None

    def _value(self, event: Any) -> object:
        kind = event.__class__
        if kind is yaml.ScalarEvent:
            return self._scalar(event)
        if kind is yaml.AliasEvent:
            raise ConstructorError(None, None, f"the alias *{event.anchor} is not supported", event.start_mark)
        if event.tag not in _TAGS[kind]:
            _refuse_tag(event)
        return self._mapping() if kind is yaml.MappingStartEvent else self._sequence()

    def _scalar(self, event: Any) -> str | None:
        text: str = event.value
        if event.tag is None:
            return None if event.implicit[0] and text in _NULLS else text
        if event.tag == _NULL:
            return None
        return text if event.tag in _TEXT_TAGS else _refuse_tag(event)

    def _sequence(self) -> list[object]:
        found = []
        event = self._next()
        while event.__class__ is not yaml.SequenceEndEvent:
            found.append(self._value(event))
            event = self._next()
        return found

    def _mapping(self) -> dict[str, object]:
        found: dict[str, object] = {}
        event = self._next()
        while event.__class__ is not yaml.MappingEndEvent:
            key = self._key(event)
            if key in found:
                raise ConstructorError(None, None, f"the key {key!r} stands here twice", event.start_mark)
            found[key] = self._value(self._next())
            event = self._next()
        return found

    def _key(self, event: Any) -> str:
        if event.__class__ is yaml.AliasEvent:
            self._value(event)
        if event.__class__ is not yaml.ScalarEvent:
            raise ConstructorError(None, None, "a key must be a plain word", event.start_mark)
        key: str = event.value
        return key


def _refuse_tag(event: Any) -> NoReturn:
    raise ConstructorError(None, None, f"the tag {event.tag!r} is not supported", event.start_mark)


class _TypedReader(_Reader):
    """Gives plain scalars the types of YAML 1.2's core schema; what stands in quotes stays text."""

    __slots__ = ()

    def _scalar(self, event: Any) -> Any:
        text = super()._scalar(event)
        return text if text is None or event.tag is not None or not event.implicit[0] else _plain(text)


_BOOLEANS = {"true": True, "false": False}
_INTEGER = when_used(r"[-+]?[0-9]{1,18}\Z")
_FLOAT = when_used(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,3})?\Z")


def _plain(text: str) -> bool | float | str:
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) else text


_MOMENT = when_used(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?\Z")


class _Dumper(yaml.CSafeDumper):
    """Writes a value twice rather than an alias, and text of several lines as a block."""

    stand_ins: dict[int, int] = {}  # noqa: RUF012 - replaced as a whole, never changed in place

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        """The same as the library's, sooner for most of what begins with a digit, and without its large patterns."""
        quick = _of_digits(value) if kind is yaml.ScalarNode and implicit[0] and value[:1].isdigit() else None
        if quick:
            return quick
        library: Any = super()
        return library.resolve(kind, value, implicit)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the library's signature
        return True


def _of_digits(value: str) -> str | None:
    """The tag of a whole number, a moment or a hash that begins with a digit; None where only the library can tell."""
    if value.isascii() and value.isalnum():
        if value.isdigit():
            return _TAG + "int" if value == "0" or value[0] != "0" else None
        return _TAG + "str" if value.strip("0123456789eE") and value[1] not in "xXoObB" else None
    return _TAG + "timestamp" if _MOMENT.match(value) else None


def _represent_str(dumper: Any, text: str) -> Any:
    text = text.translate(dumper.stand_ins)
    # YAML 1.1 breaks lines at these as well: in a block they would end lines that nobody else sees end.
    block = "\n" in text and _OTHER_BREAKS.isdisjoint(text)
    return dumper.represent_scalar(_TAG + "str", text, style="|" if block else None)


_Dumper.add_representer(str, _represent_str)
# PyYAML speaks YAML 1.1. What a 1.2 reader takes for a number, or an old one for a truth value, gets quotes as well.
_Dumper.add_implicit_resolver(
    _TAG + "float",
    when_used(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$"),
    list("-+0123456789."),
)
_Dumper.add_implicit_resolver(
    _TAG + "int", when_used(r"^(?:[-+]?0[ox][0-9a-fA-F]+|[-+]?[0-9]+)$"), list("-+0123456789")
)
_Dumper.add_implicit_resolver(_TAG + "bool", when_used(r"^[yYnN]$"), list("yYnN"))


def load(text: str, source: str = "", limit: int = _READER_LIMIT, *, plain_types: bool = False) -> object:
    """Read one document into None, str, list and dict.

    Args:
        text: the document, at most ``limit`` characters.
        source: the name that errors show.
        limit: size above which the text is refused without being parsed.
        plain_types: let plain ``true``, ``false`` and numbers be that, for files in which ``"true"`` is a mistake that
            must be seen.

    Raises:
        Malformed: the text is no such document; the message names line and column.
    """
    if len(text) > limit:
        raise Malformed(
            f"{_place(source)}{len(text)} characters of YAML, at most {limit} are read", "Shorten the text or split it."
        )
    try:
        parser: Any = yaml.CSafeLoader(text)
        reader = _TypedReader if plain_types else _Reader
        return reader(parser.get_event).document()
    except yaml.YAMLError as error:
        raise Malformed(f"{_place(source)}{_reason(error)}", "Quote the value if it is text.") from None
    except (ValueError, RecursionError) as error:
        raise Malformed(f"{_place(source)}not readable as YAML: {error}", "Write it with fewer levels.") from None


def value_span(text: str, key: str) -> tuple[int, int] | None:
    """Where the one-line value of a top-level key stands in a mapping that ``load`` takes; None where no such key is.

    Raises:
        WrongInput: the value is a block, a list or a mapping.
        Malformed: the text is not readable up to there.
    """
    try:
        parser: Any = yaml.CSafeLoader(text)
        return _Reader(parser.get_event).span_of(key)
    except yaml.YAMLError as error:
        raise Malformed(_reason(error), "Quote the value if it is text.") from None
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not readable as YAML: {error}", "Write it with fewer levels.") from None


def has_comments(text: str) -> bool:
    """Whether a document that can be read has a comment anywhere: a ``#`` that is part of no value."""
    end = 0
    for token in yaml.scan(text, Loader=yaml.CSafeLoader):
        if "#" in text[end : token.start_mark.index]:
            return True
        end = max(end, token.end_mark.index)
    return "#" in text[end:]


def _place(source: str) -> str:
    return f"{source}: " if source else ""


def _reason(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    said = [getattr(error, name, None) for name in ("context", "problem")]
    problem = " ".join(part for part in said if part) or str(error).splitlines()[0]
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}" if mark else f"not readable as YAML: {problem}"


def dump(value: object) -> str:
    """Write a value as YAML that every reader reads alike; keys keep their order.

    Raises:
        WrongInput: a key is no string, a number is not finite, or text holds a lone surrogate.
    """
    _check(value)
    try:
        text = _dump(value, {})
        # libyaml escapes everything above U+FFFF; people want to see the emoji they wrote.
        return _dump_astral(value, text) if "\\U" in text else text
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError) as error:
        raise WrongInput(f"cannot be written as YAML: {error}", "Leave out what YAML cannot hold.") from None


def _check(value: object) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if type(key) is not str:
                raise WrongInput(f"a YAML key must be a string, found {key!r}", "Put the key in quotes.")
            _check(item)
    elif isinstance(value, list):
        for item in value:
            _check(item)
    elif value is not None and not isinstance(value, str | int | float):
        raise WrongInput(
            f"YAML holds text, numbers, truth values, lists and mappings, found {type(value).__name__}",
            "Turn it into one of them first.",
        )
    elif isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):  # noqa: PLR0124 - NaN is not itself
        raise WrongInput(f"a number in YAML must be finite, found {value!r}", "Leave the number out.")


def _dump(value: object, stand_ins: dict[int, int]) -> str:
    dumper = type("_Dumper", (_Dumper,), {"stand_ins": stand_ins}) if stand_ins else _Dumper
    written: str = yaml.dump(
        value, Dumper=dumper, sort_keys=False, allow_unicode=True, width=2**31 - 1, default_flow_style=False
    )
    return written


def _dump_astral(value: object, escaped: str) -> str:
    """Dump with each character above U+FFFF standing in as an unused private one, then put the real ones back."""
    found: set[str] = set()
    _collect(value, found)
    free = (point for point in _PRIVATE_USE if chr(point) not in found)
    stand_ins = dict(zip((ord(char) for char in sorted(found) if ord(char) > 0xFFFF), free, strict=False))
    if not stand_ins:
        return escaped
    return _dump(value, stand_ins).translate({mark: char for char, mark in stand_ins.items()})


def _collect(value: object, found: set[str]) -> None:
    if isinstance(value, str):
        found.update(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            found.update(key)
            _collect(item, found)
    elif isinstance(value, list):
        for item in value:
            _collect(item, found)
