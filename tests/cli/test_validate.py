"""`dovetail validate`: what is said of good, bad and broken FMUs, and the exit code."""

import re

import pytest
from fmus.build import build

from dovetail.cli.main import main


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
    assert "1 errors and 0 warnings" in said.out
    assert "loaded, initialised and stepped" in said.out
    assert code == 1


def test_a_file_that_is_no_fmu_is_wrong_input(tmp_path, capsys):
    path = tmp_path / "no.fmu"
    path.write_text("not a zip")
    code, said = validated(capsys, path)
    assert code == 2
    assert "no.fmu" in said.err
