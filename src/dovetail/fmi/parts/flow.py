"""The equations of a model-exchange FMU for native code: everything bound once."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Waveform
from ...integrators import flow as native
from ...integrators.sundials import sundials
from ..calls.abi.types import ERROR
from ..calls.instance import MISSING, CallFailed
from ..kernel import address, kernel

if TYPE_CHECKING:
    from ..calls.access import Channel
    from .evaluation import Evaluation
    from .jacobian import Jacobian

_BEYOND = 1 << 20  # BEYOND in integrate.c
_FEW = 50  # states up to which differences divide the whole matrix; as in jacobian.py


class FmuFlow:
    """One instance as an integrator's native loop sees it.

    Inputs that move are polynomials of the time since a window began; the loop evaluates them
    itself. `flow` is what a problem carries.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        jacobian: Jacobian | None,
        inlets: Sequence[Channel],
        *,
        watches_steps: bool,
    ) -> None:
        self._evaluation, self._jacobian = evaluation, jacobian
        self._inlets, self._alive = inlets, []  # type: tuple[Sequence[Channel], list[Any]]
        n = evaluation.states
        signs = np.zeros(evaluation.indicators, dtype=np.int32)
        x, z, row = np.zeros(n), np.zeros(evaluation.indicators), np.zeros(evaluation.indicators)
        k = self._known = native.NativeFlow()
        k.fmu = evaluation.known_at
        k.armed, k.x, k.z, k.row = self._at(signs), self._at(x), self._at(z), self._at(row)
        k.n_indicators, k.watches_steps = evaluation.indicators, int(watches_steps)
        rows = (native.Inlet * max(len(inlets), 1))(*map(self._inlet, inlets))
        self._alive.append(rows)
        k.inlets = c.addressof(rows)
        pays = jacobian is not None and jacobian.pays
        self._matrix = self._bind_matrix(jacobian) if jacobian is not None and pays else None
        if self._matrix is not None:
            k.matrix = c.addressof(self._matrix)
        self._nominal: Any = None
        self._coefficients: Any = None
        self.flow = native.Flow(
            k,
            address("dt_flow_rates"),
            0 if self._matrix is None else address("dt_flow_matrix"),
            kernel().dt_flow_begin,
            kernel().dt_flow_steps,
            kernel().dt_flow_glance,
            self._failed,
            signs,
            x,
            z,
            row,
        )

    @property
    def inlets(self) -> int:
        """How many sorts of inputs there are that can move."""
        return len(self._inlets)

    def hold(self) -> native.Flow:
        """The equations with inputs that were set, and stay."""
        self._known.n_inlets = 0
        return self._weighed()

    def move(self, inputs: Waveform, start: float) -> native.Flow:
        """The equations with inputs along these curves, from `start` on."""
        self._coefficients = np.ascontiguousarray(inputs.coefficients, dtype=float)
        k = self._known
        k.coefficients, k.columns = self._coefficients.ctypes.data, inputs.order + 1
        k.n_inlets, k.began = len(self._inlets), start
        return self._weighed()

    def _weighed(self) -> native.Flow:
        if self._matrix is None or self._jacobian is None:
            return self.flow
        if self._nominal is not self._jacobian.nominal:
            self._nominal = self._jacobian.nominal
            self._matrix.nominal = self._nominal.ctypes.data
        return self.flow

    def ended(self) -> bool:
        """Whether the FMU asked for the end of the run since this was asked last."""
        wished = bool(self._known.ending)
        if wished:
            self._known.ending = 0
        return wished

    def _failed(self, where: int, status: int) -> None:
        """Raise what a call that failed means."""
        instance, name = self._evaluation.instance, self._evaluation.name
        names = {
            native.IN_RATES: lambda: name("rates"),
            native.IN_STATES: lambda: name("states"),
            native.IN_INDICATORS: lambda: name("indicators"),
            native.IN_COMPLETED: lambda: f"{instance.prefix}CompletedIntegratorStep",
        }
        if where == native.IN_DERIVATIVES and self._jacobian is not None:
            instance.check(status, self._jacobian.function_name)
        if where in names:
            instance.check(status, names[where]())
        inlet = self._inlets[where - native.IN_INPUTS]
        if status == _BEYOND:  # the Python code has the message for it
            since, columns = self._known.failed_at - self._known.began, self._known.columns
            values = self._coefficients @ since ** np.arange(columns)
            inlet.set(instance.pointer or 0, instance.check, values, ())
        instance.check(status, inlet.setter)

    def _inlet(self, channel: Channel) -> native.Inlet:
        single = channel.kind == "Float32"
        values = np.zeros(channel.places.size, np.float32 if single else np.float64)
        factors = channel.factors
        return native.Inlet(
            self._evaluation.instance.library.address(channel.setter),
            self._at(channel.references),
            self._at(channel.places),
            None if factors is None else self._at(factors),
            self._at(values),
            channel.references.size,
            values.size,
            int(single),
        )

    def _bind_matrix(self, jacobian: Jacobian) -> native.Matrix:
        n = self._evaluation.states
        groups, spots = jacobian.groups, jacobian.spots
        m = native.Matrix(n_colours=len(groups), whole=int(n <= _FEW))
        if jacobian.is_exact:
            name = jacobian.function_name
            m.function = self._evaluation.instance.library.address(name)
            if not m.function:
                raise CallFailed(name, ERROR, (), MISSING)
            unknowns, knowns = jacobian.references
            m.unknowns, m.n_unknowns = self._at(unknowns), unknowns.size
            m.knowns, m.n_knowns = self._at(knowns), knowns.size
        for field in ("seed", "result", "moves", "moved"):
            setattr(m, field, self._at(np.zeros(n)))
        m.colour_at, m.colours = self._chained([colour for colour, _, _ in groups])
        m.entry_at, m.found = self._chained([found for _, found, _ in groups])
        _, m.rows = self._chained([rows for rows, _ in spots])
        _, m.columns = self._chained([columns for _, columns in spots])
        _, m.places = self._chained([places for _, _, places in groups])
        return m

    def _chained(self, chains: Sequence[Any]) -> tuple[int, int]:
        """Where all of these begin, and they themselves, one after another."""
        begins = np.cumsum([0, *(len(chain) for chain in chains)])
        whole = np.concatenate([np.zeros(0, dtype=np.intp), *chains])
        return self._at(begins.astype(np.intp)), self._at(whole.astype(np.intp))

    def _at(self, array: Any) -> int:
        """The address of an array that stays."""
        self._alive.append(array)
        return int(array.ctypes.data)


def flow_of(
    evaluation: Evaluation,
    jacobian: Jacobian | None,
    inlets: Sequence[Channel],
    *,
    watches_steps: bool,
) -> FmuFlow | None:
    """The equations for native code; None where something it needs is not there.

    `jacobian`: what CVODE solves with; None for explicit methods, which need no SUNDIALS either.
    """
    library = evaluation.instance.library
    if not evaluation.known_at or not all(library.address(i.setter) for i in inlets):
        return None
    if jacobian is not None and sundials() is None:
        return None
    return FmuFlow(evaluation, jacobian, inlets, watches_steps=watches_steps)
