"""One line of the log of an answer, in the two lengths in which it is shown."""

from __future__ import annotations


class LogLine(str):
    """What a check did to an answer, for the record: a text like any other.

    Attributes:
        brief: the same for a conversation, without a word of the writer's; empty where a conversation need not know.
    """

    __slots__ = ("brief",)
    brief: str

    def __new__(cls, text: str, brief: str = "") -> LogLine:  # noqa: PYI034 - Self would cost an import of typing
        """Make a line; without ``brief`` it stays in the record."""
        line = super().__new__(cls, text)
        line.brief = brief
        return line


def told(text: str) -> LogLine:
    """A line that holds no word of the writer's, so that it is shown everywhere as it is."""
    return LogLine(text, text)
