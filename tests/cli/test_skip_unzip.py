"""FMUs run from where they lie extracted, perhaps patched."""

import shutil
import zipfile

import pytest
from fmus.build import build

import dovetail as dv
from dovetail.cli.main import main

DRAWING = """dovetail: 1
parts:
  first: {model: linear-fmi2.fmu, options: {unpacked: here}}
  second: {model: linear-fmi2.fmu}
connections: [first.y -> second.u]
run: {stop: 1.0, step: 0.1}
"""


def extracted(fmu, folder, *, x=None):
    """The FMU in a folder, patched: x starts at another value."""
    with zipfile.ZipFile(fmu) as archive:
        archive.extractall(folder)
    if x is not None:
        file = folder / "modelDescription.xml"
        before = file.read_text()
        patched = before.replace('<Real start="1.0"/>', f'<Real start="{x}"/>', 1)
        file.write_text(patched.replace("x' = a x", "patched: x' = a x"))
        assert file.read_text() != before
    return folder


@pytest.fixture
def fmu(tmp_path):
    return build("linear", 2, tmp_path)


@pytest.mark.parametrize("inside", ["", "fmus"])
def test_the_folder_beside_it_is_taken(fmu, tmp_path, monkeypatch, capsys, inside):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path / "cache"))
    extracted(fmu, tmp_path / inside / fmu.stem, x=5.0)
    fmu.unlink()  # it need not be there any more
    for command in (["run", "--stop", "1", "--step", "0.1"], ["check"], ["describe"], ["validate"]):
        assert main([command[0], str(fmu), "--skip-unzip", *command[1:]]) == 0, command
    assert "patched: x' = a x" in capsys.readouterr().out
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("more", [[], ["--skip-unzip"]])
@pytest.mark.parametrize("command", ["run", "check", "describe", "validate"])
def test_the_folder_itself_may_be_named(fmu, tmp_path, monkeypatch, capsys, command, more):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path / "cache"))
    folder = extracted(fmu, tmp_path / "an unpacked größe", x=5.0)
    assert main([command, str(folder), *more]) == 0, capsys.readouterr().err
    assert dv.load(folder).description.kind == "FMI 2.0 co-simulation"
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("command", ["run", "check", "describe", "validate"])
def test_without_a_folder_it_says_where_it_looked(fmu, tmp_path, capsys, command):
    assert main([command, str(fmu), "--skip-unzip"]) == 2
    said = capsys.readouterr().err
    assert f"no modelDescription.xml in '{tmp_path / fmu.stem}' or '{tmp_path / 'fmus'}" in said
    assert "extract it there" in said
    assert main([command, str(fmu)]) == 0


def test_outside_the_command_archives_are_unzipped_again(fmu, tmp_path):
    extracted(fmu, tmp_path / fmu.stem, x=5.0)
    assert main(["run", str(fmu), "--skip-unzip", "--stop", "1", "--quiet"]) == 0
    assert dv.load(fmu).unpacked is None


def test_a_folder_for_each_part_in_yaml(fmu, tmp_path):
    extracted(fmu, tmp_path / "here", x=5.0)
    drawing = tmp_path / "drawing.yaml"
    drawing.write_text(DRAWING)
    system = dv.open(drawing)
    starts = [
        next(v.start for v in system.parts[name].description.parameters if v.name == "x")
        for name in ("first", "second")
    ]
    assert starts == [5.0, 1.0]
    assert main(["run", str(drawing), "--quiet"]) == 0
    system.save(tmp_path / "again.yaml")
    assert "options: {unpacked: here}" in (tmp_path / "again.yaml").read_text()
    assert dv.open(tmp_path / "again.yaml").fingerprint() == system.fingerprint()


def test_two_fmus_do_not_share_a_folder(fmu, tmp_path, capsys):
    other = tmp_path / "other.fmu"
    shutil.copy(fmu, other)
    folder = extracted(fmu, tmp_path / "here")
    drawing = tmp_path / "drawing.yaml"
    second = "second: {model: other.fmu, options: {unpacked: here}}"
    drawing.write_text(DRAWING.replace("second: {model: linear-fmi2.fmu}", second))
    assert main(["check", str(drawing)]) == 2
    said = capsys.readouterr().err
    assert "drawing.yaml:4: part 'second': 'linear-fmi2.fmu' and 'other.fmu' cannot both" in said
    system = dv.System("shared")
    system.add("first", dv.load(fmu, unpacked=folder))
    system.add("second", dv.load(other, unpacked=folder))
    with pytest.raises(dv.PartFailed, match=r"'second' .* cannot both be extracted"):
        dv.simulate(system, stop=1.0, quiet=True)
    system = dv.System("one after another")
    system.add("second", dv.load(other, unpacked=folder))
    assert dv.simulate(system, stop=1.0, quiet=True).finished


def test_two_parts_of_one_fmu_may_share_its_folder(fmu, tmp_path):
    folder = extracted(fmu, tmp_path / "here")
    system = dv.System("shared")
    for name in ("first", "second"):
        system.add(name, dv.load(fmu, unpacked=folder))
    assert dv.simulate(system, stop=1.0, quiet=True).finished


def test_other_options_of_fmus_in_yaml(tmp_path, capsys):
    build("arrays", 3, tmp_path)
    drawing = tmp_path / "drawing.yaml"
    drawing.write_text(
        "dovetail: 1\nparts:\n"
        "  a: {model: arrays-fmi3.fmu, options: {structural: {n: 2}, tolerance: 1e-6}}\n"
    )
    system = dv.open(drawing)
    assert system.parts["a"].description.inputs[0].shape == (2,)
    system.save(tmp_path / "again.yaml")
    again = dv.open(tmp_path / "again.yaml").parts["a"].model
    assert (again.structural, again.tolerance) == ({"n": 2}, 1e-6)
    drawing.write_text("dovetail: 1\nparts:\n  a: {model: arrays-fmi3.fmu, options: {sise: 2}}\n")
    assert main(["check", str(drawing)]) == 2
    assert "'sise' is no option of an FMU" in capsys.readouterr().err
    drawing.write_text("dovetail: 1\nparts:\n  a: {system: {parts: {}}, options: {n: 2}}\n")
    assert main(["check", str(drawing)]) == 2
    assert "takes 'options' only with 'model'" in capsys.readouterr().err
