"""Configurations of CoFmuPy, with test FMUs of our own."""

import json
import warnings

import numpy as np
import pytest

import dovetail as dv

FMUS = [
    {"id": "a", "path": "linear.fmu", "initialization": {"b": -1}, "stepsize": "0.1 sec"},
    {"id": "b", "path": "linear.fmu", "initialization": {"a": -2.5}, "supplier": "us"},
]
WIRES = [
    {"source": {"id": "a", "variable": "y"}, "target": {"id": "b", "variable": "u", "unit": "m"}},
    {"source": {"id": "b", "variable": "y", "type": "fmu"}, "target": {"id": "a", "variable": "u"}},
]


def to(part, source):
    return {"source": source, "target": {"id": part, "variable": "u"}}


def configuration(**more):
    return {"fmus": FMUS, "connections": WIRES, **more}


@pytest.fixture
def written(folder):
    def made(data, **files):
        path = folder(json.dumps(data), "linear", name="config.json")
        for name, text in files.items():
            path.with_name(name.replace("__", ".")).write_text(text)
        return path

    return made


def refused(path):
    with pytest.raises(dv.InputError) as error:
        dv.open(path)
    return str(error.value)


def test_it_runs_as_the_same_drawing_of_our_own(written, archive):
    path = written(configuration())
    own = dv.System("own")
    own.add("a", dv.load(archive("linear")), b=-1.0)
    own.add("b", dv.load(archive("linear")), a=-2.5)
    own.connect("a.y", "b.u")
    own.connect("b.y", "a.u")
    told = {"stop": 2.0, "step": 0.1, "quiet": True}
    expected = dv.simulate(own, algorithm=dv.Jacobi(), **told)
    assert np.array_equal(dv.simulate(path, **told)["b.y"], expected["b.y"])


@pytest.mark.parametrize(
    ("said", "algorithm"),
    [
        ({}, dv.Jacobi()),
        ({"cosim_method": "gauss_seidel"}, dv.GaussSeidel()),
        ({"cosim_method": "jacobi", "iterative": True}, dv.Jacobi(10)),
        ({"cosim_method": "gauss_seidel", "iterative": True}, dv.GaussSeidel(10)),
    ],
)
def test_the_algorithm_is_the_one_that_is_named(written, said, algorithm):
    assert dv.open(written(configuration(**said))).run_settings.algorithm == algorithm


@pytest.mark.parametrize("shape", ["previous", "linear"])
def test_data_come_from_the_file_or_from_a_table(written, shape):
    """From a list of values and from a column; values are held unless lines are asked for."""
    values = {"0": 1, "0.5": 3, "1.0": 2.0}
    wires = [
        to("a", {"type": "literal", "values": values, "interpolation": shape}),
        to("b", {"type": "csv", "path": "t.csv", "variable": "v", "interpolation": shape}),
    ]
    path = written(configuration(connections=wires), t__csv="t,w,v\n0,9,1\n0.5,9,3\n1,9,2\n")
    system = dv.open(path)
    assert {str(c) for c in system.connections} == {
        "literal_a_u.value -> a.u",
        "csv_b_u.v -> b.u",
    }
    result = dv.simulate(system, stop=1.0, step=0.25, quiet=True)
    shown = dict(zip(result.time.tolist(), result["csv_b_u.v"].tolist(), strict=True))
    assert shown[0.25] == (1.0 if shape == "previous" else 2.0) and shown[0.5] == 3.0
    assert np.array_equal(result["literal_a_u.value"], result["csv_b_u.v"])


def test_one_output_goes_to_several_targets_and_files_are_not_written(written):
    ends = [{"id": p, "variable": "u"} for p in "ab"] + [{"type": "csv", "id": "out", "alias": "y"}]
    path = written(configuration(connections=[{"source": WIRES[0]["source"], "target": ends}]))
    with pytest.warns(UserWarning, match="csv is not written to: all outputs are in the result"):
        system = dv.open(path)
    assert {str(c) for c in system.connections} == {"a.y -> a.u", "a.y -> b.u"}


def test_an_fmu_is_found_by_its_name_below_the_file(written, tmp_path):
    elsewhere = [{**one, "path": "C:\\models\\linear.fmu"} for one in FMUS]
    path = written(configuration(fmus=elsewhere))
    fmu = next(path.parent.rglob("linear.fmu"))
    (path.parent / "deep" / "er").mkdir(parents=True)
    fmu.rename(path.parent / "deep" / "er" / "linear.fmu")
    assert set(dv.open(path).parts) == {"a", "b"}


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"cosim_method": "magic"}, "must be one of jacobi, gauss_seidel, not 'magic'"),
        ({"fmus": [{"id": "a", "path": "no.fmu"}]}, "no file of its name below"),
        ({"fmus": [{"id": "a", "path": "m.py::Model"}]}, "make it a Python model of Dovetail"),
        ({"fmus": [7]}, "must be a list of mappings, not 7"),
        ({"fmus": [{**FMUS[0], "initialization": {"bb": 1}}]}, "no input 'bb' to initialize"),
        ({"connections": [3]}, "must be a list of mappings, not 3"),
        ({"connections": [{"source": 1}]}, "each needs a source and a target"),
        ({"connections": [to("c", WIRES[0]["source"])]}, "'c'"),
        ({"connections": [to("a", {"type": "kafka", "uri": "x"})]}, "'kafka' is not read"),
        (
            {
                "connections": [
                    to("a", {"type": "literal", "values": {"0": 1}, "interpolation": "x"})
                ]
            },
            "interpolation 'x' is not read",
        ),
        ({"connections": [to("a", {"type": "literal"})]}, 'a mapping such as {"0": 1.5'),
        ({"connections": [to("a", {"type": "literal", "values": {"x": 1}})]}, "'x'"),
        ({"connections": [to("a", {"type": "csv", "path": "no.csv"})]}, "was not found from"),
    ],
)
def test_what_cannot_be_drawn_is_told(written, said, complaint):
    assert complaint in refused(written(configuration(**said)))


def test_a_live_stream_is_left_out_on_request(written):
    path = written(configuration(connections=[*WIRES, to("a", {"type": "kafka", "uri": "x"})]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(dv.open(path, unsupported="warn").connections) == 2
