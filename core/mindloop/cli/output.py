"""How results reach people and programs: stdout is the result, stderr the talk."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

JSON_VERSION = 1
LIST_LIMIT = 20
ROW_LIMIT = 400
BUDGET = 1_500  # bytes of a list, so that the whole answer stays below 2 KB
TOLD = 10  # diagnostics that are told one by one


def emit_json(value: dict[str, Any]) -> None:
    """Print one JSON object; ``version`` is the shape's number."""
    import json

    text = json.dumps({"version": JSON_VERSION, **value}, ensure_ascii=False, separators=(", ", ": "))
    sys.stdout.write(text + "\n")


def emit(text: str) -> None:
    """Print lines for people; control and bidi characters that came from files are shown, not obeyed."""
    sys.stdout.write(safe(text) + "\n")


def note(text: str) -> None:
    """A diagnostic on stderr."""
    sys.stderr.write(safe(text) + "\n")


def tell(lines: list[str], kind: str = "warning") -> None:
    """The first of many diagnostics on stderr, their kind in front, then how many more there are."""
    for line in lines[:TOLD]:
        note(f"{kind}: {line}")
    if len(lines) > TOLD:
        note(f"{kind}: (+{len(lines) - TOLD} more: --json shows all)")


def safe(text: str) -> str:
    """Text that a terminal shows as it is: escapes and direction marks become visible."""
    return "".join(c if c in "\n\t" or c.isprintable() else _visible(c) for c in text)


def _visible(character: str) -> str:
    # Zero-width joiners belong to emoji; everything else that does not print could lie to the reader.
    return character if character == "\u200d" else ascii(character)[1:-1]


def limited(rows: list[str], *, full: bool, budget: int = BUDGET) -> list[str]:
    """The first rows, and a line that says how many more there are; all of them where ``full`` is asked for."""
    return rows if full else within(rows, budget, LIST_LIMIT)


def within(rows: list[str], budget: int, most: int) -> list[str]:
    """The first rows that fit into ``budget`` bytes, at least one and at most ``most``; then how many were left out."""
    shown: list[str] = []
    for row in rows[:most]:
        cut = row if len(row) <= ROW_LIMIT else f"{row[: ROW_LIMIT - 1]}…"
        budget -= len(safe(cut).encode()) + 1
        if shown and budget < 0:
            break
        shown.append(cut)
    hidden = len(rows) - len(shown)
    return [*shown, f"  (+{hidden} more: --full shows all, --json for programs)"] if hidden else shown


def read_stdin_bytes() -> bytes:
    """All of standard input."""
    return sys.stdin.buffer.read()


def read_stdin_text(what: str) -> str:
    """Standard input as text.

    Raises:
        WrongInput: the bytes are not UTF-8.
    """
    from mindloop.store.errors import WrongInput

    data = read_stdin_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{what} on standard input: expected UTF-8, byte {error.start} is 0x{data[error.start]:02x}"
        raise WrongInput(message, "Convert it first, for example: iconv -f latin1 -t utf-8") from None


def progress_bar() -> tuple[Callable[[str, int, int], None] | None, Callable[[], None]]:
    """A progress callback for a terminal and its end; (None, no-op) in a pipe."""
    if not sys.stderr.isatty():
        return None, lambda: None
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, Any] = {}

    def update(label: str, done: int, total: int) -> None:
        """Show how far the work of one label is."""
        if label not in tasks:
            bar.start()
            tasks[label] = bar.add_task(label, total=total)
        bar.update(tasks[label], completed=done, total=total)

    return update, bar.stop
