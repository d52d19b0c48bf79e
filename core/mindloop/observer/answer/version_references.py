"""Version references in a message: found, compared and taken out (follow-up, step 4d).

The writer is told to keep versions out of the message; only claims that were checked against the release windows may
name one. What it slips in regardless is taken out here. Numbers that are no versions stay: decimals, addresses, dates,
product names such as "uniswap v3 pool".
"""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PRE = r"(?:[-+][0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*)?"
_END = r"(?![\w]|[.]\d)"
_FREE = r"(?<![^\W_])"
_REST = r"(?:\.x\b)?\w*(?:[-+]\w+(?:[.-]\w+)*)?"
_DOTTED = rf"{_FREE}v(?:\.\s?|\s)?\d+(?:\.\d+)+{_REST}"
_NAMED = rf"{_FREE}versions?\s+v?\d+(?:\.\d+)+{_REST}"
_DATE = rf"(?:(?:19|20)\d\d\.|\d+\.\d+\.\d{{4}}{_END})"
_NUMBER = r"(?:0|[1-9]\d*)"  # a version has no leading zeros, a date often has
_BARE = rf"(?<![\w.,$€£-])(?!{_DATE}){_NUMBER}\.{_NUMBER}\.{_NUMBER}{_PRE}{_END}"
_SHORT = rf"(?<![\w.,$€£-])\d+\.\d+{_PRE}{_END}"
_MAJOR = r"(?<![\w./-])(?:v\.?\d+|version\s+v?\d+)(?![\w.-]*\w)"

_LEAD = (
    r"(?<!\w)(?:ever\s+since|since|after|before|until|till|as\s+of|following|post|pre|prior\s+to|when|once|now\s+that|"
    r"starting\s+with|because\s+of|due\s+to|thanks\s+to)[\s-]+"
)
_LOOSE_LEAD = r"(?<!\w)(?:from|in|with|on|under|by|for|to|of|at|than)[\s-]+"
_DETERMINER = r"(?:(?:the|our|that|this|your|latest|new|newest|recent)\s+){0,3}"
_NOUN = (
    r"(?:major\s+|minor\s+|big\s+|point\s+)?"
    r"(?:releases?|updates?|versions?|builds?|patch(?:es)?|launch(?:es)?|rollouts?|deploy(?:ment)?s?|upgrades?|hotfix(?:es)?|drops?)"
    r"(?!\w)"
)
_VERB = (
    r"(?:(?:just|finally|first|was|were|is|got|has|had|have|been|being|went|recently)\s+){0,3}"
    r"(?:shipp?(?:ed|s|ing)?|launch(?:ed|es|ing)?|dropp?(?:ed|s|ing)?|land(?:ed|s|ing)?|releas(?:ed|es|ing)|"
    r"roll(?:ed|s|ing)?\s+out|(?:went|goes|go|gone|is)\s+(?:live|out)|live|c[ao]me?s?\s+out|deployed|arrived|hit)(?!\w)"
)
_AND = r"\s*(?:,|&|/|\+|\u2013|\u2014|-|(?<!\w)(?:and|or|to|through)(?!\w))\s*(?:the\s+)?"
_FIXED = rf"(?:{_NAMED}|{_DOTTED})"
_ANY = rf"(?:{_NAMED}|{_DOTTED}|{_BARE})"
_FIRST = r"(?<!\w)(?:release|version|build|patch|update)s?\s+"
_BEFORE = rf"(?:{_FIRST})?"
_CLAUSE = (
    r"(?:you|i|we|they|it|he|she|did|do|does|have|has|had|how|what|why|where|when|who|the|a|an|your|my|our|their|and|or|"
    r"but|that|this|there|was|were|is|are)(?!\w)"
)
_TAIL = rf"(?:\s+{_NOUN})?(?:\s+{_VERB})?"


def _compiled(*texts: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(text, re.IGNORECASE) for text in texts)


@cache
def _sure_rules() -> tuple[re.Pattern[str], ...]:
    """Phrases that name a version whatever stands around them; compiled when first needed."""
    return _compiled(
        # a lead-in and a version that cannot be anything else, or three numbers; alone, in a list, with noun and verb
        rf"{_LEAD}{_DETERMINER}{_BEFORE}{_ANY}(?:{_AND}{_ANY})*{_TAIL}",
        rf"{_LOOSE_LEAD}{_DETERMINER}{_BEFORE}{_FIXED}(?:{_AND}{_FIXED})*{_TAIL}",
        rf"{_LOOSE_LEAD}{_DETERMINER}{_BEFORE}{_BARE}\s+(?:{_NOUN}|{_VERB})",
        # a lead-in, two numbers and a noun: "since the 2.1 release"
        rf"(?:{_LEAD}|{_LOOSE_LEAD}|(?<!\w)(?:the|our)\s+){_DETERMINER}{_SHORT}\s+{_NOUN}(?:\s+{_VERB})?",
        # three numbers with a noun before or after, or a verb: "release 1.2.3", "1.2.3 shipped"
        rf"(?:(?<!\w)(?:the|our)\s+)?{_FIRST}{_BARE}{_TAIL}",
        rf"(?:(?<!\w)(?:the|our)\s+)?{_BARE}\s+(?:{_NOUN}(?:\s+{_VERB})?|{_VERB})",
        # v1.2 wherever it stands
        rf"(?:(?<!\w)(?:the|our)\s+)?{_FIXED}(?:{_AND}{_FIXED})*{_TAIL}",
    )


@cache
def _major_rules() -> tuple[re.Pattern[str], ...]:
    """Phrases around a bare ``v3``, which may be somebody's product."""
    return _compiled(
        rf"(?:{_LEAD}|{_LOOSE_LEAD})?{_DETERMINER}(?P<version>{_MAJOR})(?:\s+{_NOUN}(?:\s+{_VERB})?|\s+{_VERB})",
        rf"{_LEAD}{_DETERMINER}(?P<version>{_MAJOR})(?=\s*(?:[,;:!?)\]\u2014\u2013]|\.(?!\w)|$)|\s+{_CLAUSE})",
    )


@cache
def _wrapped() -> re.Pattern[str]:
    return _compiled(rf"[*_`\"'\u201c\u2018]{{1,3}}(?P<version>{_FIXED}(?<!_))[*_`\"'\u201d\u2019]{{1,3}}")[0]


_FUNCTION_WORD_LIST = (
    "a about after an and as at because before but by did do does following for from had has have how if in is it just "
    "latest like new newest notice noticed now of on once or our post recent saw see since so than that the then think "
    "this thought till to until was we were what when where which while who why with you your"
)
_FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
_WORD_BEFORE = re.compile(r"(\w+)[ \t]+$")


def strip_version_references(text: str) -> str:
    """Return the text without phrases that name a version, tidied where one was taken out.

    Works to a fixed point: a text that comes out goes through unchanged. A text that names no version is not touched.
    """
    gap = next((char for char in map(chr, range(0xFDD0, 0xFDF0)) if char not in text), "\x00")
    while True:
        marked = _mark(text, gap)
        if marked == text:
            return text
        text = _tidy(marked, gap)


def _mark(text: str, gap: str) -> str:
    text = _wrapped().sub(r"\g<version>", text)
    for rule in _sure_rules():
        text = rule.sub(gap, text)
    for rule in _major_rules():
        text = rule.sub(_unless_product(gap), text)
    return text


def _unless_product(gap: str) -> Callable[[re.Match[str]], str]:
    """Keep a bare ``v3`` that has a name in front of it: "the uniswap v3 launch" is about somebody else's product."""

    def replace(match: re.Match[str]) -> str:
        before = _WORD_BEFORE.search(match.string, max(0, match.start() - 40), match.start())
        alone = before is None or before.group(1).casefold() in _FUNCTION_WORDS
        return gap if alone or match.start() < match.start("version") else match.group()

    return replace


def _tidy(text: str, gap: str) -> str:
    """Close the gaps: no empty brackets, no double spaces, no punctuation that lost its words."""
    text = re.sub(rf"[(\[][ \t]*{gap}[ \t]*[)\]]", gap, text)
    text = re.sub(rf"([*_`\"'\u201c\u2018]){{1,3}}[ \t]*{gap}[ \t]*[*_`\"'\u201d\u2019]{{1,3}}", gap, text)
    text = re.sub(rf"(?:[ \t]*{gap})+", gap, text)
    text = re.sub(rf"^{gap}[ \t]*[,;:.!\u2014\u2013-]*[ \t]*", "", text, flags=re.MULTILINE)
    text = re.sub(rf"[ \t,;:\u2014\u2013-]*{gap}[ \t]*$", "", text, flags=re.MULTILINE)
    text = re.sub(rf"[ \t,;:\u2014\u2013]*{gap}[ \t]*(?=[.;:!?)\]])", "", text)
    text = re.sub(rf"{gap}[ \t]*(?=,)", "", text)
    return re.sub(rf"{gap}[ \t]*", " ", text)


_NAMES = (
    rf"(?<![\w.])(?:v\.?\s?|versions?\s+v?)?(?P<dotted>\d+(?:\.\d+)+)(?P<pre>{_PRE}){_END}"
    r"|(?<![\w.])(?:v\.?|versions?\s+v?)(?P<major>\d+)(?!\w|\.\d)"
)


def versions(text: str) -> set[str]:
    """Return the versions that a short phrase names, comparable: ``v2.0.0``, ``2.0`` and ``version 2`` are all "2".

    In a phrase that is meant to name a version every dotted number counts as one.
    """
    return {_normal(match) for match in re.finditer(_NAMES, text, re.IGNORECASE)}


def _normal(match: re.Match[str]) -> str:
    if match["major"]:
        return str(int(match["major"]))
    numbers = [str(int(part)) for part in match["dotted"].split(".")]
    while len(numbers) > 1 and numbers[-1] == "0":
        numbers.pop()
    return ".".join(numbers) + match["pre"].lower()
