"""`dovetail`: the commands, and what becomes of their failures."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from .commands import COMMANDS
from .completion.completers import words
from .completion.protocol import VARIABLE, answer
from .completion.shells import SHELLS, install, shell_named
from .failures import Failure, report
from .optional_values import spelled_out
from .sections import SectionedGroup
from .streams import apart, notes, tolerant

app = typer.Typer(
    name="dovetail",
    cls=SectionedGroup,
    help="Couples independently made simulators into one simulation.",
    epilog="""\b
        'dovetail run --help' explains a command and shows examples.
        Exit codes: 0 done; 1 the run failed (results up to then are kept);
        2 the input is wrong (nothing was run); 3 done, but the result is doubtful.""",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for section, command, brief, examples in COMMANDS:
    shown = "\n".join(["\b", "Examples:", *(f"  {line}" for line in examples)])
    app.command(short_help=brief, epilog=shown, rich_help_panel=section)(command)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"dovetail {__version__}")
        raise typer.Exit


def _install(shell: str | None) -> None:
    if shell is not None:
        typer.echo(install(shell))
        raise typer.Exit


def _show(shell: str | None) -> None:
    if shell is not None:
        typer.echo(shell_named(shell).script, nl=False)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", help="With an error, show where in the program it came from (traceback)."
        ),
    ] = False,
    install_completion: Annotated[
        str | None,
        typer.Option(
            metavar="[SHELL]",
            callback=_install,
            is_eager=True,
            help="Let the tab key complete commands, files and names of variables, in bash, zsh "
            "or fish; by default in the shell that is in use.",
            autocompletion=words(*SHELLS),
        ),
    ] = None,
    show_completion: Annotated[
        str | None,
        typer.Option(
            metavar="[SHELL]",
            callback=_show,
            is_eager=True,
            help="Print the script for that, to be put somewhere else.",
            autocompletion=words(*SHELLS),
        ),
    ] = None,
) -> None:
    """Couples independently made simulators into one simulation."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say; the exit code."""
    if VARIABLE in os.environ:
        print(answer(app, os.environ), end="")
        return 0
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given or os.environ.get("DOVETAIL_DEBUG", "") not in ("", "0")
    arguments = [argument for argument in given if argument != "--debug"]
    arguments = arguments or ["--help"]
    if arguments[-1:] in (["--install-completion"], ["--show-completion"]):
        arguments.append("auto")
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
