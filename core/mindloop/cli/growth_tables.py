"""The growth report at a terminal: tables and bars, readable without colour and from 72 columns on."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text

from mindloop.cli.output import safe
from mindloop.observer.growth.report_tables import Bar, notes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.growth.report_tables import Table

ROWS = 12
"""Rows that a table shows unasked."""
WIDEST, LEAST = 100, 72
"""Columns that are used, and that tables with bars need at least."""
_NARROWEST = 6
_GAP = 2
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_EMPTY = "░"


def is_wide() -> bool:
    """Whether the terminal at standard output has room for tables with bars."""
    return Console().width >= LEAST


def show(lines: list[str], tables: list[Table], *, full: bool, console: Console | None = None) -> None:
    """Print the report.

    Args:
        lines: the headline.
        tables: what to show.
        full: all rows of each table.
        console: where to; standard output otherwise.
    """
    console = console or Console(highlight=False, markup=False, emoji=False)
    wide = min(console.width, WIDEST)
    head, *rest = lines
    console.print(Text(safe(head), style="bold"), width=wide)
    for line in rest:
        console.print(Text(safe(line)), width=wide)
    for table in tables:
        _show(console, table, len(table.rows) if full else min(ROWS, len(table.rows)), wide)


def _show(console: Console, table: Table, kept: int, wide: int) -> None:
    console.print()
    console.print(Rule(Text(safe(table.title), style="bold"), align="left", style="dim"), width=wide)
    if table.rows:
        console.print(Padding(_grid(table, kept, wide - 1), (0, 0, 0, 1)), width=wide)
    for note in notes_of(table, kept):
        console.print(Padding(Text(safe(note), style="dim"), (0, 0, 0, 1)), width=wide)


def _grid(table: Table, kept: int, available: int) -> Grid:
    titles = [title.removeprefix(">") for title in table.columns]
    columns = [_column(table, place, kept) for place in range(len(titles))]
    numeric = [title.startswith(">") and not _has_bars(table, place) for place, title in enumerate(table.columns)]
    natural = [
        max(Text(title).cell_len, *(cell.cell_len for cell in cells))
        for title, cells in zip(titles, columns, strict=True)
    ]
    elastic = [not title.startswith(">") for title in table.columns]
    widths = fitted(natural, elastic, available - _GAP * (len(titles) - 1))
    grid = Grid(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim", show_header=any(titles))
    for title, right, width in zip(titles, numeric, widths, strict=True):
        justify = "right" if right else "left"
        grid.add_column(Text(title), justify=justify, width=width, no_wrap=True, overflow="ellipsis")  # type: ignore[arg-type]
    for row in zip(*columns, strict=True):
        grid.add_row(*row)
    return grid


def _has_bars(table: Table, place: int) -> bool:
    return any(isinstance(row[place], Bar) for row in table.rows)


def _column(table: Table, place: int, kept: int) -> list[Text]:
    words = max((len(str(row[place])) for row in table.rows[:kept]), default=0)
    return [_cell(row[place], words) for row in table.rows[:kept]]


def _cell(cell: str | Bar, words: int) -> Text:
    if not isinstance(cell, Bar):
        return Text(safe(cell))
    drawn = bar(cell.share, cell.cells)
    full = drawn.rstrip(_EMPTY)
    return Text.assemble((full, "cyan"), (drawn[len(full) :], "dim"), f" {safe(str(cell)).rjust(words)}")


def fitted(natural: list[int], elastic: list[bool], available: int) -> list[int]:
    """Widths of columns that fit together: the widest elastic one gives way first, to a smallest width.

    Args:
        natural: what each column would like.
        elastic: which may be narrower; words can be cut, numbers and bars cannot.
        available: columns for all of them, without the gaps.
    """
    widths = list(natural)
    while sum(widths) > available:
        place = max((place for place in range(len(widths)) if elastic[place]), key=lambda at: widths[at], default=None)
        if place is None or widths[place] <= _NARROWEST:
            break
        widths[place] -= 1
    return widths


def bar(share: float | None, cells: int) -> str:
    """A bar of block characters, exact to an eighth of a column; all background where there is no share."""
    eighths = round(max(0.0, min(1.0, share or 0.0)) * cells * 8)
    whole, rest = divmod(eighths, 8)
    drawn = "█" * whole + (_EIGHTHS[rest] if rest else "")
    return drawn + _EMPTY * (cells - len(drawn))
