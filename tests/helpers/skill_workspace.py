"""A small workspace for /follow-up, made through the library's own functions, and what a test reads back of it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mindloop.observer.batch.parse import parse_batch
from mindloop.observer.canonical import content_hash
from mindloop.observer.chronicle.releases import add_release
from mindloop.observer.names import display_name, slug
from mindloop.observer.provenance.observe import add_quote
from mindloop.protocol.run_files import file_answer, find_run, read_item, read_packet
from mindloop.skills.follow_up.begin import Begun, begin
from mindloop.skills.follow_up.resume import Resumed, resume
from mindloop.skills.setup import make
from mindloop.store import strict_yaml
from mindloop.store.clock import parse_instant
from mindloop.store.scopes import lock_path
from mindloop.store.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mindloop.observer.types import Batch

NOW = "2026-02-20T09:00:00Z"
CANVASES = "grimoires/observer/canvas"
FOLLOW_UPS = "grimoires/observer/follow-ups"
GROWTH = "grimoires/observer/growth"
SCORES = "grimoires/observer/scores"
INDEX = "grimoires/mining/provenance/index.jsonl"


def at(text: str) -> datetime:
    """An instant from its text."""
    found = parse_instant(text)
    assert found is not None
    return found.astimezone(UTC)


def wallet_of(user: str) -> str:
    """The wallet that a user of these workspaces has."""
    return "0x" + hashlib.sha256(user.encode("utf-8")).hexdigest()[:40]


def mark(quote: str) -> str:
    """The comment that makes a quote verifiable."""
    return f"<!-- prov:sha256:{content_hash(quote)} -->"


def canvas_text(user: str, *, quotes: list[str] | None = None, body: str = "", **header: str) -> str:
    """The text of a canvas with marked quotes, one hypothesis and whatever ``body`` adds."""
    fields = {"type": "user_canvas", "user": user, "wallet": wallet_of(user), "updated": "2026-02-10", **header}
    lines = ["---", *(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()), "---", ""]
    lines += [f"# {user} Canvas", "", body, "", "## Quotes Library", ""]
    for quote in [f"{user} reads the ranks every day"] if quotes is None else quotes:
        lines += [f'> "{quote}"', "> — Discord DM, 2026-02-10", mark(quote), ""]
    return "\n".join(lines)


def hypothesis(number: int = 1, title: str = "wants to be seen", confidence: str = "Low") -> str:
    """A hypotheses section of one entry."""
    return f"## Level 3 Hypotheses\n\n### H{number}: {title}\n\n- **Confidence**: {confidence} (one DM)\n"


def message(anchor: str, body: str = "what did you do the last time?", **more: Any) -> dict[str, Any]:
    """One message of a writer's, anchored on a bare hash."""
    return {
        "hypothesis_or_trigger": "H1: wants to be seen",
        "anchor_quote_hash": f"sha256:{anchor}",
        "anchor_quote_text": "whatever the writer says it is",
        "message_body": body,
        "temporal_claims": [],
        **more,
    }


def claim(anchor: str, ref: str, text: str) -> dict[str, str]:
    """A version attribution of a writer's."""
    return {"claim_text": text, "backing_quote_hash": f"sha256:{anchor}", "chronicle_ref": ref}


def answer(user: str, *messages: dict[str, Any], **more: Any) -> str:
    """A writer's whole answer."""
    value = {
        "user": user,
        "scary_questions": ["what broke?", "who else?", "why stay?"],
        "messages": list(messages),
        "quotes_used": [],
        "skip_reason": None,
        **more,
    }
    return json.dumps(value)


class SkillWorkspace:
    """A workspace under test; ``now`` is the instant of every call that names none.

    The silence gate, which init turns on, is off: most tests write to one user again and again.
    """

    def __init__(self, root: Path, *, growth: bool = True, gate: bool = False, now: str = NOW) -> None:
        self.root = root
        self.now = now
        make(Workspace(str(root)))
        marker = root / "mindloop.yaml"
        text = marker.read_text("utf-8")
        if not growth:
            text = text.replace("enabled: true", "enabled: false")
        if not gate:
            text = text.replace("silence_gate_days: 7", "silence_gate_days: null")
        marker.write_text(text, "utf-8")

    @property
    def ws(self) -> Workspace:
        """A fresh view, as another process has it."""
        return Workspace(str(self.root))

    # --- making

    def observe(self, user: str, quote: str, date: str | None = "2026-02-10", now: str = "2026-02-11T10:00:00Z") -> str:
        """Put a quote on a user's canvas, with a wallet and a score; returns its hash."""
        name = display_name(user)
        with self.ws.transaction("research", f"user:{slug(name)}") as tx:
            seen = add_quote(tx, user, quote, wallet_of(name), "Discord DM", date, at(now))
        self.score(wallet_of(name))
        return str(seen.record["content_hash"])

    def canvas(self, user: str, name: str | None = None, *, score: bool = True, **parts: Any) -> Path:
        """Write a canvas by hand, with a score for its wallet."""
        path = self.root / CANVASES / (name or f"{slug(display_name(user))}-canvas.md")
        path.write_bytes(canvas_text(user, **parts).encode("utf-8"))
        if score:
            self.score(wallet_of(user))
        return path

    def score(self, wallet: str, **fields: Any) -> None:
        """Make the shipped score reader know a wallet."""
        value = {"rank": 12, "crowd_tier": "devoted", "og_score": 41, "nft_score": 20, "onchain_score": 77, **fields}
        (self.root / SCORES / f"{wallet.lower()}.json").write_text(json.dumps(value), "utf-8")

    def release(self, name: str, start: str, title: str) -> None:
        """Write down a release."""
        with self.ws.transaction("research") as tx:
            add_release(
                tx,
                title,
                start,
                end=None,
                name=name,
                taxonomy="system.app.released",
                confidence="exact",
                url=None,
                summary="",
            )

    def write(self, rel: str, text: str | bytes) -> Path:
        """Write any file."""
        path = self.root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        return path

    # --- the skill

    def begin(self, *, now: str | None = None, **flags: Any) -> Begun:
        """Begin a run."""
        wanted = {"canvas": None, "dry_run": False, "allow_stale": False, **flags}
        place = self.ws.in_memory() if wanted["dry_run"] else self.ws
        return begin(place, at(now or self.now), wanted)

    def file(self, run: str, user: str, raw: str) -> str:
        """File a raw answer, as the hook does."""
        return file_answer(self.ws, run, slug(user), raw, "claude-code")

    def resume(self, run: str, *, now: str | None = None, **how: Any) -> Resumed:
        """Resume a run."""
        return resume(self.ws, run, at(now or self.now), **how)

    def default_answers(self, run: str, *users: str) -> None:
        """Answer users with their gaps' defaults."""
        for user in users:
            self.file(run, user, str(self.item(run, user)["default"]))

    def full_run(self, *, now: str | None = None, **flags: Any) -> Resumed:
        """Begin, answer everybody with the default, resume."""
        begun = self.begin(now=now, **flags)
        self.default_answers(begun.place.run, *(entry["user"] for entry in begun.waiting))
        return self.resume(begun.place.run, now=now)

    # --- reading back

    def item(self, run: str, user: str) -> dict[str, Any]:
        """A user's item of a run."""
        return read_item(self.ws, find_run(self.ws, run), slug(user))

    def packet(self, run: str, user: str) -> str:
        """A user's exact prompt."""
        return read_packet(self.ws, run, slug(user)).decode("utf-8")

    def batch_text(self, day: str = "2026-02-20") -> str:
        """The text of a day's batch."""
        return (self.root / FOLLOW_UPS / f"{day}.md").read_text("utf-8")

    def batch(self, day: str = "2026-02-20") -> Batch:
        """A day's batch, read back."""
        return parse_batch(self.batch_text(day))

    def growth(self, user: str) -> dict[str, Any] | None:
        """A user's growth file as plain strings, or None."""
        path = self.root / GROWTH / f"{slug(user)}.yaml"
        loaded: Any = strict_yaml.load(path.read_text("utf-8"), path.name) if path.exists() else None
        return loaded


def reasons(begun: Begun) -> dict[str, str]:
    """User to skip reason."""
    return {entry["user"]: entry["reason"] for entry in begun.skipped}


def waiting(begun: Begun) -> list[str]:
    """Who waits, in order."""
    return [entry["user"] for entry in begun.waiting]


def snapshot(root: Path) -> dict[str, tuple[int, str]]:
    """Every file and folder below a root: its time of change in ns and the hash of its bytes."""
    found = {}
    for folder, folders, names in os.walk(root):
        for name in [*folders, *names]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            digest = "folder"
            if not os.path.isdir(path):
                with open(path, "rb") as file:
                    digest = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(path, root)] = (status.st_mtime_ns, digest)
    return found


@contextmanager
def held_lock(root: Path, scope: str) -> Iterator[None]:
    """Hold a scope's lock as another process would: through a file description of its own."""
    path = lock_path(str(root), scope)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
