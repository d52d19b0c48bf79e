"""Texts of a writer's answer, cleaned before they reach a file: bodies, headings, claims (follow-up, step 4d)."""

from __future__ import annotations

import unicodedata

from mindloop.observer.answer.version_references import plain, strip_version_references, versions
from mindloop.observer.lines import one_line, shows_something, truncate
from mindloop.observer.sanitizer import TOKEN, heading_text, sanitize
from mindloop.store.lazy_patterns import when_used

BODY_LIMIT = 2_000
"""Longest message body, in code points: what a direct message takes."""

QUESTION_LIMIT = 300
TRIGGER_LIMIT = 120
CLAIM_LIMIT = 80
MAX_QUESTIONS = 3
NO_TRIGGER = "follow-up"
"""What stands in a message's heading where the writer left it empty."""

_RAW_LIMIT = 4 * BODY_LIMIT
_HEADING = when_used(r"^#+(?:[ \t]+|$)")
_HIDDEN_GLUE = when_used("(?<=[\x00-\x7f])[\u200c\u200d\ufe0e\ufe0f]+(?=[\x00-\x7f])")
_CLAIM_WORDS = 10
_WHEN = when_used(
    r"(?:(?:ever|right|just|shortly|soon)\s+)?(?:since|after|following|as\s+of|from|post|with|now\s+that|when|once|until|"
    r"till|before|prior\s+to|because\s+of|due\s+to|thanks\s+to|starting\s+with|in|on|"
    r"depuis|apr\u00e8s|seit|nach|desde|tras|dopo)(?!\w)"
)
_MORE = when_used(r"[,;:!?\u2026$%&@=/\u20ac\u00a3\u00a5\u20bf\u3002]|\.(?!\d)(?:\s|[a-z]{2,})|--|\s[-\u2013\u2014]\s")
_BLANK_LINES = when_used(r"\n{3,}")
_MARKUP = when_used(r"[<>`*_#|\[\]{}\\\"\u201c\u201d]|://")


def sendable_body(text: str) -> str:
    """Return a message body as it may be sent: no version references, tokens, headings, or invisible characters.

    What would be structure in a batch file otherwise (quotes, rules, comments) is escaped where the file is written.

    Returns:
        A fixed point of at most `BODY_LIMIT` code points; empty where nothing that says anything is left.
    """
    body = truncate(text, _RAW_LIMIT)
    while True:
        cleaned = truncate(strip_version_references(_without_marks(body)), BODY_LIMIT).strip()
        if cleaned == body:
            return body if _says_something(body) else ""
        body = cleaned


def _without_marks(text: str) -> str:
    lines = (_HEADING.sub("", _line(line)) for line in text.splitlines())
    return _BLANK_LINES.sub("\n\n", TOKEN.sub("", "\n".join(lines))).strip()


def _line(text: str) -> str:
    """Return a line without control, bidi and other invisible characters; joiners stay where scripts need them."""
    return _HIDDEN_GLUE.sub("", one_line(text, _RAW_LIMIT))


def _says_something(text: str) -> bool:
    return any(unicodedata.category(char)[0] in "LNS" and shows_something(char) for char in text)


def clean_trigger(text: str) -> str:
    """Return a ``hypothesis_or_trigger`` as a heading may hold it: one line of at most `TRIGGER_LIMIT` code points."""
    return heading_text(text[: TRIGGER_LIMIT * 10], TRIGGER_LIMIT) or NO_TRIGGER


def clean_questions(texts: list[str]) -> list[str]:
    """Return the first three questions that are not empty, each on one line."""
    lines = (heading_text(text[: QUESTION_LIMIT * 10], QUESTION_LIMIT) for text in texts)
    return [line for line in lines if line][:MAX_QUESTIONS]


def claim_problem(text: str, chronicle_ref: str, release_name: str) -> str:
    """Say why a claim may not stand in front of a message; empty when it may.

    Args:
        text: the claim, "since v2.0.0 shipped".
        chronicle_ref: id of the release that it was verified against.
        release_name: that release's title.

    Returns:
        ``unsafe_claim_text`` where it is more than a short "since …", ``version_mismatch`` where it names a version
        that the release does not.
    """
    line = " ".join(text.split())
    if len(text) > CLAIM_LIMIT or not line or _line(line) != unicodedata.normalize("NFC", line):
        return "unsafe_claim_text"
    if _MARKUP.search(line) or TOKEN.search(line) or not _says_something(line):
        return "unsafe_claim_text"
    if not _attributes(line, release_name):
        return "unsafe_claim_text"
    known = versions(chronicle_ref) | versions(release_name)
    return "" if versions(line) <= known else "version_mismatch"


def _attributes(line: str, release_name: str) -> bool:
    """Tell whether a claim says when, and nothing else: no second clause, amount, address or order to a reader."""
    text, title = plain(line).casefold(), " ".join(plain(release_name).casefold().split())
    rest = text.replace(title, " ") if title else text
    is_short = len(rest.split()) <= _CLAIM_WORDS
    return is_short and bool(_WHEN.match(text)) and not _MORE.search(rest) and sanitize(line, CLAIM_LIMIT) == line
