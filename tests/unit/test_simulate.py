"""One line runs a file, a model or a system; its options are checked, named and documented."""

import inspect
import re
from dataclasses import fields

import numpy as np
import problems
import pytest

import dovetail as dv
from dovetail.drawing.run_settings import RunSettings

MODELS = """
import dovetail as dv
prey = dv.Dynamic(
    states={"x": 1.0}, inputs={"predators": 1.0}, outputs=["preys"],
    parameters={"alpha": 0.67, "beta": 1.33},
    derivatives=lambda t, x, u, p: [x.x * (p.alpha - p.beta * u.predators)],
    output=lambda t, x, u, p: [x.x],
)
"""
YAML = """
dovetail: 1
parts: {prey: models.py:prey, other: models.py:prey}
connections: [prey.preys -> other.predators, other.preys -> prey.predators]
run: {start: 1, stop: 2, step: 0.25, algorithm: gauss_seidel(30), rtol: 1e-4, record: ["prey.*"]}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "models.py").write_text(MODELS)
    (tmp_path / "system.yaml").write_text(YAML)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def decay():
    return dv.Dynamic(
        states={"x": 1.0},
        outputs=["x"],
        parameters={"k": 1.0},
        derivatives=lambda t, x, u, p: [-p.k * x.x],
    )


@pytest.fixture
def system(decay):
    drawn = dv.System("decay")
    drawn.add("a", decay)
    return drawn


def same(one, other):
    assert one.names == other.names
    assert np.array_equal(one.time, other.time)
    return all(np.array_equal(one[name], other[name]) for name in one.names)


# What can be run -----------------------------------------------------------------------------


def test_a_file_by_text_or_path_or_opened(folder):
    found = dv.simulate("system.yaml", quiet=True)
    assert found.names == ["prey.preys", "prey.predators"]
    assert found.time.tolist() == [1.0, 1.25, 1.5, 1.75, 2.0]
    assert same(found, dv.simulate(folder / "system.yaml", quiet=True))
    assert same(found, dv.simulate(dv.open("system.yaml"), quiet=True))
    with dv.Session(dv.open("system.yaml"), quiet=True) as session:
        assert same(found, session.run())


def test_an_fmu_alone_has_the_name_of_its_file(archive):
    path = archive("linear")
    whole = dv.simulate(path, quiet=True)
    assert whole.names == [f"{path.stem}.y"]
    assert whole.time[-1] == 10.0, "its default experiment"
    loaded = dv.simulate(dv.load(path), stop=1, quiet=True)
    assert loaded.names == whole.names
    assert loaded.time.tolist() == whole.time[:11].tolist()
    assert same(dv.simulate(dv.Fmu(str(path)), stop=1, quiet=True), loaded)


def test_a_model_alone_is_named_after_where_it_comes_from(folder, decay):
    assert dv.simulate(decay, stop=1, quiet=True).names == ["model.x"]
    found = dv.simulate(dv.load("models.py:prey"), stop=1, quiet=True)
    assert found.names == ["prey.preys"]
    (folder / "road.csv").write_text("t,height\n0,1\n1,2\n")
    assert dv.simulate(dv.load("road.csv"), stop=1, quiet=True).names == ["road.height"]
    inner = dv.System("inner")
    inner.add("d", decay)
    assert dv.simulate(dv.Nested(inner), stop=1, quiet=True).names == ["inner.d.x"]


def test_what_cannot_be_run_is_told_the_way():
    for wrong, said in ((dv.Dynamic, "the class Dynamic"), (None, "NoneType"), (3, "int")):
        with pytest.raises(dv.OptionError, match=rf"dv\.load\('x\.fmu'\), or .* not {said}$"):
            dv.simulate(wrong, stop=1)


# When it stops -------------------------------------------------------------------------------


def test_without_a_stop_time_one_is_proposed(decay, system, archive):
    edit = lambda text: re.sub(r"<DefaultExperiment[^>]*/>", "", text)  # noqa: E731
    for run, such in (
        (lambda: dv.simulate(decay), "'model' names none; give one, such as stop=10"),
        (lambda: dv.simulate(system), "'decay' names none; give one, such as stop=10"),
        (lambda: dv.simulate(system, start=5, step=0.1), "such as stop=55"),
        (lambda: dv.simulate(archive("linear", edit=edit)), "such as stop=10"),
        (lambda: dv.Session(system), "such as stop=10"),
    ):
        with pytest.raises(dv.OptionError, match=f"^no stop time: .*{such}$"):
            run()


def test_a_run_that_takes_no_time_is_refused(system, folder):
    with pytest.raises(
        dv.OptionError, match=r"stop \(0\) must lie behind start \(0\); dv\.Session"
    ):
        dv.simulate(system, stop=0)
    with pytest.raises(dv.OptionError, match=r"stop \(-1\) must not lie before start \(0\)"):
        dv.simulate(system, stop=-1)
    with pytest.raises(dv.OptionError, match=r"behind start \(1, as its file says\)"):
        dv.simulate("system.yaml", stop=0.5)
    with dv.Session(system, start=2.0, stop=2.0, quiet=True) as session:
        assert session.result["a.x"].tolist() == [1.0]


# Options -------------------------------------------------------------------------------------


def test_options_go_before_the_file(folder):
    found = dv.simulate(
        "system.yaml",
        start=0,
        stop=1,
        step=0.5,
        algorithm="jacobi",
        record="other.preys",
        quiet=True,
    )
    assert found.time.tolist() == [0.0, 0.5, 1.0]
    assert found.names == ["other.preys"]
    assert found.facts["coupling"][0].startswith("Jacobi(rtol=0.0001")
    with dv.Session(dv.open("system.yaml"), controller=dv.FixedStep(0.1), quiet=True) as session:
        assert session.controller == dv.FixedStep(0.1)
        assert session.algorithm.max_iterations == 30


def test_estimators_of_the_file_can_be_left_to_capabilities(folder):
    drawn = dv.open("system.yaml")
    drawn.run_settings = RunSettings(stop=1.0, estimators={"prey": dv.Identified()})
    given = dict(algorithm=dv.Jacobi(5), quiet=True)
    with dv.Session(drawn, **given) as session:
        assert isinstance(session.assembly.estimators[0], dv.Identified)
    with dv.Session(drawn, estimators="auto", **given) as session:
        assert isinstance(session.assembly.estimators[0], dv.Rollback)


def test_names_are_as_good_as_objects():
    system = problems.two_mass_system()
    objects = dict(
        algorithm=dv.GaussSeidel(20, inputs="ramp"),
        controller=dv.StepDoubling(rtol=1e-3),
        estimators={"left": dv.Rollback()},
    )
    names = dict(
        algorithm="gauss_seidel(20, inputs=ramp)",
        controller="step_doubling(rtol=1e-3)",
        estimators={"left": "rollback"},
    )
    found = dv.simulate(system, stop=0.5, quiet=True, **names)
    assert same(found, dv.simulate(system, stop=0.5, quiet=True, **objects))
    assert (
        found.facts["algorithm"]
        == "GaussSeidel(max_iterations=20, inputs='ramp', "
        + (found.facts["algorithm"].split("inputs='ramp', ")[1])
    )


def test_a_step_is_a_fixed_step(system):
    fixed = dv.simulate(system, stop=1, controller=dv.FixedStep(0.125), quiet=True)
    assert same(dv.simulate(system, stop=1, step=0.125, quiet=True), fixed)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"step": 0.1, "controller": "fixed_step(0.1)"}, "give step= or controller=, not both: "),
        ({"step": "0.1"}, "step must be a number, not '0.1'"),
        ({"step": 0}, "step must be above zero, not 0"),
        ({"stop": "10"}, "stop must be a number, not '10'"),
        ({"stop": True}, "stop must be a number, not True"),
        ({"start": "0"}, "start must be a number, not '0'"),
        ({"rtol": "tight"}, "rtol must be a number, not 'tight'"),
        ({"atol": 0}, "atol must be above zero, not 0"),
        ({"algorithm": "gaus_seidel"}, "there is no algorithm 'gaus_seidel'. Did you mean 'gauss_"),
        ({"algorithm": "jacobi(2, 3, 4"}, "algorithm: it cannot be read"),
        ({"controller": "fixed_step"}, "controller: 'fixed_step' needs 'size', a number"),
        ({"estimators": {"a": "rolback"}}, "the estimator of 'a': there is no estimator 'rolback'"),
        ({"values": [("a.k", 2)]}, "values must be values by name, as in {'part.name': 3.0}"),
        ({"force": "yes"}, "force must be True or False"),
        ({"contoller": 1}, "dv.simulate has no option 'contoller'. Did you mean 'controller'?"),
        ({"step_size": 1}, "dv.simulate has no option 'step_size'; the size of windows is step="),
        ({"stop_time": 1}, "dv.simulate has no option 'stop_time'; it is stop="),
        ({"start_values": 1}, "dv.simulate has no option 'start_values'; it is values="),
        ({"zzz": 1}, "dv.simulate has no option 'zzz'. There are stop, start, step, algorithm"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_wrong_option_is_answered_in_a_sentence(system, given, message):
    with pytest.raises(dv.OptionError) as caught:
        dv.simulate(system, **{"stop": 1.0, "quiet": True, **given})
    assert message in str(caught.value)


def test_options_are_given_by_name(system):
    with pytest.raises(dv.OptionError, match=r"takes its options by name: write stop=10$"):
        dv.simulate(system, 10)
    with pytest.raises(dv.OptionError, match="needs something to run"):
        dv.simulate(stop=10)
    with pytest.raises(dv.OptionError, match=r"Session has no option 'stpo'\. Did you mean"):
        dv.Session(system, stpo=10)


def test_every_option_is_typed_and_explained():
    parameters = inspect.signature(dv.simulate).parameters
    assert all(p.annotation is not p.empty for p in parameters.values())
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    listed = dv.simulate.__doc__.partition("Args:")[2].partition("Raises:")[0]
    explained = re.findall(r"^        (\w+): ", listed, flags=re.MULTILINE)
    assert explained == [*parameters]


def test_simulate_takes_what_a_session_and_a_file_have():
    options = set(inspect.signature(dv.simulate).parameters)
    assert set(inspect.signature(dv.Session).parameters) <= options
    assert {f.name for f in fields(RunSettings)} <= options


# Values --------------------------------------------------------------------------------------


def test_values_are_for_one_run(system, decay):
    found = dv.simulate(system, stop=1, values={"a.k": 2.0, "a.x": 3.0}, quiet=True)
    assert found["a.x"][-1] == pytest.approx(3 * np.exp(-2), rel=1e-5)
    assert system.get("a.k") == 1.0
    assert not system.parts["a"].values
    alone = dv.simulate(decay, stop=1, values={"k": 2.0, "x": 3.0}, quiet=True)
    assert np.array_equal(alone["model.x"], found["a.x"])


def test_values_in_a_file_are_changed_for_one_run(folder):
    before = (folder / "system.yaml").read_text()
    plain = dv.simulate("system.yaml", quiet=True)
    found = dv.simulate("system.yaml", values={"prey.alpha": 0.7}, quiet=True)
    assert found["prey.preys"][-1] > plain["prey.preys"][-1]
    assert (folder / "system.yaml").read_text() == before


def test_every_wrong_value_is_named_at_once(folder):
    with pytest.raises(dv.DrawingError) as caught:
        dv.simulate("system.yaml", values={"prey.alhpa": 1.0, "pray.alpha": 1.0})
    assert "'prey.alhpa' is not a parameter" in str(caught.value)
    assert "there is no part 'pray'" in str(caught.value)
