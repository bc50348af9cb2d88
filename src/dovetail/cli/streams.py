"""Output: answers to standard output, everything else to standard error."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import typer

from ..core.harmless import harmless


def say(text: str = "", **style: Any) -> None:
    """A line for the user, on standard output; plain where that is no terminal."""
    typer.secho(harmless(text), **style)


def remark(text: str, **style: Any) -> None:
    """A line beside the answer, on standard error."""
    typer.secho(f"dovetail: {harmless(text)}", err=True, **style)


def tolerant() -> None:
    """Let a terminal or file that lacks a letter show another one instead of failing.

    A stream that is closed, as those of some services are, takes everything and shows nothing.
    """
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextlib.contextmanager
def apart(wanted: bool) -> Iterator[list[Any]]:
    """Keep standard output for one JSON object: what is put into the list.

    Meanwhile whatever is printed, by Python or by a library, goes to standard error.
    """
    answers: list[Any] = []
    if not wanted:
        yield answers
        return
    output = sys.stdout
    output.flush()
    with _swapped(1, 2), contextlib.redirect_stdout(sys.stderr):
        yield answers
    for answer in answers[:1]:
        print(json.dumps(answer, indent=2, allow_nan=False), file=output, flush=True)


@contextlib.contextmanager
def notes() -> Iterator[None]:
    """Print warnings as a sentence, without the place in the program."""
    with warnings.catch_warnings():
        warnings.filterwarnings("default", category=DeprecationWarning, module="dovetail")
        warnings.showwarning = lambda message, *_, **__: remark(f"note: {message}")
        yield


@contextlib.contextmanager
def _swapped(descriptor: int, other: int) -> Iterator[None]:
    """Let one file descriptor be another one for a while."""
    try:
        kept = os.dup(descriptor)
    except OSError:  # there is none
        yield
        return
    try:
        os.dup2(other, descriptor)
        yield
    finally:
        os.dup2(kept, descriptor)
        os.close(kept)
