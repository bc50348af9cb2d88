"""The options of `dovetail analyze`, and their help texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion.completers import files, models, words

ModelFile = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model-exchange .fmu, or a model in a Python file: models.py:exchanger.",
        autocompletion=models,
    ),
]

Alpha = Annotated[
    float,
    typer.Option(
        metavar="X",
        help="How cautious the time scales are: the largest gain that a cycle may have in one "
        "step, above 0 and up to 1.",
    ),
]

FastStep = Annotated[
    float | None,
    typer.Option(
        metavar="H", help="Also list which states are too fast for steps of this size, in s."
    ),
]

AnalysisStop = Annotated[
    float | None,
    typer.Option(
        metavar="T",
        help="Look not only at the start but along a run up to this time, in s.",
    ),
]

Samples = Annotated[
    int, typer.Option(metavar="N", help="With --stop: at how many points of the run to look.")
]

Probe = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="The explicit method whose step is to be found: euler, heun, midpoint, rk3 or rk4.",
        autocompletion=words("euler", "heun", "midpoint", "rk3", "rk4"),
    ),
]

Rule = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="How a time scale is computed: 'exact', or 'published' as the article prints it.",
        autocompletion=words("exact", "published"),
    ),
]

Cycles = Annotated[
    int, typer.Option(metavar="N", help="Also list the N cycles that limit the step most.")
]

Picture = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Also draw the time scales to this file: .png, .svg or .pdf.",
        autocompletion=files(".png", ".svg", ".pdf"),
    ),
]
