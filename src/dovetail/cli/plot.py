"""`dovetail plot`: a picture of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion.completers import PICTURES, RESULTS, drawn, files
from .streams import say


def plot(
    result: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT",
            help="A result of a run: .parquet, .arrow, .csv, .tsv, .h5 or .mat.",
            autocompletion=files(*RESULTS),
        ),
    ],
    patterns: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATTERN]...",
            help="Which variables are drawn: 'prey.x', 'prey.*'; by default all.",
            autocompletion=drawn,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File for the picture: .png, .svg, .pdf, or .html to look around in; by default "
            "a .png beside the result.",
            autocompletion=files(*PICTURES),
        ),
    ] = None,
) -> int:
    """Draw a result to a file, by default to a .png beside it."""
    from ..results.reading import read

    path = result.with_suffix(".png") if output is None else output
    read(result).plot(*(patterns or ()), path=path)
    say(str(path))
    return 0
