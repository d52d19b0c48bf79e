"""One thing that a user said, before the index knows it."""

from __future__ import annotations

from mindloop.observer.provenance.quotes import rank
from mindloop.observer.provenance.record import checked_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    Rank = tuple[int, float]


class Said:
    """One thing that a user said, ready for the index.

    Raises:
        WrongInput: the words cannot enter the index (``record.checked_hash``).

    Attributes:
        digest: hash of ``text``.
        text: the words, exactly.
        moment: when it was said, RFC 3339 in UTC, or None.
        confidence: how sure that is, one of ``quotes.CONFIDENCES``.
        raw: the time as the source has it, or None.
        index: its place in the source, from 0.
        parent: hash of what the user said before it, or None.
        tokens: reply tokens that stood in the message, or in that which it was a reply to, in lower case.
        prompts: reply tokens of our last line before it, those apart.
    """

    __slots__ = ("confidence", "digest", "index", "moment", "parent", "prompts", "raw", "text", "tokens")

    def __init__(
        self,
        text: str,
        moment: str | None,
        confidence: str,
        *,
        raw: str | None = None,
        index: int = 0,
        tokens: tuple[str, ...] = (),
        prompts: tuple[str, ...] = (),
    ) -> None:
        self.digest = checked_hash(text)
        self.text = text
        self.moment = moment
        self.confidence = confidence
        self.raw = raw
        self.index = index
        self.tokens = tokens
        self.prompts = prompts
        self.parent: str | None = None

    @property
    def rank(self) -> Rank:
        """How good a record of it is; less is better."""
        return rank(self.confidence, self.moment)
