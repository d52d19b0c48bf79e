"""The manifest and the assertions that keep users apart."""

from __future__ import annotations

import pytest

from mindloop.observer.packet.manifest import OtherCanvases, manifest, violations, wiki_mentions
from mindloop.observer.packet.prompt import assemble
from tests.helpers.answers import HASH, OTHER_HASH, allowed, denied, parts, quote

BOB_WALLET = "0x" + "aB" * 20
EVE_WALLET = "0x" + "cD" * 20
ALL = OtherCanvases(
    ["bob-canvas.md", "bigbob-canvas.md", "bobby.md", "eve-canvas.md", "my eve-canvas.md", "_eve.md", "é.md"],
    [BOB_WALLET, EVE_WALLET, None, "", "0x...", "0x" + "0" * 40, "vitalik.eth"],
    ["bob", "bigbob", "bobby", "Eve", "Straße"],
)
OWN = ("bob-canvas.md", BOB_WALLET, "bob")


def check(body: str, prior: str = "", own: tuple[str, str | None, str] = OWN) -> list[str]:
    return violations(f"Canvas file: {own[0]}\n\n{body}", own, ALL, prior)


def test_manifest_keys() -> None:
    """The manifest has exactly the keys of the source document, in its order."""
    made = manifest(
        canvas_path="grimoires/observer/canvas/bob-canvas.md",
        wallet=BOB_WALLET,
        user="bob",
        quotes=[quote(), quote("x", verified=False)],
        temporal={HASH: allowed(), OTHER_HASH: denied()},
        prior_followup_count=2,
        growth_summary_present=False,
        cognition_status="stale",
        fear_count=3,
        steering_target_count=1,
    )

    assert list(made.items()) == [
        ("canvas_path", "grimoires/observer/canvas/bob-canvas.md"),
        ("wallet", BOB_WALLET),
        ("user", "bob"),
        ("verified_quote_count", 1),
        ("temporal_allowed_count", 1),
        ("prior_followup_count", 2),
        ("growth_summary_present", False),
        ("cognition_status", "stale"),
        ("fear_count", 3),
        ("steering_target_count", 1),
    ]


def test_an_assembled_prompt_passes() -> None:
    """The prompt of a user whose canvas names nobody has no violation."""
    assert violations(assemble(parts()), OWN, ALL, "") == []


def test_own_name_twice() -> None:
    """A canvas that mentions its own file is refused."""
    assert check("see bob-canvas.md") == ["own_basename: 'bob-canvas.md' occurs 2 times, expected exactly once"]


def test_own_name_missing() -> None:
    """A prompt without its own canvas line is refused."""
    assert violations("nothing", OWN, ALL, "") == [
        "own_basename: 'bob-canvas.md' occurs 0 times, expected exactly once"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "eve-canvas.md",
        "see grimoires/observer/canvas/eve-canvas.md now",
        "(eve-canvas.md)",
        "`eve-canvas.md`",
        "_eve-canvas.md_",
        "I wrote it in eve-canvas.md.",
        "eve-canvas.md...",
        "eve-canvas.md—there",
        '"see\\neve-canvas.md"',
        "C:\\notes\\eve-canvas.md",
        "eve-canvas.md, then",
    ],
)
def test_another_canvas_is_found(text: str) -> None:
    """Another user's file name is found wherever it stands by itself."""
    assert "other_basename: 'eve-canvas.md' occurs" in check(text)


@pytest.mark.parametrize(
    "text",
    [
        "steve-canvas.md",
        "x.eve-canvas.md",
        "x-eve-canvas.md",
        "eve-canvas.md.bak",
        "eve-canvas.mdx",
        "eve-canvas.md-old",
        "eve-canvas",
        "éeve-canvas.md",
    ],
)
def test_part_of_a_longer_name_is_not_it(text: str) -> None:
    """A file name inside a longer name is another name."""
    assert check(text) == []


def test_a_user_whose_name_ends_like_another() -> None:
    """The prompt of bigbob passes though bob exists, and the other way round."""
    assert check("", own=("bigbob-canvas.md", None, "bigbob")) == []
    assert check("") == []


def test_names_with_spaces_and_leading_marks() -> None:
    """Where two names fit one place, the user's own is meant; otherwise the other one is found."""
    assert check("", own=("my eve-canvas.md", None, "my eve")) == []
    assert check("", own=("_eve.md", None, "_eve")) == []
    assert check("in my eve-canvas.md") == [
        "other_basename: 'eve-canvas.md' occurs",
        "other_basename: 'my eve-canvas.md' occurs",
    ]


def test_decomposed_spelling_of_a_name() -> None:
    """A name written with combining marks is the same name."""
    assert check("e\u0301.md") == ["other_basename: '\\xe9.md' occurs"]


@pytest.mark.parametrize(
    "text",
    [
        EVE_WALLET,
        EVE_WALLET.lower(),
        EVE_WALLET.upper(),
        EVE_WALLET[2:],
        f"0x{'0' * 24}{'cd' * 20}",
        f"tx 0x{'cd' * 32}",
    ],
)
def test_another_wallet_is_found(text: str) -> None:
    """Another wallet is found in any case, bare, and inside a longer number."""
    assert check(text) == [f"other_wallet: 0x{'cd' * 20} occurs"]


def test_a_hash_of_ours_is_no_wallet() -> None:
    """A wallet that starts like the hash of an own quote keeps nobody back; other numbers are looked into."""
    own_hash = "cd" * 20 + "0" * 24
    prompt = f"bob-canvas.md sha256:{own_hash} {{}}"

    assert violations(prompt.format(""), OWN, ALL, "", {own_hash}) == []
    assert violations(prompt.format(""), OWN, ALL, "") == [f"other_wallet: 0x{'cd' * 20} occurs"]
    assert violations(prompt.format(f"{own_hash}0"), OWN, ALL, "", {own_hash}) == [
        f"other_wallet: 0x{'cd' * 20} occurs"
    ]
    assert violations(prompt.format(EVE_WALLET), OWN, ALL, "", {own_hash}) == [f"other_wallet: 0x{'cd' * 20} occurs"]


@pytest.mark.parametrize("text", [BOB_WALLET, BOB_WALLET.lower(), "0x...", "0x" + "0" * 40, "vitalik.eth", "cd" * 19])
def test_own_wallet_and_placeholders_pass(text: str) -> None:
    """The own wallet, placeholders and shorter numbers are no violation."""
    assert check(text) == []


def test_two_canvases_with_one_wallet() -> None:
    """A wallet that is also the user's own is not another's."""
    both = OtherCanvases(["bob-canvas.md", "eve-canvas.md"], [BOB_WALLET, BOB_WALLET.lower()], ["bob", "eve"])

    assert violations(f"bob-canvas.md {BOB_WALLET}", OWN, both, "") == []


@pytest.mark.parametrize("heading", ["## Eve", "##  eve  ", "## EVE", "##\teve", "x\r## eve\r", "## STRASSE"])
def test_another_heading_in_the_prior_section(heading: str) -> None:
    """Another user's second-level heading in the prior text is found, whatever its case."""
    name = "Straße" if "STRASSE" in heading else "Eve"
    assert check("", prior=f"## bob\n\n{heading}\ntext") == [
        f"other_heading: the prior section has a heading of {name!a}"
    ]


@pytest.mark.parametrize("heading", ["### Eve", "## eve and me", "##eve", "## bob", "## BOB", "text ## eve", "# eve"])
def test_no_heading_of_another(heading: str) -> None:
    """Other levels, longer headings and the user's own are no violation."""
    assert check("", prior=heading) == []


def test_wiki_links_are_reported() -> None:
    """Links to other canvases without their ending are reported for the log."""
    text = "[[canvas/eve-canvas]] [[bobby|him]] [[bob-canvas]] [[nobody]] [["

    assert wiki_mentions(text, "bob-canvas.md", ALL) == ["bobby.md", "eve-canvas.md"]


def test_long_runs_end_in_time() -> None:
    """Text made to be slow is read once: megabytes of punctuation or digits are no work."""
    hostile = "." * 300_000 + "eve-canvas.md " + "f" * 300_000 + ".md" * 100_000 + " [[" * 100_000

    assert check(hostile) == ["other_basename: 'eve-canvas.md' occurs"]
