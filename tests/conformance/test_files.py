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


@pytest.mark.parametrize(
    "options",
    [
        {"tolerance": 1e-8},
        {"kind": "model exchange", "solver": "rk45", "rtol": 1e-5, "atol": 1e-7, "step": 0.1},
    ],
)
def test_options_of_an_fmu_are_saved_and_opened_again(tmp_path, options):
    system = drawn(build("prey", 2, tmp_path, model_exchange=True), **options)
    system.save(tmp_path / "one.yaml")
    opened = dv.open(tmp_path / "one.yaml")
    assert opened.fingerprint() == system.fingerprint()
    for name, value in options.items():
        assert getattr(opened.parts["prey"].model, name) == value


def test_a_solver_that_is_no_name_is_refused_with_the_way_out(tmp_path):
    path = build("prey", 2, tmp_path, model_exchange=True)
    system = drawn(path, kind="model exchange", solver=dv.integrators.Radau())
    with pytest.raises(dv.DrawingError, match=r"solver without a name.* load it in a Python file"):
        system.save(tmp_path / "one.yaml")


def test_wrong_options_of_an_fmu_are_told_with_their_line(tmp_path):
    path = build("prey", 2, tmp_path, model_exchange=True)
    text = f"dovetail: 1\nparts:\n  prey:\n    model: {path.name}\n    options: {{OPTION}}\n"
    for option, told in (
        ("{sovler: rk45}", "'sovler' is no option of an FMU. Did you mean 'solver'?"),
        ("{kind: model exchange, rtol: tight}", "rtol must be a number above zero"),
        ("{kind: model exchange, solver: rk54}", "is not a solver"),
    ):
        (tmp_path / "one.yaml").write_text(text.replace("{OPTION}", option))
        with pytest.raises(dv.DrawingError, match=r"one\.yaml:4"):
            dv.open(tmp_path / "one.yaml")
        with pytest.raises(dv.DrawingError) as caught:
            dv.open(tmp_path / "one.yaml")
        assert told in str(caught.value)


def test_a_merged_system_is_saved_and_opened_again(tmp_path):
    inner = dv.System("inner")
    inner.add("prey", dv.load(build("prey", 2, tmp_path, model_exchange=True), kind="me"))
    for merged in (dv.merge(inner), dv.merge(inner, solver="radau", rtol=1e-6)):
        outer = dv.System("outer")
        outer.add("one", merged)
        outer.save(tmp_path / "outer.yaml")
        assert dv.open(tmp_path / "outer.yaml").fingerprint() == outer.fingerprint()


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
