"""`dovetail export`."""

from __future__ import annotations

import numpy as np
from cli.calling import Command
from exporting.drawings import ran, ring

import dovetail as dv


def test_a_system_in_a_file_becomes_an_fmu_that_runs(
    archive, dovetail: Command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    system = ring(*[dv.load(str(archive("linear", 2)))] * 2)
    system.save("pair.yaml")
    done = dovetail("export", "pair.yaml", "--step", "0.1", "--algorithm", "gauss_seidel")
    assert (done.code, done.out) == (0, "pair-export.fmu\n")
    found = dv.simulate("pair-export.fmu", stop=2.0, step=0.1, quiet=True)
    drawn = ran(system, algorithm=dv.GaussSeidel())
    assert np.array_equal(found["pair-export.p0.y"][:], drawn["p0.y"][:])
    done = dovetail(
        *("export", "pair.yaml", "--step", "0.1", "-o", "it.fmu"),
        *("--fmi", "3", "--outputs", "p1.*", "--stop", "7"),
    )
    assert done.code == 0
    model = dv.load("it.fmu")
    assert model.fmu.version == "3.0" and model.fmu.experiment.stop == 7.0
    assert [v.name for v in model.description.outputs] == ["p1.y"]


def test_what_cannot_be_exported_ends_with_two(archive, dovetail: Command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ring(*[dv.load(str(archive("linear", 2)))] * 2).save("pair.yaml")
    done = dovetail("export", "pair.yaml")
    assert done.code == 2
    assert "an export makes no windows; give their size, such as step=0.01" in done.err
    assert not (tmp_path / "pair-export.fmu").exists()
