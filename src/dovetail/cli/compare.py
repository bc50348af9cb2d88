"""`dovetail compare`: two results side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion.completers import RESULTS, files
from .failures import FAILED
from .streams import say


def compare(
    a: Annotated[
        Path,
        typer.Argument(
            metavar="A",
            help="A result: .parquet, .arrow, .csv, .tsv, .h5 or .mat.",
            autocompletion=files(*RESULTS),
        ),
    ],
    b: Annotated[
        Path,
        typer.Argument(
            metavar="B",
            help="Another result, or reference values in a table.",
            autocompletion=files(*RESULTS),
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
) -> int:
    """Compare two results: worst variable, where, how much. Exit code 1 if beyond tolerance."""
    from ..core.options import check_number
    from ..results.comparison import compare as compare_results
    from ..results.reading import read

    check_number("--rtol", rtol, least=0)
    check_number("--atol", atol, least=0)
    found = compare_results(read(a), read(b), rtol=rtol, atol=atol)
    for line in found.table():
        say(line)
    return 0 if found.within else FAILED
