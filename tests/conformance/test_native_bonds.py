"""The ledger of bonds behind native windows and from Python: the same to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import is_clean, same

import dovetail as dv
from dovetail.fmi.kernel import kernel

HELD = (dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(10), dv.Newton())
MOVING = (dv.Jacobi(extrapolation=2), dv.GaussSeidel(inputs="ramp"), dv.Newton(inputs="ramp"))
CUBIC = (dv.GaussSeidel(20, inputs="hermite"),)
FIXED = dv.FixedStep(1e-3)
CONTROLLERS = (
    dv.FixedStep(1e-3, min_size=1e-4),
    dv.StepDoubling(1e-4, 1e-4, first_size=1e-3),
    dv.ErrorCheck(1e-3),
)


@pytest.fixture(autouse=True)
def _with_a_kernel():
    if kernel() is None:
        pytest.skip("there is no native path here")


def bonded(fmu, **options):
    """A body and a spring, whose ends move together: two ports in a bond, and a wire."""
    force = {"end": dv.Port("translational", effort="force", flow="velocity")}
    parts = [
        fmu("body", 2, strict=True, load={"ports": force}, input_derivatives=3, **options),
        fmu("spring", 2, strict=True, load={"ports": force}, input_derivatives=3, **options),
    ]
    system = dv.System("bonded")
    system.add("body", parts[0])
    system.add("spring", parts[1])
    system.connect("body.position", "spring.position")
    system.connect("body.velocity", "spring.velocity")
    system.connect("spring.force", "body.force")
    return system, parts


def made(system, *, native, stop=0.9, single=False, **options):
    options = {"algorithm": dv.Jacobi(), "controller": FIXED, "quiet": True} | options
    with dv.Session(system, stop=stop, **options) as session:
        assert session.native.level == "windows", session.native
        if not native:
            session._loop._fused = session._loop._controlled = None
        if single:
            for _ in session:
                pass
            return session.result
        return session.run()


def agree(system, **options):
    found = [made(system, native=native, **options) for native in (True, False)]
    counts = [r.statistics for r in found]
    assert counts[0].native_windows >= 0.9 * counts[0].windows - 2 > 8
    assert counts[1].native_windows == 0
    assert same(*found)
    first, second = (r.verdict.bonds for r in found)
    assert len(first) == 1 and first == second
    left, right = (r.ledger for r in found)
    assert left.names == right.names and np.array_equal(left.time, right.time)
    for name in left.names:
        assert np.array_equal(left[name], right[name]), name
        assert np.any(left[name])
    return found[0]


@pytest.mark.parametrize("algorithm", [*HELD, *MOVING, *CUBIC], ids=repr)
def test_a_bond_of_two_fmus(fmu, algorithm):
    system, parts = bonded(fmu)
    agree(system, algorithm=algorithm)
    assert is_clean(*parts)


@pytest.mark.parametrize("controller", CONTROLLERS, ids=repr)
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(10)], ids=repr)
def test_under_controllers(fmu, algorithm, controller):
    system, parts = bonded(fmu)
    agree(system, algorithm=algorithm, controller=controller)
    assert is_clean(*parts)


def test_window_by_window(fmu):
    agree(bonded(fmu)[0], single=True, stop=0.3)


def test_beside_a_part_that_leaves_windows(fmu):
    """Windows that are left are noted from Python, and none twice."""
    system, parts = bonded(fmu)
    ball = fmu("ball", 3, strict=True)
    system.add("ball", ball)
    agree(system, algorithm=dv.GaussSeidel())
    assert is_clean(*parts, ball)
