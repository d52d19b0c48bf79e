"""The canvas folder: its files, whose they are, and how they are found (follow-up, steps 1 and 2)."""

from __future__ import annotations

from mindloop.observer.canvas.parse import SUFFIX, Canvas, InvalidCanvas, NotACanvas, parse_canvas, stem
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import excerpt
from mindloop.observer.names import fold
from mindloop.store import front_matter
from mindloop.store.errors import Malformed, MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mindloop.store.files import Files

__all__ = [
    "Canvas",
    "CanvasFile",
    "InvalidCanvas",
    "NotACanvas",
    "check_length",
    "load_canvas",
    "load_canvases",
    "matches",
    "parse_canvas",
    "stem",
]


class CanvasFile:
    """One file of the canvas folder: a canvas, or why it is none.

    Attributes:
        path: relative to the workspace.
        canvas: what was read, or None.
        error: why it cannot be used, or None.
        user_guess: whose canvas it is, as far as can be told; safe to print on one line.
    """

    __slots__ = ("canvas", "error", "path", "user_guess")

    def __init__(self, path: str, canvas: Canvas | None, error: MindloopError | None, user_guess: str) -> None:
        self.path = path
        self.canvas = canvas
        self.error = error
        self.user_guess = user_guess

    @property
    def problem(self) -> str:
        """Why it cannot be used, one line; empty where it can."""
        return self.error.message if self.error else ""


def load_canvases(files: Files) -> list[CanvasFile]:
    """Read every canvas, sorted by file name; templates are left out (follow-up, step 1).

    One bad file never hides another. Of two canvases for one user the one named ``-canvas.md`` counts.

    Args:
        files: a workspace, or a transaction that sees what it staged.
    """
    folder = layout_of(files).canvas_dir
    found = [load_canvas(files, f"{folder}/{name}") for name in files.names(folder, ".md")]
    result = [one for one in found if one is not None]
    _refuse_duplicates(result)
    return result


def load_canvas(files: Files, rel: str) -> CanvasFile | None:
    """Read one canvas file by its path; None where it is a template or is not there.

    A file above ``observer.canvas_max_bytes`` is refused by its size and not read.
    """
    text = None
    try:
        _check_name(rel)
        check_length(files, rel, files.size(rel) or 0)
        text = files.read_text(rel)
        canvas = None if text is None else parse_canvas(rel, text)
        return CanvasFile(rel, canvas, None, canvas.user) if canvas else None
    except NotACanvas:
        return None
    except MindloopError as error:
        invalid = error if isinstance(error, InvalidCanvas) else InvalidCanvas(error.message, error.hint)
        invalid.__cause__ = None if invalid is error else error
        return CanvasFile(excerpt(rel, 300), None, invalid, _guess(rel, text))


def _check_name(rel: str) -> None:
    """Refuse a file name that could leave the line it is shown in, or that is no text at all."""
    if not rel.isprintable():
        raise InvalidCanvas(f"the file name {rel[:200]!a} holds invisible characters", "Rename the file.")


def check_length(files: Files, rel: str, size: int) -> None:
    """Refuse a canvas of more bytes than ``observer.canvas_max_bytes``.

    Raises:
        InvalidCanvas: it is larger; the message names both numbers.
    """
    limit = int(files.settings.get("observer.canvas_max_bytes"))
    if size > limit:
        raise InvalidCanvas(
            f"{excerpt(rel, 200)}: {size} bytes, at most {limit} are read",
            "Make the canvas smaller, or raise observer.canvas_max_bytes in mindloop.yaml.",
        )


def _guess(rel: str, text: str | None) -> str:
    """Name the user of a file that does not parse: what its header says if it can be read, else its name."""
    try:
        user = front_matter.parse(text or "")[0].get("user")
    except Malformed:
        user = None
    named = excerpt(user, 64) if isinstance(user, str) else ""
    return named or excerpt(stem(rel), 64) or "?"


def _refuse_duplicates(files: list[CanvasFile]) -> None:
    """Leave each user one canvas and each slug one user; the others become invalid and name the one that counts."""
    for kept, other in _beside(files, lambda canvas: fold(canvas.user)):
        clash = f"a second canvas of {kept.user_guess}; {excerpt(kept.path)} counts"
        _refuse(other, clash, "Merge the two files into that one.")
    for kept, other in _beside(files, lambda canvas: canvas.slug):
        clash = f"{other.user_guess!r} and {kept.user_guess!r} of {excerpt(kept.path)} share a slug"
        _refuse(other, f"{clash}; the second one counts", "Give one of them another name: files are named by the slug.")


def _beside(files: list[CanvasFile], key: Callable[[Canvas], str]) -> Iterator[tuple[CanvasFile, CanvasFile]]:
    """Yield each canvas that shares a key with a preferred one, after that one."""
    groups: dict[str, list[CanvasFile]] = {}
    for one in files:
        if one.canvas:
            groups.setdefault(key(one.canvas), []).append(one)
    for same in groups.values():
        kept, *others = sorted(same, key=_preference)
        yield from ((kept, other) for other in others)


def _refuse(one: CanvasFile, reason: str, hint: str) -> None:
    one.error = InvalidCanvas(f"{excerpt(one.path)}: {reason}", hint)
    one.canvas = None


def _preference(one: CanvasFile) -> tuple[bool, bool, str]:
    return not one.path.endswith(f"{SUFFIX}.md"), fold(stem(one.path)) != fold(one.user_guess), one.path


def matches(one: CanvasFile | Canvas, name: str) -> bool:
    """Tell whether ``--canvas NAME`` means this file: its user or its name, whole, in any case; never a prefix.

    ``-canvas`` makes no difference, in the file's name or in the one that was asked for.
    """
    user = one.user if isinstance(one, Canvas) else one.user_guess
    full = one.path.rsplit("/", 1)[-1].removesuffix(".md")
    wanted = fold(name.strip())
    return wanted in {fold(user), fold(full)} or wanted.removesuffix(SUFFIX) == fold(stem(one.path))
