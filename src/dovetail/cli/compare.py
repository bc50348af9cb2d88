"""`dovetail compare`: two results side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.errors import OptionError
from .failures import FAILED
from .streams import remark, say

if TYPE_CHECKING:
    from ..results.result import Result


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="A result.")],
    b: Annotated[
        Path, typer.Argument(metavar="B", help="Another result, or measured data: .csv, .xlsx, ...")
    ],
    rtol: Annotated[
        float, typer.Option(metavar="X", help="Relative to the range of a variable.")
    ] = 1e-6,
    atol: Annotated[float, typer.Option(metavar="X", help="Absolute.")] = 1e-9,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=OTHER",
            help="Compare NAME of A with OTHER of B, as in body.x=z; may be repeated.",
        ),
    ] = None,
) -> int:
    """Compare two results: worst variable, where, how much. Exit code 1 if beyond tolerance."""
    from ..results.comparison import compare as compare_results

    pairs = dict(map(_pair, pair)) if pair else None
    found = compare_results(_result(a), _result(b), rtol=rtol, atol=atol, pairs=pairs)
    for line in found.table():
        say(line)
    return 0 if found.within else FAILED


def _pair(text: str) -> tuple[str, str]:
    name, sign, other = (word.strip() for word in text.partition("="))
    if not (name and sign and other):
        raise OptionError(f"--pair is written as in body.x=z, not {text!r}")
    return name, other


def _result(path: Path) -> Result:
    """A result; empty cells of measured data are bridged, as all that lies between rows."""
    from ..results.reading import read

    found = read(path)
    if found.facts.get("empty cells"):
        found = read(path, missing="interpolate")
    for note in found.facts.get("notes") or ():
        remark(f"note: {path} {note}")
    return found
