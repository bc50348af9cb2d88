"""Cycle analysis of a model: the time scale of every state, what causes it, and where to cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import OptionError, did_you_mean
from ..core.options import check_number
from ..core.signals import Vector
from ..cycles import (
    CycleProbe,
    Rule,
    Scales,
    TooManyCycles,
    probed_cycles,
    separability,
    separability_term,
    simple_cycles,
    stiffness,
)
from ..cycles.bounds import BUDGET
from ..subsystems.subsystem import Model
from .cycle import Cycle
from .limits import euler_limits, probe_of, probed_limits, united
from .operating import Points, of_matrix, points_of
from .partition import WEAK, Partition, partition
from .study import Study, study

_MOST = 2_000_000  # states of cycles that are counted; each costs time
_EIGEN = 1500  # states up to which all eigenvalues are computed
_ALPHAS = 50


@dataclass(frozen=True, eq=False)
class Analysis:
    """The time scales of a model, from its cycles.

    A structural hint and no proof of stability: bounds can be above what Euler's method stands.
    `partition(step).radius` is the check. Several operating points: the worst of them counts.
    """

    points: Points
    alpha: float
    rule: Rule
    probe: CycleProbe
    budget: int

    @property
    def names(self) -> tuple[str, ...]:
        """The states, scalar by scalar."""
        return self.points.names

    @property
    def jacobians(self) -> tuple[Any, ...]:
        """The Jacobian at each operating point."""
        return tuple(p.jacobian for p in self.points.points)

    @cached_property
    def scales(self) -> tuple[Scales, ...]:
        """The graph at each operating point."""
        return tuple(Scales(J) for J in self.jacobians)

    @cached_property
    def limits(self) -> tuple[Vector, Vector]:
        """Certified limits of each bound, the least of all operating points."""
        return self._limits(self.alpha, self.budget)

    @property
    def bounds(self) -> dict[str, float]:
        """The largest step of each state in seconds, where undecided on the safe side.

        Infinite for a state in no cycle; 0 where no step meets alpha with this probe.
        """
        return dict(zip(self.names, self.limits[0].tolist(), strict=True))

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Between which steps each bound lies: the same twice where it is exact."""
        pairs = zip(self.limits[0].tolist(), self.limits[1].tolist(), strict=True)
        return dict(zip(self.names, pairs, strict=True))

    @property
    def undecided(self) -> tuple[str, ...]:
        """States whose bound is only known to lie in an interval."""
        lower, upper = self.limits
        with np.errstate(invalid="ignore"):
            apart = upper > lower * (1 + 1e-9)
        return tuple(name for name, a in zip(self.names, apart, strict=True) if a)

    @property
    def stiffness(self) -> float:
        """The largest finite bound over the smallest."""
        return stiffness(self.limits[0])

    @property
    def separability(self) -> float:
        """Near 1 where one cut divides the states well, 0 where none does."""
        return separability(self.limits[0])

    def separability_term(self, first: str, second: str) -> float:
        """How far the bounds of two states are apart, over the largest gap between neighbours."""
        return separability_term(self.limits[0], self._place(first), self._place(second))

    @cached_property
    def cycles(self) -> int | None:
        """How many simple cycles there are, self loops included; None if too many to count."""
        count = total = 0
        for cycle in simple_cycles(united(self.jacobians, self.probe)):
            count, total = count + 1, total + len(cycle)
            if total > _MOST:
                return None
        return count

    def list_cycles(self, limit: int = 10_000) -> list[Cycle]:
        """Every cycle with the step it allows at the first operating point, the smallest first."""
        try:
            if self.probe.name != "euler":
                found = probed_cycles(self.jacobians[0], self.probe, self.alpha, limit)
                listed = [Cycle(self._named(c.states), c.bound, c.feasible) for c in found]
            else:
                one = self.scales[0]
                listed = [self._cycle(one, c) for c in simple_cycles(one.graph, limit)]
        except TooManyCycles as error:
            raise OptionError(f"{error}; raise limit=... to list them.") from error
        return sorted(listed, key=lambda c: (c.bound, len(c.states)))

    def limiting(self, state: str) -> Cycle | None:
        """The cycle that sets a state's bound; None for a state in no cycle."""
        k = self._place(state)
        if self.probe.name != "euler":
            mine = [c for c in self.list_cycles() if state in c.states]
            return mine[0] if mine and mine[0].bound < inf else None
        found = []
        for one in self.scales:
            cycle = one.limiting(k, self.alpha, self.rule)
            if cycle:
                found.append(self._cycle(one, cycle))
        return min(found, key=lambda c: c.bound, default=None)

    @cached_property
    def eigenvalues(self) -> Vector | None:
        """Eigenvalues at the first operating point; None for models too large for it."""
        if len(self.names) > _EIGEN:
            return None
        values: Vector = np.linalg.eigvals(self.jacobians[0].toarray())
        return values[np.argsort(values.real, kind="stable")]

    @property
    def stiffness_ratio(self) -> float | None:
        """Largest over smallest real part of the eigenvalues, in size: the classic measure."""
        if self.eigenvalues is None:
            return None
        parts = np.abs(self.eigenvalues.real)
        return float(parts.max() / parts.min()) if parts.min() > 0 else inf

    def partition(self, step: float, weak: float = WEAK) -> Partition:
        """Slow and fast states for steps of this size, and their blocks."""
        check_number("the step", step, above=0)
        return partition(self, step, weak)

    def study(self, alphas: Sequence[float] | None = None) -> Study:
        """Bounds and gaps for several alphas, by default for 50 between 0 and 1."""
        chosen = np.linspace(0, 1, _ALPHAS + 1)[1:] if alphas is None else np.array(alphas, float)
        if not ((chosen > 0) & (chosen <= 1)).all():
            raise OptionError("every alpha must be above 0 and at most 1.")
        return study(self, chosen)

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the gaps over alpha, and the bounds; returns the figure."""
        from ..results.pictures.separability import draw

        return draw(self, path)

    def lines(self) -> list[str]:
        """The report, line by line."""
        from .reporting import lines

        return lines(self)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        from .reporting import page

        return page(self)

    def lower_limits(self, alpha: float, budget: int) -> Vector:
        """The safe bounds at another alpha."""
        return self._limits(alpha, budget)[0]

    def _limits(self, alpha: float, budget: int) -> tuple[Vector, Vector]:
        if self.probe.name != "euler":
            return probed_limits(self.jacobians, self.probe, alpha)
        return euler_limits(self.scales, alpha, self.rule, budget)

    def _cycle(self, scales: Scales, cycle: tuple[int, ...]) -> Cycle:
        return Cycle(self._named(cycle), scales.allowed(cycle, self.alpha, self.rule))

    def _named(self, cycle: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.names[k] for k in cycle)

    def _place(self, state: str) -> int:
        if state not in self.points.places:
            raise OptionError(f"'{state}' is no state.{did_you_mean(state, self.names)}")
        return self.points.places[state]


def analyze(
    model: Model | Any,
    alpha: float = 0.5,
    rule: Rule = "exact",
    *,
    probe: str | CycleProbe = "euler",
    values: Mapping[str, Any] | None = None,
    at: Sequence[Mapping[str, Any]] = (),
    start: float = 0.0,
    stop: float | None = None,
    samples: int = 10,
    names: Sequence[str] = (),
    budget: int = BUDGET,
) -> Analysis:
    """Cycle analysis of a model, or of a Jacobian.

    A step is too large for a state if some cycle through it has a gain above `alpha`. By default
    at the start values; `values` sets parameters, inputs and start values, `at` gives operating
    points as states by name, and `stop` adds `samples` points along a run. `probe` is the method
    whose steps are looked at: `euler`, which scales to large models, or `heun`, `midpoint`,
    `rk3`, `rk4` for small ones. `rule="published"` is the formula of the article as printed,
    for comparison only. `budget` limits the search where bounds are hard to find.
    """
    check_number("alpha", alpha, above=0, most=1)
    if rule not in ("exact", "published"):
        raise OptionError(f"rule must be 'exact' or 'published', not {rule!r}.")
    probe = probe_of(probe)
    if isinstance(at, Mapping) or not all(isinstance(point, Mapping) for point in at):
        raise OptionError(f"at must be a list of operating points as [{{'x': 1.0}}], not {at!r}.")
    if hasattr(model, "instantiate"):
        points = points_of(model, values=values, at=at, start=start, stop=stop, samples=samples)
    else:
        points = of_matrix(model, names)
    return Analysis(points, alpha, rule, probe, budget)
