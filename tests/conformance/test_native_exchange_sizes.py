"""Model exchange in native windows of sizes that a controller chooses: the bits of Python."""

from __future__ import annotations

import pytest
from conformance.fleet import alone, is_clean, oscillator, same
from conformance.test_model_exchange import without_step_notes
from conformance.test_native_events import agree, made
from conformance.test_native_exchange import ME, rooms
from conformance.test_native_following import ends_of
from conformance.test_native_models import pair, rich

import dovetail as dv
from dovetail.fmi.kernel import kernel
from dovetail.integrators import Cvode, FixedSize
from dovetail.integrators.sundials import sundials
from dovetail.verification.following import Following

DOUBLING = dv.StepDoubling(1e-3, 1e-3, first_size=0.05, max_size=0.3)
ADAPTIVE = dv.Adaptive(first_size=0.05, max_size=0.1)
CUT = dv.FixedStep(0.1, min_size=0.01)
SINGLE = (dv.Jacobi(), dv.GaussSeidel(), dv.Jacobi(extrapolation=2))
ITERATED = (dv.GaussSeidel(10), dv.GaussSeidel(8, inputs="ramp"), dv.Newton())
SOLVERS = (None, "rk45", "auto", FixedSize(0.013, "heun"))


@pytest.fixture(autouse=True)
def _with_a_kernel():
    if kernel() is None or sundials() is None:
        pytest.skip("there is no native path here")


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("algorithm", [*SINGLE, *ITERATED], ids=repr)
def test_step_doubling(fmu, algorithm, solver):
    notes = {"edit": without_step_notes}
    parts = [fmu(n, 2, load={"solver": solver}, **notes, **ME) for n in ("body", "spring")]
    result = agree(oscillator(*parts), algorithm=algorithm, controller=DOUBLING, least=0.9)
    assert result.statistics.windows > 10


@pytest.mark.parametrize("controller", [ADAPTIVE, CUT], ids=repr)
@pytest.mark.parametrize("algorithm", ITERATED, ids=repr)
def test_by_convergence(fmu, algorithm, controller):
    parts = [fmu(name, 3, strict=True, **ME) for name in ("body", "spring")]
    options = {"algorithm": algorithm, "controller": controller, "stop": 4.0}
    agree(oscillator(*parts), least=0.8, **options)
    assert is_clean(*parts)


TRIED = (dv.Adaptive(0.3), dv.FixedStep(0.3, min_size=1e-3), dv.FixedStep(0.3), DOUBLING)


@pytest.mark.parametrize("controller", TRIED, ids=repr)
def test_what_does_not_converge_has_cost_as_much(fmu, controller):
    parts = [fmu(name, 3, strict=True, **ME) for name in ("body", "spring")]
    tight = dv.GaussSeidel(4, rtol=1e-9, atol=1e-9)
    result = agree(oscillator(*parts), algorithm=tight, controller=controller, stop=3.0)
    assert result.statistics.rejected_by_convergence > 3
    assert is_clean(*parts)


@pytest.mark.parametrize("controller", [DOUBLING, dv.InputDefect(1e-3, 1e-3)], ids=repr)
@pytest.mark.parametrize("algorithm", [dv.Jacobi(extrapolation=1), dv.GaussSeidel()], ids=repr)
def test_beside_a_part_with_a_solver_of_its_own(fmu, algorithm, controller):
    parts = fmu("body", 2, input_derivatives=3), fmu("spring", 2, strict=True, **ME)
    agree(oscillator(*parts), algorithm=algorithm, controller=controller, least=0.5)
    assert is_clean(*parts)


@pytest.mark.parametrize("solver", [None, "rk45"])
@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(extrapolation=1), dv.Newton()], ids=repr)
def test_windows_that_follow_those_of_another_run(fmu, algorithm, solver):
    parts = [fmu(n, 3, load={"solver": solver}, strict=True, **ME) for n in ("body", "spring")]
    found = []
    for native in (True, False):
        told, times = ends_of([0.05, 0.05, 0.1, 0.3, 0.2, 0.2, 0.05] * 4)
        options = {"controller": Following(told, 0.0, 2), "stop": times[-1]}
        found.append(made(oscillator(*parts), native=native, algorithm=algorithm, **options))
        told.close()
    assert same(*found)
    counts = found[0].statistics
    assert counts.windows - 6 <= counts.native_windows  # a CVODE starts from Python
    assert is_clean(*parts)


@pytest.mark.parametrize("drawn", [pair, rich])
@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.GaussSeidel(9)], ids=repr)
def test_compiled_python_models(algorithm, drawn):
    agree(drawn(), algorithm=algorithm, controller=DOUBLING, stop=4.0)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.GaussSeidel(5)], ids=repr)
def test_events_leave_their_window_only(fmu, algorithm, version):
    """Two thermostats, each outside the other, that switch."""
    parts = [fmu("thermostat", version, strict=True, **ME) for _ in range(2)]
    result = agree(rooms(*parts), algorithm=algorithm, controller=DOUBLING, least=0.3, stop=6.0)
    assert result.statistics.events == 2
    assert is_clean(*parts)


def test_what_is_told_of_each_step_goes_back_with_its_state(fmu):
    model = fmu("vanderpol", 2, strict=True, **ME)
    agree(alone(model, mu=3.0), controller=DOUBLING, stop=4.0, least=0.9)
    assert is_clean(model)


@pytest.mark.parametrize("algorithm", [dv.Jacobi(extrapolation=1), dv.GaussSeidel(9)], ids=repr)
def test_so_does_an_fmu_with_events_that_solves_itself(fmu, algorithm):
    """With inputs along curves, and iterated, too."""
    parts = fmu("linear", 3, strict=True), fmu("relay", 3, strict=True)
    system = dv.System("heated")
    system.add("plant", parts[0], x=0.0, a=-1.0, b=4.0, drive=0.5)
    system.add("relay", parts[1], low=-1.0, high=1.0)
    system.connect("plant.y", "relay.u")
    system.connect("relay.y", "plant.u", gain=-1.0)
    doubling = dv.StepDoubling(1e-4, 1e-4, first_size=0.02, max_size=0.1)
    agree(system, algorithm=algorithm, controller=doubling, least=0.3)
    assert is_clean(*parts)


def test_failures_are_told_alike(fmu):
    """A solution that leaves all bounds, however short windows become."""
    model, told = fmu("prey", 2, load={"solver": Cvode(max_steps=60)}, **ME), []
    for native in (True, False):
        with pytest.raises(dv.RunError) as error:
            made(alone(model, u=-50.0), native=native, stop=300.0, controller=DOUBLING)
        told.append((str(error.value), error.value.result))
    assert told[0][0] == told[1][0]
    assert same(told[0][1], told[1][1])
