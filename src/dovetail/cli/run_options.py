"""The options of `dovetail run`, and their help texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import SYSTEM

SystemFile = Annotated[Path, typer.Argument(metavar="SYSTEM", help=SYSTEM)]

Stop = Annotated[float | None, typer.Option(metavar="T", help="When to stop, in s.")]

Step = Annotated[float | None, typer.Option(metavar="H", help="Windows of this size, in s.")]

Algorithm = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="'jacobi', 'gauss_seidel(max_iterations=20)', ..."),
]

Controller = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="'fixed_step(0.01)', 'step_doubling(rtol=1e-4)', ..."),
]

Rtol = Annotated[float | None, typer.Option(metavar="X", help="Relative tolerance of iterations.")]

Atol = Annotated[float | None, typer.Option(metavar="X", help="Absolute tolerance of iterations.")]

Integrator = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Inside the parts: 'radau', 'mixed', 'mixed(0.04)', ..."),
]

Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Results: .parquet, .csv, .xlsx, .json, ..."
    ),
]

Record = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Which variables: 'prey.*'; may be repeated."),
]

Kind = Annotated[
    str | None,
    typer.Option(metavar="KIND", help="Of a single .fmu: 'co-simulation', 'model exchange'."),
]

Merge = Annotated[
    bool, typer.Option("--merge", help="Solve the system as one, with one integrator.")
]

Every = Annotated[float | None, typer.Option(metavar="H", help="Keep rows this far apart, in s.")]

Interpolate = Annotated[
    bool, typer.Option("--interpolate", help="Rows exactly there, by straight lines.")
]

Thin = Annotated[
    float | None,
    typer.Option(metavar="X", help="Leave out rows that linear interpolation gives within X."),
]

WorkingDir = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Also write values.csv, summary.txt, as MasterSim does."),
]

ReferenceDate = Annotated[
    str | None, typer.Option(metavar="DATE", help="When time is zero: 2026-01-01T00:00:00.")
]

TestInit = Annotated[
    bool, typer.Option("--test-init", help="Find consistent start values, list them, and stop.")
]

Live = Annotated[
    list[str] | None,
    typer.Option(metavar="[PATTERN]", help="Plot while it runs; may be repeated."),
]

LiveOn = Annotated[
    str,
    typer.Option(metavar="PLACE", help="Where --live is shown: 'terminal', 'window', or 'auto'."),
]

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]

Resume = Annotated[Path | None, typer.Option(metavar="FILE", help="Go on from a checkpoint.")]

Checkpoint = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write checkpoints to this file, and one at the end."),
]

CheckpointEvery = Annotated[
    float, typer.Option(metavar="SECONDS", help="How often, in seconds of waiting.")
]
