"""Asks a host for every answer that a run still waits for, and files each as it comes."""

from __future__ import annotations

from mindloop.hosts.process import side_by_side
from mindloop.protocol.run_files import answered_items, file_answer, find_run, read_head, read_item
from mindloop.store.errors import Malformed, Negative, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mindloop.hosts.errors import HostFailed
    from mindloop.protocol.host import Host
    from mindloop.protocol.run_files import RunPlace
    from mindloop.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]
    Scripted = Callable[[str], str | None]


def ask_host(
    workspace: Workspace,
    host: Host,
    run: str,
    progress: Progress | None = None,
    scripted: Scripted | None = None,
) -> list[str]:
    """Ask ``host`` once for each item that waits without an answer.

    A host whose ``workers`` is above 1 is asked for that many items at a time; each answer is filed as it comes, so
    that nothing that was paid for is lost when a later call fails.

    Args:
        workspace: where the run lies.
        host: who answers.
        run: the run's id.
        progress: called with (label, done, total).
        scripted: gives an item's answer in place of its gap's default, or None.

    Returns:
        What went wrong, a line an item; such an item is answered with the reason, which no check takes for an answer.

    Raises:
        HostMissing: the host cannot work at all; what came before is filed.
    """
    place = find_run(workspace, run)
    head = read_head(workspace, place)
    wanted = sorted(set(head["waiting"]) - set(head["done"]) - answered_items(workspace, place))
    items, warnings = _items(workspace, place, wanted, scripted)
    answers = side_by_side(lambda item: _fill(host, item), items, getattr(host, "workers", 1))
    for number, (item, answer) in enumerate(answers, 1):
        raw = answer if isinstance(answer, str) else f"(no answer: {answer.message})"
        file_answer(workspace, run, item["slug"], raw, host.name)
        warnings += [] if isinstance(answer, str) else [f"{item['user']}: no answer: {answer.message}"]
        if progress:
            progress(f"asking {host.name}", number, len(items))
    return warnings


def _items(
    workspace: Workspace, place: RunPlace, slugs: list[str], scripted: Scripted | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """The packets to ask about; one that is damaged leaves its user open and is told."""
    items, warnings = [], []
    for slug in slugs:
        try:
            item = read_item(workspace, place, slug)
        except (Malformed, Negative, Unreadable) as error:
            warnings.append(f"{slug}: left open: {error.message}")
            continue
        item["default"] = (scripted(slug) if scripted else None) or item["default"]
        items.append(item)
    return items, warnings


def _fill(host: Host, item: dict[str, Any]) -> str | HostFailed:
    """One isolated call for one item; a call that fails costs this item alone, every other error ends the asking."""
    from mindloop.hosts.errors import HostFailed

    try:
        return host.fill(str(item["prompt"]), str(item["default"]))
    except HostFailed as error:
        return error
