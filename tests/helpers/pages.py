"""Reads a page as a strict parser would: every element closed, what text and attributes it holds."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = frozenset(("meta", "br", "link", "img", "input", "hr"))
_OPTIONAL = frozenset(("rect", "circle", "path", "line"))


class Page(HTMLParser):
    """Tags, attributes and text of a page; ``problems`` says where elements do not nest."""

    ALLOWED = frozenset(
        [
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "main",
            "a",
            "h1",
            "h2",
            "p",
            "div",
            "table",
            "caption",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "small",
            "span",
            "dl",
            "dt",
            "dd",
            "details",
            "summary",
            "svg",
            "desc",
            "rect",
            "line",
            "text",
            "g",
            "path",
            "circle",
        ]
    )

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.problems: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is never closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an element."""
        self._seen(tag, attrs)
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an element without content."""
        self._seen(tag, attrs)
        if tag not in _OPTIONAL:
            self.problems.append(f"<{tag}/> is not allowed")

    def _seen(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be that one."""
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        """Remember text."""
        self.texts.append(data)

    @property
    def text(self) -> str:
        """All text."""
        return " ".join(" ".join(self.texts).split())

    def values(self, name: str) -> list[str]:
        """The values of an attribute, wherever it stands."""
        return [value for _, each, value in self.attributes if each == name]
