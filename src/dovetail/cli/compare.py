"""`dovetail compare`: two results side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.errors import OptionError
from .completion.completers import MEASURED, RESULTS, files
from .failures import FAILED
from .streams import remark, say

if TYPE_CHECKING:
    from ..results.result import Result


def compare(
    a: Annotated[
        Path,
        typer.Argument(
            metavar="A",
            help="A result: .parquet, .arrow, .csv, .tsv, .xlsx, .json, .h5 or .mat.",
            autocompletion=files(*RESULTS),
        ),
    ],
    b: Annotated[
        Path,
        typer.Argument(
            metavar="B",
            help="Another result, or measured data: .csv, .tsv, .txt, .xlsx ...",
            autocompletion=files(*RESULTS, *MEASURED),
        ),
    ],
    rtol: Annotated[
        float,
        typer.Option(
            metavar="X",
            help="How far apart values may be, as a share of the range of their variable.",
        ),
    ] = 1e-6,
    atol: Annotated[
        float,
        typer.Option(
            metavar="X",
            help="How far apart values may be besides, in the unit of the variable.",
        ),
    ] = 1e-9,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=OTHER",
            help="Compare NAME of A with OTHER of B, as in body.x=z; may be given several times. "
            "By default variables of the same name are compared.",
        ),
    ] = None,
) -> int:
    """Compare two results: worst variable, where, how much. Exit code 1 if beyond tolerance."""
    from ..core.options import check_number
    from ..results.comparison import compare as compare_results

    check_number("--rtol", rtol, least=0)
    check_number("--atol", atol, least=0)
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
