"""The whole of /follow-up without a person: begin, ask the host once a user, resume."""

from __future__ import annotations

from mindloop.observer.layout import Layout
from mindloop.protocol.run_files import answered_items, file_answer, find_run, read_head, read_item
from mindloop.skills.follow_up.begin import begin
from mindloop.skills.follow_up.resume import resume
from mindloop.store.errors import Malformed, MindloopError, Negative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from typing import Any

    from mindloop.protocol.host import Host
    from mindloop.protocol.run_files import RunPlace
    from mindloop.skills.follow_up.begin import Begun
    from mindloop.skills.follow_up.resume import Resumed
    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]

REHEARSAL = "rehearsal"
NO_ANSWER = "(no answer:"


class Driven:
    """A begin and the resume that followed; ``resumed`` is None where nobody waited."""

    __slots__ = ("begun", "resumed", "warnings")

    def __init__(self, begun: Begun | None, resumed: Resumed | None, warnings: list[str]) -> None:
        self.begun = begun
        self.resumed = resumed
        self.warnings = warnings


def drive(
    workspace: Workspace, host: Host, now: datetime, flags: dict[str, Any], progress: Progress | None = None
) -> Driven:
    """Begin a run and see it through with ``host``.

    Raises:
        MindloopError: from begin, or from a host that cannot work at all (the client is missing, not logged in); the
            run stays open and `drive_on` continues it.
    """
    begun = begin(workspace, now, flags, progress)
    if not begun.waiting:
        return Driven(begun, None, begun.warnings)
    driven = drive_on(workspace, host, begun.place.run, now, progress)
    return Driven(begun, driven.resumed, begun.warnings + driven.warnings)


def drive_on(workspace: Workspace, host: Host, run: str, now: datetime, progress: Progress | None = None) -> Driven:
    """Ask ``host`` for every answer that a run still waits for, then resume it.

    A host whose ``workers`` is above 1 is asked for that many users at a time; each answer is filed as it comes, so
    that nothing that was paid for is lost when a later call fails.
    """
    place = find_run(workspace, run)
    head = read_head(workspace, place)
    wanted = sorted(set(head["waiting"]) - set(head["done"]) - answered_items(workspace, place))
    items, warnings = _items(workspace, place, wanted, host)
    for number, (item, raw) in enumerate(_answers(host, items), 1):
        file_answer(workspace, run, item["slug"], raw, host.name)
        warnings += [f"{item['user']}: {raw}"] if raw.startswith(NO_ANSWER) else []
        if progress:
            progress(f"asking {host.name}", number, len(items))
    resumed = resume(workspace, run, now, progress)
    return Driven(None, resumed, warnings + resumed.warnings)


def _items(
    workspace: Workspace, place: RunPlace, slugs: list[str], host: Host
) -> tuple[list[dict[str, Any]], list[str]]:
    """The packets to ask about; one that is damaged leaves its user open and is told."""
    items, warnings = [], []
    for slug in slugs:
        try:
            item = read_item(workspace, place, slug)
        except (Malformed, Negative) as error:
            warnings.append(f"{slug}: left open: {error.message}")
            continue
        if host.name == REHEARSAL:
            item["default"] = _scripted(workspace, slug) or item["default"]
        items.append(item)
    return items, warnings


def _answers(host: Host, items: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each item with its raw answer, in the order in which they come."""
    workers = min(getattr(host, "workers", 1), len(items))
    if workers <= 1:
        yield from ((item, _fill(host, item)) for item in items)
        return
    from concurrent.futures import ThreadPoolExecutor, as_completed

    from mindloop.hosts.process import end_all

    with ThreadPoolExecutor(workers) as pool:
        try:
            futures = {pool.submit(_fill, host, item): item for item in items}
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            # Ctrl-C, or a wall that every call would meet: what runs is ended, what waits is never started.
            pool.shutdown(wait=False, cancel_futures=True)
            end_all()
            raise


def _fill(host: Host, item: dict[str, Any]) -> str:
    """One isolated call for one user; a call that fails costs this user alone."""
    try:
        return host.fill(str(item["prompt"]), str(item["default"]))
    except MindloopError as error:
        if getattr(error, "stops_the_run", False):
            raise
        return f"{NO_ANSWER} {error.message})"


def _scripted(workspace: Workspace, slug: str) -> str | None:
    """The answer that somebody wrote for rehearsals of this user, kept as it is: it is checked like any other."""
    layout = Layout(workspace.settings.get("observer.root"))
    data = workspace.read(layout.rehearsal(slug), limit=1_000_000)
    return None if data is None else data.decode("utf-8", "surrogateescape")
