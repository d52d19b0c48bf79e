"""What doctor says of the client's settings in the workspace."""

from __future__ import annotations

import os

from mindloop.cli.isolation import LOCAL, SETTINGS, isolation_problem
from mindloop.store.checkup import INFO, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.store.checkup import Look


def check_isolation(look: Look) -> Iterator[Finding]:
    """Mention settings of the client that leave open what a packet's isolation needs shut."""
    if any(os.path.lexists(os.path.join(look.ws.root, name)) for name in (SETTINGS, LOCAL)):
        problem = isolation_problem(look.ws.root)
        if problem:
            yield Finding(INFO, SETTINGS, None, problem)
