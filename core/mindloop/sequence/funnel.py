"""The stages as a lead passes them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.sequence.model import Model, Stage


def in_order(model: Model) -> list[Stage]:
    """First to last: whoever has more stages after it comes first; as written where that says nothing."""
    place = {stage.id: at for at, stage in enumerate(model.stages)}
    return sorted(model.stages, key=lambda stage: (-len(model.downstream(stage.id)), place[stage.id]))
