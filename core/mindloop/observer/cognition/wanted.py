"""What an answer about a user must hold: how many fears, and of which class."""

from __future__ import annotations

from mindloop.observer.cognition.validity import CLASSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BACKED_WANTED, EXPLORATORY_WANTED = 2, 1
BACKED, EXPLORATORY = CLASSES


class Wanted:
    """What an answer must hold.

    Attributes:
        max_fears: the most fears a user may have, at least 1.
        fear_types: the types that are configured.
        backed: how many fears must be evidence-backed.
        exploratory: how many must be exploratory.
    """

    __slots__ = ("backed", "exploratory", "fear_types", "max_fears")

    def __init__(self, *, bootstrap: bool, verified: int, max_fears: int, fear_types: Sequence[str]) -> None:
        """Derive it: a bootstrap has no provenance record; an established user without a quote can back no fear."""
        backs = not bootstrap and verified > 0
        self.max_fears = max_fears
        self.fear_types = list(fear_types)
        self.backed = min(BACKED_WANTED, max_fears) if backs else 0
        self.exploratory = 0 if backs else min(EXPLORATORY_WANTED, max_fears)
