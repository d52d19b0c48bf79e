"""Offsets and silence gates that keep the follow-ups of a stage apart (follow-up-sequences, sections 2 and 5)."""

from __future__ import annotations

from mindloop.sequence.words import FREE_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.sequence.model import Runtime


def lag_bound(runtime: Runtime) -> int:
    """The shortest silence, in minutes, after which whatever the last inbound caused is stamped; whole ticks."""
    return max(1, -(-runtime.lag // runtime.runner_tick)) * runtime.runner_tick


def free_offset(taken: Iterable[int], start: int, gap: int, below: int | None = None) -> int | None:
    """The first offset from ``start`` on that is ``gap`` minutes away from every taken one.

    Args:
        taken: offsets of the stage's other follow-ups.
        start: minutes from which to look.
        gap: the smallest acceptable distance in minutes.
        below: where the first is not below this, the nearest earlier one is taken.

    Returns:
        Minutes, 1 or more; None where there is no such offset below ``below``.
    """
    others = sorted(taken)
    found = _upwards(others, start, gap)
    if below is None or found < below:
        return found
    earlier = _downwards(others, below - 1, gap)
    return earlier if earlier > 0 else None


def silence_after(offset: int, others: Iterable[tuple[int, int]], runtime: Runtime, kind: str) -> int:
    """A silence gate for a follow-up: the lag bound, and as far behind its predecessors' as its offset is.

    Free text that would leave the channel's window that way keeps the smallest acceptable distance instead.

    Args:
        offset: its own, in minutes.
        others: (offset, silence) of the stage's other follow-ups.
        runtime: bounds of the engine.
        kind: of its destination.
    """
    earlier = [(other, silence) for other, silence in others if other < offset]
    bound = lag_bound(runtime)
    same_gap = max((silence + offset - other for other, silence in earlier), default=bound)
    least = max((silence + runtime.min_stagger for _, silence in earlier), default=bound)
    wanted = max(bound, same_gap if kind != FREE_TEXT or same_gap < runtime.window else least)
    return wanted if kind != FREE_TEXT or wanted < runtime.window else bound


def _upwards(others: list[int], start: int, gap: int) -> int:
    found = start
    for other in others:
        if abs(other - found) < gap:
            found = other + gap
    return found


def _downwards(others: list[int], start: int, gap: int) -> int:
    found = start
    for other in reversed(others):
        if abs(other - found) < gap:
            found = other - gap
    return found
