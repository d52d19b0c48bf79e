"""Regular expressions that are compiled when they are first used, not when their module is imported.

A command uses a few of the patterns that its modules hold, and compiling all of them is a tenth of its time: ours are
promises, made by ``when_used``. PyYAML compiles the patterns of its pure Python reader on import, for a third of what
its import costs, and the C parser that we use never looks at them: inside ``CompiledLater`` they become promises too.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, AnyStr

_compile = re.compile


class LazyPattern:
    """Stands for a pattern and counts as one, for ``re.finditer`` too; its first use compiles it, as does a copy."""

    def __init__(self, pattern: Any, flags: int = 0) -> None:
        self._what = (pattern, flags)

    @property  # type: ignore[misc]  # nobody sets it
    def __class__(self) -> type:
        return re.Pattern

    def __reduce__(self) -> tuple[Any, ...]:
        return _compile, self._what

    def __getattr__(self, name: str) -> Any:
        value = getattr(_compile(*self._what), name)
        setattr(self, name, value)  # the next use does not ask again: a pattern may be used on every line of a file
        return value


def when_used(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern that is compiled when it is first used; a broken one fails then."""
    return LazyPattern(pattern, flags)  # type: ignore[return-value]  # it has every attribute of the pattern


class CompiledLater:
    """While it is open, ``re.compile`` gives promises. For imports only: other threads would get promises too."""

    def __enter__(self) -> None:
        re.compile = LazyPattern  # type: ignore[assignment]  # a promise is used as what it promises

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        re.compile = _compile
