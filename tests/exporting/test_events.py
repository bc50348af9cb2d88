"""Models that are sampled, and signals that jump: windows end there, inside an export as here."""

from __future__ import annotations

import numpy as np
import pytest
from exporting.drawings import SIZE, alone, got, imported, instance, put, ran, started
from fmpy.validation import validate_fmu

import dovetail as dv

MASS = dv.Dynamic(
    states={"x": 1.0, "v": 0.0},
    inputs={"f": 0.0},
    outputs=["x", "v"],
    derivatives=lambda t, x, u, p: [x.v, u.f - 0.3 * x.v],
    rtol=1e-9,
)
THROUGH = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [-1.5 * u.a])


def pid(period=SIZE, offset=0.0):
    """Feedthrough, and states that count the samples."""
    return dv.Discrete(
        period=period,
        offset=offset,
        states={"sum": 0.1, "k": 0.0},
        inputs={"e": 0.3},
        outputs=["f", "n"],
        parameters={"kp": 1.2, "ki": 0.4},
        output=lambda t, x, u, p: [p.kp * u.e + p.ki * x.sum, x.k + 0.01 * t],
        update=lambda t, x, u, p: [x.sum + u.e, x.k + 1.0],
    )


def controlled(controller, mass=MASS):
    system = dv.System("loop")
    system.add("mass", mass)
    system.add("pid", controller)
    system.connect("mass.x", "pid.e", gain=-1.0, offset=0.5)
    system.connect("pid.f", "mass.f")
    return system


def close(path, drawn, names, step=SIZE, stop=2.0, near=1e-9):
    """At the times of windows; what jumps has two values there, of which the later one counts."""
    found = imported(path, step, stop)
    times = np.asarray(found.time)
    for name in names:
        later = {round(float(t), 9): v for t, v in zip(drawn.time, drawn[name][:], strict=True)}
        wanted = [later[round(float(t), 9)] for t in times]
        assert np.allclose(found[f"it.{name}"][:], wanted, rtol=near, atol=near), name


ALGORITHMS = [
    dv.Jacobi(),
    dv.GaussSeidel(),
    dv.GaussSeidel(20, rtol=1e-11, atol=1e-11),
    dv.Jacobi(extrapolation=2),
    dv.Newton(rtol=1e-11, atol=1e-11),
]


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=repr)
def test_a_controller_in_a_loop_takes_the_same_samples(algorithm, fmi, tmp_path):
    system = controlled(pid())
    path = system.export(tmp_path / "it.fmu", fmi=fmi, step=SIZE / 2, algorithm=algorithm)
    drawn = ran(system, SIZE / 2, algorithm=algorithm)
    close(path, drawn, ["pid.f", "pid.n", "mass.x", "mass.v"])


@pytest.mark.parametrize(
    ("period", "offset"), [(0.037, 0.0), (0.13, 0.05), (0.1, 0.25), (0.7, 0.1)]
)
def test_samples_may_lie_anywhere_between_the_lines(period, offset, tmp_path):
    """Windows are cut there; lines stay where they were."""
    system = controlled(pid(period, offset))
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    close(path, ran(system, algorithm=dv.Jacobi()), ["pid.f", "pid.n", "mass.x"])


def test_two_rates_and_feedthrough_between_samples_agree(tmp_path):
    """What one sampled part gives goes at once through a gain into the other."""
    system = dv.System("two")
    system.add("mass", MASS)
    system.add("slow", pid(0.2))
    system.add("fast", pid(0.05))
    system.add("through", THROUGH)
    system.connect("mass.x", "slow.e", gain=-1.0)
    system.connect("slow.f", "through.a")
    system.connect("through.b", "fast.e", gain=-0.5)
    system.connect("fast.f", "mass.f")
    path = system.export(tmp_path / "it.fmu", step=SIZE / 2, algorithm=dv.GaussSeidel())
    drawn = ran(system, SIZE / 2, algorithm=dv.GaussSeidel())
    close(path, drawn, ["slow.f", "fast.f", "through.b", "mass.x", "fast.n"])


def test_an_algebraic_loop_is_solved_at_each_sample(tmp_path):
    system = dv.System("closed")
    system.add("pid", pid())
    system.add("through", THROUGH)
    system.add("mass", MASS)
    system.connect("pid.f", "through.a")
    system.connect("through.b", "pid.e", gain=0.3)
    system.connect("pid.n", "mass.f", gain=0.1)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.GaussSeidel())
    drawn = ran(system, algorithm=dv.GaussSeidel())
    close(path, drawn, ["pid.f", "through.b", "mass.x"], near=1e-8)  # loops are solved to 1e-10


@pytest.mark.parametrize("version", [2, 3])
def test_fmus_hold_still_at_samples(version, archive, tmp_path):
    system = dv.System("fmu")
    system.add("plant", dv.load(str(archive("linear", version))))
    system.add("pid", pid(0.13))
    system.connect("plant.y", "pid.e", gain=-1.0)
    system.connect("pid.f", "plant.u")
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    close(path, ran(system, algorithm=dv.Jacobi()), ["plant.y", "pid.f", "pid.n"])


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_sampled_model_alone_samples_what_it_is_given_then(fmi, tmp_path):
    """An input that is set at a sample time counts there, and in the next states."""
    path = dv.export(pid(), tmp_path / "pid.fmu", fmi=fmi, step=SIZE, algorithm=dv.Jacobi())
    assert validate_fmu(str(path)) == []
    fmu = dv.load(str(path)).fmu
    kinds = {v.name.split(".")[-1]: v.variability for v in fmu.variables}
    assert (kinds["f"], kinds["sum"], kinds["kp"]) == ("discrete", "discrete", "tunable")
    assert fmu.structure.derivatives == () and fmu.model_exchange is None
    with instance(path, tmp_path / "it") as (one, references):
        name = {n.split(".")[-1]: r for n, r in references.items()}
        started(one)
        assert got(one, name["f"], name["n"]) == pytest.approx([1.2 * 0.3 + 0.04, 0.0])
        total = 0.1
        for k, e in enumerate([0.5, -0.25, 2.0, 0.75]):
            put(one, name["e"], e)
            one.doStep(k * SIZE, SIZE)
            total += e
            wanted = [1.2 * e + 0.4 * total, k + 1 + 0.01 * (k + 1) * SIZE]
            assert got(one, name["f"], name["n"]) == pytest.approx(wanted, rel=1e-12)


def test_an_input_between_two_samples_changes_nothing_before_the_next(tmp_path):
    path = dv.export(pid(), tmp_path / "pid.fmu", step=SIZE, algorithm=dv.Jacobi())
    with instance(path, tmp_path / "it") as (one, references):
        name = {n.split(".")[-1]: r for n, r in references.items()}
        started(one)
        before = got(one, name["f"])
        one.doStep(0.0, SIZE / 2)
        put(one, name["e"], 9.0)
        one.doStep(SIZE / 2, SIZE / 4)
        assert got(one, name["f"]) == before
        one.doStep(0.75 * SIZE, SIZE / 4)
        assert got(one, name["f"]) == pytest.approx([1.2 * 9.0 + 0.4 * 0.4])


@pytest.mark.parametrize("fmi", [2, 3])
def test_states_between_and_at_samples_are_kept_and_serialized(fmi, tmp_path):
    system = controlled(pid(0.13))
    path = system.export(tmp_path / "it.fmu", fmi=fmi, step=SIZE, algorithm=dv.Jacobi())
    with (
        instance(path, tmp_path / "it") as (one, name),
        instance(path, tmp_path / "it", "two") as (two, _),
    ):
        started(one), started(two)
        wanted = [name["pid.f"], name["pid.n"], name["mass.x"]]
        for k in range(5):
            one.doStep(k * 0.065, 0.065)  # at a sample in every second step
            kept = (one.getFMUstate if fmi == 2 else one.getFMUState)()
            write = one.serializeFMUstate if fmi == 2 else one.serializeFMUState
            data = write(kept)
            ahead = []
            for _ in range(2):
                one.doStep((k + 1) * 0.065, 0.3)
                ahead.append(got(one, *wanted))
                (one.setFMUstate if fmi == 2 else one.setFMUState)(kept)
            there = (two.deSerializeFMUstate if fmi == 2 else two.deserializeFMUState)(data)
            (two.setFMUstate if fmi == 2 else two.setFMUState)(there)
            two.doStep((k + 1) * 0.065, 0.3)
            assert ahead == [got(two, *wanted)] * 2


TABLE = dv.Table(
    time=[0.0, 0.35, 0.35, 0.8, 1.4, 2.2],
    columns={
        "road": [0.0, 1.0, 2.0, 1.5, 1.5, 0.0],
        "gear": [1.0, 1.0, 2.0, 3.0, 3.0, 1.0],
        "bend": [0.0, 0.5, 0.7, 0.9, 0.2, 0.0],
    },
    interpolation={"gear": "hold", "bend": "cubic"},
)


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(inputs="ramp")], ids=repr)
def test_tables_jump_are_held_and_cubic(algorithm, tmp_path):
    system = dv.System("driven")
    system.add("table", TABLE)
    for name in ("road", "gear", "bend"):
        system.add(name + "_mass", MASS)
        system.connect(f"table.{name}", f"{name}_mass.f")
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=algorithm)
    names = ["table.road", "table.gear", "table.bend", "road_mass.x", "gear_mass.v", "bend_mass.x"]
    close(path, ran(system, algorithm=algorithm), names)


def test_a_cubic_table_without_jumps_is_exported(tmp_path):
    table = dv.Table(
        time=[0.0, 0.4, 1.0, 1.3], columns={"z": [0.0, 1.0, -1.0, 0.3]}, interpolation="cubic"
    )
    path = alone(table).export(tmp_path / "it.fmu", step=0.07, algorithm=dv.Jacobi())
    found, drawn = (
        imported(path, 0.07),
        ran(alone(table), 0.07, algorithm=dv.Jacobi()),
    )
    assert np.allclose(found["it.part.z"][:], drawn["part.z"][:], rtol=1e-12, atol=1e-12)


def test_sources_jump(tmp_path):
    wave = dv.Source(
        outputs=["y"],
        parameters={"a": 1.0},
        function=lambda t, p: [p.a * np.where(t >= 0.43, 1.0 + t, 0.0)],
        jumps=[0.43],
    )
    system = dv.System("driven")
    system.add("wave", wave, a=2.0)
    system.add("mass", MASS)
    system.connect("wave.y", "mass.f")
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    close(path, ran(system, algorithm=dv.Jacobi()), ["wave.y", "mass.x", "mass.v"])


def test_an_export_of_a_sampled_export_takes_the_same_samples(tmp_path):
    system = controlled(pid())
    inner = system.export(tmp_path / "inner.fmu", step=SIZE / 2, algorithm=dv.Jacobi())
    around = dv.System("around")
    around.add("in", dv.load(str(inner)))
    outer = around.export(tmp_path / "outer.fmu", fmi=3, step=SIZE, algorithm=dv.Jacobi())
    a, b = imported(inner), imported(outer)
    for name in ("pid.f", "pid.n", "mass.x"):
        assert np.array_equal(a[f"it.{name}"][:], b[f"it.in.{name}"][:])


def test_parts_that_take_one_size_of_windows_want_samples_on_their_ends(archive, tmp_path):
    system = dv.System("fixed")
    system.add("plant", dv.load(str(archive("linear", 2, variable_step=False))))
    system.add("pid", pid(0.15))
    system.connect("plant.y", "pid.e")
    with pytest.raises(dv.ExportRefused) as error:
        system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    assert str(error.value) == (
        "'fixed' cannot be exported: part 'plant' takes windows of one size only, and part 'pid' "
        "ends some of them between; choose step= so that samples and jumps of 'pid' lie on ends "
        "of windows"
    )
    system.export(tmp_path / "it.fmu", step=0.05, algorithm=dv.Jacobi())
