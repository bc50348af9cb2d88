"""`dovetail export`: a system as an FMU for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import SYSTEM, SkipUnzip, Unsupported
from .plan import named, rhythm
from .run_options import Algorithm, Controller, Start, Step, Stop
from .streams import say
from .watch import watched

Beside = Annotated[
    bool,
    typer.Option(
        "--beside",
        help="Python models that cannot be compiled run in a Python that the FMU starts.",
    ),
]
ThatPython = Annotated[
    Path | None,
    typer.Option("--python", metavar="PATH", help="That Python; by default this one."),
]
ForPlatforms = Annotated[
    list[str] | None,
    typer.Option(
        "--platform",
        metavar="NAME",
        help="A machine that it is for, such as x86_64-windows, or all; by default this one.",
    ),
]


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
    beside: Beside = False,
    python: ThatPython = None,
    platforms: ForPlatforms = None,
    start: Start = None,
    stop: Stop = None,
    skip_unzip: SkipUnzip = False,
    unsupported: Unsupported = "error",
) -> int:
    """Write a system, or a model in a Python file, as one FMU for co-simulation.

    It runs without Python, but for models that are said to run beside it. It makes the windows
    that `dovetail run` makes with these options, with the same results. By default it is written
    into this folder, under the name of the system's file.
    """
    # Over 60 lines: most of it are the options and what they mean.
    from ..drawing.run_settings import RunSettings
    from ..exporting import export as exported
    from ..fmi.archive.archive import extracted_beside
    from ..formats import load, read

    with extracted_beside(wanted=skip_unzip):
        path = Path(f"{system.stem}-export.fmu") if output is None else output
        options: dict[str, Any] = {"fmi": fmi, "beside": beside, "python": python}
        options |= {"platforms": platforms or None, "outputs": outputs or "*"}
        chosen = named("algorithm", algorithm), rhythm(step, controller)
        if ".py:" in str(system):
            drawn: Any = load(str(system))
            options |= {"algorithm": chosen[0], "controller": chosen[1]}
            options |= {"start": start, "stop": stop}
        else:
            drawn = read(system, unsupported=unsupported)  # type: ignore[arg-type]
            drawn.run_settings = RunSettings(start, stop, *chosen).over(drawn.run_settings)
        with watched():  # FMUs may be asked where they start
            say(str(exported(drawn, path, **options)))
    return 0
