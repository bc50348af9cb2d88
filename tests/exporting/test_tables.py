"""Tables beyond their data: they stay, go on, or come again; the same in an export."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from exporting.drawings import instance, started

import dovetail as dv

ROWS = {
    "time": [0.1, 0.2, 0.45, 0.45, 0.7],
    "columns": {"f": [0.0, 1.0, 0.5, -1.0, 0.25], "g": [1.0, 2.0, 0.0, 3.0, 1.5]},
}


def table(**options: Any) -> dv.Table:
    return dv.Table(**{**ROWS, **options})


def driven(model: dv.Table) -> dv.System:
    """A mass that follows both columns."""
    system = dv.System("driven")
    system.add("table", model)
    mass = dv.Dynamic(
        states={"v": 0.3},
        inputs={"a": 0.0, "b": 0.0},
        outputs=["v"],
        derivatives=lambda t, x, u, p: [u.a * u.b - x.v],
        solver="rk4",
        step=0.01,
    )
    system.add("mass", mass)
    system.connect("table.f", "mass.a")
    system.connect("table.g", "mass.b")
    return system


SMOOTH = {
    "time": [0.1, 0.2, 0.45, 0.7],
    "columns": {"f": [0.0, 1.0, 0.5, 0.0], "g": [1, 2.0, 0, 1]},
}
TABLES = {
    "goes on": table(outside="linear"),
    "cubic goes on": table(outside="linear", interpolation={"f": "cubic", "g": "linear"}, **SMOOTH),
    "comes again": table(outside="periodic"),
    "held comes again": table(outside="periodic", interpolation="hold"),
    "cubic comes again": table(outside="periodic", interpolation="cubic", **SMOOTH),
    "stays": table(outside="hold"),
}


@pytest.mark.parametrize("start", [0.0, -2.35, 3.0])
@pytest.mark.parametrize("name", TABLES)
def test_values_beyond_the_data_are_those_of_a_run_here(name, start, tmp_path):
    system = driven(TABLES[name])
    options = {"algorithm": dv.GaussSeidel(), "step": 0.05}
    drawn = dv.simulate(system, start=start, stop=start + 1.5, quiet=True, verify=False, **options)
    right = np.append(np.diff(drawn.time) > 0, True)  # where it jumps there are two rows
    path = system.export(tmp_path / "it.fmu", start=start, stop=start + 1.5, **options)
    around = dv.System("around")
    around.add("it", dv.load(str(path)))
    found = dv.simulate(around, start=start, stop=start + 1.5, quiet=True, verify=False, **options)
    for output in ("table.f", "table.g", "mass.v"):
        there = np.interp(found.time, drawn.time[right], drawn[output][:][right])
        assert np.allclose(found[f"it.{output}"][:], there, rtol=1e-10, atol=1e-12), output


def test_the_state_of_a_table_that_comes_again_is_kept(tmp_path):
    """Before its data, where the jumps that were passed are counted below zero."""
    path = driven(TABLES["comes again"]).export(
        tmp_path / "it.fmu", step=0.05, algorithm=dv.Jacobi()
    )
    with instance(path, tmp_path / "unpacked") as (fmu, references):
        started(fmu, -2.0)
        fmu.doStep(-2.0, 0.5)
        kept = fmu.serializeFMUstate(fmu.getFMUstate())
        fmu.doStep(-1.5, 0.75)
        there = fmu.getReal([references["mass.v"]])
        fmu.setFMUstate(fmu.deSerializeFMUstate(kept))
        fmu.doStep(-1.5, 0.75)
        assert fmu.getReal([references["mass.v"]]) == there


def test_an_error_beyond_the_data_is_not_exported(tmp_path):
    said = "ends with an error outside its data; outside='hold'"
    options = {"start": 0.1, "stop": 0.7, "step": 0.05, "algorithm": dv.Jacobi()}
    with pytest.raises(dv.ExportRefused, match=said):
        driven(table(outside="error")).export(tmp_path / "it.fmu", **options)
