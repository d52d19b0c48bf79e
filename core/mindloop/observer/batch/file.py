"""The batch file of a day: what the run made of everyone, for the person who sends the messages (follow-up, step 5)."""

from __future__ import annotations

from mindloop.observer.batch import merge, render
from mindloop.observer.batch.contract import compat_problems
from mindloop.observer.batch.parse import parse_batch
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.store import front_matter
from mindloop.store.clock import day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from mindloop.observer.types import SkippedUser, UserResult

__all__ = ["compat_problems", "parse_batch", "render_batch"]


def render_batch(
    results: Sequence[UserResult],
    skipped: Sequence[SkippedUser],
    now: datetime,
    run: str,
    existing: str | None = None,
) -> str:
    """The whole text of a day's batch file (follow-up, step 5).

    Args:
        results: validated answers. One without messages only adds to the sums; its user is among the skipped as well.
        skipped: who got no message and why. Who has messages from an earlier run of the day is left out.
        now: the run's one captured instant, aware UTC; its day names the file.
        run: the run's id. A run and user that the file has already are not added again.
        existing: the day's file as it is, or None.

    Raises:
        WrongInput: the existing file is no batch; a token or hash is not one.
    """
    if existing is not None:
        return merge.merge(existing, results, skipped, now, run)
    return _new(merge.unique(results), skipped, now, run)


def _new(results: Sequence[UserResult], skipped: Sequence[SkippedUser], now: datetime, run: str) -> str:
    header = merge.Header({})
    header.add(results, skipped, run, now)
    with_messages = [result for result in results if result["messages"]]
    total = sum(len(result["messages"]) for result in with_messages)
    blocks = [render.title(day(now)) + "\n"]
    if any(result["host"] == REHEARSAL for result in with_messages):
        blocks.append(render.REHEARSAL_NOTE + "\n")
    if not with_messages:
        blocks.append(render.EMPTY_NOTE + "\n")
    blocks += [render.section(result) for result in with_messages]
    return front_matter.render(header.fields(now, total), "\n" + "\n".join(blocks))
