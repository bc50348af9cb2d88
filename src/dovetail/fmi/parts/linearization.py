"""Derivatives that a live FMU gives, combined to a linearization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Vector
from ...subsystems.subsystem import Linearization
from ..calls.access import channels
from ..calls.fmi3 import Fmi3
from ..calls.instance import Instance

if TYPE_CHECKING:
    from ..description import FmuDescription, FmuInterface, FmuVariable

Size = Callable[["FmuVariable"], int]


def can_linearize(fmu: FmuDescription, interface: FmuInterface) -> bool:
    """Whether an FMU gives enough: derivatives of one kind, and the states they are about.

    An FMU that lists no states may have none, or keep them to itself. One cannot know, and a
    linearization without its states would be wrong; so it counts as one that cannot.
    """
    states = fmu.states
    provides = interface.provides_directional_derivatives or interface.provides_adjoint_derivatives
    return provides and bool(states) and None not in states


class Linearizer:
    """x' = f(x, u), y = g(x, u) of one instance: values and derivatives where it stands.

    Ask right after a step, before anything is set. One call of the FMU for each state and
    continuous input; or for each state and output, where those are fewer and it gives adjoint
    derivatives. Inputs and outputs that change at events only have derivatives of zero.
    """

    def __init__(
        self,
        instance: Instance,
        fmu: FmuDescription,
        interface: FmuInterface,
        inputs: Sequence[FmuVariable],
        outputs: Sequence[FmuVariable],
        size_of: Size,
    ) -> None:
        self._instance = instance
        rates = [fmu.by_name[d.name] for d in fmu.structure.derivatives]
        states = [fmu.by_name[name] for name in fmu.states if name is not None]
        self._states, self._rates = _Reals(states, size_of), _Reals(rates, size_of)
        self._outputs = _Reals(outputs, size_of)
        self._knowns = _Reals([*states, *inputs], size_of)
        self._unknowns = _Reals([*rates, *outputs], size_of)
        fewer = self._unknowns.smooth.size < self._knowns.smooth.size
        self._adjoint = interface.provides_adjoint_derivatives and (
            fewer or not interface.provides_directional_derivatives
        )

    def at(self, inputs: Vector, known: Linearization | None = None) -> Linearization:
        """The linearization here; `inputs` are those that the last step ended with.

        With the matrices of one that is known, for three calls of the FMU.
        """
        values = [r.values(self._instance) for r in (self._states, self._rates, self._outputs)]
        x, dx, y = values
        if known is not None:
            return replace(known, x=x, dx=dx, u=inputs, y=y)
        M, n = self._matrix(), x.size
        return Linearization(M[:n, :n], M[:n, n:], M[n:, :n], M[n:, n:], x, dx, inputs, y)

    def _matrix(self) -> Vector:
        """All derivatives of rates and outputs by states and inputs, line by line."""
        given, sought = self._knowns, self._unknowns
        if self._adjoint:
            given, sought = sought, given
        lines = np.zeros((given.size, sought.size))
        for reference, places in given.columns if sought.smooth.size else ():
            for k, place in enumerate(places):
                seed = np.zeros(len(places))
                seed[k] = 1.0
                lines[place, sought.smooth] = self._line(reference, sought, seed)
        return lines if self._adjoint else lines.T

    def _line(self, reference: Any, sought: _Reals, seed: Vector) -> Vector:
        size = sought.smooth.size
        if self._adjoint:
            assert isinstance(self._instance, Fmi3)
            return self._instance.adjoint(reference, sought.references, seed, size=size)
        return self._instance.directional(sought.references, reference, seed, size=size)


class _Reals:
    """The real ones of some variables, as the derivatives see them."""

    def __init__(self, variables: Sequence[FmuVariable], size_of: Size) -> None:
        self.variables = [v for v in variables if v.type in ("Float64", "Float32")]
        self._size_of = size_of
        self.size, smooth, references = 0, list[int](), list[int]()
        self.columns: list[tuple[np.ndarray, range]] = []  # one for each continuous variable
        for v in self.variables:
            places = range(self.size, self.size + size_of(v))
            self.size = places.stop
            if v.variability == "continuous":
                smooth += places
                references.append(v.reference)
                self.columns.append((np.array([v.reference], dtype=np.uint32), places))
        self.smooth = np.array(smooth, dtype=np.intp)
        self.references = np.array(references, dtype=np.uint32)

    def values(self, instance: Instance) -> Vector:
        """Their values as they are."""
        found, sizes = channels(instance, self.variables, self._size_of)
        reals = np.zeros(sizes[0])
        for channel in found:
            channel.get(instance.pointer or 0, instance.check, reals, [])
        return reals
