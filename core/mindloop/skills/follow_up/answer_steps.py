"""Steps 4a to 4e: what the writer said is worth nothing until it is checked against the dossier."""

from __future__ import annotations

from mindloop.observer.answer import verify
from mindloop.observer.answer.parse import AnswerRejected, parse_answer, refused
from mindloop.protocol.step import Done, Skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.protocol.step import Ask
    from mindloop.skills.follow_up.case import Answered, FollowUp


def parse(_context: FollowUp, one: Answered) -> Done | Skip | Ask:
    """4a: one JSON object about this very user, or nothing at all."""
    user = one.dossier["user"]
    try:
        one.answer = parse_answer(one.raw, user)
    except AnswerRejected as rejected:
        one.answer = refused(rejected, one.raw, user)
    if one.answer.skip_reason:
        return Skip(one.answer.skip_reason)
    return Done()


def verify_quotes(_context: FollowUp, one: Answered) -> Done | Skip | Ask:
    """4b: a message on a hash that is not in the registry goes; the registry's words stand, not the writer's."""
    one.answer.log += verify.verify_quotes(one.answer, one.dossier["registry"])
    return Done()


def verify_claims(_context: FollowUp, one: Answered) -> Done | Skip | Ask:
    """4c: a claim stands where the release windows allow it for that very quote and release."""
    one.answer.log += verify.verify_claims(one.answer, one.dossier["temporal"], one.dossier["registry"])
    return Done()


def insert_claims(_context: FollowUp, one: Answered) -> Done | Skip | Ask:
    """4d: no version that the writer slipped in survives; verified claims go in front, word for word."""
    one.answer.log += verify.insert_claims(one.answer)
    return Done()


def report_coverage(_context: FollowUp, one: Answered) -> Done | Skip | Ask:
    """4f: which fears the messages address, and where the style slips: advice, nothing is stripped."""
    one.answer.log += verify.coverage(one.answer, one.dossier["fears"])
    one.answer.log += verify.style_advice(one.answer)
    return Done()


def keep_survivors(_context: FollowUp, one: Answered) -> Done | Skip | Ask:
    """4e: a user of whose messages none is left has none."""
    verify.survivors(one.answer)
    if one.answer.skip_reason:
        return Skip(one.answer.skip_reason)
    return Done()
