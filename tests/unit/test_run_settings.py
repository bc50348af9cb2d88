"""How a file wants to be run travels with the system: into runs, copies, edits and other files."""

import pickle
from dataclasses import replace

import numpy as np
import problems
import pytest

import dovetail as dv
from dovetail.cli.main import main
from dovetail.drawing.run_settings import RunSettings

SETTINGS = RunSettings(
    start=0.5,
    stop=2.0,
    algorithm=dv.GaussSeidel(5, order_of_parts=("b", "a")),
    controller=dv.FixedStep(0.25),
    estimators={"a": dv.Rollback()},
    rtol=1e-7,
    atol=1e-9,
    record=["a.*", "b.y"],
    recorder=dv.Sampling(0.5),
    calendar=dv.Calendar("min", "2026-01-01T00:00:00"),
)
MSIM = """
tStart 0.5 s
tEnd 2 s
hStart 0.25 s
hOutputMin 0.5 s
outputTimeUnit min
MasterMode GAUSS_SEIDEL
maxIterations 5
absTol 1e-9
relTol 1e-7
simulator 0 0 a #ffffff "{name}"
simulator 1 0 b #ffffff "{name}"
graph a.y b.u
graph b.y a.u
"""


@pytest.fixture
def system(archive):
    drawn = dv.System("two")
    for name in ("a", "b"):
        drawn.add(name, dv.load(archive("linear")), a=-2.0)
    drawn.connect("a.y", "b.u")
    drawn.connect("b.y", "a.u")
    drawn.run_settings = SETTINGS
    return drawn


def same(one, other):
    assert one.names == other.names
    assert np.array_equal(one.time, other.time)
    return all(np.array_equal(one[name], other[name]) for name in one.names)


@pytest.mark.parametrize("suffix", [".yaml", ".ssp", ".ssd"])
def test_a_file_keeps_all_of_it(system, tmp_path, suffix):
    system.save(tmp_path / f"x{suffix}")
    again = dv.open(tmp_path / f"x{suffix}")
    assert again.run_settings == SETTINGS
    assert same(dv.simulate(again, quiet=True), dv.simulate(system, quiet=True))
    again.save(tmp_path / f"y{suffix}")
    assert dv.open(tmp_path / f"y{suffix}").run_settings == SETTINGS


def test_a_mastersim_project_keeps_what_it_can(archive, tmp_path):
    path = archive("linear")
    (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "x.msim").write_text(MSIM.format(name=path.name))
    drawn = dv.open(tmp_path / "x.msim")
    found = dv.simulate(drawn, quiet=True)
    assert found.time.tolist() == [0.5, 1.0, 1.5, 2.0], "from tStart, every hOutputMin"
    drawn.save(tmp_path / "y.msim")
    assert dv.open(tmp_path / "y.msim").run_settings == drawn.run_settings
    drawn.save(tmp_path / "y.yaml")
    again = dv.open(tmp_path / "y.yaml")
    assert again.run_settings == replace(drawn.run_settings, record=[*drawn.run_settings.record])
    assert same(dv.simulate(again, quiet=True), found)


@pytest.mark.parametrize("suffix", [".yaml", ".ssp", ".msim", ".fmu", ".py"])
def test_python_and_the_command_line_give_the_same_bits(system, archive, tmp_path, suffix, capfd):
    path = tmp_path / f"x{suffix}"
    match suffix:
        case ".fmu":
            path = archive("linear")
        case ".msim":
            (tmp_path / "linear.fmu").write_bytes(archive("linear").read_bytes())
            path.write_text(MSIM.format(name="linear.fmu"))
        case ".py":
            system.save(tmp_path / "inner.yaml")
            inner = str(tmp_path / "inner.yaml")
            text = f"import dovetail as dv\nsystem = dv.open({inner!r})\nrun = dict(stop=1.0)\n"
            path.write_text(text)
        case _:
            system.save(path)
    output = tmp_path / "run.parquet"
    assert main(["run", str(path), "--output", str(output), "--quiet"]) == 0, capfd.readouterr().err
    by_command = dv.read(output)
    assert same(dv.simulate(path, quiet=True), by_command)
    assert same(dv.simulate(dv.open(path), quiet=True), by_command)
    if suffix == ".py":
        assert by_command.time[-1] == 1.0, "run= goes before what the system carries"


def test_copies_and_pickles_carry_them(system):
    assert system.copy().run_settings == SETTINGS
    assert pickle.loads(pickle.dumps(system)).run_settings == SETTINGS
    other = system.copy()
    other.run_settings = RunSettings()
    assert system.run_settings == SETTINGS


def test_they_are_no_part_of_what_is_drawn(system):
    before = system.fingerprint()
    system.run_settings = RunSettings()
    assert system.fingerprint() == before


def test_they_follow_the_names_of_parts(system):
    system.rename("a", "first")
    found = system.run_settings
    assert found.estimators == {"first": dv.Rollback()}
    assert found.record == ("first.*", "b.y")
    assert found.algorithm.order_of_parts == ("b", "first")
    assert dv.simulate(system, quiet=True).finished
    system.remove("first")
    found = system.run_settings
    assert (found.estimators, found.record) == ({}, ("b.y",))
    assert found.algorithm.order_of_parts == ("b",)
    assert dv.simulate(system, quiet=True).finished


def test_check_looks_at_what_will_be_run(system):
    system.run_settings = RunSettings(controller=dv.StepDoubling(), algorithm=dv.Jacobi())
    assert system.check().coupling == "Jacobi() with StepDoubling"
    assert system.check(dv.Newton(), dv.FixedStep(0.1)).coupling == "Newton() with FixedStep"


def test_the_inner_system_runs_as_the_outer_one_says(system, tmp_path):
    system.save(tmp_path / "inner.yaml")
    (tmp_path / "outer.yaml").write_text(
        "{dovetail: 1, parts: {inner: {system: inner.yaml}}, run: {stop: 1, step: 0.5}}"
    )
    found = dv.simulate(tmp_path / "outer.yaml", quiet=True)
    assert found.time.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("{every: 0}", "'run.every' must be above 0, not 0"),
        ("{calendar: {unit: week}}", "'run.calendar.unit' must be 'ms', 's', 'min', 'h', 'd' or"),
        ("{calendar: {reference: soon}}", "a reference date is written as 2026-01-01T00:00:00"),
        ("{calender: {}}", "'calender' means nothing in 'run'. Did you mean 'calendar'?"),
    ],
)
def test_what_is_wrong_with_them_is_said(tmp_path, run, message):
    (tmp_path / "x.yaml").write_text(f"{{dovetail: 1, parts: {{}}, run: {run}}}")
    with pytest.raises(dv.InputError) as caught:
        dv.open(tmp_path / "x.yaml")
    assert message in str(caught.value)


@pytest.mark.parametrize(("stop", "step"), [(1.0, 1e-300), (1e308, 0.1), (1e6, 1e-12)])
def test_more_windows_than_can_be_counted_are_refused(stop, step):
    """They would never end, and nothing said so."""
    with pytest.raises(dv.OptionError, match="more than a run can count; take longer ones"):
        dv.simulate(problems.prey_predator_system(), stop=stop, step=step, quiet=True)
