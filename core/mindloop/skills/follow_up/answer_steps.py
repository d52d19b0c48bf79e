"""Steps 4a to 4e: what the writer said is worth nothing until it is checked against the dossier."""

from __future__ import annotations

from mindloop.observer.answer import validate
from mindloop.protocol.step import Done, Skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.protocol.step import Ask
    from mindloop.skills.follow_up.case import Answered, FollowUp


def parse(_context: FollowUp, one: Answered) -> Done | Skip | Ask:
    outcome = validate(one.raw, one.dossier)  # type: ignore[arg-type]
    one.answer = outcome
    one.log += outcome.log
    one.total_quotes, one.total_claims = outcome.total_quotes, outcome.total_claims
    if outcome.skip_reason:
        return Skip(outcome.skip_reason)
    return Done()


def verify_quotes(_context: FollowUp, one: Answered) -> Done | Skip | Ask:
    return Done()


verify_claims = insert_claims = report_coverage = keep_survivors = verify_quotes
