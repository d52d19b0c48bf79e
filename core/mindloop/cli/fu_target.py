"""Where a changed model goes: nowhere, into its own file, or into another; for every command that changes one."""

from __future__ import annotations

import os

from mindloop.cli.fu_files import overwrite
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any


def add_target(options: ArgumentParser, what: str) -> None:
    """``--apply``, ``-o FILE`` and ``--drop-comments``; ``what`` is the model that is written."""
    where = options.add_mutually_exclusive_group()
    where.add_argument("--apply", action="store_true", help="write it into MODEL; without this nothing is written")
    where.add_argument("-o", dest="output", metavar="FILE", help=f"write {what} there")
    options.add_argument("--drop-comments", action="store_true", help="with --apply: comments of YAML may be lost")


def written(
    chosen: Namespace, before: bytes, document: dict[str, Any], *, changed: bool, refused: bool = False
) -> tuple[str | None, str]:
    """Write a model where the call says so.

    Args:
        chosen: the arguments, ``model`` and those of ``add_target``.
        before: what was read from the model's file; where it holds something else by now, nothing is written.
        document: the model to write.
        changed: whether it differs from what was read; an unchanged one is not written into its own file.
        refused: write nothing, whatever was asked.

    Returns:
        The file that was written, or None; and a sentence where comments of YAML do not survive, or an empty text.

    Raises:
        WrongInput: comments would be lost in the file itself and nobody said that they may be, or it changed meanwhile.
        StoreFailure: the system refuses; the old content stays.
    """
    from mindloop.sequence.document import document_text

    target = None if refused else chosen.output or (chosen.model if chosen.apply and changed else None)
    lost = _comments_lost(before, chosen.model, target, drop=chosen.drop_comments) if changed else ""
    if target:
        known = before if _is_same(target, chosen.model) else None
        overwrite(target, known, document_text(document, before, target))
    return target, lost


def _comments_lost(before: bytes, name: str, target: str | None, *, drop: bool) -> str:
    from mindloop.sequence.document import loses_comments

    if not loses_comments(before, name):
        return ""
    if target and _is_same(target, name) and not drop:
        message = f"{name}: its comments would be lost, nothing was written"
        raise WrongInput(message, "Add --drop-comments, or write elsewhere with -o FILE.")
    where = f"not kept in {target}" if target else "lost when it is written (--apply needs --drop-comments)"
    return f"{name}: comments of YAML are not part of the model and are {where}"


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
