"""What /follow-up holds while it works: the shared metadata, and one user's case."""

from __future__ import annotations

from mindloop.observer.answer.parse import Answer
from mindloop.observer.layout import layout_of
from mindloop.observer.rehearsed import LABEL, REHEARSAL
from mindloop.store.clock import day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from mindloop.observer.batch.prior import PriorIndex
    from mindloop.observer.canvas.reading import Canvas, CanvasFile
    from mindloop.observer.chronicle.temporal import Windows
    from mindloop.observer.packet.manifest import OtherCanvases
    from mindloop.observer.provenance.index import ProvenanceIndex
    from mindloop.observer.types import (
        GrowthSummary,
        Message,
        ProvenanceRecord,
        Quote,
        ReleaseRecord,
        TemporalEntry,
        Trigger,
        UserResult,
    )
    from mindloop.protocol.questions import Question
    from mindloop.protocol.run_files import RunPlace
    from mindloop.store.files import Files
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace


class FollowUp:
    """One command's view of the shared metadata (follow-up, step 1).

    Attributes:
        now: the one instant that every file, id and age of this command comes from.
        flags: ``canvas``, ``dry_run``, ``allow_stale``, ``synthesize``.
        files: every canvas of the workspace; assertions look at all of them.
        selected: the canvases that this run is for.
        tx: the transaction that steps of users work in, where they do.
    """

    __slots__ = (
        "batches",
        "chronicle_index",
        "day",
        "files",
        "finishing",
        "flags",
        "index",
        "layout",
        "log",
        "now",
        "others",
        "selected",
        "settings",
        "tx",
        "warnings",
        "windows",
        "workspace",
    )

    def __init__(self, workspace: Workspace, now: datetime, flags: dict[str, Any]) -> None:
        self.workspace = workspace
        self.settings = workspace.settings
        self.layout = layout_of(workspace)
        self.now = now
        self.day = day(now)
        self.flags = flags
        self.files: list[CanvasFile] = []
        self.selected: list[CanvasFile] = []
        self.windows: Windows
        self.batches: PriorIndex
        self.chronicle_index: list[ReleaseRecord] | None = None
        self.index: ProvenanceIndex
        self.others: OtherCanvases
        self.finishing: Finishing
        self.tx: Transaction | None = None
        self.warnings: list[str] = []
        self.log: list[str] = []

    @property
    def reader(self) -> Files:
        """Where a step looks: the transaction that it works in, or the workspace outside of one."""
        return self.tx or self.workspace

    @property
    def growth_enabled(self) -> bool:
        """Whether the growth loop is on in this workspace."""
        return bool(self.settings.get("observer.growth.enabled"))

    @property
    def modes(self) -> dict[str, Any]:
        """What a step's ``runs_when`` may ask: the run's flags, and which parts are on in this workspace."""
        cognition = bool(self.settings.get("observer.cognition.enabled"))
        return {**self.flags, "growth": self.growth_enabled, "cognition": cognition}


class Case:
    """One user's data between steps 2a and 2i; nothing of another user ever enters it.

    What the checks of the answer need is kept in the run's item file (`dossier`), so that any later process can
    resume.

    Attributes:
        question: what is asked about a stale cognition before the user goes on (step 2c.5).
        thought: what came of that question: ``refreshed``, ``stale_used`` or ``stale``; None where nothing was asked.
    """

    __slots__ = (
        "canvas",
        "chronicle",
        "cognition",
        "cognition_status",
        "cycle_started_at",
        "file",
        "growth_section",
        "log",
        "manifest",
        "prior",
        "prior_count",
        "prompt",
        "question",
        "records",
        "registry",
        "score",
        "score_raw",
        "snapshot",
        "temporal",
        "thought",
        "triggers",
        "user",
    )

    def __init__(self, file: CanvasFile) -> None:
        self.file = file
        self.user = file.user_guess
        self.canvas: Canvas
        self.triggers: list[Trigger] = []
        self.records: list[ProvenanceRecord] = []
        self.registry: list[Quote] = []
        self.temporal: dict[str, TemporalEntry] = {}
        self.score: Any = None
        self.score_raw = ""
        self.snapshot: dict[str, Any] = {}
        self.prior = ""
        self.prior_count = 0
        self.growth_section: GrowthSummary | None = None
        self.cycle_started_at: str | None = None
        self.cognition: dict[str, Any] | None = None
        self.cognition_status = "missing"
        self.question: Question | None = None
        self.thought: str | None = None
        self.chronicle = ""
        self.prompt = ""
        self.manifest: dict[str, Any] = {}
        self.log: list[str] = []


class Answered:
    """One user's answer on its way through steps 4a to 4e.

    Attributes:
        dossier: the run's item file: what the answer is checked against.
        raw: what the judge returned, unchanged.
        answer: what was read of it, and what is left of that.
    """

    __slots__ = ("answer", "dossier", "host", "raw")

    def __init__(self, dossier: dict[str, Any], raw: str, host: str) -> None:
        self.dossier = dossier
        self.raw = raw
        self.host = host
        self.answer = Answer(str(dossier["user"]))

    @property
    def skip_reason(self) -> str | None:
        """Why the user leaves without messages, or None."""
        return self.answer.skip_reason

    def result(self) -> UserResult:
        """What the batch takes of this user; without messages it only adds to the sums."""
        kept = self.skip_reason is None
        return {
            "user": self.dossier["user"],
            "slug": self.dossier["slug"],
            "canvas": self.dossier["canvas"],
            "triggers": self.dossier["triggers"],
            "score_line": self.dossier["score_line"],
            "scary_questions": self.answer.scary_questions if kept else [],
            "messages": self._messages() if kept else [],
            "tokens": [],
            "total_quotes": self.answer.total_quotes,
            "total_claims": self.answer.total_claims if kept else 0,
            "host": self.host,
        }

    def _messages(self) -> list[Message]:
        """The messages; of a rehearsal each says that it is one, a scripted answer's too."""
        if self.host != REHEARSAL:
            return self.answer.messages
        return [{**message, "message_body": _labelled(message["message_body"])} for message in self.answer.messages]


def _labelled(body: str) -> str:
    return body if LABEL in body else f"{LABEL} {body}"


class Finishing:
    """A stretch of answered users on its way into the batch.

    Attributes:
        tx: holds the research lock, the agent's, and that of each answered user.
        head: the run's head, with who waits, who is done and who was left out.
        recorded: how many growth files are staged, with the tokens that stand in the batch.
    """

    __slots__ = ("answered", "head", "place", "recorded", "results", "tx")

    def __init__(self, tx: Transaction, place: RunPlace, head: dict[str, Any], answered: list[Answered]) -> None:
        self.tx = tx
        self.place = place
        self.head = head
        self.answered = answered
        self.results: list[UserResult] = []
        self.recorded = 0


def is_through(head: dict[str, Any]) -> bool:
    """Whether nobody of a run waits for anything any more."""
    return set(head["waiting"]) <= set(head["done"]) and not head.get("thinking")
