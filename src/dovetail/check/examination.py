"""Junctions looked at before a run: their index, what they ask, and where they get unstable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.consistent import Consistent
from ..core.errors import DovetailError, JunctionFailed, Problem
from ..core.signals import Vector
from ..drawing.junction import Junction
from ..drawing.system import System
from ..junctions.finding import Finding
from ..topology.junction_sharing import sharing

_LIMITS = {"euler": (2.0, 2.0), "semi_implicit": (2.0, 0.828)}  # of window / mu, index 2 and 3
_OTHERS = (2.0, 1.0)  # Runge-Kutta methods, with inputs held over the window
_GROWS = 1e-6  # per second, of the fastest rate in the system


@dataclass(frozen=True, slots=True)
class JunctionNote:
    """What can be said of one junction, or of several that share parts."""

    name: str
    case: str
    index: tuple[int, ...] | None  # of each row; None: found when it starts
    asks: str
    served: str
    warnings: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """The note, line by line."""
        index = "found at the start" if self.index is None else _joined(self.index)
        if not self.asks:
            return [f"  junction {self.name}: {self.case}"]
        lines = [f"  junction {self.name}: {self.case}; index {index}", f"    asks for {self.asks}"]
        lines.append(f"    is {self.served}")
        return lines + [f"    note: {w}" for w in self.warnings]


def examined(
    system: System, served: Mapping[str, str], window: float | None, *, live: bool
) -> tuple[list[JunctionNote], list[Problem]]:
    """A note for each junction, and what cannot work. `live` parts are asked, if they can be."""
    notes = [
        JunctionNote(j.name, j.explain(), None, "", "")
        for j in system.junctions
        if j.case == "wires"
    ]
    groups, problems = sharing(system.junctions), list[Problem]()
    found: dict[str, Finding] = {}
    warnings: dict[str, list[str]] = {}
    if live and groups and all(_askable(system, j) for g in groups for j in g):
        try:
            found, warnings = _looked_at(system, window or 1e-3)
        except JunctionFailed as error:
            problems.append(Problem(error.junction, f"{error}."))
        except DovetailError as error:
            what = f"the junctions could not be looked at beforehand: {error}."
            problems.append(Problem(system.name, what, warning=True))
    for junctions in groups:
        name = "; ".join(j.name for j in junctions)
        finding = found.get(name)
        index = None if finding is None else finding.index
        said = [*warnings.get(name, ()), *_limits(system, junctions, index, window)]
        case = "; ".join(dict.fromkeys(j.explain() for j in junctions))
        asks = _asks(junctions, index)
        notes.append(JunctionNote(name, case, index, asks, served.get(name, ""), tuple(said)))
    return notes, problems


def _askable(system: System, junction: Junction) -> bool:
    parts = (system.parts[e.part] for e in junction.ends)
    able = [p.description.capabilities for p in parts]
    return all(a.can_evaluate_now and a.can_derive_at_start for a in able)


def _looked_at(system: System, window: float) -> tuple[dict[str, Finding], dict[str, list[str]]]:
    """The parts made live and asked where they start."""
    assembly = Assembly.of(system)
    try:
        values = {name: part.values for name, part in system.parts.items()}
        assembly.initialize(0.0, values, derivatives=False)
        position = Consistent().position(assembly, 0.0, window, derivatives=False)
        joined = assembly.coordinator
        found = {f.group.name: f for f in joined.findings(position.coordination)}
        warnings = {name: _growing(assembly, f) for name, f in found.items()}
        for port, text in joined.warnings.items():
            name = next(f.group.name for f in found.values() if port in f.group.name)
            warnings[name].append(text)
        return found, warnings
    finally:
        assembly.close()


def _growing(assembly: Assembly, finding: Finding) -> list[str]:
    """Hidden motion that grows: the zeros of the joined parts, as they start."""
    parts = [assembly.subsystems[i] for i in finding.group.parts]
    if not all(p.capabilities.can_linearize for p in parts):
        return []
    hidden = sum(k - 1 for k in finding.index)
    zeros = invariant_zeros(*_linearized(assembly, finding), hidden)
    scale = max((abs(z) for z in zeros), default=0.0)
    worst = max((z.real for z in zeros), default=-1.0)
    if worst <= _GROWS * scale:
        return []
    return [
        f"what the junction hides grows as exp({worst:.3g} t) where it starts: its unknown need "
        "not stay bounded, though the ports agree"
    ]


def _linearized(assembly: Assembly, finding: Finding) -> tuple[Vector, Vector, Vector, Vector]:
    """x' = A x + B z, g = C x + D z of the parts of a group, wires between them left out."""
    g = finding.group
    As, Bs, Cs, Ds = [], [], [], []
    for i in g.parts:
        linear = assembly.subsystems[i].linearize()
        taken, given = assembly.inputs_of[i].reals, assembly.outputs_of[i].reals
        pushed = np.zeros((taken.stop - taken.start, g.unknowns.size))
        for row, target in enumerate(g.targets):
            if taken.start <= target < taken.stop:
                pushed[target - taken.start] += g.F[row]
        ours = [k for k, slot in enumerate(g.outputs) if given.start <= slot < given.stop]
        local = [int(g.outputs[k]) - given.start for k in ours]
        As.append(linear.A)
        Bs.append(linear.B @ pushed)
        Cs.append(g.N[:, ours] @ linear.C[local])
        Ds.append(g.N[:, ours] @ linear.D[local] @ pushed)
    n = sum(A.shape[0] for A in As)
    A, k = np.zeros((n, n)), 0
    for block in As:
        A[k : k + block.shape[0], k : k + block.shape[0]] = block
        k += block.shape[0]
    return A, np.vstack(Bs), np.hstack(Cs), g.D + sum(Ds)


def invariant_zeros(A: Vector, B: Vector, C: Vector, D: Vector, hidden: int) -> list[complex]:
    """Values at which [[A - s, B], [C, D]] is singular: how x moves while g stays zero.

    There are as many as states, less the `hidden` ones that g and its derivatives fix; whatever
    else comes out is an infinite one that rounding made large.
    """
    from scipy.linalg import eig

    n = A.shape[0]
    pencil = np.block([[A, B], [C, D]])
    mass = np.zeros_like(pencil)
    mass[:n, :n] = np.eye(n)
    with np.errstate(all="ignore"):
        above, below = eig(pencil, mass, right=False, homogeneous_eigvals=True)
    finite = [complex(a / b) for a, b in zip(above, below, strict=True) if b != 0]
    return sorted(finite, key=abs)[: max(n - hidden, 0)]


def _limits(
    system: System, junctions: Sequence[Junction], index: Sequence[int] | None, window: float | None
) -> list[str]:
    """What windows the parts' own integrators allow for a time scale that was given."""
    given = next((j.coordinator for j in junctions if j.coordinator is not None), None)
    mu = None if given is None else given.time_scale
    if index is None or max(index) < 2:
        return []
    level = max(index) - 2
    methods = {_method(system.parts[e.part].model) for j in junctions for e in j.ends}
    limit = min(_LIMITS.get(m, _OTHERS)[level] for m in methods if m) if any(methods) else 1.0
    if mu is None:
        return []
    if window is not None and window >= limit * mu:
        return [
            f"windows of {window:g} s are too long for time_scale={mu:g} s: with these parts they "
            f"must stay below {limit * mu:g} s, or the junction gets unstable"
        ]
    if window is None:
        return [f"windows must stay below {limit * mu:g} s for time_scale={mu:g} s"]
    return []


def _method(model: Any) -> str:
    """The method of a part's own integrator, as far as one can see."""
    integrator = getattr(model, "integrator", None)
    return str(getattr(integrator, "method", "")) or type(integrator).__name__.lower()


def _asks(junctions: Sequence[Junction], index: Sequence[int] | None) -> str:
    shown = " and ".join(
        dict.fromkeys(f"{e.part}.{j.shown(e).name}" for j in junctions for e in j.compared)
    )
    if index is None:
        return f"{shown} and derivatives up to the index less one"
    match max(index):
        case 1:
            return f"{shown} as a function of its inputs"
        case 2:
            return f"{shown}, and its derivative as a function of its inputs"
    return f"{shown}, its derivative, and its second derivative as a function of its inputs"


def _joined(numbers: Sequence[int]) -> str:
    return ", ".join(str(k) for k in numbers)
