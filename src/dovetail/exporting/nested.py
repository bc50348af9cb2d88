"""A nested system in a system that is exported: an FMU of its own, made on the way."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ..controllers.fixed_step import FixedStep
from ..core.errors import InputError
from ..core.obstacle import Obstacle
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..fmi.model import Fmu
from ..formats.loading import load
from ..formats.referred_model import plain_model
from ..models import Nested
from ..run.terms import Terms
from .interface import INPUT, OTHER_INPUT, OTHER_OUTPUT, OUTPUT, ExportInterface
from .refusal import ExportRefused

Names = Mapping[str, str]  # inner -> outer
ExportInner = Callable[[System, Path, list[str], Names], Path]


def nested_fmu(model: Nested, part: str, size: float, export: ExportInner) -> Fmu | Obstacle:
    """The FMU that stands for a nested system in windows of this size; or what stands against it.

    `export` writes a system with these outputs, its variables called by these names.
    """
    found = _against(model, part, size)
    if found is not None:
        return found
    inner = model.system.copy()
    inner.run_settings = RunSettings(
        algorithm=model.algorithm, controller=model._inner_controller(size),
        rtol=model.rtol, atol=model.atol,
    )  # fmt: skip
    inputs, outputs = model.exposed
    names = {name: outer for outer, (name, _) in (*inputs.items(), *outputs.items())}
    wanted = [name for name, _ in outputs.values()]
    try:
        with tempfile.TemporaryDirectory() as folder:
            fmu = load(export(inner, Path(folder) / f"{inner.name}.fmu", wanted, names))
    except ExportRefused as error:
        return _inside(error.obstacles, part)
    except InputError as error:
        return Obstacle(f"holds a system that cannot be exported: {error}", part)
    assert isinstance(fmu, Fmu), "it was just written"
    return fmu


def check_held(drawn: System, terms: Terms) -> None:
    """Systems inside take inputs that are held: not what a run here would give them else."""
    schedule = terms.native.schedule
    assert schedule is not None, "asked before"
    if schedule.shape == "hold" and not schedule.extrapolation:
        return
    inside = [
        name for name, part in drawn.parts.items() if isinstance(plain_model(part.model), Nested)
    ]
    what = "holds a system, and what is exported inside takes inputs that are held"
    if inside:
        change = "use dv.GaussSeidel() or dv.Jacobi(), without extrapolation and ramps"
        raise ExportRefused(drawn.name, [Obstacle(what, name, change) for name in inside])


def renamed(made: ExportInterface, names: Names) -> ExportInterface:
    """The same, with other names for some inputs and outputs."""

    def called(name: str) -> str:
        return names.get(name, name)

    shown = INPUT, OUTPUT, OTHER_INPUT, OTHER_OUTPUT
    variables = tuple(
        replace(v, name=called(v.name)) if v.role in shown else v for v in made.variables
    )
    depends = {called(k): tuple(map(called, v)) for k, v in made.depends.items()}
    return replace(
        made, variables=variables, depends=depends, states=tuple(map(called, made.states))
    )


def _against(model: Nested, part: str, size: float) -> Obstacle | None:
    own = model.controller.size if isinstance(model.controller, FixedStep) else size
    if abs(size - round(size / own) * own) > 1e-9 * own:
        what = f"holds a system with windows of {own:g} s, which do not fit into {size:g} s"
        return Obstacle(what, part, "choose step= as a multiple of them")
    if model.share_events:
        return Obstacle("ends windows at its events", part, "leave share_events out")
    if model.tunes:
        what = f"has a parameter that is connected ('{model.tunes[0]}')"
        return Obstacle(what, part, "make it an input of the model")
    for variables in model.exposed:
        for name, (_, v) in variables.items():
            if v.shape:
                what = f"shows '{name}', which is an array"
                return Obstacle(what, part, "draw what it holds in the system itself")
    return None


def _inside(found: tuple[Obstacle, ...], part: str) -> Obstacle:
    reasons = "; ".join(str(o) for o in found)
    changes = {o.change for o in found if o.change}
    return Obstacle(f"holds a system: {reasons}", part, changes.pop() if len(changes) == 1 else "")
