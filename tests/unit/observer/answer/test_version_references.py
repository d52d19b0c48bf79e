"""What counts as a version reference, and what does not."""

from __future__ import annotations

import pytest

from mindloop.observer.answer.version_references import strip_version_references, versions


@pytest.mark.parametrize(
    ("text", "left"),
    [
        # the source document's own two
        ("since v2.0.0", ""),
        ("after the v1.1.0 release", ""),
        # a lead-in, a version, what may follow
        ("did it feel different since v2.0.0 shipped?", "did it feel different?"),
        ("after the v1.1.0 release, did you check?", "did you check?"),
        ("ever since our v2.1 update went live you stopped", "you stopped"),
        ("what did you do before v2.0.0?", "what did you do?"),
        ("until v2.0.0 came out, how did you look it up?", "how did you look it up?"),
        ("as of v2.0.0 you log in less", "you log in less"),
        ("following the v2.0.0 launch you left", "you left"),
        ("post-v2.0.0 did you come back?", "did you come back?"),
        ("when v2.0.0 was released, who told you?", "who told you?"),
        ("since 1.2.3 you stopped", "you stopped"),
        ("since 1.2.3 shipped you stopped", "you stopped"),
        ("since the 2.1 release you stopped", "you stopped"),
        ("since release 2.0.0 landed, what?", "what?"),
        ("since v3 you stopped", "you stopped"),
        ("since v3 shipped. what did you do?", "what did you do?"),
        ("did you try it before v2?", "did you try it?"),
        ("Since V2.0.0 — did you look?", "did you look?"),
        ("since v2.0.0 and v2.1.0 shipped, what?", "what?"),
        ("what happened in v2.0.0 and v2.1.0?", "what happened?"),
        ("from v1.0 to v2.0 what moved?", "what moved?"),
        # a version with a noun or a verb
        ("1.2.3 shipped, and then?", "and then?"),
        ("the 2.1 release moved it", "moved it"),
        ("v3 shipped and then?", "and then?"),
        ("when v2 launched", ""),
        ("release 2.0.0 landed", ""),
        # dotted versions wherever they stand
        ("it was v2.0.0.", "it was."),
        ("what changed (v1.2.3-rc.1) for you", "what changed for you"),
        ("version 1.2 broke it", "broke it"),
        ("v 2.0.0 was odd", "was odd"),
        ("v2.0.0beta was odd", "was odd"),
        ("since v2.0.x you left", "you left"),
        ("see.v2.0.0 now", "see. now"),
        ("since **v2.0.0** shipped did you look?", "did you look?"),
        ("_v2.0.0_ was odd", "was odd"),
        ('you said "since v2.0.0" then', "you said then"),
        ("since v٢.٠.٠ you left", "you left"),
        ("- one since v2.0.0\n- two", "- one\n- two"),
        # what is joined by taking something out is looked at again
        ("since v1.0.0 v2.0.0 you left", "you left"),
        ("v v1.0.0 2.0 you left", "you left"),
    ],
)
def test_taken_out(text: str, left: str) -> None:
    """A phrase that names a version goes, and the text around it closes up."""
    assert strip_version_references(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "it was 3.5 ETH and 98.5 points",
        "after 3.5 ETH",
        "since 98.5 it went down",
        "the score dropped from 3.5 to 2.1",
        "i hit 2.5 sol",
        "it costs $1.2.3 shipped",
        "at 192.168.0.1 or 10.0.0.1",
        "since 192.168.0.1 shipped",
        "since 2026.02.11 you logged in",
        "since 11.02.2026 shipped",
        "since 2026-02-11 you logged in",
        "my uniswap v3 pool broke",
        "the uniswap v3 launch",
        "since v3 pools opened",
        "from v2 to v3 migration",
        "the v3 of my plan",
        "webv3 is nice",
        "webv3.1 is nice",
        "python 3.11 release",
        "gpt-4.1 release",
        "at 10.30 you said",
        "since then, after that, before the release",
        "the update shipped",
        "  two  spaces ( ) ,  and odd , punctuation !",
        "",
    ],
)
def test_left_alone(text: str) -> None:
    """Decimals, addresses, dates, other people's products and plain talk stay, character for character."""
    assert strip_version_references(text) == text


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("since v2.0.0 shipped", {"2"}),
        ("Score API v2.0", {"2"}),
        ("version 2", {"2"}),
        ("v2.10", {"2.10"}),
        ("v2.1 and v2.10.0", {"2.1", "2.10"}),
        ("1.2.0-RC1", {"1.2-rc1"}),
        ("v02.1", {"2.1"}),
        ("CHRON-20260211-001", set()),
        ("profile pages", set()),
        ("webv3", set()),
        ("3 things", set()),
    ],
)
def test_versions(text: str, named: set[str]) -> None:
    """Versions compare by their numbers: trailing zeros and the spelling make no difference."""
    assert versions(text) == named
