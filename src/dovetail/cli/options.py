"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

SYSTEM = "The system: a .yaml, .ssp, .ssd, .msim, .py or .fmu file."

Unsupported = Annotated[
    str,
    typer.Option(
        metavar="error|warn",
        help="How to treat features of an .ssp that are not supported.",
    ),
]

SkipUnzip = Annotated[
    bool,
    typer.Option(
        "--skip-unzip",
        help="Run FMUs from where they lie extracted: engine/ or fmus/engine/ beside engine.fmu.",
    ),
]

Force = Annotated[
    bool,
    typer.Option("--force", help="Take values beyond the limits that a model declares."),
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
