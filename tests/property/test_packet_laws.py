"""Laws of packets and of the assertions on them."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.names import fold
from mindloop.observer.packet.manifest import OtherCanvases, violations
from mindloop.observer.packet.prompt import TEMPLATE, assemble
from mindloop.store.resources import read_resource
from tests.helpers.answers import denied, parts, quote

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)
MARKS = ["{user}", "{canvas_body}", "{{#growth}}\n", "{{/growth}}\n", "{{/cognition}}", "=== X ===", "===", "\n", "\r"]
SIGNS = ["\u2028", "\x85", " ", "\t", "## eve", "\ud83d", "\\", "{", "}", "%s", "\ufeff"]
HOSTILE = st.lists(st.one_of(st.sampled_from([*MARKS, *SIGNS]), st.text(max_size=8)), max_size=12).map("".join)
GROWTH: Any = st.fixed_dictionaries(
    {
        "decay_warnings": st.lists(HOSTILE, max_size=2),
        "excluded_hypotheses": st.lists(st.sampled_from(["H1", "H2"]), max_size=2),
        "effective_patterns": st.lists(st.sampled_from(["probe_gap", "verify_action"]), max_size=2),
        "ineffective_patterns": st.lists(st.sampled_from(["probe_gap", "verify_action"]), max_size=2),
        "pending_followups": st.lists(
            st.fixed_dictionaries({"id": HOSTILE, "hypothesis": HOSTILE, "sent_at": HOSTILE}), max_size=2
        ),
        "score_delta": st.none(),
    }
)
FIELDS = st.fixed_dictionaries(
    {
        "canvas_body": HOSTILE,
        "score_snapshot": HOSTILE,
        "chronicle": HOSTILE,
        "prior": HOSTILE,
        "quotes": st.lists(HOSTILE.filter(lambda text: "\ud83d" not in text).map(quote), max_size=2),
        "temporal": st.dictionaries(st.sampled_from(["a" * 64, "b" * 64]), HOSTILE.map(denied), max_size=2),
    }
)
COGNITION = st.one_of(st.none(), HOSTILE)
SHIPPED = read_resource(TEMPLATE)


def without(section: str) -> str:
    """The shipped prompt text as if a feature had never been written."""
    return re.sub(
        rf"^\{{\{{#{section}\}}\}}\n.*?^\{{\{{/{section}\}}\}}\n", "", SHIPPED, flags=re.MULTILINE | re.DOTALL
    )


@settings(max_examples=200, deadline=None)
@given(FIELDS, COGNITION)
def test_growth_off_leaves_no_byte(fields: dict[str, Any], cognition: str | None) -> None:
    """Without growth the prompt is byte for byte that of a prompt text without the feature."""
    assert assemble(parts(**fields, cognition=cognition)) == assemble(
        parts(**fields, cognition=cognition), without("growth")
    )


@settings(max_examples=200, deadline=None)
@given(FIELDS, GROWTH, COGNITION)
def test_growth_on_only_adds(fields: dict[str, Any], growth: Any, cognition: str | None) -> None:
    """With growth, what stands before and after its section is what stands there without."""
    off = assemble(parts(**fields, cognition=cognition))
    on = assemble(parts(**fields, cognition=cognition, growth=growth))
    start = on.index("=== GROWTH STATE")
    after = "=== COGNITION STATE" if cognition is not None else "=== OUTPUT FORMAT"

    assert on[:start] + on[on.index(after, start) :] == off


@settings(max_examples=200, deadline=None)
@given(FIELDS, st.one_of(st.none(), GROWTH), COGNITION)
def test_only_our_sections_stand(fields: dict[str, Any], growth: Any, cognition: str | None) -> None:
    """Whatever people wrote, the lines that start a section are those of the prompt text, in its order."""
    prompt = assemble(parts(**fields, growth=growth, cognition=cognition))
    text = SHIPPED if growth is not None else without("growth")
    expected = [
        line
        for line in text.splitlines()
        if line.startswith("===") and not (cognition is None and "COGNITION STATE" in line)
    ]

    assert [line for line in prompt.splitlines() if line.lstrip().startswith("===")] == expected


@settings(max_examples=200, deadline=None)
@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_a_prompt_has_a_utf8_form(body: str, score: str, prior: str, chronicle: str, cognition: str) -> None:
    """No text makes a prompt that an encoder refuses."""
    prompt = assemble(
        parts(canvas_body=body, score_snapshot=score, prior=prior, chronicle=chronicle, cognition=cognition)
    )

    assert prompt.encode("utf-8").decode("utf-8") == prompt


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=("Cs",)), max_size=30), st.booleans()), max_size=5))
def test_the_registry_reads_back(entries: list[tuple[str, bool]]) -> None:
    """The registry in the prompt is JSON that gives back each verified quote, in order, and no other."""
    quotes = [quote(text, verified=verified) for text, verified in entries]
    prompt = assemble(parts(quotes=quotes))
    shown = json.loads(prompt.split("=== VERIFIED QUOTE REGISTRY ===\n\n", 1)[1].split("\n\nIn each entry:")[0])

    assert [(one["hash"], one["quote_preview"]) for one in shown] == [
        (f"sha256:{one['hash']}", one["quote_text"]) for one in quotes if one["hash_verified"]
    ]


EDGE = "._-"


def letter(char: str) -> bool:
    return char.isalnum()


def starts_here(text: str, at: int) -> bool:
    """By the definition: going left over punctuation, no letter or digit is met, but for that of an escape."""
    while at and text[at - 1] in EDGE:
        at -= 1
    return not at or not letter(text[at - 1]) or (text[at - 1] in "nrtbf" and at > 1 and text[at - 2] == "\\")


def ends_here(text: str, at: int) -> bool:
    """By the definition: going right over punctuation, no letter or digit is met."""
    while at < len(text) and text[at] in EDGE:
        at += 1
    return at == len(text) or not letter(text[at])


def places(text: str, name: str) -> list[tuple[int, int]]:
    spans = [(at, at + len(name)) for at in range(len(text)) if text.startswith(name, at)]
    return [(start, end) for start, end in spans if starts_here(text, start) and ends_here(text, end)]


def naive(
    prompt: str, own: tuple[str, str | None, str], names: list[str], wallets: list[str], users: list[str], prior: str
) -> list[str]:
    """The four assertions as they are worded: one loop over all other canvases for each."""
    text = unicodedata.normalize("NFC", prompt)
    mine = places(text, own[0])
    own_ends = {end for _, end in mine}
    found = [] if len(mine) == 1 else [f"own {len(mine)}"]
    others = sorted(set(names) - {own[0]})
    found += [f"name {name}" for name in others if any(end not in own_ends for _, end in places(text, name))]
    own_body = own[1].lower()[2:] if own[1] else None
    bodies = sorted({wallet.lower()[2:] for wallet in wallets} - {own_body, "0" * 40})
    found += [f"wallet {body}" for body in bodies if body in prompt.lower()]
    for line in prior.splitlines():
        for user in users:
            heading = re.fullmatch(r"##(?!#)\s+(.*?)\s*", line)
            if heading and fold(heading.group(1)) == fold(user) != fold(own[2]):
                found.append(f"heading {user}")
    return found


def coded(found: list[str]) -> list[str]:
    """The same findings as ``violations`` words them."""
    out = []
    for line in found:
        kind, rest = line.split(":", 1)
        if kind == "own_basename":
            out.append(f"own {re.search(r'occurs (.*) times', rest).group(1)}")  # type: ignore[union-attr]  # it is there, or the test fails
        elif kind == "other_basename":
            out.append(f"name {ast.literal_eval(rest.strip().removesuffix(' occurs'))}")
        elif kind == "other_wallet":
            out.append(f"wallet {rest.split()[0][2:]}")
        else:
            out.append(f"heading {ast.literal_eval(rest.rsplit(' of ', 1)[1])}")
    return out


NAMES = [
    "bob-canvas.md",
    "bigbob-canvas.md",
    "bob.md",
    "_bob.md",
    "my bob.md",
    "é.md",
    "😀-canvas.md",
    "b.md.md",
    "n-bob.md",
]
WALLETS = ["0x" + "ab" * 20, "0x" + "aB" * 20, "0x" + "ba" * 20, "0x" + "0" * 40]
USERS = ["bob", "Bob-Canvas", "eve", "ß"]
PIECES = st.one_of(
    st.sampled_from(
        [*NAMES, *WALLETS, *EDGE, " ", "/", "\\", "n", "\\f", "x", "\n", "e\u0301.md", "ab", ".md", "(", "“", "a" * 38]
    ),
    st.tuples(st.sampled_from(["\\n", "\\r", "\\t", "\\b", "\\f", "\\x", "x", "."]), st.sampled_from(NAMES)).map(
        "".join
    ),
    st.text("bo.-_md \\n/", max_size=4),
)
PROMPTS = st.lists(PIECES, max_size=10).map("".join)
PRIORS = st.lists(
    st.sampled_from(["## ", "### ", "##", "bob", "BOB", "Eve", "eve ", "SS", "ss", "\n", "\r", "\t", " x", "\u2028"]),
    max_size=10,
).map("".join)


@settings(max_examples=1000, deadline=None)
@given(PROMPTS, PRIORS, st.sampled_from(NAMES), st.sampled_from([None, *WALLETS]), st.sampled_from(USERS))
def test_the_fast_check_is_the_worded_one(prompt: str, prior: str, name: str, wallet: str | None, user: str) -> None:
    """Looking names up in sets finds what a loop over all other canvases finds."""
    own = (name, wallet, user)
    found = violations(prompt, own, OtherCanvases(NAMES, WALLETS, USERS), prior)

    assert coded(found) == naive(prompt, own, NAMES, WALLETS, USERS, prior)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(NAMES[:3]), st.sampled_from("abz09é漢"), st.sampled_from(["", ".", "-", "_"]))
def test_a_longer_name_is_another(name: str, char: str, joint: str) -> None:
    """A letter or digit beside a name, joined by punctuation or not, makes it another name."""
    others = OtherCanvases([name, "own.md"], [], [])

    assert violations(f"own.md {char}{joint}{name}", ("own.md", None, "own"), others) == []
    assert violations(f"own.md {name}{joint}{char}", ("own.md", None, "own"), others) == []
