"""The text of a batch file's sections (follow-up, step 5): written here, read back by ``parse``."""

from __future__ import annotations

from mindloop.observer.answer.text import NO_TRIGGER
from mindloop.observer.canonical import norm_hash
from mindloop.observer.escaping import guard_comments, heading_name, write_body, write_line, write_quote
from mindloop.observer.lines import clean_line
from mindloop.observer.sanitizer import heading_text
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.types import Message, UserResult

RULE = "---"
_SPOILED = "Somebody changed the files of the run: begin a new run."
REHEARSAL_NOTE = (
    "> **REHEARSAL, do not send.** No model wrote the messages of the users marked `**Host**: rehearsal`: "
    "they come from the rehearsal host."
)
EMPTY_NOTE = "No messages today: everyone was skipped, the reasons are in `skipped_users` above."
TOKEN_NOTE = "append this to the end of the DM when sending"  # noqa: S105 - a remark, not a secret
_HEX8 = frozenset("0123456789abcdef")


def title(day: str) -> str:
    """The heading of the whole file."""
    return f"# Follow-up Messages: {day}"


def section(result: UserResult) -> str:
    """A user's whole section, from its heading to the rule that closes it."""
    head = f"## {guard_comments(heading_name(result['user']))}"
    return "\n".join([head, "", *metadata(result), "", messages(result, 1, 1), "", RULE, ""])


def metadata(result: UserResult, earlier: tuple[int, int] = (0, 0), hosts: str = "") -> list[str]:
    """The lines below the heading.

    Args:
        result: the user's latest answer.
        earlier: verified and referenced anchors of the messages that are in the section already.
        hosts: the hosts of those messages, as the section's own line names them.
    """
    verified, total = counts(result)
    triggers = "; ".join(write_line(trigger["text"]) for trigger in result["triggers"])
    names = [name for name in hosts.split(", ") if name]
    host = write_line(result["host"])
    return [
        f"**Canvas**: {write_line(result['canvas'])}",
        f"**Triggers**: {triggers}",
        f"**Score context**: {write_line(result['score_line'])}",
        f"**Verification**: {earlier[0] + verified}/{earlier[1] + total} quotes verified (orchestrator-validated)",
        f"**Host**: {', '.join(names if host in names else [*names, host])}",
    ]


def counts(result: UserResult) -> tuple[int, int]:
    """How many anchors survived and how many the writer referenced; the second is never the smaller one."""
    verified = len(result["messages"])
    return verified, max(verified, result["total_quotes"])


def claim_counts(result: UserResult) -> tuple[int, int]:
    """How many version claims survived and how many the surviving messages came with."""
    valid = sum(len(message["temporal_claims"]) for message in result["messages"])
    return valid, max(valid, result["total_claims"])


def messages(result: UserResult, first_question: int, first_message: int) -> str:
    """Scary questions and messages, numbered from the given numbers on."""
    blocks = [_questions(result["scary_questions"], first_question)] if result["scary_questions"] else []
    tokens = result["tokens"]
    for offset, message in enumerate(result["messages"]):
        token = tokens[offset] if offset < len(tokens) else None
        blocks.append(_message(message, first_message + offset, token))
    return "\n\n".join(blocks)


def _questions(questions: list[str], first: int) -> str:
    lines = (f"{number}. {write_line(question)}" for number, question in enumerate(questions, first))
    return "\n".join(["### Scary Questions", "", *lines])


def _message(message: Message, number: int, token: str | None) -> str:
    trigger = write_line(heading_text(message["hypothesis_or_trigger"])) or NO_TRIGGER
    lines = [f"### Message {number} ({trigger})", "", *_anchor(message)]
    if token is not None:
        lines.append(_token_line(token))
    return "\n".join([*lines, "", write_body(message["message_body"])])


def _anchor(message: Message) -> list[str]:
    anchor = norm_hash(message["anchor_quote_hash"])
    if anchor is None:
        came = clean_line(message["anchor_quote_hash"])[:80]
        raise WrongInput(f"a message's anchor hash is {came!r}; expected 64 hexadecimal digits", _SPOILED)
    return [
        f'> Anchor quote: "{write_quote(message["anchor_quote_text"])}"',
        f"> <!-- prov:sha256:{anchor} — orchestrator-verified -->",
    ]


def _token_line(token: str) -> str:
    if len(token) != 8 or not _HEX8.issuperset(token):
        raise WrongInput(
            f"a message's token is {clean_line(token)[:80]!r}; expected 8 lowercase hexadecimal digits", _SPOILED
        )
    return f"> Token: [FU:{token}] — {TOKEN_NOTE}"
