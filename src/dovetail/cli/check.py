"""`dovetail check`: everything that can be said of a system before it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .failures import WRONG
from .options import SYSTEM, SkipUnzip, Unsupported
from .streams import say


def check(
    system: Annotated[Path, typer.Argument(metavar="SYSTEM", help=SYSTEM)],
    skip_unzip: SkipUnzip = False,
    unsupported: Unsupported = "error",
) -> int:
    """Tell every problem of a system, and which algorithms it can be run with and why."""
    from ..fmi.archive.archive import extracted_beside
    from ..formats import read

    with extracted_beside(wanted=skip_unzip):
        drawing = read(system, unsupported=unsupported)  # type: ignore[arg-type]
    report = drawing.system.check(drawing.run.algorithm, drawing.run.controller)
    for line in report.lines():
        say(line)
    if report.ok:
        from ..check.advice import told

        pilot = drawing.run.controller
        for line in told(drawing.system, None if pilot is None else pilot.first_size):
            say(line)
    return 0 if report.ok else WRONG
