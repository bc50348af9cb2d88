"""How an exported system makes its windows: what a run of it would do, as a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..assembly.consistent import Consistent
from ..assembly.live_parts import batches_of, start_values
from ..controllers.fixed_step import LEAST, FixedStep
from ..core.errors import CapabilityError
from ..core.obstacle import Obstacle
from ..core.signals import Vector
from ..core.window import Grid
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..estimators.choice import choose_estimators
from ..fmi.model import Fmu
from ..formats.referred_model import plain_model
from ..models import Nested
from ..run.run_request import RunRequest, usual_stop
from ..run.terms import Terms
from ..runplan.making import WantedRun, plan_of
from ..runplan.plan import RunPlan
from .beside.members import BesideParts
from .beside.writing import against_beside
from .carried import against_carrying, with_carrying
from .compiled.equations import against as against_compiling
from .compiled.model import CompiledModel
from .inner_part import against
from .junctions import ExportedJunctions, without_junctions
from .nested import ExportInner, check_held, nested_fmu
from .refusal import ExportRefused
from .windows import against_sized, checked_windows, control_options, first_memory


@dataclass(frozen=True, slots=True, eq=False)
class ExportedRun:
    """The terms of a run, its plan, the values of inputs before it, and how far windows are cut."""

    terms: Terms
    plan: RunPlan
    start: Vector
    span: tuple[float, float]
    size: float
    least: float
    junctions: ExportedJunctions | None
    control: Vector  # what a controller of sizes remembers at first


def planned_run(
    system: System, given: RunSettings, beside: BesideParts | None, inner: ExportInner
) -> ExportedRun:
    """The run that an export makes; ExportRefused with every reason why it cannot.

    `beside`: what makes FMUs of Python models that are not compiled; None: none is made.
    `inner` exports what is nested in it.
    """
    asked = given.over(system.run_settings)
    window = checked_windows(asked.controller)
    stop = usual_stop(asked) if asked.stop is None else asked.stop
    asked = replace(asked, stop=stop, placement=None, recorder=None, record=None, compile=None)
    request = RunRequest.of(system, asked, Consistent())
    size = window.first_size
    if found := against_sized(system, window):
        raise ExportRefused(system.name, found)
    junctions = ExportedJunctions.of(system, request, size)
    if system.junctions:
        system = without_junctions(system)
        request = RunRequest.of(system, asked, Consistent())
    drawn = system
    system = _with_nested(system, size, inner, leaves=beside is not None)
    system = _compiled(system, {} if junctions is None else junctions.orders, beside)
    terms = _terms(with_carrying(system), request)
    if terms.native.level != "windows":
        raise ExportRefused(system.name, terms.native.obstacles)
    if terms.algorithm.inputs == "hermite":
        what = "inputs are cubics, for which exports know no derivatives of outputs"
        raise ExportRefused(system.name, (Obstacle(what, change="inputs='ramp'"),))
    if against_it := against_carrying(terms, junctions is not None, window):
        raise ExportRefused(system.name, against_it)
    check_held(drawn, terms)
    _check_samples(terms.system, request.start, size)
    start = start_values(terms.system.parts.values()).reals
    fixed = isinstance(window, FixedStep)
    return ExportedRun(
        terms,
        _plan(terms, start, Grid(request.start, size, request.stop)),
        start,
        (request.start, request.stop),
        size,
        size if fixed and window.min_size is not None else LEAST * size,
        junctions,
        first_memory(terms),
    )


def _with_nested(system: System, size: float, inner: ExportInner, *, leaves: bool) -> System:
    """The drawing with an FMU in the place of each nested system.

    `leaves`: those that cannot be exported stay, and run in Python beside.
    """
    found, made = list[Obstacle](), system.copy()
    for name, part in system.parts.items():
        nested = plain_model(part.model)
        if not isinstance(nested, Nested):
            continue
        model = nested_fmu(nested, name, size, inner)
        if not isinstance(model, Obstacle):
            made.replace(name, model)
        elif not leaves:
            found.append(model)
    if found:
        raise ExportRefused(system.name, found)
    return made


def _compiled(system: System, orders: Mapping[str, int], beside: BesideParts | None) -> System:
    """The drawing with a form without Python in the place of each Python model."""
    found, able, made = list[Obstacle](), list[str](), system.copy()
    for name, part in system.parts.items():
        if isinstance(part.adapted, Fmu):
            found += against(part)
            continue
        drawn = plain_model(part.model)
        stands = against_compiling(drawn, name)
        if part.tuned:
            what = f"has a parameter that is connected ('{part.tuned[0]}')"
            stands.append(Obstacle(what, name, "make it an input of the model"))
        model = None if stands else CompiledModel.of(drawn, name, orders.get(name, 0))
        if isinstance(model, CompiledModel):
            made.replace(name, model)
            continue
        stands += [] if model is None else [model]
        alone = not part.tuned and name not in orders
        against_it = against_beside(drawn, name) if alone else stands
        if beside is not None and not against_it:
            made.replace(name, beside.made(drawn, name))
            continue
        found += stands if beside is None else against_it
        able += [] if against_it else [name]
    if found:
        raise ExportRefused(system.name, found, able)
    return made


def _check_samples(system: System, start: float, size: float) -> None:
    """Windows end where something is sampled or jumps: off the lines, or not all parts can."""
    models = {name: part.adapted for name, part in system.parts.items()}
    off = [n for n, m in models.items() if isinstance(m, CompiledModel) and m.cuts(start, size)]
    stiff = [n for n, m in models.items() if not m.description.capabilities.can_vary_size]
    if off and stiff:
        what = f"takes windows of one size only, and part '{off[0]}' ends some of them between"
        change = f"choose step= so that samples and jumps of '{off[0]}' lie on ends of windows"
        raise ExportRefused(system.name, [Obstacle(what, name, change) for name in stiff])


def _terms(system: System, request: RunRequest) -> Terms:
    try:
        drawn = replace(request, structure=None)  # that was of the drawing as it was asked for
        return Terms.of(system, drawn, lambda _: None)
    except CapabilityError as error:
        found = [Obstacle(s.lacks, s.subsystem, s.remedy) for s in error.shortfalls]
        raise ExportRefused(system.name, found) from error


def _plan(terms: Terms, start: Vector, grid: Grid) -> RunPlan:
    """The plan that the run would have, with nothing recorded: outputs are looked at in the end."""
    chosen = choose_estimators(terms.system, terms.estimators, terms.needs, terms.structure)
    estimators = [chosen[name].estimator for name in terms.system.parts]
    schedule = terms.native.schedule
    assert schedule is not None, "asked before"
    wanted = WantedRun(schedule, grid, (), (), control_options(terms))
    parts = terms.system.parts.values()
    kinds = batches_of(parts, terms.native.members, estimators).values()
    members = {i: facts for kind in kinds for i, facts in kind.items()}
    return plan_of(terms.structure, start, dict(sorted(members.items())), wanted)
