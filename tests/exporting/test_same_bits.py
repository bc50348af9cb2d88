"""An exported system makes the windows of the run in Dovetail, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from exporting.drawings import SIZE, got, imported, instance, put, ran, ring, same, started

import dovetail as dv

TIGHT = {"rtol": 1e-10, "atol": 1e-10}
NAMES = ["p0.y", "p1.y", "p2.y"]
HELD = [
    dv.Jacobi(),
    dv.Jacobi(extrapolation=2),
    dv.GaussSeidel(),
    dv.GaussSeidel(order_of_parts=("p2", "p0")),
    dv.GaussSeidel(20, **TIGHT),
    dv.GaussSeidel(2, on_limit="accept", **TIGHT),
    dv.Newton(**TIGHT),
]
MOVING = [
    dv.GaussSeidel(inputs="ramp"),
    dv.GaussSeidel(extrapolation=3),
    dv.Jacobi(20, inputs="ramp", **TIGHT),
    dv.Newton(inputs="ramp", **TIGHT),
]


def exported(system, folder, **options):
    return system.export(folder / "it.fmu", step=SIZE, **options)


@pytest.fixture(scope="module")
def mixed(archive):
    """Parts of three versions; those that can be strict refuse calls that are out of order."""
    strict = {"strict": True, "feedthrough": True}
    return ring(
        dv.load(str(archive("linear", 1))),
        dv.load(str(archive("linear", 2, **strict)), kind="co-simulation"),
        dv.load(str(archive("linear", 3, **strict)), kind="co-simulation"),
    )


@pytest.fixture(scope="module")
def following(archive):
    """Parts whose inputs move over a window: told derivatives, or asking inside a step."""
    told = dv.load(str(archive("linear", 2, input_derivatives=3)))
    asking = dv.load(str(archive("linear", 3, intermediate_update=True)))
    return ring(told, asking, told)


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("algorithm", HELD, ids=repr)
def test_a_system_of_three_versions_gives_the_same_bits(algorithm, fmi, mixed, tmp_path):
    path = exported(mixed, tmp_path, algorithm=algorithm, fmi=fmi)
    drawn = ran(mixed, algorithm=algorithm)
    assert drawn.statistics.native_windows == drawn.statistics.windows == 20
    assert same(imported(path), drawn, NAMES)


@pytest.mark.parametrize("algorithm", MOVING, ids=repr)
def test_inputs_that_move_over_a_window_give_the_same_bits(algorithm, following, tmp_path):
    path = exported(following, tmp_path, algorithm=algorithm)
    assert same(imported(path), ran(following, algorithm=algorithm), NAMES)


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.Newton(**TIGHT)], ids=repr)
def test_a_step_of_many_windows_gives_the_same_bits(algorithm, mixed, tmp_path):
    path = exported(mixed, tmp_path, algorithm=algorithm)
    drawn = ran(mixed, algorithm=algorithm)
    assert same(imported(path, step=0.5), drawn, NAMES, every=5)


def test_times_that_an_importer_adds_up_give_the_same_bits(mixed, tmp_path):
    """0.1 ten times is 0.9999999999999999; the windows inside stay where the grid has them."""
    path = exported(mixed, tmp_path, algorithm=dv.GaussSeidel())
    drawn = ran(mixed, algorithm=dv.GaussSeidel())
    with instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        time = 0.0
        for k in range(1, 21):
            fmu.doStep(time, SIZE)
            time += SIZE
            assert got(fmu, references["p2.y"])[0] == drawn["p2.y"][:][k]
        assert time != 2.0


def test_windows_are_cut_where_a_step_ends_and_meet_the_grid_again(archive, tmp_path):
    system = ring(*[dv.load(str(archive("linear", 2)))] * 2)
    path = exported(system, tmp_path, algorithm=dv.GaussSeidel())
    with dv.Session(system, stop=0.25, controller=dv.FixedStep(SIZE), quiet=True,
                    algorithm=dv.GaussSeidel()) as session:  # fmt: skip
        cut = session.run()
    with instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        fmu.doStep(0.0, 0.25)
        assert got(fmu, references["p0.y"], references["p1.y"]) == [
            cut["p0.y"][:][-1],
            cut["p1.y"][:][-1],
        ]
        fmu.doStep(0.25, 0.05)
        fmu.doStep(0.3, 0.1)
        assert got(fmu, references["time"]) == [0.4]


def test_windows_that_do_not_converge_are_cut_as_in_dovetail(archive, tmp_path):
    """A loop gain above one at this size: two sweeps are enough at a quarter of it."""
    system = ring(*[dv.load(str(archive("linear", 2)))] * 2, b=6.0)
    algorithm = dv.GaussSeidel(6, rtol=1e-6, atol=1e-6)
    path = exported(system, tmp_path, algorithm=algorithm)
    drawn = ran(system, algorithm=algorithm)
    assert drawn.statistics.rejected_by_convergence
    ends = [np.flatnonzero(np.isclose(drawn.time, k * SIZE, atol=1e-9))[-1] for k in range(21)]
    found = imported(path)
    for name in ("p0.y", "p1.y"):
        assert np.array_equal(found[f"it.{name}"][:], np.asarray(drawn[name][:])[ends])


def test_an_input_that_nothing_feeds_is_held_until_it_is_set_again(archive, tmp_path):
    system = dv.System("chain")
    model = dv.load(str(archive("linear", 2, input_derivatives=2)))
    system.add("first", model, u=0.5)
    system.add("second", model)
    system.connect("first.y", "second.u")
    algorithm = dv.GaussSeidel()
    path = exported(system, tmp_path, algorithm=algorithm)
    session = dv.Session(
        system, stop=1.0, controller=dv.FixedStep(SIZE), quiet=True, algorithm=algorithm
    )
    with session, instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        for k in range(10):
            session.set("first.u", 0.5 + 0.1 * k)
            session.advance()
            put(fmu, references["first.u"], 0.5 + 0.1 * k)
            fmu.doStep(k * SIZE, SIZE)
        ends = got(fmu, references["first.y"], references["second.y"])
    assert ends == [session.result[f"{name}.y"][:][-1] for name in ("first", "second")]
