"""`dovetail draw`: a block diagram of a system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import SYSTEM, SkipUnzip, Unsupported
from .streams import say


def draw(
    system: Annotated[Path, typer.Argument(metavar="SYSTEM", help=SYSTEM)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A .svg, .png or .pdf file."),
    ] = None,
    skip_unzip: SkipUnzip = False,
    unsupported: Unsupported = "error",
) -> int:
    """Draw the parts of a system and their connections, by default to an .svg in this folder.

    Parts that depend on each other have one colour. Where the file says where its parts are, as
    an .ssp can, they are there. Nothing is run.
    """
    from ..fmi.archive.archive import extracted_beside
    from ..formats import read

    with extracted_beside(wanted=skip_unzip):
        drawn = read(system, unsupported=unsupported)  # type: ignore[arg-type]
    path = Path(system.with_suffix(".svg").name) if output is None else output
    drawn.draw(path)
    say(str(path))
    return 0
