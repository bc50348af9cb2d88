"""`dovetail plot`: a picture of a result, or of several over each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..core.errors import OptionError
from .completion.completers import PICTURES, drawn, files
from .streams import say


def plot(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULT... [PATTERN]...",
            help="Results of runs (.parquet, .arrow, .csv, .tsv, .xlsx, .json, .h5 or .mat), then "
            "which variables are drawn: 'prey.x', 'prey.*'; by default all.",
            autocompletion=drawn,
        ),
    ],
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
    x: Annotated[
        str | None,
        typer.Option(
            "--x", metavar="NAME", help="Draw over this variable; by default over time, in s."
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="WxH",
            help="Width and height in inches, such as 10x6; by default what the panels need.",
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Text above the picture; by default the system's name."),
    ] = None,
) -> int:
    """Draw a result to a file, by default to a .png beside it; several over each other."""
    from ..results.pictures.overlay import plot as draw

    results, patterns = sorted_out(words)
    inches = None if size is None else inches_of(size)
    first = results[0]
    beside = first.with_suffix(".png") if len(results) == 1 else first.with_name("overlay.png")
    path = beside if output is None else output
    draw(results, *patterns, x=x, size=inches, title=title, path=path)
    say(str(path))
    return 0


def sorted_out(words: list[str]) -> tuple[list[Path], list[str]]:
    """Results and patterns: the first word is a result, and so is every other file.

    A word that ends as a file of results does is one too, unless the results have such a name.
    """
    from ..results.files import FORMATS
    from ..results.files.remains import of_run
    from ..results.patterns import matching
    from ..results.reading import read

    results, patterns = [Path(words[0])], []
    for word in words[1:]:
        path = Path(word)
        if path.is_file() or of_run(path) != path:
            results.append(path)
        elif path.suffix.lower() not in FORMATS or matching(word, read(results[0]).names):
            patterns.append(word)
        else:
            results.append(path)  # reading it says that it is not there
    return results, patterns


def inches_of(text: str) -> tuple[float, float]:
    """Width and height from `10x6`."""
    try:
        width, height = (float(one) for one in text.lower().split("x"))
    except ValueError:
        way_out = "write width x height in inches, such as 10x6"
        raise OptionError(f"--size {text!r} is not a size: {way_out}") from None
    return width, height
