"""A CVODE whose steps are taken in native code, without Python between them.

It stays beside `interpreted`: a Python call per evaluation costs more than most FMUs do. What
both share is in `cvode` (when to start anew), `events`, `running` and `outcome`.
"""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any, NoReturn

from ..core.signals import Vector
from .base import Arc, Problem, not_finite, quiet, too_many
from .events import Event, Watch
from .flow import ARRIVED, FAILED, LOOK, NO_NUMBERS, PAUSED, TOO_MANY, WISHED, Flow, Matrix
from .outcome import ENDLESS, TOO_MUCH_WORK, refused
from .running import arrived
from .sundials_objects import SundialsObjects, check

if TYPE_CHECKING:
    from .cvode import Cvode

_SLICE = 0.05  # seconds after which native code returns, for Ctrl-C
_WELL = (ARRIVED, LOOK, WISHED, TOO_MANY)
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

    is_native = True
    spoilt = False  # it failed, and is not used again
    _left: int | None = None  # why native windows have left a run that they began

    def __init__(
        self,
        library: Any,
        options: Cvode,
        problem: Problem,
        size: int,
        shortest: float,
        *,
        sparse: bool,
    ) -> None:
        assert problem.flow is not None
        self._objects = SundialsObjects(library, size, problem.pattern if sparse else None)
        self._y, self._between = self._objects.y, self._objects.between
        self._library, self._made = library, self._objects.made
        self._options, self._shortest = options, shortest
        self._flow: Flow = problem.flow
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
            check("CVodeReInit", done)
        else:
            self._objects.set_up(start, self._options, self._problem, self._flow, self._shortest)
            self._bind()

    def stride(self, start: float, stop: float) -> Arc:
        """All steps, with no crossings to be looked at."""
        known = self._flow.known
        why = self._steps(start, stop)
        if why == ARRIVED:
            return Arc(stop, self._y.copy(), evaluations=known.evaluations)
        if why == WISHED:
            return Arc(known.end, self._y.copy(), asked=True, evaluations=known.evaluations)
        self.give_up(why)

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
            self.give_up(why)
        counts, state = (known.steps, known.evaluations), self._y.copy()
        if why == WISHED:
            event = Event(known.end, state, (), (), watch.signs, asked=True)
            return event.arc(None, *counts, 0)
        return arrived(stop, state, watch, None, *counts)

    @property
    def start_anew(self) -> int:
        """Where native code finds CVodeReInit."""
        return self._objects.place("CVodeReInit") or 0

    def leave(self, why: int) -> None:
        """Native windows have begun the next run, and have left it for this reason."""
        self._left = why

    def give_up(self, why: int) -> NoReturn:
        """Raise what it means that steps ended for this reason."""
        known, most = self._flow.known, self._options.max_steps
        if why == TOO_MANY and known.n_indicators:
            raise too_many(known.time, known.steps, ENDLESS)
        if why == FAILED:
            self._fail()
        self.spoilt = True
        if why == TOO_MANY:
            raise refused(TOO_MUCH_WORK, known.time, known.bad, most)
        raise refused(known.flag, known.end, known.bad, most)

    def _steps(self, start: float, stop: float) -> int:
        if self._left is not None:
            why, self._left = self._left, None
            return why
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
                self.give_up(why)

    def _fail(self) -> None:
        known = self._flow.known
        if known.failed == NO_NUMBERS:
            raise not_finite(known.failed_at)
        self._flow.failed(known.failed, known.status)

    def _curve(self, time: float) -> Vector:
        """The states somewhere in the last step."""
        between = self._made["between"]
        done = self._library.CVodeGetDky(self._made["mem"], time, 0, between)
        check("CVodeGetDky", done)
        return self._between.copy()

    def _glance(self, time: float) -> list[float]:
        """The crossings somewhere in the last step: what they are along `_curve`."""
        flow = self._flow
        if flow.glance(self._address, time) == FAILED:
            self._fail()
        check("CVodeGetDky", flow.known.flag)
        found: list[float] = flow.row.tolist()
        return found

    def _bind(self) -> None:
        """Register this CVODE with native code."""
        known = self._flow.known
        self._address = c.addressof(known)
        for name in ("y", "between", "mem"):
            setattr(known, name, self._made.get(name))
        for field, name in _USED.items():
            setattr(known, field, self._objects.place(name))
        if known.matrix:
            self._objects.bind_matrix(Matrix.from_address(known.matrix))
