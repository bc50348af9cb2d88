"""`dovetail export`: a system as an FMU for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import SYSTEM, SkipUnzip, Unsupported
from .plan import named, rhythm
from .run_options import Algorithm, Controller, Start, Step, Stop
from .streams import say
from .watch import watched


def export(
    system: Annotated[Path, typer.Argument(metavar="SYSTEM", help=SYSTEM)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The .fmu file to write."),
    ] = None,
    fmi: Annotated[int, typer.Option("--fmi", metavar="2|3", help="The version of FMI.")] = 2,
    step: Step = None,
    algorithm: Algorithm = None,
    controller: Controller = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option(
            "--outputs",
            metavar="PATTERN",
            help="Which outputs it has, as patterns; by default all.",
        ),
    ] = None,
    start: Start = None,
    stop: Stop = None,
    skip_unzip: SkipUnzip = False,
    unsupported: Unsupported = "error",
) -> int:
    """Write a system as one FMU for co-simulation, which runs without Python.

    It makes the windows that `dovetail run` makes with these options, with the same results. By
    default it is written into this folder, under the name of the system's file.
    """
    from ..drawing.run_settings import RunSettings
    from ..exporting import export as exported
    from ..fmi.archive.archive import extracted_beside
    from ..formats import read

    with extracted_beside(wanted=skip_unzip):
        drawn = read(system, unsupported=unsupported)  # type: ignore[arg-type]
        ways = named("algorithm", algorithm), rhythm(step, controller)
        drawn.run_settings = RunSettings(start, stop, *ways).over(drawn.run_settings)
        path = Path(f"{system.stem}-export.fmu") if output is None else output
        with watched():  # FMUs may be asked where they start
            say(str(exported(drawn, path, fmi=fmi, outputs=outputs or "*")))  # type: ignore[arg-type]
    return 0
