"""Parts that meet at junctions: an export solves them behind each window, as a run here does."""

from __future__ import annotations

from typing import Any

import fmpy
import numpy as np
import pytest
from exporting.drawings import got, instance, ran, started

import dovetail as dv

SIZE = 0.01


def mass(kilograms: float = 1.0, **more: Any) -> dv.Dynamic:
    """A mass that starts at a speed, with a push from outside."""
    return dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"F": 0.0, "push": 0.0},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, (u.F + u.push - 0.3 * x.v * abs(x.v)) / kilograms],
        **({"ports": {"flange": dv.Port("translational", "F", "v", "x")}} | more),
    )


def resistor() -> dv.Algebraic:
    return dv.Algebraic(
        inputs={"v": 0.0},
        outputs=["i"],
        function=lambda t, u, p: [u.v / 50.0 + 1e-3 * np.tanh(u.v)],
        ports={"pin": dv.Port("electrical", "v", "i")},
    )


def capacitor(volts: float) -> dv.Dynamic:
    return dv.Dynamic(
        states={"v": volts},
        inputs={"i": 0.0},
        outputs=["v"],
        derivatives=lambda t, x, u, p: [(u.i - x.v / 100) / 1e-3],
        ports={"pin": dv.Port("electrical", "v", "i")},
    )


def masses(level: Any = None, **coordination: Any) -> dv.System:
    """Two that start apart: what is compared are speeds, index 2, or displacements, index 3."""
    system = dv.System("masses")
    system.add("a", mass(), v=3.0)
    system.add("b", mass(2.0), x=0.01)
    system.join("a.flange", "b.flange", level=level, **coordination)
    return system


def row() -> dv.System:
    """Three in a row: two junctions with a part in common, two unknowns."""
    middle = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"F": 0.0, "G": 0.0},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, (u.F + u.G) / 2],
        ports={
            "left": dv.Port("translational", "F", "v", "x"),
            "right": dv.Port("translational", "G", "v", "x"),
        },
    )
    system = dv.System("row")
    system.add("a", mass(), v=3.0)
    system.add("m", middle)
    system.add("b", mass(2.0), x=0.01)
    system.join("a.flange", "m.left")
    system.join("m.right", "b.flange")
    return system


def circuit() -> dv.System:
    """Two capacitors and a resistor at one point: the sum is solved at once, as its row has D."""
    system = dv.System("circuit")
    system.add("c", capacitor(3.0))
    system.add("d", capacitor(1.0))
    system.add("r", resistor())
    system.join("c.pin", "d.pin", "r.pin")
    return system


def resistors() -> dv.System:
    """Nobody gives the voltage: what all take is unknown, index 1."""
    system = dv.System("resistors")
    system.add("a", resistor())
    system.add("b", resistor())
    system.add("source", dv.Source(outputs=["i"], function=lambda t, p: [np.sin(9 * t)]))
    taker = dv.Algebraic(
        inputs={"v": 0.0, "given": 0.0},
        outputs=["i"],
        function=lambda t, u, p: [u.v / 10.0 - u.given],
        ports={"pin": dv.Port("electrical", "v", "i")},
    )
    system.add("taker", taker)
    system.connect("source.i", "taker.given")
    system.join("a.pin", "b.pin", "taker.pin")
    return system


DRAWINGS = {
    "speeds": lambda: masses("flow"),
    "displacements": lambda: masses("displacement"),
    "in a time": lambda: masses("flow", coordinator=dv.SlidingMode(time_scale=0.1)),
    "given start": lambda: masses("flow", coordinator=dv.SlidingMode(presolve=False)),
    "row": row,
    "circuit": circuit,
    "resistors": resistors,
}


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.Jacobi()])
@pytest.mark.parametrize("name", DRAWINGS)
def test_the_same_as_in_a_run_here(name, algorithm, tmp_path):
    system = DRAWINGS[name]()
    drawn = ran(system, SIZE, 0.3, algorithm=algorithm)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=algorithm)
    rows = fmpy.simulate_fmu(str(path), stop_time=0.3, output_interval=SIZE)
    for output in rows.dtype.names[1:]:
        scale = max(1e-3, np.max(np.abs(drawn[output][:])))
        assert np.max(np.abs(rows[output] - drawn[output][:])) <= 2e-8 * scale, output
    assert len(rows.dtype.names) > 2


def test_what_a_junction_decides_is_no_input(tmp_path):
    path = row().export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    found = fmpy.read_model_description(str(path))
    inputs = [v.name for v in found.modelVariables if v.causality == "input"]
    assert inputs == ["a.push", "b.push"]
    assert not found.coSimulation.providesDirectionalDerivative


def test_unknowns_are_part_of_the_state(tmp_path):
    """Saved, restored and serialized while parts come together and are pushed from outside."""
    system = row()
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.GaussSeidel())
    with instance(path, tmp_path / "unpacked") as (fmu, refs):
        started(fmu)
        for k in range(5):
            fmu.doStep(k * SIZE, SIZE)
        kept = fmu.getFMUstate()
        bytes_of = fmu.serializeFMUstate(kept)
        names = [refs[n] for n in ("a.v", "m.v", "b.x")]

        def on() -> list[list[float]]:
            rows = []
            for k in range(5, 10):
                fmu.setReal([refs["a.push"]], [10.0 * k])
                fmu.doStep(k * SIZE, SIZE)
                rows.append(got(fmu, *names))
            return rows

        first = on()
        fmu.setFMUstate(kept)
        assert on() == first
        fmu.setFMUstate(fmu.deSerializeFMUstate(bytes_of))
        assert on() == first
        fmu.freeFMUstate(kept)


def test_a_push_from_outside_counts_at_once(tmp_path):
    """The unknowns follow an input that is set between steps, as they follow one that is wired."""
    system = masses("flow")
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    wired = masses("flow")
    steps = dv.Table(time=[0.0, 0.1, 0.2], columns={"F": [0.0, 30.0, -5.0]}, interpolation="hold")
    wired.add("pusher", steps)
    wired.connect("pusher.F", "a.push")
    drawn = ran(wired, SIZE, 0.3, algorithm=dv.Jacobi())
    right = np.append(np.diff(drawn.time) > 0, True)  # where it jumps there are two rows
    with instance(path, tmp_path / "unpacked") as (fmu, refs):
        started(fmu)
        rows = [got(fmu, refs["a.v"], refs["b.v"])]
        for k in range(30):
            fmu.setReal([refs["a.push"]], [0.0 if k < 10 else 30.0 if k < 20 else -5.0])
            fmu.doStep(k * SIZE, SIZE)
            rows.append(got(fmu, refs["a.v"], refs["b.v"]))
    for k, name in enumerate(("a.v", "b.v")):
        assert np.allclose([r[k] for r in rows], drawn[name][:][right], rtol=0, atol=1e-7), name


def refused(system: dv.System, **options: Any) -> str:
    with pytest.raises(dv.ExportRefused) as error:
        system.export("never.fmu", **{"step": SIZE, "algorithm": dv.GaussSeidel(), **options})
    return str(error.value)


def test_what_exports_do_not_do_at_junctions_is_told(archive):
    said = refused(masses(), algorithm=dv.Newton())
    assert "is solved inside windows; give it coordinator=dv.SlidingMode()" in said
    said = refused(masses(coordinator=dv.SlidingMode(limit=1.0)))
    assert "leave limit=, moves= and rate= out" in said
    said = refused(masses(), algorithm=dv.GaussSeidel(extrapolation=1))
    assert "in one pass, with inputs that are held; use dv.GaussSeidel() or dv.Jacobi()" in said
