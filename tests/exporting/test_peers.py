"""Other tools run exports, and get what Dovetail gets: FMPy, Ecos (FMI 2 and 3), libcosim (FMI 2).

OMSimulator, MasterSim, PyFMI and fmusim take part where they are installed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import fmpy
import numpy as np
import pytest
from exporting.drawings import SIZE, ran, ring

import dovetail as dv

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.peers import measure
from benchmarks.peers.case import Case
from benchmarks.peers.roll import PEERS

WINDOWS = 20
TIGHT = {"rtol": 1e-10, "atol": 1e-10}
PRINTED = {"MasterSim": 1e-13}  # fourteen digits


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


@pytest.fixture(scope="module")
def compiled(archive, tmp_path_factory):
    """An FMU, equations, a function and a table together."""
    folder = tmp_path_factory.mktemp("compiled")
    system = dv.System("mixed")
    system.add("fmu", dv.load(str(archive("linear", 3))), x=2.0)
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
        "sum", dv.Algebraic(inputs=["a", "b"], outputs=["c"], function=lambda t, u, p: [u.a + u.b])
    )
    system.add("load", dv.Table(time=[0.0, 1.0, 2.0], columns={"f": [0.0, 1.0, 0.5]}))
    system.connect("fmu.y", "sum.a")
    system.connect("load.f", "sum.b")
    system.connect("sum.c", "mass.force")
    system.connect("mass.v", "fmu.u")
    drawn = ran(system, algorithm=dv.GaussSeidel())
    paths = [(folder / f"compiled{fmi}.fmu", fmi) for fmi in (2, 3)]
    for path, fmi in paths:
        system.export(path, fmi=fmi, step=SIZE, algorithm=dv.GaussSeidel())
    return [(path, fmi, "mass.v", drawn["mass.v"][:]) for path, fmi in paths]


def test_fmpy_gets_the_same_bits(exports):
    for path, _, name, ours in exports:
        rows = fmpy.simulate_fmu(str(path), stop_time=2.0, output_interval=SIZE)
        assert np.array_equal(rows[name], ours), path.name


OTHERS = [n for n in PEERS if not n.startswith(("Dovetail", "FMPy"))]  # whose loop wants wires


@pytest.mark.parametrize("name", OTHERS)
def test_other_tools_get_the_same_values(name, exports, compiled):
    reason = PEERS[name].missing()
    if reason:
        pytest.skip(f"{name}: {reason}")
    able = [one for one in (*exports, *compiled) if one[1] in PEERS[name].versions]
    cases = [
        Case(path.stem, {"it": str(path)}, [], [("it", output)], SIZE, fmi)
        for path, fmi, output, _ in able
    ]
    series = measure.series(name, cases, WINDOWS)
    for (path, _, _, ours), rows in zip(able, series, strict=True):
        assert rows is not None, path.name
        rounding = 1e-12 if path.stem.startswith("compiled") else PRINTED.get(name, 1e-14)
        found = np.array(rows)[:, 0]
        expected = ours[1 : len(found) + 1] if len(found) == WINDOWS else ours[: len(found)]
        off = np.max(np.abs(found - expected) / np.maximum(np.abs(expected), 1e-300))
        assert off <= rounding, path.name
