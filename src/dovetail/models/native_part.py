"""A part with compiled functions, as native windows know it: they solve it as they solve FMUs."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from math import inf
from typing import Any, NoReturn, Protocol

import numpy as np

from ..compiling.compiled_function import CompiledFunction
from ..core.signals import Signals, Vector
from ..fmi.kernel import MAX_COLUMNS, NativeExchange, address, data_at, kernel
from ..integrators import Integrator
from ..integrators import flow as native
from ..integrators.course import Course
from ..subsystems.batch import BatchRole
from ..subsystems.subsystem import SupportsEventTimes
from .compiled_membership import STILL


class NativeTraced(c.Structure):
    """A compiled model; the same order as `dt_traced` in traced.c."""

    _fields_ = (
        *((name, c.c_void_p) for name in ("rates", "outputs", "x", "u", "y", "p")),
        ("time", c.c_double),
        *((name, c.c_int32) for name in ("n_x", "n_u", "n_y", "padding")),
    )


class _Stands(Protocol):
    """What is asked of the part."""

    t: float
    p: Any

    def take_over(self, time: float, state: Vector, inputs: Vector, size: float) -> None: ...


class _SolvedModel(Protocol):
    """What is asked of its model."""

    @property
    def native_role(self) -> BatchRole: ...

    @property
    def native_integrator(self) -> Integrator: ...

    @property
    def native_sizes(self) -> tuple[int, int, int, int]: ...


class _NoInstance:
    """Where there is no FMU: nothing is called that may fail, nothing is saved."""

    version, failed = 2, 0
    states: Sequence[Any] = ()


class _NoIndicators:
    indicators = 0


class _TracedFlow:
    """The equations as an integrator's native loop sees them."""

    def __init__(self, known: native.NativeFlow, inlets: int) -> None:
        none = np.zeros(0)
        signs = np.zeros(0, dtype=np.int32)
        own = kernel()
        walk = own.dt_flow_begin, own.dt_flow_steps, own.dt_flow_glance
        self.flow = native.Flow(known, 0, 0, *walk, self._failed, signs, none, none, none)
        self.inlets = inlets

    @staticmethod
    def _failed(where: int, status: int) -> NoReturn:
        raise AssertionError(f"compiled functions do not fail, at stage {where}: {status}")


class NativePart:
    """What `SolvedMember` asks an FMU for, of a part whose functions are in C."""

    broken = None
    mode, due, ending = "continuous", False, False
    fired: tuple[int, ...] = ()
    zeros: tuple[int, ...] = ()
    signs: tuple[int, ...] = ()
    nominal = None
    evaluation = _NoIndicators()
    most_derivatives = MAX_COLUMNS - 1
    refused, refused_until = 0, 0.0
    last_size = 0.0  # of a window: nothing here depends on it

    def __init__(
        self,
        part: _Stands,
        model: _SolvedModel,
        course: Course,
        functions: tuple[CompiledFunction | None, CompiledFunction],
    ) -> None:
        self._part, self.course, self._functions = part, course, functions
        self.model = _MemberModel(model)
        self.instance = _NoInstance()
        self.is_stateless = functions[0] is None
        self.take_over = part.take_over
        self._flow: _TracedFlow | None = None
        self._known = NativeTraced()
        self._alive = list[Any]()

    @property
    def t(self) -> float:
        """Where it stands."""
        return self._part.t

    @property
    def x(self) -> Vector:
        """Its states."""
        found: Vector = np.zeros(0) if self.is_stateless else self._part.x  # type: ignore[attr-defined]
        return found

    @property
    def u(self) -> Signals:
        """Its inputs."""
        if not self.model.sizes[1]:
            return Signals(np.zeros(0))
        found: Signals = self._part.u  # type: ignore[attr-defined]
        return found

    @property
    def next_time(self) -> float:
        """When something happens that it knows of."""
        part = self._part
        return part.next_event() if isinstance(part, SupportsEventTimes) else inf

    @property
    def native_flow(self) -> _TracedFlow | None:
        """The equations for native code, with the parameters as they are now."""
        self.hand_over()
        return self._flow

    def hand_over(self) -> None:
        """Parameters as they are now."""
        if self._flow is not None and self.model.sizes[3]:
            self._p[:] = self._part.p

    def bind(self, member: Any) -> None:
        """Make it known to native code."""
        n_x, n_u, n_y, n_p = self.model.sizes
        x, u, y, self._p = (self._array(n) for n in (n_x, n_u, n_y, n_p))
        rates, outputs = self._functions
        k = self._known
        k.rates, k.outputs = None if rates is None else rates.address, outputs.address
        k.x, k.u, k.y, k.p = (a.ctypes.data for a in (x, u, y, self._p))
        k.n_x, k.n_u, k.n_y = n_x, n_u, n_y
        assert kernel().dt_traced_layout() == c.sizeof(NativeTraced), "reinstall Dovetail"
        own = c.addressof(k)
        calls = (address(f"dt_traced_{name}") for name in ("at", "in", "rates"))
        exchange = NativeExchange(own, *calls, None, None, -inf, n_x, 2, 0, data_at() or 0, 0)
        flow = native.NativeFlow(fmu=c.addressof(exchange))
        refs, places = np.arange(n_u, dtype=np.uint32), np.arange(n_u, dtype=np.intp)
        values, setter = self._array(n_u), address("dt_traced_set")
        at = (a.ctypes.data for a in (refs, places))
        inlet = native.Inlet(setter, *at, None, values.ctypes.data, n_u, n_u, 0)
        flow.inlets = c.addressof(inlet)
        self._alive += [exchange, flow, inlet, refs, places]
        self._flow = _TracedFlow(flow, int(n_u > 0))
        member.instance = own
        member.set_real, member.get_real = setter, address("dt_traced_get")
        self.hand_over()

    def note_refusal(self, order: int, until: float) -> None:
        """Nothing is refused."""

    def _array(self, size: int) -> Vector:
        made: Vector = np.zeros(size + 1)[:size]
        self._alive.append(made)
        return made


class _MemberModel:
    """The model, as native code asks about it."""

    def __init__(self, model: _SolvedModel) -> None:
        self.batch_role, self.sizes = model.native_role, model.native_sizes
        self.integrator = model.native_integrator


def still_course(name: str) -> Course:
    """Of a part without states: there is nothing to integrate."""
    return Course(name, STILL)
