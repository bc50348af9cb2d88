"""`dovetail analyze`: the time scales of a model, what causes them, and where to cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from . import analyze_options as option
from .guard import culprit_hint
from .options import Json
from .streams import say
from .watch import watched

if TYPE_CHECKING:
    from ..subsystems.subsystem import Model
    from ..timescales.analysis import Analysis


def analyze(
    context: typer.Context,
    model: option.ModelFile,
    alpha: option.Alpha = 0.5,
    step: option.FastStep = None,
    stop: option.AnalysisStop = None,
    samples: option.Samples = 10,
    probe: option.Probe = "euler",
    rule: option.Rule = "exact",
    cycles: option.Cycles = 0,
    output: option.Picture = None,
    json: Json = False,
) -> int:
    """List the time scale of every state, the cycle behind it, and where the model can be cut."""
    from ..timescales.analysis import analyze as analyzed

    if cycles < 0:
        from ..core.errors import OptionError

        raise OptionError(f"--cycles must not be below zero, not {cycles}")
    drawn = _loaded(model)
    with watched(hint=culprit_hint("analyze")):
        found = analyzed(
            drawn,
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
