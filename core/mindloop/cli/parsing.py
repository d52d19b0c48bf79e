"""One argument parser a command, with our exit code and our hints."""

from __future__ import annotations

from mindloop.store.errors import WrongInput
from mindloop.store.lazy_patterns import CompiledLater

with CompiledLater():  # gettext, which argparse imports, has patterns for plural forms
    import argparse

# Looking for translations imports the locale and searches the disk for catalogs, and there are none of our words.
argparse._ = str  # type: ignore[attr-defined]  # what argparse looks each of its own words up with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Raises WrongInput instead of printing and leaving."""

    def error(self, message: str) -> NoReturn:
        """Say what was wrong and how the command is called."""
        raise WrongInput(f"{self.prog}: {message}", f"See: {self.prog} --help")


def _formatter(prog: str) -> argparse.HelpFormatter:
    # Without a width argparse imports shutil, and with it two compression libraries, to ask the terminal.
    return argparse.RawDescriptionHelpFormatter(prog, width=100)


def parser(prog: str, description: str, epilog: str = "") -> Parser:
    """A parser whose help keeps the line breaks it was written with."""
    return Parser(
        prog=prog,
        description=description,
        epilog=epilog,
        formatter_class=_formatter,
        allow_abbrev=False,
    )


def add_json(target: argparse.ArgumentParser) -> None:
    """``--json``, for programs."""
    target.add_argument("--json", action="store_true", help="print one JSON object")


def verb(prog: str, argv: list[str], verbs: dict[str, str]) -> str:
    """The first word of the call, one of ``verbs``; help and mistakes list them all.

    Raises:
        WrongInput: no word, or not one of them.
        SystemExit: for --help, after printing it.
    """
    width = max(map(len, verbs)) + 2
    rows = "".join(f"  {name:<{width}}{line}\n" for name, line in verbs.items())
    if argv and argv[0] in {"-h", "--help"}:
        import sys

        sys.stdout.write(f"usage: {prog} <verb> [arguments]\n\n{rows}\n{prog} <verb> --help explains one.\n")
        raise SystemExit(0)
    if not argv or argv[0] not in verbs:
        came = f"{argv[0][:40]!r}" if argv else "nothing"
        message = f"{prog}: expected one of {', '.join(verbs)}; got {came}"
        raise WrongInput(message, f"See: {prog} --help")
    return argv[0]
