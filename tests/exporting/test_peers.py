"""Other tools run exports, and get what Dovetail gets: FMPy, Ecos (FMI 2 and 3), libcosim (FMI 2).

OMSimulator, MasterSim, PyFMI and fmusim take part where they are installed.
"""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from pathlib import Path

import fmpy
import numpy as np
import pytest
from exporting.drawings import SIZE, ran, ring
from fmpy.validation import validate_fmu

import dovetail as dv
from dovetail.cli.main import main

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.peers import measure
from benchmarks.peers.case import Case
from benchmarks.peers.roll import PEERS

WINDOWS = 20
TIGHT = {"rtol": 1e-10, "atol": 1e-10}
PRINTED = {"MasterSim": 1e-13}  # fourteen digits
NEAR = {"joined": 1e-9, "kinds": 1e-12}  # unknowns of junctions are found to 1e-8; rounding


@pytest.fixture(scope="module")
def exports(archive, tmp_path_factory):
    """Ten FMUs: three versions inside, FMI 2 and 3 outside, each algorithm, and one in another."""
    folder = tmp_path_factory.mktemp("exports")
    mixed = ring(*(dv.load(str(archive("linear", v)), kind="co-simulation") for v in (1, 2, 3)))
    moving = ring(*[dv.load(str(archive("linear", 2, input_derivatives=3)))] * 3)
    found = []
    for name, system, algorithm in (
        ("jacobi", mixed, dv.Jacobi()),
        ("seidel", mixed, dv.GaussSeidel()),
        ("newton", moving, dv.Newton(inputs="ramp", **TIGHT)),
        ("curves", moving, dv.GaussSeidel(extrapolation=2)),
    ):
        drawn = ran(system, algorithm=algorithm)
        for fmi in (2, 3):
            path = folder / f"{name}{fmi}.fmu"
            system.export(path, fmi=fmi, step=SIZE, algorithm=algorithm)
            found.append((path, fmi, "p0.y", drawn["p0.y"][:]))
            if name == "newton":
                around = dv.System("around")
                around.add("in", dv.load(str(path)))
                outer = folder / f"nested{fmi}.fmu"
                around.export(outer, fmi=fmi, step=SIZE, algorithm=dv.Jacobi())
                found.append((outer, fmi, "in.p0.y", drawn["p0.y"][:]))
    assert len(found) == 10
    return found


def every_kind(archive) -> dv.System:
    """An FMU, a nested system, and a Python model of each kind that is compiled."""
    linear = dv.load(str(archive("linear", 3)))
    inner = dv.System("inner")
    inner.add("a", linear, x=0.5)
    system = dv.System("mixed")
    system.add("fmu", linear, x=2.0)
    system.add("nested", dv.Nested(inner, controller=dv.FixedStep(SIZE / 4)))
    system.add(
        "mass",
        dv.Dynamic(
            states={"v": 1.0},
            inputs={"force": 0.0},
            outputs=["v"],
            derivatives=lambda t, x, u, p: [u.force - np.tanh(x.v)],
        ),
    )
    system.add(
        "sum",
        dv.Algebraic(
            inputs=["a", "b", "c", "d"],
            outputs=["e"],
            function=lambda t, u, p: [u.a + u.b + u.c + 0.5 * u.d],
        ),
    )
    system.add(
        "sampler",
        dv.Discrete(
            period=2 * SIZE,
            states={"kept": 0.0},
            inputs={"v": 0.0},
            outputs=["held"],
            output=lambda t, x, u, p: [x.kept + 0.1 * u.v],
            update=lambda t, x, u, p: [u.v],
        ),
    )
    rows = {"time": [0.0, 0.3, 0.3, 0.8], "columns": {"f": [0.0, 1.0, -0.5, 0.0]}}
    system.add("load", dv.Table(**rows, outside="periodic"))
    system.add("wave", dv.Source(outputs=["w"], function=lambda t, p: [np.sin(3 * t)]))
    for wire in (
        ("fmu.y", "sum.a"), ("load.f", "sum.b"), ("wave.w", "sum.c"), ("sampler.held", "sum.d"),
        ("sum.e", "mass.force"), ("mass.v", "nested.a.u"), ("nested.a.y", "fmu.u"),
        ("mass.v", "sampler.v"),
    ):  # fmt: skip
        system.connect(*wire)
    return system


def capacitors() -> dv.System:
    """Two that are charged apart and meet at a junction."""
    system = dv.System("capacitors")
    for name, volts in (("a", 3.0), ("b", 1.0)):
        model = dv.Dynamic(
            states={"v": volts},
            inputs={"i": 0.0},
            outputs=["v"],
            derivatives=lambda t, x, u, p: [u.i - x.v / 10],
            ports={"pin": dv.Port("electrical", "v", "i")},
        )
        system.add(name, model)
    system.join("a.pin", "b.pin")
    return system


@pytest.fixture(scope="module")
def compiled(archive, tmp_path_factory):
    """Systems with every kind of part, and with a junction."""
    folder, found = tmp_path_factory.mktemp("compiled"), []
    drawings = {"kinds": (every_kind(archive), "mass.v"), "joined": (capacitors(), "a.v")}
    for name, (system, output) in drawings.items():
        drawn = ran(system, algorithm=dv.GaussSeidel())
        right = np.append(np.diff(drawn.time) > 0, True)  # where something jumps there are two rows
        assert right.sum() == WINDOWS + 1
        for fmi in (2, 3):
            path = folder / f"compiled_{name}{fmi}.fmu"
            system.export(path, fmi=fmi, step=SIZE, algorithm=dv.GaussSeidel())
            found.append((path, fmi, output, drawn[output][:][right]))
    return found


@pytest.fixture(scope="module")
def beside(archive, tmp_path_factory):
    """A Python model that branches, alone and with an FMU: a Python that is started runs it."""

    def force(t, u, p):
        if u.y > 0.2:
            return [-2.0 * u.y]
        return [math.copysign(0.5, u.y)]

    model = dv.Algebraic(inputs={"y": 0.3}, outputs=["f"], function=force)
    folder, found = tmp_path_factory.mktemp("beside"), []
    system = dv.System("pair")
    system.add("fmu", dv.load(str(archive("linear", 2))), x=2.0)
    system.add("law", model)
    system.connect("fmu.y", "law.y")
    system.connect("law.f", "fmu.u")
    drawn = ran(system, algorithm=dv.GaussSeidel())
    path = folder / "beside2.fmu"
    system.export(path, step=SIZE, algorithm=dv.GaussSeidel(), beside=True)
    found.append((path, 2, "fmu.y", drawn["fmu.y"][:]))
    path = dv.export(model, folder / "alone3.fmu", fmi=3, beside=True)
    found.append((path, 3, "model.f", np.full(WINDOWS + 1, -0.6)))
    return found


def test_fmpy_gets_the_same_bits(exports, beside):
    for path, _, name, ours in (*exports, *beside):
        rows = fmpy.simulate_fmu(str(path), stop_time=2.0, output_interval=SIZE)
        assert np.array_equal(rows[name], ours), path.name


def test_fmpy_gets_the_same_of_every_kind_to_rounding(compiled):
    for path, _, name, ours in compiled:
        rows = fmpy.simulate_fmu(str(path), stop_time=2.0, output_interval=SIZE)
        assert np.allclose(rows[name], ours, rtol=NEAR[path.stem[9:-1]]), path.name


def test_validation_has_no_objection(exports, compiled, capsys):
    """FMPy compares with the schemas of FMI, too; `dovetail validate` runs each of them."""
    for path, fmi, *_ in (*exports, *compiled):
        assert validate_fmu(str(path)) == []
        assert main(["validate", str(path)]) == 0
        said = capsys.readouterr().out
        assert f"FMI {fmi}.0" in said and "0 errors and 0 warnings" in said, said


def test_fmusim_gets_the_same_values(exports, compiled, beside, tmp_path):
    """Of the Reference FMUs; it prints what it reads with all digits."""
    program = shutil.which("fmusim")
    if program is None:
        pytest.skip("fmusim: there is no program fmusim on the path")
    for path, _, name, ours in (*exports, *compiled, *beside):
        table = tmp_path / f"{path.stem}.csv"
        command = [program, "--interface-type", "cs", "--stop-time", "2", "--output-interval"]
        command += [str(SIZE), "--output-variable", name, "--output-file", str(table), str(path)]
        subprocess.run(command, check=True, capture_output=True)
        rows = np.loadtxt(table, delimiter=",", skiprows=1)
        assert np.allclose(rows[:, 1], ours, rtol=1e-12), path.name


OTHERS = [n for n in PEERS if not n.startswith(("Dovetail", "FMPy"))]  # whose loop wants wires


@pytest.mark.parametrize("name", OTHERS)
def test_other_tools_get_the_same_values(name, exports, compiled, beside):
    reason = PEERS[name].missing()
    if reason:
        pytest.skip(f"{name}: {reason}")
    able = [one for one in (*exports, *compiled, *beside) if one[1] in PEERS[name].versions]
    cases = [
        Case(path.stem, {"it": str(path)}, [], [("it", output)], SIZE, fmi)
        for path, fmi, output, _ in able
    ]
    series = measure.series(name, cases, WINDOWS)
    for (path, _, _, ours), rows in zip(able, series, strict=True):
        assert rows is not None, path.name
        rounding = NEAR.get(path.stem[9:-1], PRINTED.get(name, 1e-14))
        found = np.array(rows)[:, 0]
        expected = ours[1 : len(found) + 1] if len(found) == WINDOWS else ours[: len(found)]
        off = np.max(np.abs(found - expected) / np.maximum(np.abs(expected), 1e-300))
        assert off <= rounding, path.name
