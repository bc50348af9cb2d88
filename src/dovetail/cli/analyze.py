"""`dovetail analyze`: the time scales of a model, what causes them, and where to cut."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .completion.completers import files, models, words
from .options import Json
from .streams import say

if TYPE_CHECKING:
    from ..subsystems.subsystem import Model
    from ..timescales.analysis import Analysis


def analyze(
    context: typer.Context,
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A model-exchange .fmu, or a model in a Python file: models.py:exchanger.",
            autocompletion=models,
        ),
    ],
    alpha: Annotated[
        float,
        typer.Option(
            metavar="X",
            help="How cautious the time scales are: the largest gain that a cycle may have in one "
            "step, above 0 and up to 1.",
        ),
    ] = 0.5,
    step: Annotated[
        float | None,
        typer.Option(
            metavar="H", help="Also list which states are too fast for steps of this size, in s."
        ),
    ] = None,
    stop: Annotated[
        float | None,
        typer.Option(
            metavar="T",
            help="Look not only at the start but along a run up to this time, in s.",
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option(metavar="N", help="With --stop: at how many points of the run to look.")
    ] = 10,
    probe: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The explicit method whose step is to be found: euler, heun, midpoint, rk3 or "
            "rk4.",
            autocompletion=words("euler", "heun", "midpoint", "rk3", "rk4"),
        ),
    ] = "euler",
    rule: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How a time scale is computed: 'exact', or 'published' as the article prints it.",
            autocompletion=words("exact", "published"),
        ),
    ] = "exact",
    cycles: Annotated[
        int, typer.Option(metavar="N", help="Also list the N cycles that limit the step most.")
    ] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Also draw the time scales to this file: .png, .svg or .pdf.",
            autocompletion=files(".png", ".svg", ".pdf"),
        ),
    ] = None,
    json: Json = False,
) -> int:
    """List the time scale of every state, the cycle behind it, and where the model can be cut."""
    from ..timescales.analysis import analyze as analyzed

    if cycles < 0:
        from ..core.errors import OptionError

        raise OptionError(f"--cycles must not be below zero, not {cycles}")
    found = analyzed(
        _loaded(model),
        alpha,
        rule,  # type: ignore[arg-type]  # checked there
        probe=probe,
        stop=stop,
        samples=samples,
    )
    if json:
        context.obj.append(_fields(found, model, step))
    else:
        say(model, bold=True)
        _tell(found, step, cycles)
    if output is not None:
        found.plot(output)
        if not json:
            say()
            say(f"Written: {output}")
    return 0


def _loaded(text: str) -> Model:
    from ..formats import load

    if text.lower().endswith(".fmu"):
        return load(text, kind="model exchange")
    return load(text)


def _tell(found: Analysis, step: float | None, cycles: int) -> None:
    for line in found.lines():
        say(line)
    if cycles:
        say()
        say("Cycles that limit the step most", bold=True)
        for cycle in found.list_cycles()[:cycles]:
            say(f"  {cycle.bound:.6g} s  {cycle}")
    if step is not None:
        p = found.partition(step)
        say()
        say(f"At steps of {step:g} s", bold=True)
        say(f"  fast  {_listed(p.fast)}")
        say(f"  slow  {_listed(p.slow)}")
        for method, radius in p.radius.items():
            verdict = "stable" if radius <= 1.001 else "not stable"
            say(f"  {method:8}  amplifies by {radius:.6g} per step: {verdict}")


def _listed(names: tuple[str, ...], most: int = 12) -> str:
    if not names:
        return "none"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _fields(found: Analysis, model: str, step: float | None) -> dict[str, Any]:
    from .outcome import jsonable

    eigenvalues, intervals = found.eigenvalues, found.intervals
    answer: dict[str, Any] = {
        "model": model,
        "alpha": found.alpha,
        "rule": found.rule,
        "probe": found.probe.name,
        "points": len(found.jacobians),
        "bounds": found.bounds,
        "intervals": {name: intervals[name] for name in found.undecided},
        "stiffness": found.stiffness,
        "separability": found.separability,
        "stiffness_ratio": found.stiffness_ratio,
        "eigenvalues": None if eigenvalues is None else [[e.real, e.imag] for e in eigenvalues],
        "cycles": found.cycles,
    }
    if step is not None:
        p = found.partition(step)
        answer["partition"] = {
            "step": step,
            "slow": p.slow,
            "fast": p.fast,
            "undecided": p.undecided,
            "blocks": p.blocks,
            "parallel": p.parallel,
            "radius": dict(p.radius),
        }
    return {name: jsonable(value) for name, value in answer.items()}
