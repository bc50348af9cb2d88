"""`dovetail validate`: what is said of good, bad and broken FMUs, and the exit code."""

import re

import numpy as np
import pytest
from fmus.build import build

from dovetail.cli.main import main
from dovetail.cli.published import side_by_side
from dovetail.results.comparison import compare
from dovetail.results.reading import read
from dovetail.results.result import Result


def validated(capsys, *arguments):
    code = main(["validate", *map(str, arguments)])
    return code, capsys.readouterr()


@pytest.mark.parametrize("version", [2, 3])
def test_a_good_fmu_passes(version, tmp_path, capsys):
    code, said = validated(capsys, build("prey", version, tmp_path))
    assert code == 0, said.out
    assert "0 errors" in said.out
    assert "loaded, initialised and stepped to t = " in said.out
    assert "there is no reference output beside it" in said.out


def test_a_reference_beside_it_is_compared_with(tmp_path, capsys):
    fmu = build("linear", 2, tmp_path)
    reference = fmu.with_name(f"{fmu.stem}_ref.csv")
    reference.write_text("time,y\n0.0,1.0\n10.0,1.0\n")  # x' = 1 - x stays at 1
    code, said = validated(capsys, fmu)
    assert code == 0, said.out
    assert "Within tolerance" in said.out
    reference.write_text("time,y\n0.0,1.0\n10.0,2.0\n")
    code, said = validated(capsys, fmu)
    assert code == 1
    assert "y" in said.out


def test_an_fmu_that_fails_on_the_way_is_told(tmp_path, capsys):
    code, said = validated(capsys, build("error", 2, tmp_path))
    assert code == 1
    assert "it does not run: part 'error-fmi2' failed while stepping" in said.out


def test_breaches_of_the_rules_are_listed(tmp_path, capsys):
    """A continuous output that is left out of the model structure."""

    def edit(xml):
        return re.sub(r"<Outputs>.*?</Outputs>", "", xml, flags=re.DOTALL)

    code, said = validated(capsys, build("prey", 2, tmp_path, edit=edit))
    assert "error: line 26: an output is not listed in the model structure: 'x'" in said.out
    assert "1 error and 0 warnings" in said.out
    assert "loaded, initialised and stepped" in said.out
    assert code == 1


def test_a_file_that_is_no_fmu_is_wrong_input(tmp_path, capsys):
    path = tmp_path / "no.fmu"
    path.write_text("not a zip")
    code, said = validated(capsys, path)
    assert code == 2
    assert "no.fmu" in said.err


def test_a_breach_is_said_once_and_a_crowd_is_counted(tmp_path, capsys):
    """Without its marks, each variable of a description breaks the same rule."""

    def edit(xml):
        same = '<ScalarVariable name="w{}" valueReference="0"><Real start="1"/></ScalarVariable>'
        more = "".join(same.format(k) for k in range(50))
        return xml.replace("</ModelVariables>", f"{more}</ModelVariables>")

    code, said = validated(capsys, build("prey", 2, tmp_path, edit=edit))
    assert code == 1
    assert said.out.count("is calculated and has a start value") == 20
    assert "error: and 30 more [start of calculated]" in said.out
    assert "read leniently" not in said.out


@pytest.mark.parametrize(
    ("told", "reached"),
    [
        ('startTime="5" stopTime="1" stepSize="-0.1"', 6),
        ('startTime="NaN" stopTime="INF" stepSize="0"', 1),
        ("", 1),
    ],
)
def test_an_experiment_that_makes_no_sense_is_put_up_with(tmp_path, capsys, told, reached):
    def edit(xml):
        return re.sub(r"<DefaultExperiment [^>]*/>", f"<DefaultExperiment {told}/>", xml)

    path = build("prey", 2, tmp_path, edit=edit)
    _, said = validated(capsys, path)
    assert f"loaded, initialised and stepped to t = {reached} s" in said.out
    assert main(["run", str(path)]) == 2
    assert "names none, so give --stop" in capsys.readouterr().err


def test_inputs_and_options_beside_it_are_used(tmp_path, capsys):
    """x' = u, fed with 2 between t = 1 s and 3 s: x gains 4."""
    fmu = build("derivatives", 2, tmp_path)
    beside = {what: fmu.with_name(f"{fmu.stem}_{what}") for what in ("in.csv", "ref.csv")}
    beside["in.csv"].write_text("time,u\n1,2\n3,2\n")
    beside["ref.csv"].write_text("time,y\n1,0\n3,4\n")
    fmu.with_name(f"{fmu.stem}_ref.opt").write_text(
        "StartTime, 1\nStopTime, 3\nStepSize, 0.5\nSolver, Euler\nOutputIntervalLength, e\n"
    )
    code, said = validated(capsys, fmu)
    assert f"its inputs are those in {beside['in.csv']}" in said.out
    assert "stepped to t = 3 s" in said.out
    assert "Within tolerance" in said.out
    assert code == 0
    other = tmp_path / "other.csv"
    other.write_text("time,u\n1,0\n3,0\n")
    assert validated(capsys, fmu, "--inputs", other)[0] == 1
    other.write_text("time,speed\n1,0\n3,0\n")
    code, said = validated(capsys, fmu, "--inputs", other)
    assert "none of its columns is an input of derivatives-fmi2" in said.out
    assert code == 1


def test_a_reference_about_something_else_is_no_agreement(tmp_path, capsys):
    fmu = build("linear", 2, tmp_path)
    reference = tmp_path / "other.csv"
    reference.write_text("time,speed\n0,1\n10,1\n")
    code, said = validated(capsys, fmu, "--reference", reference)
    assert "holds none of its outputs, so there is nothing to compare" in said.out
    assert code == 1


def test_arrays_and_binaries_are_read_as_the_fmi_project_writes_them(tmp_path):
    """Its Reference FMUs: StateSpace has `1 2 3` in one column, Feedthrough `666f6f` for foo."""
    path = tmp_path / "x_out.csv"
    path.write_text("time,y,b,z\n0,1 2 3,666f6f,4\n1,2 4 6,666f6f,5\n")
    binary = np.empty(2, dtype=object)
    binary[:] = [b"foo", b"bar"]
    columns = {f"x.y[{k}]": np.array([k, 2.0 * k]) for k in (1, 2, 3)}
    result = Result.of([0.0, 1.0], {**columns, "x.b": binary})
    known, ours = side_by_side(read(path), result, "x")
    assert known.names == ours.names == ["y[1]", "y[2]", "y[3]", "b"]
    found = compare(known, ours)
    assert [d.name for d in found.differences if d.error] == ["b"]


def test_an_array_of_one_element_is_compared(tmp_path):
    path = tmp_path / "x_out.csv"
    path.write_text("time,y\n0,1\n1,2\n")
    result = Result.of([0.0, 1.0], {"x.y[1]": np.array([1.0, 3.0])})
    known, ours = side_by_side(read(path), result, "x")
    assert known.names == ours.names == ["y[1]"]
    assert compare(known, ours).differences[0].error > 0


def test_a_column_with_another_number_of_elements_is_left_out(tmp_path):
    path = tmp_path / "x_out.csv"
    path.write_text("time,y,z\n0,1 2,4\n1,2 4,5\n")
    result = Result.of([0.0, 1.0], {"x.y[1]": [1.0, 2.0], "x.z": [4.0, 5.0]})
    known, ours = side_by_side(read(path), result, "x")
    assert known.names == ours.names == ["z"]
