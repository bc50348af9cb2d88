"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from ..core.file_kinds import listed, suffixes
from .completion.completers import words

SYSTEM = f"File of the system: {listed(suffixes())}."

Unsupported = Annotated[
    str,
    typer.Option(
        metavar="error|warn",
        help="What to do about features of an .ssp that are not supported: 'error' refuses the "
        "file, 'warn' says so and goes on without them.",
        autocompletion=words("error", "warn"),
    ),
]

SkipUnzip = Annotated[
    bool,
    typer.Option(
        "--skip-unzip",
        help="Use FMUs from where they lie extracted, in the folder engine/ or fmus/engine/ beside "
        "engine.fmu, instead of unzipping them.",
    ),
]

Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Take values beyond the limits that a model declares, instead of refusing them.",
    ),
]

Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON object on standard output, for programs, and no text."
    ),
]
