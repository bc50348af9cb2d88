"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

SkipUnzip = Annotated[
    bool,
    typer.Option(
        "--skip-unzip",
        help="Run FMUs from where they lie extracted: engine/ or fmus/engine/ beside engine.fmu.",
    ),
]
