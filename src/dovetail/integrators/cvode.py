"""CVODE of SUNDIALS, by way of scikit-sundae."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from math import inf, isfinite, ulp
from typing import Any, Literal

import numpy as np

from ..signals import Vector
from .base import (
    Arc,
    IntegrationFailed,
    Problem,
    check_tolerances,
    not_finite,
    quiet,
    too_many,
    too_small,
)
from .events import Watch, begin, still

_REMEDY = "the equations may be singular there, or jump where no zero crossing tells of it"
_ENDLESS = "the tolerances may be too tight for these equations, or their Jacobian wrong"
_MANY, _DENSE = 50, 0.25  # a sparse matrix pays above so many states, below such a share
_TOO_MANY, _TOO_SMALL = -1, (-3, -4)  # what CVODE says
_TOO_BAD = 1000  # evaluations that are not finite, in one run
_COMPLAINT = re.compile(r"\n\[\w+, Error: -?\d+\]")


@lru_cache(maxsize=1)
def is_installed() -> bool:
    """Whether there is a CVODE on this machine."""
    return find_spec("sksundae") is not None


@dataclass(frozen=True, slots=True)
class Cvode:
    """Backward differentiation of order 1 to 5, or Adams' methods of order 1 to 12.

    The order rises from 1 after each start, so it pays in long stretches: a part that keeps its
    inputs goes on from window to window without starting anew, one whose inputs jump pays for
    it. About ten microseconds per step. Needs scikit-sundae.
    """

    rtol: float = 1e-6
    atol: float = 1e-9
    max_size: float = inf
    max_steps: int = 100_000
    method: Literal["BDF", "Adams"] = "BDF"

    def __post_init__(self) -> None:
        check_tolerances(self.rtol, self.atol, self.max_size, self.max_steps)
        if self.method not in ("BDF", "Adams"):
            raise ValueError(f"method must be 'BDF' or 'Adams', not {self.method!r}")
        if not is_installed():
            raise ValueError(
                "solver 'cvode' needs the package scikit-sundae: pip install 'dovetail[sundials]'"
            )

    def run(
        self,
        problem: Problem,
        start: float,
        state: Vector,
        stop: float,
        *,
        first_size: float | None = None,
        signs: tuple[int, ...] = (),
    ) -> Arc:
        """Go from `start` to `stop`, or to the first event on the way."""
        return self.follower().run(problem, start, state, stop, signs=signs)

    def follower(self) -> _Continuing:
        """A CVODE of one part, which keeps its history from run to run."""
        return _Continuing(self)


class _Continuing:
    """One CVODE. It cannot be copied: who goes back starts it anew from there."""

    def __init__(self, options: Cvode) -> None:
        self._options = options
        self._problem: Problem | None = None
        self._solver: Any = None
        self._kind: tuple[Any, ...] = ()
        self._time, self._state = -inf, np.zeros(0)
        self._evaluations = self._bad = 0
        self._reported = -inf  # the end of the last step that was told
        self._asked: Callable[[float, Vector], bool] = lambda time, state: False

    def run(
        self,
        problem: Problem,
        start: float,
        state: Vector,
        stop: float,
        *,
        first_size: float | None = None,
        signs: tuple[int, ...] = (),
        going_on: bool = False,
    ) -> Arc:
        """Go from `start` to `stop`, or to the first event on the way."""
        x = np.array(state, dtype=float)
        watch, done = begin(problem, start, x, stop, None, signs)
        if done is not None:
            return done
        self._problem, self._evaluations, self._bad = problem, 0, 0
        if x.size == 0:
            return still(watch, x, stop)
        with quiet(), _hushed():
            if stop - start < 4 * ulp(max(abs(start), abs(stop))):
                return self._nudge(problem, start, x, stop, watch)
            self._start(problem, start, x, going_on)
            if problem.crossings is None:
                return self._leap(start, stop)
            assert watch is not None
            return self._walk(start, stop, watch)

    def _start(self, problem: Problem, start: float, x: Vector, going_on: bool) -> None:
        """Begin there, unless that is where it stands anyhow."""
        asks = problem.crossings is None and problem.completed is not None
        given = (
            problem.jacobian is None,
            id(problem.nominal),
            id(problem.pattern),
            problem.into is None,
        )
        kind = x.size, asks, *given
        if kind != self._kind:
            shortest = 4 * ulp(max(abs(start), 1e-300))
            self._solver, self._kind = self._made(problem, x.size, shortest), kind
        elif going_on and self._time == start and _same(self._state, x):
            return
        slope = problem.rates(start, x)
        self._evaluations += 1
        if not np.isfinite(slope).all():
            raise not_finite(start)
        self._solver.init_step(start, x)

    def _leap(self, start: float, stop: float) -> Arc:
        """All steps in one call: nobody wants to look at them."""
        self._time, self._reported = -inf, start
        if self._problem is not None and self._problem.completed is not None:
            self._asked = self._problem.completed
        try:
            done = self._solver.step(stop, "normal", stop)
        except _Wished as wish:
            return Arc(wish.time, wish.state, asked=True, evaluations=self._evaluations)
        self._check(done)
        self._time, self._state = stop, done.y
        return Arc(stop, done.y, evaluations=self._evaluations)

    def _walk(self, start: float, stop: float, watch: Watch) -> Arc:
        """Step by step, with a look at each."""
        solver, time, steps = self._solver, start, 0
        self._time = -inf  # after an event it stands somewhere else

        def curve(instant: float) -> Vector:
            found: Vector = solver.step(instant, "normal").y
            return found

        while True:
            if steps == self._options.max_steps:
                raise too_many(time, steps, _ENDLESS)
            done = solver.step(stop, "onestep", stop)
            self._check(done)
            if done.t <= time:  # the curve was looked at: it only tells again where it stands
                continue
            end, steps = float(done.t), steps + 1
            event = watch.step(end, done.y, curve)
            if event:
                return event.arc(None, steps, self._evaluations, 0)
            if end >= stop:
                self._time, self._state = stop, done.y
                counts = steps, self._evaluations
                return Arc(stop, done.y, (), (), watch.signs, None, False, *counts)
            time = end

    def _nudge(
        self, problem: Problem, start: float, x: Vector, stop: float, watch: Watch | None
    ) -> Arc:
        """A window of a few roundings, which CVODE refuses."""
        slope = np.array(problem.rates(start, x))
        if not np.isfinite(slope).all():
            raise not_finite(start)
        new = x + (stop - start) * slope
        event = watch and watch.step(stop, new, lambda t: x + (t - start) * slope)
        if event:
            return event.arc(None, 1, 1, 0)
        return Arc(stop, new, signs=watch.signs if watch else (), steps=1, evaluations=1)

    def _check(self, done: Any) -> None:
        if done.status >= 0:
            return
        self._kind = ()  # what failed is not used again
        time = float(done.t)
        if self._bad:
            raise not_finite(time)
        if done.status == _TOO_MANY:
            raise too_many(time, self._options.max_steps, _ENDLESS)
        if done.status in _TOO_SMALL:
            raise too_small(time, 10 * ulp(time), _REMEDY)
        raise IntegrationFailed(time, f"CVODE says: {done.message}", _REMEDY)

    def _made(self, problem: Problem, n: int, shortest: float) -> Any:
        os.environ.setdefault("SUNLOGGER_WARNING_FILENAME", os.devnull)  # else it fills stdout
        from sksundae.cvode import CVODE

        o = self._options
        options: dict[str, Any] = {"method": o.method, "rtol": o.rtol, "max_num_steps": o.max_steps}
        options.update(atol=problem.absolute(o.atol), min_step=shortest, max_conv_fails=100)
        options["max_step"] = max(min(o.max_size, 1e300), shortest)
        if problem.crossings is None and problem.completed is not None:
            # a function, not a method: scikit-sundae keeps its options as attributes of it
            options.update(eventsfn=self._watching(), num_events=1)
        pattern = problem.pattern
        if problem.jacobian is not None:
            sparse = pattern is not None and n > _MANY and pattern.nnz < _DENSE * n * n
            if sparse:
                options.update(linsolver="sparse", sparsity=pattern)
            options["jacfn"] = self._sparse if sparse else self._dense
        with warnings.catch_warnings():  # that a Jacobian is given and a pattern besides
            warnings.simplefilter("ignore")
            return CVODE(self._rates if problem.into is None else self._filled, **options)

    def _rates(self, time: float, state: Vector, into: Vector) -> None:
        self._evaluations += 1
        into[:] = self._problem.rates(time, state)  # type: ignore[union-attr]
        if not isfinite(into.dot(into)) and not np.isfinite(into).all():
            self._worsen(time)

    def _filled(self, time: float, state: Vector, into: Vector) -> None:
        self._evaluations += 1
        if not self._problem.into(time, state, into):  # type: ignore[union-attr, misc]
            self._worsen(time)

    def _watching(self) -> Callable[[float, Vector, Vector], None]:
        """CVODE asks its root function at the end of each step. This one has no root."""

        def told(time: float, state: Vector, into: Vector) -> None:
            into[0] = 1.0
            if time > self._reported:
                self._reported = time
                if self._asked(time, state):
                    raise _Wished(time, state.copy())

        return told

    def _worsen(self, time: float) -> None:
        self._bad += 1  # CVODE tries a shorter step, without end
        if self._bad > _TOO_BAD:
            raise not_finite(time)

    def _dense(self, time: float, state: Vector, slope: Vector, into: Vector) -> None:
        matrix = self._problem.jacobian(time, state)  # type: ignore[union-attr, misc]
        into[:] = matrix.toarray() if hasattr(matrix, "toarray") else matrix

    def _sparse(self, time: float, state: Vector, slope: Vector, into: Vector) -> None:
        into[:] = self._problem.jacobian(time, state).data  # type: ignore[union-attr, misc]


def _same(a: Vector, b: Vector) -> bool:
    return a is b or np.array_equal(a, b)


class _Wished(Exception):
    """Somebody wants an event at the end of a step."""

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
