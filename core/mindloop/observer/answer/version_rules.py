"""How people name a version in a message: the phrases that `version_references` takes out (follow-up, step 4d).

A phrase is matched in a plain reading of the text, without markup and look-alikes. Rules come as (pattern, what stands
in its place); a group ``version`` is the part that goes, where a rule looks at more than that.
"""

from __future__ import annotations

import re
from functools import cache

OUT, PRONOUN = "", "it"

PRE = r"(?:[-+][0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*)?"
END = r"(?![\w]|[.]\d)"
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

_FREE = r"(?<![^\W_])"
_REST = r"(?:\.x\b)?\w*(?:[-+]\w+(?:[.-]\w+)*)?"
_WORD = rf"(?:{'|'.join(WORDS)})"
_MARK = r"\s?[:=#~(-]?\s?"
_NAME = r"(?:versions?|versi[o\u00f3]n|vers?\.?|rev(?:ision)?\.?)"
_DOTTED = (
    rf"(?:{_FREE}v(?:\.\s?|\s|[:=~#-])?\d+(?:(?:\.\d+)+{_REST}|\.x\b|(?:\s?\.\s?\d+){{2,}}|(?:[,_-]\d+){{2,}})"
    rf"|{_FREE}v\(\s?\d+(?:\.\d+)+\s?\)|{_FREE}r\d+(?:\.\d+){{2,}}{_REST})"
)
_NAMED = rf"{_FREE}{_NAME}{_MARK}v?\.?\s?\d+(?:\.\d+|\.x\b)+{_REST}"
_FIXED = rf"(?:(?<!\S)/)?(?:{_NAMED}|{_DOTTED})(?:/(?!\w))?"
_DATE = rf"(?:(?:19|20)\d\d\.|\d+\.\d+\.\d{{4}}{END})"
_NUMBER = r"(?:0|[1-9]\d*)"  # a version has no leading zeros, a date often has
_ALONE = r"(?<![\w.,$€£-])"
_BARE_BODY = rf"(?!{_DATE}){_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:(?:rc|alpha|beta)\d*)?{PRE}{END}"
_BARE = _ALONE + _BARE_BODY
_UNIT = (
    r"(?!\s*(?:[%$€£]|(?:eth|sol|btc|usd[ct]?|eur|dai|gwei|points?|pts|percent|x|k|m|bn|"
    r"seconds?|minutes?|hours?|days?|weeks?|months?|years?)(?!\w)))"
)
_SHORT_BODY = rf"\d+\.\d+{PRE}{END}"
_SHORT = _ALONE + _SHORT_BODY
_FEW = rf"\d{{1,2}}\.(?:0|x){END}{_UNIT}"  # nobody writes a decimal like that
_MAJOR_BODY = (
    rf"(?:v(?:\.|\s|[:=~#-])?(?:\d+|(?<=\s){_WORD})|{_NAME}{_MARK}v?(?:\d+|(?<=[\s:=#~(-]){_WORD}))"
    r"(?:\+|[-\s]?(?:alpha|beta|rc|preview)\.?\d*)?(?![\w.-]*\w)"
)
_MAJOR = rf"(?<![\w./-]){_MAJOR_BODY}"

_LEAD = (
    r"(?<!\w)(?:ever\s+since|since|after|before|until|till|as\s+of|following|post|pre|prior\s+to|when|once|now\s+that|"
    r"starting\s+with|because\s+of|due\s+to|thanks\s+to)[\s-]+"
)
_LOOSE_LEAD = r"(?<!\w)(?:from|in|with|on|under|by|for|to|of|at|than)[\s-]+"
_WHERE = r"(?<!\w)(?:in|on|with|under)\s+"
_DETERMINER = r"(?:(?:the|our|that|this|your|latest|new|newest|recent)\s+){0,3}"
_NOUN = (
    r"(?:major\s+|minor\s+|big\s+|point\s+)?"
    r"(?:releases?|updates?|versions?|builds?|patch(?:es)?|launch(?:es)?|rollouts?|deploy(?:ment)?s?|upgrades?|hotfix(?:es)?|drops?)"
    r"(?!\w)"
)
_GONE_OUT = (
    r"(?:shipp?(?:ed|s|ing)?|launch(?:ed|es|ing)?|land(?:ed|s|ing)?|releas(?:ed|es|ing)|"
    r"roll(?:ed|s|ing)?\s+out|(?:went|goes|go|gone|is)\s+(?:live|out)|live|c[ao]me?s?\s+out|deployed)(?!\w)"
)
_HELPERS = r"(?:(?:just|finally|first|was|were|is|got|has|had|have|been|being|went|recently)\s+){0,3}"
_VERB = rf"{_HELPERS}(?:{_GONE_OUT}|(?:dropp?(?:ed|s|ing)?|arrived|hit)(?!\w))"
_AND = r"\s*(?:,|&|/|\+|\u2013|\u2014|-|(?<!\w)(?:and|or|to|through)(?!\w))\s*(?:the\s+)?"
_ANY = rf"(?:{_FIXED}|{_BARE_BODY})"
_KIND = r"(?:release|version|build|patch|update|hotfix)s?"
_FIRST = rf"(?<!\w){_KIND}{_MARK}"
_BEFORE = rf"(?:{_FIRST}|\w+\.(?=v))?"
_CLAUSE = (
    r"(?:you|i|we|they|it|he|she|did|do|does|have|has|had|how|what|why|where|when|who|the|a|an|your|my|our|their|and|or|"
    r"but|that|this|there|was|were|is|are)(?!\w)"
)
_STOP = r"(?=\s*(?:[,;:?!)\]\u2014\u2013]|\.(?!\w)|$))"
_THEN = rf"(?:{_STOP}|(?=\s+{_CLAUSE}))"
_ASKS = rf"(?:{_STOP}|(?=\s+(?:did|do|does|have|has|what|how|why|where|when|who)(?!\w)))"
_OWN = r"(?:['\u2019]s(?!\w))?"
_TAIL = rf"{_OWN}(?:\s+{_NOUN})?(?:\s+{_VERB})?"
_ITS = r"['\u2019]s(?:\s+\w+){1,4}(?=\s*[,;:?!\u2014])"
_AUX = r"(?<!\w)(?:did|does|do|has|have|had|will|would|could|can)\s+"
_ACTS = (
    r"(?:feel|change|help|work|break|fix|affect|improve|make|slow|matter|"
    r"changed|helped|worked|broke|fixed|affected|improved|made|slowed|brought|added|removed)(?!\w)"
)
_SENTENCE = r"(?:^|(?<=[.!?]\s))"

_TWO_NUMBERS = (
    # two numbers with a lead-in and what a release does: "since the 2.1 release", "since 2.0 went live"
    (
        rf"(?:{_LEAD}|{_LOOSE_LEAD}|(?<!\w)(?:the|our)\s+){_DETERMINER}{_SHORT_BODY}{_OWN}\s+{_NOUN}(?:\s+{_VERB})?",
        OUT,
    ),
    (rf"{_LEAD}{_DETERMINER}(?!{_DATE}){_SHORT_BODY}\s+{_HELPERS}{_GONE_OUT}", OUT),
    (rf"(?:(?<!\w)that\s+)?{_SHORT}\s+(?:is|was|went)\s+(?:out|live|released|shipped)(?!\w){_STOP}", OUT),
    (rf"(?<!\w)(?:(?:ever\s+)?since|as\s+of|post|pre)[\s-]+{_DETERMINER}{_FEW}{_ASKS}", OUT),
    # "release 2.0", "build 1432": with dots anywhere, one number or word only behind a lead-in
    (rf"(?:{_LEAD}|{_LOOSE_LEAD})?{_DETERMINER}{_FIRST}{_SHORT_BODY}{_UNIT}{_TAIL}", OUT),
    (
        rf"{_LEAD}{_DETERMINER}{_FIRST}(?:v\s?)?(?:\d+|{_WORD})(?![\w]|[.,]\d)(?:\s+{_VERB}|{_THEN})",
        OUT,
    ),
)


def _compiled(*rules: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(text, re.IGNORECASE | re.MULTILINE), instead) for text, instead in rules)


@cache
def sure_rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Phrases that name a version whatever stands around them; compiled when first needed."""
    return _compiled(
        # the id of a release
        (rf"(?:{_LEAD}|{_LOOSE_LEAD})?{_DETERMINER}{_BEFORE}(?<!\w)CHRON-\d{{6,8}}-\d+{_TAIL}", OUT),
        # the subject of a question: "did v2.0.0 help you?"
        (rf"{_AUX}(?P<version>{_ANY}(?:{_AND}{_ANY})*)(?=\s+\w)", PRONOUN),
        # a lead-in and a version that cannot be anything else, or three numbers; alone, in a list, with noun and verb
        (rf"{_LEAD}{_DETERMINER}{_BEFORE}{_ANY}(?:{_AND}{_ANY})*(?:{_ITS}|{_TAIL})", OUT),
        (rf"{_LOOSE_LEAD}{_DETERMINER}{_BEFORE}{_FIXED}(?:{_AND}{_FIXED})*{_TAIL}", OUT),
        (rf"{_LOOSE_LEAD}{_DETERMINER}{_BEFORE}{_BARE_BODY}{_OWN}\s+(?:{_NOUN}|{_VERB})", OUT),
        (rf"{_WHERE}{_DETERMINER}{_BARE_BODY}{_THEN}", OUT),
        # three numbers that are all of a bracket, the head of a sentence, or what a thing is called by
        (rf"[(\[]\s?{_BARE_BODY}\s?[)\]]", OUT),
        (rf"{_SENTENCE}{_BARE_BODY}(?=\s*[:\u2014\u2013]|\s-\s)", OUT),
        (rf"(?<!\w)(?:the|our)\s+(?P<version>{_BARE_BODY})(?=\s+(?!{_NOUN}|{_VERB})\w)", OUT),
        *_TWO_NUMBERS,
        # three numbers with a noun before or after, or a verb: "release 1.2.3", "1.2.3 shipped"
        (rf"(?:(?<!\w)(?:the|our)\s+)?{_FIRST}{_BARE_BODY}{_TAIL}", OUT),
        (rf"(?:(?<!\w)(?:the|our)\s+)?{_BARE}{_OWN}\s+(?:{_NOUN}(?:\s+{_VERB})?|{_VERB})", OUT),
        # v1.2 wherever it stands
        (rf"(?:(?<!\w)(?:the|our)\s+)?{_FIXED}(?:{_AND}{_FIXED})*{_TAIL}", OUT),
    )


@cache
def major_rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Phrases around a bare ``v3``, which may be somebody's product."""
    listed = rf"(?P<version>{_MAJOR_BODY}(?:{_AND}{_MAJOR_BODY})*)"
    return _compiled(
        (rf"{_AUX}(?P<only>{_MAJOR})(?=\s+{_ACTS})", PRONOUN),
        (rf"{_SENTENCE}(?P<only>{_MAJOR})(?=\s+{_ACTS})", PRONOUN),
        (rf"{_LEAD}{_DETERMINER}{listed}{_OWN}(?:\s+{_NOUN}(?:\s+{_VERB})?|\s+{_VERB}|{_THEN})", OUT),
        (rf"(?:{_LOOSE_LEAD})?{_DETERMINER}(?P<version>{_MAJOR}){_OWN}(?:\s+{_NOUN}(?:\s+{_VERB})?|\s+{_VERB})", OUT),
        (rf"{_SENTENCE}{_WHERE}(?P<version>{_MAJOR})(?=\s+{_CLAUSE})", OUT),
        (rf"{_WHERE}(?P<version>(?<!\w){_NAME}{_MARK}\d+(?![\w.-]*\w)){_THEN}", OUT),
    )


@cache
def wrapped() -> re.Pattern[str]:
    """A version in quotation marks of its own."""
    return re.compile(rf"[\"'\u201c\u2018]{{1,3}}(?P<version>{_FIXED}(?<!_))[\"'\u201d\u2019]{{1,3}}", re.IGNORECASE)
