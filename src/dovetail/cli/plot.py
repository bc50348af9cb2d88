"""`dovetail plot`: a picture of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .streams import say


def plot(
    result: Annotated[
        Path, typer.Argument(metavar="RESULT", help="A result, such as run.parquet.")
    ],
    patterns: Annotated[
        list[str] | None, typer.Argument(metavar="[PATTERN]...", help="Such as 'prey.*'.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A .png, .svg, .pdf or .html file."),
    ] = None,
) -> int:
    """Draw a result to a file, by default to a .png beside it."""
    from ..results.reading import read

    path = result.with_suffix(".png") if output is None else output
    read(result).plot(*(patterns or ()), path=path)
    say(str(path))
    return 0
