"""A CVODE whose steps are taken in native code, without Python between them.

It stays beside `interpreted`: a Python call per evaluation costs more than most FMUs do. What
both share is in `cvode` (when to start anew), `events`, `running` and `outcome`.
"""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from ..core.signals import Vector
from .base import Arc, Problem, not_finite, quiet, too_many
from .events import Event, Watch
from .flow import ARRIVED, FAILED, LOOK, NO_NUMBERS, PAUSED, TOO_MANY, WISHED, Flow
from .outcome import ENDLESS, TOO_MUCH_WORK, refused
from .running import arrived

if TYPE_CHECKING:
    from .cvode import Cvode

_SLICE = 0.05  # seconds after which native code returns, for Ctrl-C
_WELL = (ARRIVED, LOOK, WISHED, TOO_MANY)
_METHODS = {"Adams": (1, 12), "BDF": (2, 5)}  # CVODE's number for it, and the highest order
_USED = {
    "cvode": "CVode",
    "interpolate": "CVodeGetDky",
    "set_stop": "CVodeSetStopTime",
    "clear_stop": "CVodeClearStopTime",
    "numbers": "N_VGetArrayPointer",
    "columns_of": "SUNDenseMatrix_Cols",
}


class Compiled:
    """The same calls of CVODE, in the same order, as scikit-sundae makes; the same numbers.

    Steps in which an indicator changes sign, or leaves zero, are looked at by a `Watch` in
    Python. All others pass in native code.
    """

    spoilt = False  # it failed, and is not used again

    def __init__(
        self, library: Any, options: Cvode, problem: Problem, size: int, shortest: float
    ) -> None:
        assert problem.flow is not None
        self._library, self._options, self._shortest = library, options, shortest
        self._flow: Flow = problem.flow
        self._made: dict[str, c.c_void_p] = {}
        self._freed = finalize(self, _free, library, self._made)
        context = self._made["context"] = c.c_void_p()
        _check("SUNContext_Create", library.SUNContext_Create(0, c.byref(context)))
        library.SUNContext_ClearErrHandlers(context)
        self._y, self._between = self._vector("y", size), self._vector("between", size)
        self._problem = problem
        self._bind()

    @property
    def evaluations(self) -> int:
        """Of the rates, in this run."""
        return int(self._flow.known.evaluations)

    def take(self, problem: Problem) -> None:
        """These are the equations of the next run."""
        assert problem.flow is self._flow  # CVODE goes by its address: another one is made anew
        self._problem, known = problem, self._flow.known
        known.evaluations = known.bad = known.steps = 0

    def begin(self, start: float, x: Vector) -> None:
        """Forget what was, and start there."""
        self._y[:] = x
        if self._flow.begin(self._address, start) == FAILED:
            self._fail()
        if "mem" in self._made:
            done = self._library.CVodeReInit(self._made["mem"], start, self._made["y"])
            _check("CVodeReInit", done)
        else:
            self._set_up(start)
            self._bind()

    def stride(self, start: float, stop: float) -> Arc:
        """All steps, with no crossings to be looked at."""
        known = self._flow.known
        why = self._steps(start, stop)
        if why == ARRIVED:
            return Arc(stop, self._y.copy(), evaluations=known.evaluations)
        if why == WISHED:
            return Arc(known.end, self._y.copy(), asked=True, evaluations=known.evaluations)
        self.spoilt = True
        raise refused(TOO_MUCH_WORK, known.time, known.bad, self._options.max_steps)

    def walk(self, start: float, stop: float, watch: Watch) -> Arc:
        """All steps, with a look at each."""
        flow, known = self._flow, self._flow.known
        flow.signs[:] = watch.signs
        why = self._steps(start, stop)
        while why == LOOK:
            if known.time > watch.time:
                watch.passed(known.time, flow.state.copy(), flow.crossings.tolist())
            with quiet():
                event = watch.step(known.end, self._y.copy(), self._curve, self._glance)
            if event:
                return event.arc(None, known.steps, known.evaluations, 0)
            flow.signs[:] = watch.signs
            known.time = known.end
            why = ARRIVED if known.end >= stop else self._go_on(stop)
        if why == TOO_MANY:
            raise too_many(known.time, known.steps, ENDLESS)
        counts, state = (known.steps, known.evaluations), self._y.copy()
        if why == WISHED:
            event = Event(known.end, state, (), (), watch.signs, asked=True)
            return event.arc(None, *counts, 0)
        return arrived(stop, state, watch, None, *counts)

    def _steps(self, start: float, stop: float) -> int:
        known = self._flow.known
        known.time, known.most = start, self._options.max_steps
        return self._go_on(stop)

    def _go_on(self, stop: float) -> int:
        """Why the steps end: any reason that is no failure."""
        steps, address = self._flow.steps, self._address
        while True:
            why = steps(address, stop, _SLICE)
            if why in _WELL:
                return why
            if why != PAUSED:
                break
        if why == FAILED:
            self._fail()
        self.spoilt = True
        known = self._flow.known
        raise refused(known.flag, known.end, known.bad, self._options.max_steps)

    def _fail(self) -> None:
        known = self._flow.known
        if known.failed == NO_NUMBERS:
            raise not_finite(known.failed_at)
        self._flow.failed(known.failed, known.status)

    def _curve(self, time: float) -> Vector:
        """The states somewhere in the last step."""
        between = self._made["between"]
        done = self._library.CVodeGetDky(self._made["mem"], time, 0, between)
        _check("CVodeGetDky", done)
        return self._between.copy()

    def _glance(self, time: float) -> list[float]:
        """The crossings somewhere in the last step: what they are along `_curve`."""
        flow = self._flow
        if flow.glance(self._address, time) == FAILED:
            self._fail()
        _check("CVodeGetDky", flow.known.flag)
        found: list[float] = flow.row.tolist()
        return found

    def _bind(self) -> None:
        """Register this CVODE with native code."""
        known = self._flow.known
        self._address = c.addressof(known)
        for name in ("y", "between", "mem"):
            setattr(known, name, self._made.get(name))
        for field, name in _USED.items():
            setattr(known, field, c.cast(getattr(self._library, name), c.c_void_p).value)

    def _vector(self, name: str, size: int) -> Vector:
        """A vector of SUNDIALS, as an array."""
        found = self._library.N_VNew_Serial(size, self._made["context"])
        self._made[name] = c.c_void_p(_there("N_VNew_Serial", found))
        place = self._library.N_VGetArrayPointer(found)
        return np.ctypeslib.as_array((c.c_double * size).from_address(place))

    def _set_up(self, start: float) -> None:
        """What scikit-sundae does, in the same order."""
        library, o, made, flow = self._library, self._options, self._made, self._flow
        n, context, y = self._y.size, made["context"], made["y"]
        method, order = _METHODS[o.method]
        mem = c.c_void_p(_there("CVodeCreate", library.CVodeCreate(method, context)))
        made["mem"] = mem

        def have(name: str, *arguments: Any) -> None:
            _check(name, getattr(library, name)(mem, *arguments))

        have("CVodeSetUserData", c.addressof(flow.known))
        have("CVodeInit", flow.rates, start, y)
        if self._problem.nominal is None:
            have("CVodeSStolerances", o.rtol, o.atol)
        else:
            self._vector("atol", n)[:] = self._problem.absolute(o.atol)
            have("CVodeSVtolerances", o.rtol, made["atol"])
        matrix = _there("SUNDenseMatrix", library.SUNDenseMatrix(n, n, context))
        made["matrix"] = c.c_void_p(matrix)
        solver = _there("SUNLinSol_Dense", library.SUNLinSol_Dense(y, matrix, context))
        made["solver"] = c.c_void_p(solver)
        have("CVodeSetLinearSolver", solver, matrix)
        if flow.matrix:
            have("CVodeSetJacFn", flow.matrix)
        have("CVodeSetMaxNonlinIters", 3)
        have("CVodeSetMaxConvFails", 100)
        have("CVodeSetMinStep", self._shortest)
        have("CVodeSetMaxStep", max(min(o.max_size, 1e300), self._shortest))
        have("CVodeSetMaxOrd", order)
        have("CVodeSetMaxNumSteps", o.max_steps)


def _there(name: str, pointer: int | None) -> int:
    if not pointer:
        raise MemoryError(f"{name} of SUNDIALS returned nothing")
    return pointer


def _check(name: str, flag: int) -> None:
    if flag < 0:
        raise RuntimeError(f"{name} of SUNDIALS returned {flag}")


def _free(library: Any, made: dict[str, c.c_void_p]) -> None:
    """Give everything back, the context last."""
    if "mem" in made:
        library.CVodeFree(c.byref(made["mem"]))
    for name, function in (("solver", "SUNLinSolFree"), ("matrix", "SUNMatDestroy")):
        if name in made:
            getattr(library, function)(made[name])
    for name in ("atol", "between", "y"):
        if name in made:
            library.N_VDestroy(made[name])
    if made["context"]:
        library.SUNContext_Free(c.byref(made["context"]))
