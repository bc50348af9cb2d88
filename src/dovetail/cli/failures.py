"""What becomes of an error: a sentence and an exit code, never a bare traceback."""

from __future__ import annotations

import os
import sys
import traceback
from dataclasses import dataclass
from typing import Any

import typer

from ..core.errors import DovetailError, RunError
from ..core.spelling import nearest
from .streams import remark

FAILED, WRONG, DOUBTFUL = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Failure:
    """How a command ended that did not do what it was asked."""

    sentence: str
    code: int
    unexpected: bool = False

    @staticmethod
    def of(error: BaseException) -> Failure:
        """The failure that an error is."""
        if isinstance(error, DovetailError):
            return Failure(str(error), FAILED if isinstance(error, RunError) else WRONG)
        if isinstance(error, KeyboardInterrupt | typer.Abort):
            return Failure(str(error) or "interrupted; nothing was computed", FAILED)
        if isinstance(error, _USAGE):
            return Failure(_usage(error), WRONG)
        if isinstance(error, BrokenPipeError):
            return Failure("", FAILED)  # standard output was closed
        if isinstance(error, SystemExit):
            return Failure(f"something called for an exit ({error.code})", FAILED)
        if isinstance(error, FileNotFoundError) and not error.filename and not _has_folder():
            return Failure("the current folder is gone; change into another one", WRONG)
        if isinstance(error, OSError):
            place = f"{error.filename}: " if error.filename else "writing the answer: "
            return Failure(f"{place}{error.strerror or error}", FAILED)
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Failure(f"{what}; this is a bug in Dovetail", FAILED, unexpected=True)


def _has_folder() -> bool:
    """Whether the current folder is still there."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def report(failure: Failure, error: BaseException, *, debug: bool) -> None:
    """Print it on standard error."""
    if isinstance(error, BrokenPipeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # so that closing it does not complain again
        return
    if debug:
        traceback.print_exception(error)
    hint = "; run again with --debug to see where" if failure.unexpected and not debug else ""
    remark(f"{failure.sentence}{hint}", fg="red")


# What the parser of options raises; where it comes from depends on the version of typer.
_USAGE = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


_PLAINER = {  # the parser's sentence, and ours
    "Input should be a valid number, unable to parse string as a number": "it must be a number",
    "Input should be a valid integer, unable to parse string as an integer": (
        "it must be a whole number"
    ),
    "Got unexpected extra argument(s)": "There is an argument too many",
    "Got unexpected extra argument": "There is an argument too many",
}


def _usage(error: BaseException) -> str:
    sentence = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "dovetail"
    if hasattr(error, "option_name") and hasattr(error, "possibilities"):
        sentence = _no_option(error.option_name, context)
    for theirs, ours in _PLAINER.items():
        sentence = sentence.replace(theirs, ours)
    end = "" if sentence.endswith("?") else "."
    return f"{sentence.rstrip('.')}{end} Try '{command} --help'."


def _no_option(name: str, context: Any) -> str:
    """An option that is not there, and the one that was probably meant."""
    outer = getattr(context, "parent", None)
    if outer is not None and name in _options(outer):
        return f"'{name}' belongs before the command: '{outer.info_name} {name}'"
    sentence = f"There is no option '{name}'"
    if not name.startswith("--"):
        return f"{sentence}; words have two dashes, as in '--stop'"
    known = [option[2:] for option in _options(context) if option.startswith("--")]
    near = nearest(name[2:], [*known, "help"])
    return f"{sentence}." if near is None else f"{sentence}. Did you mean '--{near}'?"


def _options(context: Any) -> list[str]:
    return [] if context is None else [o for p in context.command.params for o in p.opts]
