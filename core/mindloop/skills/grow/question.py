"""The question about one confirmed reply: one user's message and reply, and the proof that nobody else is in it."""

from __future__ import annotations

from mindloop.observer.canvas.reading import load_canvases
from mindloop.observer.growth.packet import SCHEMA, default_answer, question_text
from mindloop.observer.growth.state import find_hypothesis, messages
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold, slug
from mindloop.observer.packet.manifest import violations
from mindloop.observer.packet.others import others_of
from mindloop.protocol.gap import Gap
from mindloop.protocol.questions import Question
from mindloop.skills.grow import JUDGE
from mindloop.skills.grow.reply import Asked, signal_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from mindloop.observer.types import GrowthMessage, GrowthState, ProposedMatch
    from mindloop.store.files import Files
    from mindloop.store.workspace import Workspace

VIOLATION = "prompt_manifest_violation"


class NoQuestion(Exception):
    """Nobody can be asked about a reply; the message says why, in words for the person who confirmed it."""


class Keeping:
    """Everybody's canvases, so that one user's packet can be held against all of them.

    Args:
        workspace: read without a lock, before the user's is taken.
    """

    __slots__ = ("_files", "others")

    def __init__(self, workspace: Workspace) -> None:
        self._files = load_canvases(workspace)
        self.others = others_of(workspace, self._files)

    def own(self, files: Files, user: str, wallet: str | None) -> tuple[str, str | None, str]:
        """Base name, wallet and name of a user: of the canvas, or as it would be made where there is none."""
        for one in self._files:
            if one.canvas and fold(one.canvas.user) == fold(user):
                return one.canvas.basename, one.canvas.wallet, one.canvas.user
        return layout_of(files).canvas(slug(user)).rpartition("/")[2], wallet, user


def question_of(
    files: Files, keeping: Keeping, state: GrowthState, match: ProposedMatch, stale: Collection[str] = ()
) -> Question:
    """The question about one confirmed match.

    Args:
        files: the transaction that holds the user's lock.
        keeping: all canvases.
        state: the user's growth, the reply recorded in it.
        match: the confirmed match; its id names the question.
        stale: hypotheses that were stale before the reply was recorded; whoever takes the answer is told.

    Raises:
        NoQuestion: the words of the reply are gone, or the packet would hold something of another user's.
    """
    message = _sent(state, match)
    signal = _signal_text(files, state["user"], match)
    own = keeping.own(files, state["user"], state["wallet"])
    hypothesis_id = message["hypothesis_ids"][0] if message["hypothesis_ids"] else None
    prompt = question_text(
        user=own[2],
        canvas_basename=own[0],
        hypothesis=_hypothesis(state, message, hypothesis_id),
        question=Asked(files, state["user"]).text(match) or "",
        signal=signal,
        said=match["signal_timestamp"] or "",
    )
    broken = violations(prompt, own, keeping.others, "", {match["signal_id"]})
    if broken:
        kinds = ", ".join(sorted({one.partition(":")[0] for one in broken}))
        raise NoQuestion(f"{VIOLATION}: {kinds}; nobody is asked, classify it yourself")
    facts = {
        "user_slug": slug(state["user"]),
        "follow_up_id": message["id"],
        "signal_id": match["signal_id"],
        "signal_text": signal,
        "hypothesis_id": hypothesis_id,
        "hypothesis_was_stale": hypothesis_id in stale,
    }
    gap = Gap(match["id"], prompt, schema=SCHEMA, default=default_answer(signal))
    return Question(gap, user=own[2], judge=JUDGE, facts=facts)


def _sent(state: GrowthState, match: ProposedMatch) -> GrowthMessage:
    return next(message for _, message in messages(state) if message["id"] == match["follow_up_id"])


def _signal_text(files: Files, user: str, match: ProposedMatch) -> str:
    text = signal_text(files, user, match)
    if text is None:
        raise NoQuestion("the words of the reply are not kept any more; nobody is asked, classify it yourself")
    return text


def _hypothesis(state: GrowthState, message: GrowthMessage, hypothesis_id: str | None) -> str:
    known = find_hypothesis(state, hypothesis_id) if hypothesis_id else None
    if known and known["title"]:
        return f"{known['id']}: {known['title']}"
    return message["hypothesis"] or ""
