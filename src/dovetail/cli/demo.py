"""`dovetail demo`: a real coupled simulation that explains itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where its files go.")] = Path(
        "dovetail-demo"
    ),
) -> int:
    """Run a belt drive with a motor and a controller; explain, draw, and leave the files."""
    from ..demo.show import show

    show(folder)
    return 0
