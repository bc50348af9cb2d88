"""`dovetail`: the commands, and what becomes of their failures."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from .analyze import analyze
from .check import check
from .compare import compare
from .demo import demo
from .describe import describe
from .failures import Failure, report
from .optional_values import spelled_out
from .plot import plot
from .run import run
from .streams import apart, notes, tolerant
from .validate import validate

app = typer.Typer(
    name="dovetail",
    help="Couples independently made simulators into one simulation.",
    epilog="Exit codes: 0 done, 1 the run failed (results up to then are kept), 2 the input is "
    "wrong (nothing was run).",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command, brief in (
    (run, "Run a system, or a single FMU."),
    (check, "Every problem of a system, and what it can be run with."),
    (describe, "Variables and capabilities of a model, or parts of a system."),
    (validate, "Is this FMU sound? Rules, steps, reference results."),
    (analyze, "Time scales of a model, and where it can be cut."),
    (plot, "Draw a result, or several over each other."),
    (compare, "Compare two results."),
    (demo, "A belt drive, run two ways, explained and drawn."),
):
    app.command(short_help=brief)(command)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"dovetail {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the program an error came from.")
    ] = False,
) -> None:
    """Couples independently made simulators into one simulation."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say; the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given or os.environ.get("DOVETAIL_DEBUG", "") not in ("", "0")
    arguments = [argument for argument in given if argument != "--debug"]
    tolerant()
    try:
        with notes(), apart("--json" in arguments) as answers:
            return _answered(arguments, answers, debug=debug)
    except OSError as error:  # the answer itself cannot be written
        failure = Failure.of(error)
        report(failure, error, debug=debug)
        return failure.code


def _answered(arguments: list[str], answers: list[Any], *, debug: bool) -> int:
    """The exit code of a command that may fail."""
    try:
        return _invoke(arguments, answers)
    except BaseException as error:
        failure = Failure.of(error)
        report(failure, error, debug=debug)
        if "--json" in arguments and not answers:
            from .outcome import fields

            answers.append(fields(error=failure.sentence))
        return failure.code


def _invoke(arguments: list[str], answers: list[Any]) -> int:
    command = typer.main.get_command(app)
    try:
        words = spelled_out(arguments)
        with command.make_context("dovetail", words, obj=answers) as context:
            code = command.invoke(context)
    except typer.Exit as end:
        code = end.exit_code
    sys.stdout.flush()  # a pipe that broke is noticed here, not on the way out
    return code or 0
