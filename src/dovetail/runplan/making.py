"""From a drawing and the choices of a run to its plan: the one place where it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.signals import Vector
from ..core.window import Grid
from .cycles import cycles_of
from .plan import (
    BondSection,
    Calls,
    ControllerKind,
    ControllerSection,
    ConvergenceSection,
    CubicSection,
    ExtrapolationSection,
    FinderSection,
    GridSection,
    MemberKind,
    MemberSection,
    NameSection,
    RecordSection,
    RunPlan,
    SchemeSection,
    SignalSection,
    SolverKind,
    SolverSection,
    TunedSection,
    WireSection,
)

if TYPE_CHECKING:
    from ..algorithms.base import Schedule
    from ..subsystems.control import ControlOptions
    from ..topology.components import Structure

_SOLVERS = {
    "sweeps": SolverKind.SWEEPS,
    "fixed point": SolverKind.FIXED_POINT,
    "newton": SolverKind.NEWTON,
    "aitken": SolverKind.AITKEN,
    "anderson": SolverKind.ANDERSON,
    "iqn-ils": SolverKind.IQN_ILS,
}
_POWERS = 4  # of a time, up to the third: the rows and columns of weights
_COLUMNS = {"hold": 1, "ramp": 2, "hermite": 4}


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """What a model says of a member: kind, version of FMI, calls, references.

    `order`: the highest power of time that its inputs follow, None for any. `substeps`: of a step
    with inputs beyond that; `tells_slopes`: it gives derivatives of its outputs. `tuned`: how many
    of its inputs, the last ones, are parameters, as scalars and as variables.
    """

    kind: MemberKind
    version: int
    calls: Calls
    order: int | None
    in_refs: tuple[int, ...]
    out_refs: tuple[int, ...]
    substeps: int = 1
    tells_slopes: bool = False
    tuned: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class WantedRun:
    """Whole windows: how they are made, along which grid, and what is recorded of them."""

    schedule: Schedule
    grid: Grid
    places: Any
    names: tuple[str, ...]
    control: ControlOptions | None = None
    bonds: BondSection | None = None


def plan_of(
    structure: Structure,
    start: Vector,
    members: Mapping[int, MemberFacts],
    wanted: WantedRun | None = None,
) -> RunPlan:
    """The plan for these members, by their number among the parts.

    `wanted`: None where each window is asked for from outside.
    """
    layout, routing = structure.layout, structure.routing
    parts = tuple(layout.names[i] for i in members)
    plan: dict[str, Any] = {
        "signals": SignalSection(len(layout.outputs.reals), _reals(start)),
        "members": _members(structure, members),
        "wires": WireSection(
            _wholes(routing.target),
            _wholes(routing.source),
            _reals(routing.gain),
            _reals(routing.offset),
        ),
        "names": NameSection(parts, () if wanted is None else wanted.names),
    }
    if any(f.tuned[0] for f in members.values()):
        counts = [f.tuned for f in members.values()]
        plan["tuned"] = TunedSection(
            _wholes([n for n, _ in counts]), _wholes([k for _, k in counts])
        )
    if wanted is not None:
        plan |= _run(structure, list(members), wanted)
        plan["bonds"] = wanted.bonds
        if wanted.schedule.shape == "hermite":
            plan["cubics"] = _cubics(members.values())
    return RunPlan(**plan)


def _members(structure: Structure, members: Mapping[int, MemberFacts]) -> MemberSection:
    facts, inputs, outputs = members.values(), structure.layout.inputs, structure.layout.outputs
    spans = [(inputs.spans[i].reals, outputs.spans[i].reals) for i in members]
    return MemberSection(
        kind=_wholes([f.kind for f in facts]),
        version=_wholes([f.version for f in facts]),
        calls=_wholes([f.calls for f in facts]),
        order=_wholes([-1 if f.order is None else f.order for f in facts]),
        part=_wholes(list(members)),
        n_in=_wholes([i.stop - i.start for i, _ in spans]),
        n_out=_wholes([o.stop - o.start for _, o in spans]),
        in_at=_wholes([i.start for i, _ in spans]),
        out_at=_wholes([o.start for _, o in spans]),
        n_in_refs=_wholes([len(f.in_refs) for f in facts]),
        n_out_refs=_wholes([len(f.out_refs) for f in facts]),
        in_refs=np.array([r for f in facts for r in f.in_refs], dtype=np.uint32),
        out_refs=np.array([r for f in facts for r in f.out_refs], dtype=np.uint32),
    )


def _run(structure: Structure, members: Sequence[int], wanted: WantedRun) -> dict[str, Any]:
    """The sections that say how windows are made."""
    schedule, grid = wanted.schedule, wanted.grid
    number = {part: k for k, part in enumerate(members)}
    columns = _COLUMNS[schedule.shape]
    order = _wholes([number[i] for i in schedule.order])
    found: dict[str, Any] = {
        "grid": GridSection(float(grid.origin), float(grid.size), float(grid.stop)),
        "scheme": SchemeSection(int(schedule.sequential), columns, order),
        "recorded": RecordSection(_wholes(wanted.places)),
        "controller": _controller(wanted.control),
    }
    if schedule.extrapolation:
        found["extrapolation"] = _extrapolation(schedule)
    if schedule.iteration is not None:
        how = schedule.iteration
        solver = _SOLVERS[how.method]
        found["solver"] = SolverSection(
            int(solver), how.limit, int(how.accept), float(how.fall_back_size)
        )
        found["convergence"] = ConvergenceSection(
            float(how.tolerance.rtol), float(how.tolerance.atol)
        )
        found["cycles"] = cycles_of(structure, newton=solver is SolverKind.NEWTON)
        if (f := how.finder) is not None:
            numbers = float(f.relaxation), float(f.largest), float(f.filter_limit)
            finder = FinderSection(*numbers, f.depth, f.reused, _wholes(f.closing))
            found["finder"] = finder
    return found


def _cubics(members: Iterable[MemberFacts]) -> CubicSection:
    """A member that follows cubics needs no substeps."""
    cut = [f.substeps if f.order is not None and f.order < _POWERS - 1 else 1 for f in members]
    return CubicSection(_wholes(cut), _wholes([int(f.tells_slopes) for f in members]))


def _controller(options: ControlOptions | None) -> ControllerSection:
    if options is None:
        return ControllerSection(int(ControllerKind.FIXED))
    named: dict[str, Any] = {f.name: getattr(options, f.name) for f in fields(options)}
    kind = ControllerKind[named.pop("kind").upper()]
    wholes = {n: int(named.pop(n)) for n in ("order", "ranged", "rejects", "stops")}
    sizes: dict[str, Any] = {n: float(v) for n, v in named.items()}
    return ControllerSection(int(kind), **wholes, **sizes)


def _extrapolation(schedule: Schedule) -> ExtrapolationSection:
    weights = np.zeros((schedule.extrapolation, _POWERS, _POWERS))
    for k, known in enumerate(schedule.weights):
        weights[k, : known.shape[0], : known.shape[1]] = known
    return ExtrapolationSection(schedule.extrapolation, weights.ravel())


def _wholes(values: Any) -> Any:
    return np.array(values, dtype=np.int32)


def _reals(values: Any) -> Any:
    return np.array(values, dtype=np.float64)
