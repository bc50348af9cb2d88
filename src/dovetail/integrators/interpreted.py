"""A CVODE that calls Python functions, by way of scikit-sundae.

It stays beside `compiled`: Python models and merged systems have no equations in native code,
sparse matrices need SuperLU_MT by way of scikit-sundae, and a SUNDIALS whose version was not
compared is used through it alone.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import py_object, pythonapi
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.signals import Vector
from .base import Arc, Problem, not_finite, quiet, too_many
from .events import Watch
from .outcome import ENDLESS, TOO_BAD, refused
from .running import arrived

if TYPE_CHECKING:
    from .cvode import Cvode

_COMPLAINT = re.compile(r"\n\[\w+, Error: -?\d+\]")


class Interpreted:
    """The equations of any problem. About ten microseconds per step, and what they cost."""

    is_native = False
    spoilt = False  # it failed, and is not used again
    _held = False  # a reference to the solver is kept beyond its life

    def __init__(self, options: Cvode, problem: Problem, shortest: float, *, sparse: bool) -> None:
        self._options, self._problem = options, problem
        self.evaluations = self._bad = 0
        self._reported = -np.inf  # the end of the last step that was reported
        self._asked: Callable[[float, Vector], bool] = lambda time, state: False
        self._solver = self._made(problem, shortest, sparse=sparse)

    def take(self, problem: Problem) -> None:
        """These are the equations of the next run."""
        self._problem, self.evaluations, self._bad = problem, 0, 0

    def begin(self, start: float, x: Vector) -> None:
        """Forget what was, and start there."""
        with quiet(), _hushed():
            derivative = self._problem.rates(start, x)
            self.evaluations += 1
            if not np.isfinite(derivative).all():
                raise not_finite(start)
            self._solver.init_step(start, x)

    def stride(self, start: float, stop: float) -> Arc:
        """All steps in one call: none of them is watched."""
        self._reported = start
        if self._problem.completed is not None:
            self._asked = self._problem.completed
        try:
            with quiet(), _hushed():
                done = self._solver.step(stop, "normal", stop)
        except _Wished as wish:
            return Arc(wish.time, wish.state, asked=True, evaluations=self.evaluations)
        self._check(done)
        self._may_go()
        return Arc(stop, done.y, evaluations=self.evaluations)

    def walk(self, start: float, stop: float, watch: Watch) -> Arc:
        """Step by step, with a look at each."""
        with quiet(), _hushed():
            return self._walk(start, stop, watch)

    def _walk(self, start: float, stop: float, watch: Watch) -> Arc:
        solver, time, steps = self._solver, start, 0

        def curve(instant: float) -> Vector:
            found: Vector = solver.step(instant, "normal").y
            return found

        while True:
            if steps == self._options.max_steps:
                raise too_many(time, steps, ENDLESS)
            done = solver.step(stop, "onestep", stop)
            self._check(done)
            self._may_go()
            if done.t <= time:  # the curve was looked at: it only repeats where it stands
                continue
            end, steps = float(done.t), steps + 1
            event = watch.step(end, done.y, curve)
            if event:
                return event.arc(None, steps, self.evaluations, 0)
            if end >= stop:
                return arrived(stop, done.y, watch, None, steps, self.evaluations)
            time = end

    def _check(self, done: Any) -> None:
        if done.status < 0:
            self.spoilt = True
            raise refused(done.status, float(done.t), self._bad, self._options.max_steps)

    def _may_go(self) -> None:
        """After a whole step its sparse matrix, if it has one, was factored."""
        if self._held:
            self._held = False
            pythonapi.Py_DecRef(py_object(self._solver))

    def _made(self, problem: Problem, shortest: float, *, sparse: bool) -> Any:
        os.environ.setdefault("SUNLOGGER_WARNING_FILENAME", os.devnull)  # else it fills stdout
        from sksundae.cvode import CVODE

        o = self._options
        options: dict[str, Any] = {"method": o.method, "rtol": o.rtol, "max_num_steps": o.max_steps}
        options.update(atol=problem.absolute(o.atol), min_step=shortest, max_conv_fails=100)
        options["max_step"] = max(min(o.max_size, 1e300), shortest)
        if problem.crossings is None and problem.completed is not None:
            # a function, not a method: scikit-sundae keeps its options as attributes of it
            options.update(eventsfn=self._watching(), num_events=1)
        if problem.jacobian is not None:
            if sparse:
                options.update(linsolver="sparse", sparsity=_indexed(problem.pattern))
            options["jacfn"] = self._sparse if sparse else self._dense
        with warnings.catch_warnings():  # that a Jacobian is given and a pattern besides
            warnings.simplefilter("ignore")
            made = CVODE(self._rates if problem.into is None else self._filled, **options)
        if sparse:  # to free one that never factored would take the process down, even at its end
            self._held = True
            pythonapi.Py_IncRef(py_object(made))
        return made

    def _rates(self, time: float, state: Vector, into: Vector) -> None:
        self.evaluations += 1
        into[:] = self._problem.rates(time, state)
        if not isfinite(into.dot(into)) and not np.isfinite(into).all():
            self._worsen(time)

    def _filled(self, time: float, state: Vector, into: Vector) -> None:
        self.evaluations += 1
        if not self._problem.into(time, state, into):  # type: ignore[misc]
            self._worsen(time)

    def _watching(self) -> Callable[[float, Vector, Vector], None]:
        """CVODE asks its root function at the end of each step. This one has no root."""

        def watch(time: float, state: Vector, into: Vector) -> None:
            into[0] = 1.0
            if time > self._reported:
                self._reported = time
                if self._asked(time, state):
                    raise _Wished(time, state.copy())

        return watch

    def _worsen(self, time: float) -> None:
        self._bad += 1  # CVODE tries a shorter step, without end
        if self._bad > TOO_BAD:
            raise not_finite(time)

    def _dense(self, time: float, state: Vector, derivative: Vector, into: Vector) -> None:
        matrix = self._problem.jacobian(time, state)  # type: ignore[misc]
        into[:] = matrix.toarray() if hasattr(matrix, "toarray") else matrix

    def _sparse(self, time: float, state: Vector, derivative: Vector, into: Vector) -> None:
        into[:] = self._problem.jacobian(time, state).data  # type: ignore[misc]


@lru_cache(maxsize=1)
def can_factor_sparse() -> bool:
    """Whether this SUNDIALS was built with SuperLU_MT, as those in wheels are."""
    from sksundae._cy_common import config

    return str(config.get("SUNDIALS_SUPERLUMT_ENABLED")) == "True"


def _indexed(pattern: Any) -> Any:
    """The pattern with indices of the size that this SUNDIALS was built with."""
    from scipy.sparse import csc_array
    from sksundae._cy_common import INT_TYPE

    indices, begins = (array.astype(INT_TYPE) for array in (pattern.indices, pattern.indptr))
    return csc_array((pattern.data, indices, begins), shape=pattern.shape)


class _Wished(Exception):
    """An event is wanted at the end of a step."""

    def __init__(self, time: float, state: Vector) -> None:
        super().__init__()
        self.time, self.state = time, state


@contextmanager
def _hushed() -> Iterator[None]:
    """scikit-sundae prints failures that come out as exceptions here; all else is let through."""
    given = sys.stdout
    if isinstance(given, _Hushed) or given is None:
        yield
        return
    sys.stdout = _Hushed(given)
    try:
        yield
    finally:
        sys.stdout = given


class _Hushed:
    """Standard output without what SUNDIALS has to say about its errors."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._dropped = stream, False

    def write(self, text: str) -> int:
        if _COMPLAINT.match(text):
            self._dropped = True
            return len(text)
        if self._dropped and text == "\n":
            self._dropped = False
            return 1
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
