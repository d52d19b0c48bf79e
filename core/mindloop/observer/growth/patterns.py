"""What a message asks and what it is about, by fixed word lists (follow-up, step 5.5).

The lists are crude on purpose and pinned by tests: counters of earlier batches compare only with the same rules.
"""

from __future__ import annotations

import unicodedata

from mindloop.observer.growth.metrics import DEFAULT_PATTERN
from mindloop.store.lazy_patterns import when_used

PATTERNS = {
    "probe_gap": ("gap", "missing", "not showing", "not tracked", "where is"),
    "verify_action": ("did you", "have you", "tried", "checked"),
    "challenge_assumption": ("why", "what if", "assume", "really"),
    "explore_motivation": ("what drives", "why do you", "what made you"),
    "surface_unspoken": ("what aren't", "what's the", "behind that"),
    "test_commitment": ("will you", "next time", "plan to"),
    "follow_breadcrumb": ("you mentioned", "last time", "you said", "earlier"),
}
"""Question patterns in the order in which they are tried; any one phrase decides, even inside a longer word."""

_STOP_WORDS = """
the and for are but not you all any can had her was one our out day has his how its may new now old see way who did
get let say she too use about been from have just like more only some than that them then they this very what when
will with also back
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
TAG_LONGER_THAN = 3
TAGS_AT_MOST = 5

_HYPOTHESIS_ID = when_used(r"(?<![^\W_])H-?([0-9]{1,9})(?![0-9])")
_KEYCAP_AND_VARIATION = "\ufe0e\ufe0f\u20e3"


def classify_question_pattern(body: str, trigger: str) -> str:
    """The question pattern of a message.

    Args:
        body: the final message text.
        trigger: the message's ``hypothesis_or_trigger``.
    """
    text = f"{body} {trigger}".lower().replace("\u2019", "'")
    for pattern, phrases in PATTERNS.items():
        if any(phrase in text for phrase in phrases):
            return pattern
    return DEFAULT_PATTERN


def topic_tags(text: str) -> list[str]:
    """Up to five lower-case words that say what ``text`` is about, in the order of their first use.

    Stop words are dropped before punctuation is: ``about:`` stays as ``about``. Replies are matched with the same
    words (``normal_words``), so both sides agree.
    """
    return normal_words(text)[:TAGS_AT_MOST]


def normal_words(text: str) -> list[str]:
    """Every word of ``text`` that could be a topic tag, in the order of first use."""
    words = [word for word in text.lower().split() if len(word) > TAG_LONGER_THAN and word not in STOP_WORDS]
    stripped = (_without_edges(word) for word in words)
    return list(dict.fromkeys(tag for tag in stripped if len(tag) > TAG_LONGER_THAN))


def _without_edges(word: str) -> str:
    start, end = 0, len(word)
    while start < end and _is_edge(word[start]):
        start += 1
    while end > start and _is_edge(word[end - 1]):
        end -= 1
    return word[start:end]


def _is_edge(char: str) -> bool:
    """Punctuation, symbols and what joins or varies emoji; letters, digits and combining marks are not."""
    return unicodedata.category(char)[0] in "PSC" or char in _KEYCAP_AND_VARIATION


def hypothesis_ids(text: str) -> list[str]:
    """The hypotheses that ``text`` names, as ``H1``, each once.

    ``H-1`` and ``H01`` are other spellings of ``H1``; ``GRAPH2`` and ``Hypothesis 6`` name none.
    """
    return list(dict.fromkeys(f"H{int(digits)}" for digits in _HYPOTHESIS_ID.findall(text)))
