"""Reading a writer's answer: a strict JSON object or nothing (follow-up, step 4a)."""

from __future__ import annotations

from mindloop.observer.answer.log import LogLine, told
from mindloop.observer.answer.text import clean_questions
from mindloop.observer.json_answer import NotAnObject, kind, read_object, shown
from mindloop.observer.names import fold
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.observer.types import Claim, Message

MAX_ANSWER = 1_000_000
"""Largest answer, in bytes."""

MAX_MESSAGES = 10
"""More messages than these are cut off: the writer is asked for two or three."""

SKIP_REASONS = frozenset({"no_triggers", "no_quotes", "all_hypotheses_high_confidence"})
"""What a writer may give as its reason; anything else would end up in the batch's front matter unchecked."""

_RAW_SHOWN = 2_000


class AnswerRejected(WrongInput):
    """An answer that cannot be used.

    Attributes:
        reason: the skip reason, ``subagent_parse_error``.
        detail: what was wrong with it, one line.
        brief: the same without a word of the writer's.
    """

    def __init__(self, detail: str, brief: str = "") -> None:
        super().__init__(
            f"the writer's answer was refused: {detail}",
            "Ask again, or file another answer; expected is the one JSON object that the packet describes.",
        )
        self.reason = "subagent_parse_error"
        self.detail = detail
        self.brief = brief or detail


class Answer:
    """A writer's answer on its way through the checks; what they strip is gone from it.

    Attributes:
        user: display name of the user it is about.
        skip_reason: why the user gets no messages, or None.
        messages: what is left of the messages.
        asked_claims: for each message of `messages`, how many claims it came with.
        scary_questions: at most three, one line each.
        total_quotes: anchors that the answer referred to, those of malformed messages included.
        log: what was left out while it was read, and why.
    """

    __slots__ = ("asked_claims", "log", "messages", "scary_questions", "skip_reason", "total_quotes", "user")

    def __init__(self, user: str, skip_reason: str | None = None, log: list[str] | None = None) -> None:
        self.user = user
        self.skip_reason = skip_reason
        self.messages: list[Message] = []
        self.asked_claims: list[int] = []
        self.scary_questions: list[str] = []
        self.total_quotes = 0
        self.log = log or []

    @property
    def total_claims(self) -> int:
        """Claims that the messages came with."""
        return sum(self.asked_claims)

    def keep(self, survivors: list[tuple[Message, int]]) -> None:
        """Replace the messages by what is left of them, each with the number of claims that it came with."""
        self.messages = [message for message, _ in survivors]
        self.asked_claims = [asked for _, asked in survivors]


def parse_answer(raw: str, user: str) -> Answer:
    """Read a writer's answer about a user.

    A byte order mark and one surrounding code fence are taken off; any other text around the object refuses it.

    Raises:
        AnswerRejected: too large, not one JSON object, a key twice, NaN, another user, a skip reason out of the list.
    """
    record = _record(raw)
    _check_user(record.get("user"), user)
    answer = Answer(user, _skip_reason(record.get("skip_reason")))
    items = record.get("messages")
    if not isinstance(items, list):
        raise AnswerRejected(f'"messages" is {kind(items)}, expected a list')
    answer.total_quotes = len(items)
    answer.scary_questions = clean_questions(_texts(record.get("scary_questions")))
    answer.keep([(message, len(message["temporal_claims"])) for message in _messages(items, answer.log)])
    return answer


def refused(rejected: AnswerRejected, raw: str, user: str) -> Answer:
    """Return what stands for an answer that was refused: nothing but the reason, and the raw text in the log."""
    start = f"REFUSED answer for {user}: "
    line = LogLine(start + rejected.detail, start + rejected.brief)
    return Answer(user, rejected.reason, [line, LogLine(f"raw: {raw[:_RAW_SHOWN]!a}")])


def _messages(items: list[Any], log: list[str]) -> Iterator[Message]:
    for number, item in enumerate(items[:MAX_MESSAGES], start=1):
        problem = _problem(item)
        if problem:
            log.append(told(f"DROPPED message {number}: {problem}"))
        else:
            yield _message(item, number, log)
    if len(items) > MAX_MESSAGES:
        log.append(told(f"DROPPED messages {MAX_MESSAGES + 1} to {len(items)}: at most {MAX_MESSAGES} are taken"))


def _record(raw: str) -> dict[str, Any]:
    try:
        return read_object(raw, limit=MAX_ANSWER)
    except NotAnObject as error:
        raise AnswerRejected(error.detail, error.reason) from error


def _check_user(value: object, user: str) -> None:
    if not isinstance(value, str):
        raise AnswerRejected(f'"user" is {kind(value)}, expected the text "{shown(user)}"')
    if fold(value) != fold(user):
        raise AnswerRejected(f'"user" is "{shown(value)}", expected "{shown(user)}"', "it is about another user")


def _skip_reason(value: object) -> str | None:
    if value is None or (isinstance(value, str) and value in SKIP_REASONS):
        return value
    came = f'"{shown(value)}"' if isinstance(value, str) else kind(value)
    expected = f"null or one of {', '.join(sorted(SKIP_REASONS))}"
    brief = f'"skip_reason" is another one than {expected}'
    raise AnswerRejected(f'"skip_reason" is {came}, expected {expected}', brief)


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _problem(item: object) -> str:
    if not isinstance(item, dict):
        return f"it is {kind(item)}, expected an object"
    for key in ("hypothesis_or_trigger", "anchor_quote_hash", "message_body"):
        if not isinstance(item.get(key), str):
            return f'"{key}" is {kind(item.get(key))}, expected a text'
    return ""


def _message(item: dict[str, Any], number: int, log: list[str]) -> Message:
    text = item.get("anchor_quote_text")
    return {
        "hypothesis_or_trigger": item["hypothesis_or_trigger"],
        "anchor_quote_hash": item["anchor_quote_hash"],
        "anchor_quote_text": text if isinstance(text, str) else "",
        "message_body": item["message_body"],
        "temporal_claims": _claims(item.get("temporal_claims"), number, log),
    }


def _claims(value: object, number: int, log: list[str]) -> list[Claim]:
    """Return the claims of a message; a malformed one stays as an empty claim, so that it is counted and refused."""
    if value is None:
        return []
    if not isinstance(value, list):
        log.append(f"IGNORED temporal_claims of message {number}: {kind(value)}, expected a list")
        return []
    return [_claim(item if isinstance(item, dict) else {}) for item in value]


def _claim(item: dict[str, Any]) -> Claim:
    def text(key: str) -> str:
        value = item.get(key)
        return value if isinstance(value, str) else ""

    return {
        "claim_text": text("claim_text"),
        "backing_quote_hash": text("backing_quote_hash"),
        "chronicle_ref": text("chronicle_ref"),
    }
