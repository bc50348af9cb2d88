"""Whether a compiled model computes what the Python model computes."""

from __future__ import annotations

import ctypes as c
from pathlib import Path
from typing import Any

import numpy as np

from ...compiling.sampling import POINTS, is_near, random_values
from ...core.errors import PartFailed
from ...core.obstacle import Obstacle
from ...core.signals import Vector
from ...models import Discrete, Dynamic, Table
from ...models.functions import CheckedFunction
from ...models.names import access
from .equations import TracedEquations
from .table import curves_of


class _Given(c.Structure):
    """`model_equations` of source.py."""

    _fields_ = (
        *((name, c.c_int32) for name in ("version", "n_x", "n_u", "n_y", "n_p", "method")),
        *((name, c.c_double) for name in ("rtol", "size", "longest")),
        ("most", c.c_int64),
        *((name, c.c_void_p) for name in ("atol", "rates", "outputs", "jacobian")),
        *((name, c.c_double) for name in ("period", "offset")),
        ("n_jumps", c.c_int64),
        ("jumps", c.c_void_p),
    )


def differs(found: TracedEquations, library: Path, name: str) -> Obstacle | None:
    """Where the two differ at random points of the variables' ranges; None if nowhere."""
    loaded = c.CDLL(str(library))
    loaded.dovetail_equations.restype = c.POINTER(_Given)
    given = loaded.dovetail_equations().contents
    call = c.CFUNCTYPE(None, c.c_double, *[c.c_void_p] * 4)
    compiled = [(call(given.rates), len(found.rates)), (call(given.outputs), len(found.outputs))]
    model, times = found.model, (0.0, 10.0)
    python: Any = None if isinstance(model, Table) else _Functions(found, name)
    if isinstance(model, Table):
        curves = curves_of(model)
        span = 1.0 + model.times[-1] - model.times[0]
        times = model.times[0] - span, model.times[-1] + span
        python = lambda t, *_: (np.zeros(0), curves.values(t))  # noqa: E731
    random, seen = np.random.default_rng(0), 0
    for _ in range(POINTS):
        t = float(random.uniform(*times))
        x, u, p = (random_values(group, random) for group in (found.x, found.u, found.p))
        values_there = python(t, x, u, p)
        if values_there is None:
            continue  # it has no value there
        seen += 1
        for (function, size), wanted in zip(compiled, values_there, strict=True):
            values = np.zeros(size + 1)
            function(t, *(a.ctypes.data for a in (x, u, p, values)))
            if not is_near(values[:size], wanted):
                what = f"is compiled to something else: at t = {t:g} s {wanted} became"
                return Obstacle(f"{what} {values[:size]}", name, "please report it")
    if seen < POINTS // 10:
        what = f"has values at {seen} of {POINTS} random points only, too few to compare it"
        return Obstacle(what, name, "declare minimum and maximum of its variables")
    return None


class _Functions:
    """The functions of the model, as its parts call them."""

    def __init__(self, found: TracedEquations, name: str) -> None:
        model, self._found = found.model, found
        assert not isinstance(model, Table), "it has no functions"
        vector = model.vector
        self._access = {t: access(t, getattr(found, t), vector=vector) for t in found.titles}
        self._rates = self._outputs = None
        if isinstance(model, Dynamic):
            self._rates = CheckedFunction(name, "derivatives", model.derivatives)
            if model.output is not None:
                self._outputs = CheckedFunction(name, "output", model.output)
        elif isinstance(model, Discrete):
            if model.update is not None:
                self._rates = CheckedFunction(name, "update", model.update)
            self._outputs = CheckedFunction(name, "output", model.output)
        else:
            self._outputs = CheckedFunction(name, "function", model.function)
        self._plain = all(not v.shape for v in found.y)

    def __call__(self, t: float, x: Vector, u: Vector, p: Vector) -> tuple[Vector, Vector] | None:
        """f and g there; None where they have no values."""
        given = {"x": x, "u": u, "p": p}
        arguments = [make(given[title], ()) for title, make in self._access.items()]
        rates, outputs = np.zeros(0), np.zeros(0)
        try:
            with np.errstate(all="ignore"):
                if self._rates is not None:
                    rates = self._rates.vector(x.size, "states", t, *arguments)
                if self._outputs is not None:
                    found = self._outputs.signals(self._found.y, self._plain, t, *arguments)
                    outputs = found.reals
                else:
                    outputs = x[self._found.chosen]
        except PartFailed:
            return None
        return (rates, outputs) if np.all(np.isfinite([*rates, *outputs])) else None
