"""`dovetail demo`: a real coupled simulation that explains itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion.completers import files


def demo(
    folder: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Folder for its files, to look at and to change; it is made if it is not there.",
            autocompletion=files("/"),
        ),
    ] = Path("dovetail-demo"),
) -> int:
    """Run a belt drive with a motor and a controller; explain, draw, and leave the files."""
    from ..demo.show import show

    show(folder)
    return 0
