"""Laws of the store's formats: YAML, front matter, JSONL, schemas."""

from __future__ import annotations

import io

import jsonschema
import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from mindloop.store import front_matter, records, schemas, strict_yaml
from mindloop.store.errors import Malformed, WrongInput

LAW = settings(deadline=None, max_examples=200)
TRAPS = st.sampled_from(
    (
        *("no", "yes", "on", "off", "y", "n", "Y", "N", "null", "Null", "~", "true", "0x1F", "0777", "0o17", "0b11"),
        *("08", "12:30", "190:20:30", "1:2", "1:60", "1e3", "1.0e3", "12e45678", "1_000", ".5", "1.", ".inf", "-.inf"),
        *(".nan", "2026-02-11", "2026-13-45", "2026-02-11T14:23:00Z", "=", "<<", "-", "?", ":", "!", "&", "*", "@"),
        *("`", "%", "#", "|", ">", "[", "]", "{", "}", ",", "'", '"', "--", "---", "...", "00000000", "12345678"),
        *("+1", "-0", "0x", "0.1e5", "1e400"),
    )
)
_ODD = "\u0085\u2028\u2029\u00a0\ufeff\u200b\ue000\uf8ff👍😀a b:#-'\"\\\n\r\t|>*&!%@`{}[],?~0\x7f\x9f\ud7ff"
ODD = st.text(alphabet=_ODD, max_size=12)
TEXT = st.one_of(TRAPS, ODD, st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
DOCUMENT = st.recursive(
    TEXT | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@LAW
@given(DOCUMENT)
@example({"a": "\u0085"})
@example({"👍": "\ue000"})
@example({"a": "\n  x\n"})
@example({"k\nl": "v"})
@example({"": ""})
@example({"no": "\n0\u2028"})
def test_yaml_of_text_reads_back_equal_everywhere(document: object) -> None:
    """What is dumped comes back the same through the strict reader and through plain safe_load."""
    try:
        text = strict_yaml.dump(document)
    except WrongInput:
        pytest.fail("text without surrogates can always be dumped")

    assert text.endswith("\n")
    assert strict_yaml.load(text) == document
    assert yaml.safe_load(text) == document
    assert yaml.load(text, Loader=yaml.CSafeLoader) == document


@LAW
@given(
    st.dictionaries(TEXT, st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False))
)
def test_yaml_numbers_read_back_through_safe_load(document: dict[str, object]) -> None:
    """Numbers and truth values are written so that any reader finds them again."""
    assert yaml.safe_load(strict_yaml.dump(document)) == document


@LAW
@given(
    TEXT
    | st.integers().map(str)
    | st.text("0123456789abcdefxobABCDEFXO_.:+-TZ \n", min_size=1, max_size=24)
    | st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M:%SZ}"),
    st.booleans(),
)
@example("2026-02-11T14:23:00Z\n", True)
@example("0", True)
@example("1e5", True)
@example("1b1", True)
@example("9dfaecf5dc35efef", True)
def test_a_scalar_is_taken_for_what_the_library_takes_it_for(text: str, plain: bool) -> None:
    """Knowing numbers, moments and hashes sooner decides nothing differently: what needs quotes gets them."""
    dumper = strict_yaml._Dumper(io.StringIO())
    library = super(strict_yaml._Dumper, dumper)

    for implicit in ((plain, not plain), (not plain, plain)):
        assert dumper.resolve(yaml.ScalarNode, text, implicit) == library.resolve(yaml.ScalarNode, text, implicit)


@LAW
@given(st.text(max_size=60) | ODD | DOCUMENT.map(str))
def test_strict_yaml_fails_in_one_way_only(text: str) -> None:
    """Whatever is fed to it, the reader answers with a plain value or Malformed."""
    try:
        found = strict_yaml.load(text)
    except Malformed:
        return

    assert type(found) in (str, list, dict, type(None))


_PIECES = ["---", "----", "--- ", "...", "a: 1", "b: x # c", "- l", "", " ", "\ufeff", "\u2028", "\x0c", "text", "\r"]
PIECES = st.lists(st.sampled_from(_PIECES), max_size=9)
NOTES = st.tuples(PIECES, st.sampled_from(["\n", "\r\n"])).map(lambda both: both[1].join(both[0]))
HEADERS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "user", "x y", "0"]), TEXT, st.sampled_from(["", " # why", "  "])),
    unique_by=lambda entry: entry[0],
    max_size=4,
)


@LAW
@given(NOTES)
def test_split_loses_no_byte(text: str) -> None:
    """The three pieces of a note join to the identical text."""
    try:
        head, header, tail = front_matter.split(text)
    except Malformed:
        return

    assert head + (header or "") + tail == text


@LAW
@given(HEADERS, ODD, st.sampled_from(["a", "user", "new", "x y", "no"]), TEXT | st.none() | st.integers())
def test_set_scalar_changes_one_key_or_nothing(
    header: list[tuple[str, str, str]], body: str, key: str, value: str | int | None
) -> None:
    """After an edit the header differs in exactly one key, comments and body are the same; else it is refused."""
    lines = [strict_yaml.dump({name: text}).rstrip("\n") for name, text, _ in header]
    assume(all("\n" not in line for line in lines))
    commented = "".join(f"{line}{entry[2]}\n" for line, entry in zip(lines, header, strict=True))
    text = f"---\n{commented}---\n{body}"
    before, _ = front_matter.parse(text)
    try:
        edited = front_matter.set_scalar(text, key, value)
    except WrongInput:
        assert isinstance(value, str)
        return

    meta, after = front_matter.parse(edited)
    assert meta == {**before, key: None if value is None else str(value)}
    assert after == body
    assert edited.count(" # why") >= text.count(" # why") - (1 if key in before else 0)


@LAW
@given(st.dictionaries(TEXT, DOCUMENT, max_size=3), ODD)
def test_render_then_parse_is_the_identity(meta: dict[str, object], body: str) -> None:
    """A note written whole reads back as it was."""
    assert front_matter.parse(front_matter.render(meta, body)) == (meta, body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)
RECORD = st.dictionaries(TEXT, JSON, max_size=4)


@LAW
@given(RECORD)
def test_a_record_reads_back_equal(record: dict[str, object]) -> None:
    """Every record of JSON values comes back the same, as one line."""
    line = records.encode(record)

    assert b"\n" not in line
    assert records.parse(line) == (record, None)


DAMAGE = st.binary(max_size=30) | st.sampled_from([b"", b"\r", b"\0\0\0", b'{"torn": "x', b"<<<<<<< HEAD", b"\xff"])


@LAW
@given(st.lists(RECORD.map(records.encode) | DAMAGE, max_size=8), st.booleans(), st.booleans())
def test_scan_conserves_every_byte(lines: list[bytes], bom: bool, ended: bool) -> None:
    """Raw lines and newlines rebuild the file, whatever is in it."""
    data = (b"\xef\xbb\xbf" if bom else b"") + b"\n".join(lines) + (b"\n" if ended else b"")

    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    found = list(records.scan(data))

    rebuilt = data[:start] + b"\n".join(line.raw for line in found)
    assert data in (rebuilt, rebuilt + b"\n")
    assert all(data[line.offset : line.offset + len(line.raw)] == line.raw for line in found)


@LAW
@given(st.lists(RECORD, min_size=1, max_size=6), st.data())
def test_damage_to_one_line_leaves_the_others(kept: list[dict[str, object]], data: st.DataObject) -> None:
    """Cutting or flipping bytes of one line never takes another line with it."""
    lines = [records.encode(record) for record in kept]
    hit = data.draw(st.integers(0, len(lines) - 1))
    damage = data.draw(st.binary(max_size=20)).replace(b"\n", b"")
    at = data.draw(st.integers(0, len(lines[hit])))
    lines[hit] = lines[hit][:at] + damage

    found = list(records.scan(b"\n".join(lines) + b"\n"))

    others = [line.record for number, line in enumerate(found) if number != hit]
    assert others == [record for number, record in enumerate(kept) if number != hit]


SCHEMA_NAMES = ["settings", "provenance-record", "growth", "cognition"]
WORDS = st.sampled_from(
    (
        *("schema", "schema_version", "user", "type", "follow-up-batch", "generated", "users", "total_messages"),
        *("observer", "growth", "enabled", "decay", "content_hash", "canvas_target", "hypotheses", "id", "H1"),
        *("token", "fears", "class"),
    )
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.floats(allow_nan=False) | WORDS | TEXT | st.just("a" * 64),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@LAW
@given(st.sampled_from(SCHEMA_NAMES), st.dictionaries(WORDS, ANY, max_size=6) | ANY)
def test_our_validator_and_jsonschema_agree(name: str, value: object) -> None:
    """The quick validator accepts exactly what the library accepts."""
    schema = schemas.load_schema(name)

    assert schemas.valid(value, schema, schema) == jsonschema.Draft202012Validator(schema).is_valid(value)
