"""Multi-models of Maestro, with test FMUs of our own."""

import json
import warnings

import numpy as np
import pytest

import dovetail as dv

FMUS = {"{first}": "resources/linear.fmu", "{second}": "resources/linear.fmu"}
WIRES = {"{first}.a.y": ["{second}.b.u"], "{second}.b.y": ["{first}.a.u"]}
FIXED = {"type": "fixed-step", "size": 0.1}
VALUES = {"{first}.a.b": -1, "{second}.b.a": -2.5}


def model(**more):
    return {"fmus": FMUS, "connections": WIRES, "parameters": VALUES, **more}


@pytest.fixture
def written(folder):
    def made(data, *fmus, name="mm.json", **files):
        texts = {file: json.dumps(content) for file, content in files.items()}
        return folder(json.dumps(data), *(fmus or ("linear",)), name=name, **texts)

    return made


def refused(path):
    with pytest.raises(dv.InputError) as error:
        dv.open(path)
    return str(error.value)


def test_instances_values_and_connections(written):
    system = dv.open(written(model(algorithm=FIXED, startTime=0.5, endTime=2)))
    assert set(system.parts) == {"a", "b"} and system.name == "mm"
    assert {str(c) for c in system.connections} == {"a.y -> b.u", "b.y -> a.u"}
    assert system.parts["a"].values["b"] == -1.0 and system.parts["b"].values["a"] == -2.5
    run = system.run_settings
    assert (run.start, run.stop) == (0.5, 2.0)
    assert (run.algorithm, run.controller) == (dv.Jacobi(), dv.FixedStep(0.1))
    assert run.record == ("a.y", "b.y")


def test_it_runs_as_the_same_drawing_of_our_own(written, archive):
    path = written(model(algorithm=FIXED, endTime=2))
    own = dv.System("own")
    own.add("a", dv.load(archive("linear")), b=-1.0)
    own.add("b", dv.load(archive("linear")), a=-2.5)
    own.connect("a.y", "b.u")
    own.connect("b.y", "a.u")
    expected = dv.simulate(
        own, stop=2.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1), quiet=True
    )
    result = dv.simulate(path, quiet=True)
    assert np.array_equal(result["a.y"], expected["a.y"])


def test_start_values_of_parameters_are_set_as_maestro_does(written):
    """Some FMUs do not have their own start values unless somebody sets them."""
    part = dv.open(written(model(algorithm=FIXED, endTime=2))).parts["a"]
    starts = {v.name: v.start for v in part.description.parameters}
    assert part.values["a"] == starts["a"] and set(part.values) == set(starts)


@pytest.mark.parametrize("opened", ["mm.json", "coe.json"])
def test_the_configuration_beside_it_is_found(written, opened):
    """Opened by either name; what the configuration says of the algorithm wins."""
    run = {"startTime": 0, "endTime": 3, "algorithm": {"type": "fixed-step", "size": 0.25}}
    path = written(model(algorithm=FIXED), coe__json=run)
    settings = dv.open(path.with_name(opened)).run_settings
    assert (settings.stop, settings.controller) == (3.0, dv.FixedStep(0.25))


def test_a_project_of_the_application_is_found_from_its_folders(written, tmp_path):
    """FMUs/ and Multi-models/ are siblings; multimodel_path counts from the project."""
    written(model())
    (tmp_path / "resources").rename(tmp_path / "FMUs")
    home = tmp_path / "Multi-models" / "mm"
    (home / "run").mkdir(parents=True)
    data = model() | {"fmus": {key: "linear.fmu" for key in FMUS}}
    (home / "mm.mm.json").write_text(json.dumps(data))
    named = {"multimodel_path": "Multi-models\\mm\\mm.mm.json", "endTime": 4, "algorithm": FIXED}
    (home / "run" / "run.coe.json").write_text(json.dumps(named))
    for file in (home / "mm.mm.json", home / "run" / "run.coe.json"):
        assert dv.open(file).run_settings.stop == 4.0


def test_of_two_configurations_none_is_taken(written):
    run = {"endTime": 3, "algorithm": FIXED}
    path = written(model(), one__json=run, two__json=run)
    with pytest.warns(UserWarning, match="may be run as one.json, two.json say: open one of them"):
        system = dv.open(path)
    assert system.run_settings.stop is None


def test_two_instances_of_one_name_are_told_apart(written):
    wires = {"{first}.it.y": ["{second}.it.u"]}
    system = dv.open(written({"fmus": FMUS, "connections": wires, "algorithm": FIXED}))
    assert set(system.parts) == {"first_it", "second_it"}


def test_stabilisation_iterates(written):
    more = {"stabalizationEnabled": True, "global_relative_tolerance": 1e-3}
    path = written(model(algorithm=FIXED, endTime=2, global_absolute_tolerance=1e-6, **more))
    algorithm = dv.open(path).run_settings.algorithm
    assert algorithm == dv.Jacobi(5, rtol=1e-3, atol=1e-6, on_limit="accept")
    result = dv.simulate(path, quiet=True)
    assert result.statistics.iterations > result.statistics.windows


def test_an_absolute_tolerance_of_nothing_is_taken(written):
    """The default of Maestro: values that are zero and stay so have converged."""
    path = written(model(algorithm=FIXED, endTime=1, stabalizationEnabled=True))
    assert dv.simulate(path, quiet=True).statistics.iteration_limit_reached == 0


def test_constraints_become_limits(written):
    limits = {
        "top": {
            "type": "zerocrossing",
            "ports": ["{first}.a.y", "{second}.b.a"],
            "order": 1,
            "abstol": 0.01,
            "safety": 1,
        },
        "far": {"type": "boundeddifference", "ports": ["{first}.a.y"], "reltol": 0.5},
        "beat": {"type": "samplingrate", "base": -2, "rate": 25, "startTime": 10},
    }
    algorithm = {"type": "var-step", "size": [1e-4, 0.2], "initsize": 0, "constraints": limits}
    found = dv.open(written(model(algorithm=algorithm, endTime=1))).run_settings.controller
    assert found == dv.Constraints(
        (
            "crossing a.y b.a atol=0.01 safety=1 order=1",
            "difference a.y rtol=0.5",
            "sampling every=0.25 offset=0.10000000000000001",
        ),
        first_size=1e-4,  # 0 is below the least
        min_size=1e-4,
        max_size=0.2,
    )
    result = dv.simulate(written(model(algorithm=algorithm, endTime=1)), quiet=True)
    for instant in (0.1, 0.35, 0.6, 0.85):
        assert np.abs(np.array(result.time) - instant).min() < 1e-12


def test_local_variables_are_shown_where_they_are_logged(written):
    path = written(model(algorithm=FIXED, endTime=1, logVariables={"{first}.a": ["x"]}))
    assert "a.x" in dv.simulate(path, quiet=True).names


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"connections": {"first.a.y": ["{second}.b.u"]}}, "write {fmu}.instance.variable"),
        ({"connections": {"{third}.a.y": ["{second}.b.u"]}}, "there is no FMU '{third}'"),
        ({"fmus": FMUS | {"{first}": "gone.fmu"}}, "'gone.fmu' was not found"),
        ({"algorithm": {"type": "magic"}}, "the algorithm 'magic' is not known"),
        ({"algorithm": {"type": "var-step", "size": 0.1}}, "the least and the largest"),
        ({"algorithm": {"type": "fixed-step", "size": "x"}}, "'algorithm.size' must be a number"),
        ({"algorithm": {"type": "fixed-step", "size": 0}}, "must be above zero"),
        ({"endTime": True}, "'endTime' must be a number"),
        ({"parameters": {"{first}.a.bb": 1}}, "has no parameter 'bb', which Maestro passes over"),
        ({"parameters": {"{first}.a.b": "x"}}, "'a.b'"),
        ({"modelSwaps": {"a": {"swapInstance": "b"}}}, "models are not swapped during a run"),
        ({"faultInjectInstances": {"a": "b"}}, "faults are not injected"),
        ({"connections": {"{first}.a.z": ["{second}.b.u"]}}, "'a.z'"),
    ],
)
def test_what_does_not_fit_is_told(written, change, message):
    assert message in refused(written(model(algorithm=FIXED) | change))


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ({"type": "odd"}, "'odd' is no kind of constraint"),
        ({"type": "zerocrossing"}, "needs 'ports'"),
        ({"type": "zerocrossing", "ports": ["{first}.a.y"] * 3}, "compares two ports, not 3"),
        ({"type": "boundeddifference", "ports": ["{x}.y.z"]}, "there is no FMU '{x}'"),
        ({"type": "samplingrate", "rate": 1}, "needs 'base', a power of ten, and 'rate'"),
    ],
)
def test_constraints_that_mean_nothing_are_told(written, constraint, message):
    algorithm = {"type": "var-step", "size": [0.1, 1], "constraints": {"it": constraint}}
    assert message in refused(written(model(algorithm=algorithm)))


def test_what_maestro_passes_over_can_be_passed_over(written):
    path = written(model(algorithm=FIXED, parameters={"{first}.a.bb": 1}))
    with pytest.warns(UserWarning, match="has no parameter 'bb'"):
        assert set(dv.open(path, unsupported="warn").parts) == {"a", "b"}


def test_what_changes_nothing_is_noted_or_silent(written):
    limits = {"most": {"type": "fmumaxstepsize"}}
    algorithm = {"type": "var-step", "size": [0.1, 1], "constraints": limits}
    quiet = {"loggingOn": True, "livestream": {}, "parallelSimulation": True}
    path = written(model(algorithm=algorithm, simulationProgramDelay=True, **quiet))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        dv.open(path)
    texts = "\n".join(str(one.message) for one in found)
    assert len(found) == 2 and "it limits nothing" in texts and "not slowed down" in texts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "mm.json:1: this is not JSON"),
        ("[]", "it must be a mapping"),
        ('{"a": 1}', "this is no multi-model of Maestro: it has no 'fmus'"),
        ('{"endTime": 1}', "its multi-model was not found"),
    ],
)
def test_other_files_are_told(folder, text, message):
    assert message in refused(folder(text, name="mm.json"))


def test_stabilisation_needs_parts_that_roll_back(written, archive, tmp_path):
    path = written(model(algorithm=FIXED, stabalizationEnabled=True))
    target = tmp_path / "resources" / "linear.fmu"
    target.unlink()
    target.symlink_to(archive("linear", 2, state_saving=False))
    assert "needs FMUs that can all get and set their state" in refused(path)
