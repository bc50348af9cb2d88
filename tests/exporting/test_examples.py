"""The belt drive of the examples, with its table, as an FMU."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import fmpy
import numpy as np
import pytest

import dovetail as dv

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_drive_exports_and_runs_elsewhere(tmp_path):
    """Two FMUs of C sources and a table with units, solved by 20 sweeps a window."""
    folder = shutil.copytree(
        EXAMPLES / "drive", tmp_path / "drive", ignore=shutil.ignore_patterns("resources")
    )
    subprocess.run([sys.executable, "build.py"], cwd=folder, check=True, capture_output=True)
    system = dv.open(folder / "drive.yaml")
    path = system.export(tmp_path / "drive.fmu")
    drawn = dv.simulate(system, quiet=True, verify=False)
    rows = fmpy.simulate_fmu(str(path), stop_time=3.0, output_interval=0.005)
    for name in ("motor.speed", "load.torque"):  # the table is compiled: the same to rounding
        assert np.allclose(rows[name], drawn[name][:], rtol=1e-12, atol=1e-12)


def test_the_air_conditioner_exports_and_runs_elsewhere(tmp_path, monkeypatch):
    """Four volumes full of R22 that share lines: traced models, and two junctions between them."""
    folder = EXAMPLES / "air_conditioner"
    monkeypatch.syspath_prepend(str(folder))
    air_conditioner = importlib.import_module("run")
    system = air_conditioner.drawing(dv.SlidingMode(time_scale=0.1))
    path = system.export(tmp_path / "air.fmu", step=0.01, algorithm=dv.GaussSeidel())
    drawn = air_conditioner.simulate(0.5)
    rows = fmpy.simulate_fmu(str(path), stop_time=0.5, output_interval=0.01)
    assert len(rows.dtype.names) > 30
    for name in rows.dtype.names[1:]:
        assert np.allclose(rows[name], drawn[name][:], rtol=1e-9), name
    gap = np.abs(rows["indoor1.P"] - rows["accumulator.P"])
    assert gap[0] == pytest.approx(50e3, rel=1e-6) and gap[-1] < 1e3
