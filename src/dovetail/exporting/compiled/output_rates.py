"""Derivatives of outputs by time, as junctions ask for them: y', y'' and so on, inputs held."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...compiling.sampling import POINTS, is_near, random_values
from ...core.errors import ModelError, PartFailed
from ...core.obstacle import Obstacle
from ...models import Dynamic
from ...models.functions import CheckedFunction
from ...models.names import access
from ...tracing.c_code import function
from ...tracing.differentiate import derivative
from ...tracing.tape import Operand
from .equations import TracedEquations

_ARGUMENTS = "double t, const double *x, const double *u, const double *p"
_SYMBOL = "dovetail_output_rates"  # the same in native/shim/junctions.c


def output_rates(
    found: TracedEquations, orders: int, name: str
) -> tuple[tuple[Operand, ...], ...] | Obstacle:
    """By order, from the first; those that the model gives, behind them by differentiation."""
    made = list[tuple[Operand, ...]]()
    model, before = found.model, found.outputs
    given = model.output_derivatives if isinstance(model, Dynamic) else ()
    try:
        for k in range(orders):
            if k < len(given):
                before = tuple(found.traced("output_derivatives", given[k], "xup", found.y))
            else:
                before = tuple(_along(found, row) for row in before)
            made.append(before)
    except ModelError as error:
        return Obstacle(f"is a dv.{type(model).__name__}, and {error}", name)
    return tuple(made)


def rates_source(found: TracedEquations, rates: Sequence[Sequence[Operand]]) -> str:
    """Their functions in C; nothing where there are none."""
    if not rates:
        return ""
    names = [f"output_rates_{k + 1}" for k in range(len(rates))]
    functions = (
        function(found.tape, f"static void {name}({_ARGUMENTS}, double *dy)", {"dy": row})
        for name, row in zip(names, rates, strict=True)
    )
    chosen = "".join(f"    if (order == {k + 1}) return {name};\n" for k, name in enumerate(names))
    return (
        "\n" + "\n".join(functions) + f"\ntypedef void (*output_rate)({_ARGUMENTS}, double *dy);\n"
        f"VISIBLE output_rate {_SYMBOL}(int order) {{\n{chosen}    return 0;\n}}\n"
    )


def rates_differ(
    found: TracedEquations, rates: Sequence[Sequence[Operand]], library: Path, name: str
) -> Obstacle | None:
    """Where one that the model gives is something else in C, at random points."""
    model = found.model
    if not isinstance(model, Dynamic) or not rates:
        return None
    call = c.CFUNCTYPE(None, c.c_double, *[c.c_void_p] * 4)
    give = c.CDLL(str(library))[_SYMBOL]
    give.restype = c.c_void_p
    make = [access(t, getattr(found, t), vector=model.vector) for t in "xup"]
    random, size = np.random.default_rng(0), len(found.outputs)
    for k, given in enumerate(model.output_derivatives[: len(rates)]):
        compiled = call(give(k + 1))
        checked = CheckedFunction(name, "output_derivatives", given)
        for _ in range(POINTS):
            t = float(random.uniform(0.0, 10.0))
            points = [random_values(getattr(found, title), random) for title in "xup"]
            there = [made(point, ()) for made, point in zip(make, points, strict=True)]
            try:
                with np.errstate(all="ignore"):
                    wanted = checked.signals(found.y, False, t, *there).reals
            except PartFailed:
                continue
            values = np.zeros(size + 1)
            compiled(t, *(a.ctypes.data for a in (*points, values)))
            if np.all(np.isfinite(wanted)) and not is_near(values[:size], wanted):
                what = f"has output_derivatives that are compiled to something else at t = {t:g} s"
                return Obstacle(what, name, "please report it")
    return None


def _along(found: TracedEquations, row: Operand) -> Operand:
    """The derivative along the equations: by time, and by states as these move."""
    tape = found.tape
    total = derivative(tape, row, tape.symbol("t"))
    for k, rate in enumerate(found.rates):
        slope = derivative(tape, row, tape.symbol(f"x[{k}]"))
        if slope is None:
            continue
        term = tape.put("multiply", slope, rate)
        total = term if total is None else tape.put("add", total, term)
    return tape.constant(0.0) if total is None else total
