"""Start values: in the order of direct feedthrough, loops by the fixed point, as in Dovetail."""

from __future__ import annotations

import numpy as np
import pytest
from exporting.drawings import SIZE, got, imported, instance, ran

import dovetail as dv


def through(archive, version=2, **options):
    """y = c x + d u: the output feels the input at once."""
    return dv.load(str(archive("linear", version, feedthrough=True, **options)))


def test_outputs_at_the_start_follow_feedthrough_against_the_order_of_parts(archive, tmp_path):
    system = dv.System("chain")
    for k, version in enumerate((2, 3, 1)):
        system.add(f"p{k}", through(archive, version), x=1.0 + k, d=2.0)
    system.connect("p2.y", "p1.u")
    system.connect("p1.y", "p0.u", gain=3.0)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    drawn = ran(system, algorithm=dv.Jacobi())
    found = imported(path)
    for k in range(3):
        assert np.array_equal(found[f"it.p{k}.y"][:], drawn[f"p{k}.y"][:])


def loop(archive, gain, version=2):
    system = dv.System("loop")
    for k in range(2):
        system.add(f"p{k}", through(archive, version), d=gain, x=1.0 + k)
    system.connect("p0.y", "p1.u")
    system.connect("p1.y", "p0.u")
    return system


@pytest.mark.parametrize("version", [1, 2, 3])
def test_algebraic_loops_start_from_the_same_bits_where_the_fixed_point_is_quick(
    version, archive, tmp_path
):
    system = loop(archive, 0.1, version)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    drawn = ran(system, algorithm=dv.Jacobi())
    found = imported(path)
    assert np.array_equal(found["it.p1.y"][:], drawn["p1.y"][:])


@pytest.mark.parametrize("gain", [0.4, -1.5, 3.0])
def test_other_loops_start_from_the_same_values_within_their_tolerance(gain, archive, tmp_path):
    """1e-10: from then on only the values of the first window are felt, which die away."""
    system = loop(archive, gain)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    with instance(path, tmp_path / "it") as (fmu, references):
        fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        y = got(fmu, references["p0.y"], references["p1.y"])
    exact = np.linalg.solve([[1, -gain], [-gain, 1]], [1.0, 2.0])
    assert y == pytest.approx(exact, rel=1e-9)


def test_an_input_from_outside_is_felt_at_once_while_it_initializes(archive, tmp_path):
    system = dv.System("chain")
    for name in ("a", "b"):
        system.add(name, through(archive), x=0.0, d=2.0)
    system.connect("a.y", "b.u")
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    with instance(path, tmp_path / "it") as (fmu, references):
        fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        for value in (1.0, -3.0):
            fmu.setReal([references["a.u"]], [value])
            assert got(fmu, references["a.y"], references["b.y"]) == [2 * value, 4 * value]


def test_a_loop_without_a_solution_says_so(archive, tmp_path):
    """y = x + u both ways round."""
    system = loop(archive, 1.0)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    around = dv.System("around")
    around.add("it", dv.load(str(path)))
    with pytest.raises(dv.RunError, match="the algebraic loop through part 'p0' has no start"):
        ran(around, algorithm=dv.Jacobi())
