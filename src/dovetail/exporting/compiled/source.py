"""A traced model as a C file.

What it gives, `model_equations`, is the same in `native/shim/equations.c`.
"""

from __future__ import annotations

from ...core.description import Variable
from ...integrators import FixedSize
from ...models import Dynamic, Table
from ...tracing.c_code import function, literal
from .equations import METHODS, RK45, TracedEquations
from .table import table_source

VERSION = 2
_HEAD = """\
/* Traced from a Python model by Dovetail. */
#include <math.h>
#include <stdint.h>

#ifdef _WIN32
#define VISIBLE __declspec(dllexport)
#else
#define VISIBLE __attribute__((visibility("default")))
#endif

typedef struct {
    int32_t version, n_x, n_u, n_y, n_p, method;
    double rtol, size, longest;
    int64_t most;
    const double *atol;
    void (*rates)(double t, const double *x, const double *u, const double *p, double *dx);
    void (*outputs)(double t, const double *x, const double *u, const double *p, double *y);
    void (*jacobian)(double t, const double *x, const double *u, const double *p, double *J);
    double period, offset;
    int64_t n_jumps;
    const double *jumps;
} model_equations;

"""
_ARGUMENTS = "double t, const double *x, const double *u, const double *p"


def source_of(found: TracedEquations) -> str:
    """The file."""
    sizes = [_size(group) for group in (found.x, found.u, found.y, found.p)]
    method, numbers, atol = _integration(found)
    listed = ", ".join([literal(atol)] * max(sizes[0], 1))
    rates = function(
        found.tape, f"static void rates({_ARGUMENTS}, double *dx)", {"dx": found.rates}
    )
    outputs = function(
        found.tape, f"static void outputs({_ARGUMENTS}, double *y)", {"y": found.outputs}
    )
    table = table_source(found.model) if isinstance(found.model, Table) else ""
    entries, jacobian = found.jacobian, ""
    if entries is not None:
        heading = f"static void jacobian({_ARGUMENTS}, double *J)"
        jacobian = function(found.tape, heading, {"J": entries})
    whole = ", ".join(map(str, (VERSION, *sizes, method)))
    given = f"{whole}, {numbers}, atol, rates, outputs, {'jacobian' if jacobian else 0}"
    times = ", ".join(literal(t) for t in found.jumps) or "0"
    sampled = ", ".join(literal(t) for t in found.sampling)
    return (
        f"{_HEAD}{table}{rates}\n{outputs}\n{jacobian}\n"
        f"static const double atol[] = {{{listed}}};\n"
        f"static const double jumps[] = {{{times}}};\n"
        f"static const model_equations all = {{{given}, {sampled}, {len(found.jumps)}, jumps}};\n\n"
        "VISIBLE const model_equations *dovetail_equations(void) { return &all; }\n"
    )


def _integration(found: TracedEquations) -> tuple[int, str, float]:
    """Method; relative tolerance, size, longest size, most steps; absolute tolerance."""
    if not isinstance(found.model, Dynamic):
        return RK45, "0, 0, 0, 0", 0.0
    solver = found.model.integrator
    if isinstance(solver, FixedSize):
        return METHODS[solver.method], f"0, {literal(solver.size)}, 0, 0", 0.0
    numbers = literal(solver.rtol), "0", literal(solver.max_size), str(solver.max_steps)  # type: ignore[attr-defined]
    return RK45, ", ".join(numbers), float(solver.atol)  # type: ignore[attr-defined]


def _size(group: tuple[Variable, ...]) -> int:
    return sum(v.size for v in group)
