"""The equations of a merged system, evaluated anywhere."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..assembly.assembly import Assembly
from ..core.description import Variable
from ..core.signals import Signals, Vector, Waveform
from ..integrators import Problem
from ..subsystems.derivatives import along, jacobian_of
from ..subsystems.subsystem import Linearization
from .coupled_equations import CoupledEquations
from .outer_inputs import OuterInputsPart

_FEW = 12  # states up to which an integrator's own differences are as good as coloured ones


class MergedEquations:
    """x' = f(t, x, u), y = g(t, x, u) of all parts together, with names as seen from outside."""

    assembly: Assembly
    player: OuterInputsPart
    joined: CoupledEquations | None
    signs: tuple[int, ...] = ()
    t: float
    x: Vector
    u: Signals
    _reals: list[int]
    _discrete: list[int]

    @cached_property
    def states(self) -> tuple[Variable, ...]:
        """The states of all parts, named `part.state`."""
        names = self.assembly.structure.layout.names
        return tuple(
            replace(v, name=f"{names[i]}.{v.name}") for i, p in self._joined.parts for v in p.states
        )

    @cached_property
    def pattern(self) -> Any:
        """Which rates depend on which states."""
        return self._joined.pattern()

    def rates(self, time: float, state: Vector, inputs: Signals) -> Vector:
        """f: the time derivatives of the states."""
        self._hear(inputs)
        return self._joined.rates(time, state)

    def values(self, time: float, state: Vector, inputs: Signals) -> Signals:
        """g: the outputs."""
        self._hear(inputs)
        self._joined.solve(time, state)
        return self._shown(self._joined.outputs())

    def crossings(self, time: float, state: Vector, inputs: Signals) -> Vector:
        """The zero crossings of all parts."""
        self._hear(inputs)
        return self._joined.crossings(time, state)

    def jacobian(self, time: float, state: Vector, inputs: Signals) -> Any:
        """df/dx by differences."""
        self._hear(inputs)
        return self._joined.jacobian(time, state, self.pattern)

    def completed(self, time: float, state: Vector, inputs: Signals) -> bool:
        """A step of an integrator ended here; whether some part wants an event for it."""
        self._hear(inputs)
        return self._joined.completed(time, state)

    def relinearize(self, known: Linearization) -> Linearization:
        """Where the last step ended, with the Jacobians of another place."""
        x, u = self.x, self.u
        dx, y = self.rates(self.t, x, u), self.values(self.t, x, u).reals
        return replace(known, x=x, dx=dx, u=u.reals, y=y)

    def linearize(self) -> Linearization:
        """Jacobians where the last step ended, by differences."""
        t, x, u, held = self.t, self.x, self.u.reals, self.u.discrete
        n, m = x.size, len(self._reals)

        def f(x: Vector, v: Vector) -> Vector:
            return self.rates(t, x, Signals(v, None, held))

        def g(x: Vector, v: Vector) -> Vector:
            return self.values(t, x, Signals(v, None, held)).reals

        found = Linearization(
            jacobian_of(lambda x: f(x, u), x, n),
            jacobian_of(lambda v: f(x, v), u, n),
            jacobian_of(lambda x: g(x, u), x, m),
            jacobian_of(lambda v: g(x, v), u, m),
            x,
            f(x, u),
            u,
            g(x, u),
        )
        return found

    @property
    def _joined(self) -> CoupledEquations:
        assert self.joined is not None, "asked before it began"
        return self.joined

    @cached_property
    def _nominal(self) -> Vector | None:
        sizes = np.array([abs(v.nominal or 1.0) for v in self.states])
        return None if np.all(sizes == 1.0) else sizes

    def _problem(self) -> Problem:
        joined = self._joined
        watched = any(s.capabilities.can_return_early for s in self.assembly.subsystems)
        coloured = joined.size > _FEW and self.pattern.nnz < 0.5 * joined.size**2
        return Problem(
            joined.rates,
            (lambda t, x: joined.jacobian(t, x, self.pattern)) if coloured else None,
            joined.crossings if self.signs else None,
            joined.completed if watched else None,
            self._nominal,
            self.pattern if coloured else None,
        )

    def _hear(self, inputs: Signals) -> None:
        """Inputs for an evaluation."""
        self.player.play(Waveform.hold(inputs), self.t)

    def _derived(self, inputs: Signals, order: int) -> Signals:
        """Time derivatives of the outputs along the solution, by differences."""
        du = np.zeros(inputs.reals.size) if inputs.derivatives is None else inputs.derivatives

        def values(t: float, x: Vector, u: Vector) -> Vector:
            return self.values(t, x, Signals(u, None, inputs.discrete)).reals

        def rates(t: float, x: Vector, u: Vector) -> Vector:
            return self.rates(t, x, Signals(u, None, inputs.discrete))

        reals = along(values, rates, self.t, self.x, inputs.reals, du, order)
        return Signals(reals, None, self.values(self.t, self.x, inputs).discrete)

    def _shown(self, outputs: Signals) -> Signals:
        discrete = tuple(outputs.discrete[k] for k in self._discrete)
        return Signals(outputs.reals[self._reals], None, discrete)
