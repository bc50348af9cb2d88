"""The belt drive of the examples, with its table, as an FMU."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import fmpy
import numpy as np

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
