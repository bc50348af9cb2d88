"""FMUs in files, and what a fixed-step FMU says to adaptive windows."""

import pytest
from fmus.build import build

import dovetail as dv


def drawn(fmu, **options):
    system = dv.System("one")
    system.add("prey", dv.load(fmu, **options))
    return system


def test_a_system_with_an_fmu_is_saved_and_opened_again(tmp_path):
    system = drawn(build("prey", 2, tmp_path))
    system.save(tmp_path / "one.yaml")
    assert dv.open(tmp_path / "one.yaml").fingerprint() == system.fingerprint()


def test_options_of_an_fmu_survive_saving(tmp_path):
    system = drawn(build("prey", 2, tmp_path), tolerance=1e-8)
    system.save(tmp_path / "one.yaml")
    (model,) = {p.model.tolerance for p in dv.open(tmp_path / "one.yaml").parts.values()}
    assert model == 1e-8


def test_an_fmu_of_one_step_size_refuses_adaptive_windows_up_front(tmp_path):
    system = drawn(build("prey", 2, tmp_path, variable_step=False))
    with pytest.raises(dv.CapabilityError, match="'prey' takes windows of one size only"):
        dv.simulate(system, stop=1.0, algorithm=dv.Jacobi(), controller=dv.StepDoubling())


def test_sharing_events_survives_saving(tmp_path):
    inner = dv.System("inner")
    inner.add("prey", dv.load(build("prey", 2, tmp_path)))
    outer = dv.System("outer")
    outer.add("fast", dv.Nested(inner, share_events=True))
    outer.save(tmp_path / "outer.yaml")
    assert dv.open(tmp_path / "outer.yaml").fingerprint() == outer.fingerprint()
