"""The options of `dovetail run`, and their help texts."""
# Over 250 lines: one table, the options of `dovetail run` with their help.

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion.completers import (
    ALGORITHMS,
    CONTROLLERS,
    INTEGRATORS,
    NEEDS_SIZE,
    RESULTS,
    SYSTEMS,
    files,
    parts,
    recorded,
    settable,
    words,
)
from .options import SYSTEM

SystemFile = Annotated[
    Path, typer.Argument(metavar="SYSTEM", help=SYSTEM, autocompletion=files(*SYSTEMS))
]

Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PART.NAME=VALUE",
        help="Give a parameter, start value or input another value than the file: 'pid.Kp=3', "
        "'plant.m=2 kg'; may be given several times. By default the file's values.",
        autocompletion=settable,
    ),
]

Start = Annotated[
    float | None,
    typer.Option(
        metavar="T",
        help="Time at which the run begins, in s; by default what the file says, or else 0.",
    ),
]

Stop = Annotated[
    float | None,
    typer.Option(
        metavar="T", help="Time at which the run ends, in s; by default what the file says."
    ),
]

Step = Annotated[
    float | None,
    typer.Option(
        metavar="H",
        help="Size of the windows between exchanges of values, in s: short for "
        "--controller 'fixed_step(H)'. By default what the file says, or else it is chosen.",
    ),
]

Algorithm = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="How parts are coupled in a window: 'jacobi', 'gauss_seidel(max_iterations=20)', "
        "'newton' ...; 'dovetail check' lists those that can run. By default what the file says, "
        "or else it is chosen.",
        autocompletion=words(*ALGORITHMS),
    ),
]

Controller = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="How long the windows are: 'fixed_step(0.01)', 'step_doubling(rtol=1e-4)' ... By "
        "default what the file says, or else it is chosen.",
        autocompletion=words(*(f"{n}(0.01)" if n in NEEDS_SIZE else n for n in CONTROLLERS)),
    ),
]

Recommended = Annotated[
    bool,
    typer.Option(
        "--recommended",
        help="Use the algorithm and the windows that 'dovetail check' recommends at its end.",
    ),
]

Rtol = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="Relative tolerance at which the iterations of a window end; by default what the "
        "file says, or else 1e-5.",
    ),
]

Atol = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="Absolute tolerance at which the iterations of a window end, in the units of the "
        "variables; by default what the file says, or else 1e-6.",
    ),
]

Integrator = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Solver inside Python models and model-exchange FMUs: 'rk45', 'radau', 'cvode', "
        "'mixed(0.04)' with a step in s ...; by default each has its own.",
        autocompletion=words(*INTEGRATORS),
    ),
]

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File for the result; its suffix selects the format: .parquet, .arrow, .csv, .tsv, "
        ".xlsx, .json, .h5 or .mat. Without it values are printed and not kept.",
        autocompletion=files(*RESULTS),
    ),
]

Record = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Which variables are recorded: 'prey.x', 'prey.*', '*.T'; may be given several "
        "times. By default all outputs and connected inputs.",
        autocompletion=recorded,
    ),
]

Kind = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="How a single .fmu is used that can be used in several ways: 'co-simulation', "
        "'model exchange' or 'scheduled execution'; by default the first of these that it offers.",
        autocompletion=words("co-simulation", "model exchange", "scheduled execution"),
    ),
]

Merge = Annotated[
    bool,
    typer.Option(
        "--merge",
        help="Solve the equations of all parts together with one integrator, instead of coupling "
        "them; for Python models and model-exchange FMUs.",
    ),
]

Every = Annotated[
    float | None,
    typer.Option(
        metavar="H",
        help="Keep rows of the result this far apart, in s: those of the windows that end there "
        "or just behind. By default every window has its row.",
    ),
]

Interpolate = Annotated[
    bool,
    typer.Option(
        "--interpolate",
        help="With --every: rows exactly at these times, by straight lines between the windows.",
    ),
]

Thin = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="Leave out rows that straight lines between the others give back to within the share "
        "X of each value (and 1e-6); by default all rows are kept.",
    ),
]

WorkingDir = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder for files as MasterSim writes them (values.csv, summary.txt ...), beside "
        "--output.",
        autocompletion=files("/"),
    ),
]

ReferenceDate = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help="The date and hour at which time is zero in a MasterSim project, as in "
        "2026-01-01T00:00:00; messages then show dates, and parts that ask for it are told.",
    ),
]

TestInit = Annotated[
    bool,
    typer.Option(
        "--test-init", help="Find consistent start values, print them, and run no window."
    ),
]

Compile = Annotated[
    bool | None,
    typer.Option("--compile/--no-compile", help="Compile Python models to C, where they can be."),
]
Verify = Annotated[
    bool | None,
    typer.Option(
        "--verify/--no-verify",
        help="Estimate the error of the result by a second run beside it, which treats inputs in "
        "another, better way; by default where neither algorithm nor controller are chosen.",
    ),
]

Live = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[PATTERN]",
        help="Plot these variables while the run goes on, all of them without a pattern; may be "
        "given several times. By default nothing is plotted.",
        autocompletion=recorded,
    ),
]

LiveOn = Annotated[
    str,
    typer.Option(
        metavar="PLACE",
        help="Where --live is shown: 'terminal', 'window', or by default 'auto', which chooses.",
        autocompletion=words("auto", "terminal", "window"),
    ),
]

Isolate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[PATTERN]",
        help="Give these parts a process of their own each, so that one that crashes is named and "
        "what was computed is kept; without a pattern all FMUs. May be given several times. By "
        "default as the file says, else parts share this process.",
        autocompletion=parts,
    ),
]

Sandbox = Annotated[
    bool,
    typer.Option(
        "--sandbox",
        help="For FMUs of strangers: keep the parts that --isolate names, alone all FMUs, from the "
        "network, your files and other processes.",
    ),
]

Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Print nothing but errors, and that a result is doubtful if it is."
    ),
]

Resume = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Continue the run that wrote this checkpoint, up to --stop; the system must be the "
        "same.",
        autocompletion=files(),
    ),
]

Checkpoint = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write a checkpoint to this file again and again, and at the end, so that --resume "
        "can continue from there.",
        autocompletion=files(),
    ),
]

CheckpointEvery = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", help="How often a checkpoint is written, in seconds of waiting."
    ),
]
