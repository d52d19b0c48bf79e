"""Files that follow-up sequences are read from and written to: any path, named by the person who calls."""

from __future__ import annotations

import os
import sys

from mindloop.store.atomic import fsync_dir, prepare, publish, read_file
from mindloop.store.errors import StoreFailure, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import ExitStack
    from typing import BinaryIO

    from mindloop.sequence.loading import Loaded
    from mindloop.sequence.model import Model
    from mindloop.sequence.scenario import Scenario

STDIN = "-"
LIMIT = 32_000_000
"""Bytes of the largest model or scenario; tables are streamed and may have any size."""
_CHUNK = 1 << 20


def content(path: str, what: str) -> bytes:
    """All bytes of a file; of standard input for ``-``.

    Raises:
        WrongInput: there is no such file, it is a folder or too large, or the system refuses it.
    """
    if path == STDIN:
        return sys.stdin.buffer.read(LIMIT + 1)
    data = read_file(path, LIMIT)
    if data is None:
        raise _missing(path, what)
    return data


def _missing(path: str, what: str) -> WrongInput:
    from mindloop.cli.fu_conformance import PROG, VERBS

    near = _near(path, list(VERBS)) if os.sep not in path and "." not in path else None
    hint = f"Did you mean {PROG} {near}?" if near else f"Name the file of the {what}; - is standard input."
    return WrongInput(f"{path}: there is no such file, expected a {what}", hint)


def _near(word: str, words: list[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, words, 1)), None)


def loaded_model(path: str) -> Loaded:
    """The model in a file, and what is odd about the document."""
    from mindloop.sequence.loading import load_model

    return load_model(content(path, "model"), path)


def model_in(path: str) -> Model:
    """The model in a file; what is odd about the document is told on stderr."""
    found = loaded_model(path)
    _tell(path, found.warnings)
    return found.model


def scenario_in(path: str) -> Scenario:
    """The scenario in a file; what is odd about it is told on stderr."""
    from mindloop.sequence.scenario import load_scenario

    found = load_scenario(content(path, "scenario"), path)
    _tell(path, found.warnings)
    return found.scenario


def _tell(path: str, warnings: list[tuple[str, str]]) -> None:
    from mindloop.cli.fu_output import warn

    warn([f"{path}: {pointer}: {sentence}" for pointer, sentence in warnings])


def document_in(path: str, what: str) -> object:
    """The parsed JSON or YAML of a file."""
    from mindloop.sequence.document import read_document

    return read_document(content(path, what), path)


def chunks(path: str, what: str, files: ExitStack) -> Iterator[bytes]:
    """The bytes of a table, a piece at a time; the file is opened at once, so that a wrong name is told first.

    Args:
        path: the file, or ``-``.
        what: what it should be, for errors.
        files: closes it in the end.

    Raises:
        WrongInput: there is no such file, or the system refuses it.
    """
    if path == STDIN:
        return _pieces(sys.stdin.buffer, path)
    try:
        return _pieces(files.enter_context(open(path, "rb")), path)
    except FileNotFoundError:
        raise WrongInput(f"{path}: there is no such file, expected {what}", "Name the exported CSV.") from None
    except OSError as error:
        raise _unreadable(path, error) from None


def _pieces(file: BinaryIO, path: str) -> Iterator[bytes]:
    try:
        while piece := file.read(_CHUNK):
            yield piece
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: str, error: OSError) -> WrongInput:
    return WrongInput(f"{path}: cannot be read: {error.strerror}", "Name a readable file.")


def overwrite(path: str, before: bytes | None, text: str) -> None:
    """Put a new content in the place of a file's, whole or not at all.

    Args:
        path: the file; what a link leads to is changed, not the link.
        before: what was read from it; where it holds something else by now, nothing is written. None does not ask.
        text: the new content.

    Raises:
        WrongInput: it is standard input, or it has changed since it was read.
        StoreFailure: the system refuses; the old content stays.
    """
    if path == STDIN:
        raise WrongInput("standard input cannot be written back to", "Name a file, or redirect the result.")
    real = os.path.realpath(path)
    if before is not None and read_file(real, LIMIT) != before:
        raise WrongInput(f"{path}: somebody changed it meanwhile, nothing was written", "Run the command again.")
    prepare(real, text.encode())
    if not publish(real):
        raise StoreFailure(f"{path}: somebody else wrote it at the same time", "Look at it, and run it again.")
    fsync_dir(os.path.dirname(real))
