"""Version references in a message: found, compared and taken out (follow-up, step 4d).

The writer is told to keep versions out of the message; only claims that were checked against the release windows may
name one. What it slips in regardless is taken out here. Numbers that are no versions stay: decimals, addresses, dates,
product names such as "uniswap v3 pool".
"""

from __future__ import annotations

import re
import unicodedata

from mindloop.observer.answer.version_rules import WORDS, major_rules, sure_rules, wrapped
from mindloop.store.lazy_patterns import when_used

_FUNCTION_WORD_LIST = (
    "a about after an and as at because before but by did do does following for from had has have how if in is it just "
    "latest like new newest notice noticed now of on once or our post recent saw see since so than that the then think "
    "this thought till to until was we were what when where which while who why with you your"
)
_FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
_WORD_BEFORE = when_used(r"(\w+)[ \t]+$")


_UNPLAIN = when_used(r"[*_`\\&\[\]\x80-\U0010ffff]|\s\s")
_PIECE = when_used(
    r"&#(?:x(?P<hex>[0-9a-f]{1,6})|(?P<number>[0-9]{1,7}));"
    r"|(?P<inside>(?<=[^\W_])_+(?=[^\W_]))"
    r"|(?P<glue>(?<![*_`\\])[*_`\\]+(?=[\d.(])|\]\((?![^()\s]*\d\.\d)[^()\s]{0,300}\))"
    r"|(?P<markup>[*_`\\]|\[(?=[^\[\]]{0,200}\]\())|.",
    re.IGNORECASE | re.DOTALL,
)
_LOOK_ALIKES = str.maketrans("\u3002\uff61\u00b7\u30fb\u2219\u2022\u2027\u0475\u0474\u03bd\u2010\u2011", ".......vVv--")
_MARKS = frozenset(("Mn", "Me", "Cf"))
_MARKUP_RUN = when_used(r"[*_`]+")
_LINK_END = when_used(r"[*_`]*\]\([^()\s]{0,300}\)")


def strip_version_references(text: str) -> str:
    """Return the text without phrases that name a version, tidied where one was taken out.

    Works to a fixed point: a text that comes out goes through unchanged. A text that names no version is not touched.
    The subject of a question becomes "it", so that the question stays one.
    """
    gap = next((char for char in map(chr, range(0xFDD0, 0xFDF0)) if char not in text), "\x00")
    while True:
        marked = _mark(text, gap)
        if marked == text:
            return text
        text = _tidy(marked, gap)


def _mark(text: str, gap: str) -> str:
    text = wrapped().sub(r"\g<version>", text)
    for rule, instead in sure_rules():
        text = _replaced(text, rule, instead or gap, major=False)
    for rule, instead in major_rules():
        text = _replaced(text, rule, instead or gap, major=True)
    return text


def _replaced(text: str, rule: re.Pattern[str], instead: str, *, major: bool) -> str:
    """Replace what a rule finds in the plain reading of a text, with the markup that belongs to it."""
    reading = Reading(text)
    pieces, done = [], 0
    for match in rule.finditer(reading.plain):
        if major and _is_product(match):
            continue
        start, end = reading.place(*_goes(match, major=major))
        if start >= done:
            pieces += [text[done:start], instead]
            done = end
    return "".join([*pieces, text[done:]])


def _goes(match: re.Match[str], *, major: bool) -> tuple[int, int]:
    """Which part of a match goes: all of it, or the version alone where the rule looks at more."""
    groups = match.groupdict()
    name = "only" if groups.get("only") else "version"
    return match.span(name) if groups.get(name) and (name == "only" or not major) else match.span()


class Reading:
    """A text as a reader takes it: single blanks, no markup, links' addresses or marks over letters."""

    __slots__ = ("_ends", "_starts", "plain", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = text
        self._starts: list[int] = []
        self._ends: list[int] = []
        if _UNPLAIN.search(text):
            self._read()

    def _read(self) -> None:
        chars: list[str] = []
        for piece in _PIECE.finditer(self.text):
            for char in _read_as(piece):
                if char.isspace() and chars and chars[-1].isspace():
                    chars[-1] = max(char, chars[-1], key="\n".__eq__)
                    continue
                chars.append(char)
                self._starts.append(piece.start())
                self._ends.append(piece.end())
        self.plain = "".join(chars)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the plain reading stands in the text, with the markup that opens or closes within it."""
        if self._starts:
            start, end = self._starts[start], self._ends[end - 1]
        inside = self.text[start:end]
        link = _LINK_END.match(self.text, end)
        if link and (inside.count("[") > inside.count("]") or self.text[start - 1 : start] == "["):
            start -= self.text[start - 1 : start] == "[" and inside.count("[") <= inside.count("]")
            end = link.end()
        while self.text[end : end + 1] and unicodedata.category(self.text[end]) in _MARKS:
            end += 1
        if len(_MARKUP_RUN.findall(self.text, start, end)) % 2:
            after = _MARKUP_RUN.match(self.text, end)
            before = self.text[:start].rstrip("*_`")
            start, end = (start, after.end()) if after else (len(before), end)
        return start, end


def _read_as(piece: re.Match[str]) -> str:
    """What one piece of a text is read as: markup is a boundary, but nothing at all in front of a number."""
    if piece["glue"] or piece["markup"]:
        return " " if piece["markup"] else ""
    number = int(piece["hex"], 16) if piece["hex"] else int(piece["number"] or -1)
    if number > 0x10FFFF:
        return piece.group()
    return plain(chr(number) if number >= 0 else piece.group())


def plain(text: str) -> str:
    """A text with look-alikes of letters, digits, dots and dashes made plain, without marks over them."""
    if text.isascii():
        return text
    normal = unicodedata.normalize("NFKC", text.translate(_LOOK_ALIKES)).translate(_LOOK_ALIKES)
    return "".join(char for char in normal if unicodedata.category(char) not in _MARKS)


def _is_product(match: re.Match[str]) -> bool:
    """Tell whether a bare ``v3`` has a name in front of it: "the uniswap v3 launch" is about somebody's product."""
    before = _WORD_BEFORE.search(match.string, max(0, match.start() - 40), match.start())
    alone = before is None or before.group(1).casefold() in _FUNCTION_WORDS
    name = "only" if match.groupdict().get("only") else "version"
    return not alone and match.start() == match.start(name)


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


_RELEASE_ID = when_used(r"CHRON-\d+-\d+", re.IGNORECASE)
_NAMES = when_used(
    rf"(?P<numbers>\d+(?:[.,_-]\d+)*)(?P<pre>[\w.+-]*)"
    rf"|(?<!\w)(?:v|r|vers?|versions?|rev|releases?|builds?|update|patch)[\s.:#-]*(?P<word>{'|'.join(WORDS)})(?!\w)"
    r"|(?<!\w)v[\s.-]?(?P<roman>[ivx]+)(?!\w)",
    re.IGNORECASE,
)


def versions(text: str) -> set[str]:
    """Return the versions that a short phrase names, comparable: ``v2.0.0``, ``2.0`` and ``version two`` are all "2".

    In a phrase that is meant to name a version every number counts as one; ids that we gave to releases do not.
    """
    return {_normal(match) for match in _NAMES.finditer(_RELEASE_ID.sub(" ", plain(text)).casefold())}


def _normal(match: re.Match[str]) -> str:
    if match["word"]:
        return str(WORDS.index(match["word"]) + 1)
    if match["roman"]:
        return f"v{match['roman']}"
    numbers = [str(int(part)) for part in re.split("[.,_-]", match["numbers"])]
    while len(numbers) > 1 and numbers[-1] == "0":
        numbers.pop()
    suffix = match["pre"].strip(".+-_")
    return ".".join(numbers) + (f"-{suffix}" if suffix else "")
