"""Systems of test FMUs, and what their libraries counted."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

import dovetail as dv

COUNTED = ("instances", "states", "violations", "untidy", "calls after fatal")
ALGORITHMS = {
    "jacobi": dv.Jacobi(),
    "gauss_seidel": dv.GaussSeidel(),
    "gauss_seidel_5": dv.GaussSeidel(5),
    "newton": dv.Newton(),
    "iterative": dv.Iterative(inputs="hold"),
    "serial_aitken": dv.GaussSeidel(20, solver=dv.rootfinders.Aitken()),
    "serial_iqn_ils": dv.GaussSeidel(solver=dv.rootfinders.IqnIls()),
    "parallel_iqn_ils": dv.Jacobi(solver=dv.rootfinders.IqnIls()),
}
CONTROLLERS = {
    "fixed": dv.FixedStep(0.1),
    "doubling": dv.StepDoubling(1e-3, 1e-3, first_size=0.05, max_size=0.5),
}


def counting(model: Any) -> Any:
    """The library stays in memory, with what it counts, though instances come and go."""
    with suppress(dv.FileError):  # it cannot be loaded, and a test is about that
        _ = model.library
    return model


def handle(model: Any) -> Any:
    """The shared library of an FMU."""
    return model.library._handle


def counts(model: Any) -> dict[str, int]:
    """What the test FMU counted since it was loaded."""
    count = handle(model).dovetail_count
    count.restype = ctypes.c_long
    return {what: count(what.encode()) for what in COUNTED}


def last_violation(model: Any) -> str:
    told = handle(model).dovetail_last_violation
    told.restype = ctypes.c_char_p
    return told().decode()


def is_clean(*models: Any) -> bool:
    """Whether nothing is left and nothing was done wrong."""
    for model in models:
        found = counts(model)
        assert not any(found.values()), (model.path, found, last_violation(model))
    return True


def ring(model: Any, n: int = 3) -> dv.System:
    """Linear parts in a circle, with different parameters."""
    system = dv.System("ring")
    for k in range(n):
        system.add(f"p{k}", model, x=1.0 + 0.3 * k, a=-1.0 - 0.1 * k, b=0.5, drive=1.0)
    for k in range(n):
        system.connect(f"p{k}.y", f"p{(k + 1) % n}.u")
    return system


def pair(first: Any, second: Any, names: tuple[str, str] = ("prey", "predator")) -> dv.System:
    """Two parts with x out and u in."""
    system = dv.System("pair")
    for name, model in zip(names, (first, second), strict=True):
        system.add(name, model)
    system.connect(f"{names[0]}.x", f"{names[1]}.u")
    system.connect(f"{names[1]}.x", f"{names[0]}.u")
    return system


def oscillator(body: Any, spring: Any) -> dv.System:
    system = dv.System("oscillator")
    system.add("body", body)
    system.add("spring", spring)
    system.connect("body.position", "spring.position")
    system.connect("body.velocity", "spring.velocity")
    system.connect("spring.force", "body.force")
    return system


def alone(model: Any, **values: Any) -> dv.System:
    system = dv.System("alone")
    system.add("part", model, **values)
    return system


def run(system: dv.System, stop: float = 2.0, **options: Any) -> dv.Result:
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), **options}
    with dv.Session(system, stop=stop, quiet=True, **options) as session:
        return session.run()  # also where it stops as it starts


def walked(system: dv.System, stop: float = 2.0, **options: Any) -> dv.Result:
    """The same, one window at a time: natively where it can be, and once more from Python."""
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), **options}
    try:
        native: Any = _walked(system, stop, options, natively=True)
    except dv.RunError as error:
        native = error
    try:
        python = _walked(system, stop, options, natively=False)
    except dv.RunError as error:
        assert str(error) == str(native)
        raise
    assert same(native, python)
    return python


def _walked(
    system: dv.System, stop: float, options: dict[str, Any], *, natively: bool
) -> dv.Result:
    with dv.Session(system, stop=stop, quiet=True, **options) as session:
        if not natively:
            session._loop._fused = None  # the batch is still asked in one call per window
        for _ in session:
            pass
    return session.result


def same(a: dv.Result, b: dv.Result) -> bool:
    """The same rows to the last bit, the same work, the same verdict."""
    assert a.names == b.names
    assert np.array_equal(a.time, b.time)
    for name in a.names:
        assert a[name].dtype == b[name].dtype
        assert np.array_equal(a[name], b[name]), name
    assert a.verdict == b.verdict
    still = {"wall_seconds": 0.0, "seconds_by_part": {}, "native_windows": 0}
    assert replace(a.statistics, **still) == replace(b.statistics, **still)
    return True
