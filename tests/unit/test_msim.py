"""MasterSim's project files: every keyword, every default, every complaint with its line."""

import numpy as np
import pytest

import dovetail as dv
from dovetail import formats
from dovetail.formats.msim_project import UNITS, Project, parse

EVERYTHING = """# Created: Monday
# a comment
tStart                   1 min
tEnd                     2 h
hMax                     500 ms
hMin                     1e-3 s
hFallBackLimit           0.01 s
hStart                   0.25 s
hOutputMin               0.5
outputTimeUnit           h
adjustStepSize           yes
preventOversteppingOfEndTime no
absTol                   1e-07
relTol                   1e-06
MasterMode               NEWTON
ErrorControlMode         STEP_DOUBLING
maxIterations            7
writeInternalVariables   yes
writeUnconnectedFileReaderVars true

simulator 0 1 road #ff447cb4 "tables/road 1.csv"
simulator\t1 0 car #447cb4 "car.fmu"
graph road.height car.height
graph "road.left side" car.side 273.15 -2 0.8 #000000
parameter car.name  a text  with blanks \\n and \\\\ more
parameter car.mass 5
outputOnly car.speed
"""


def test_every_keyword_is_read():
    p = parse(EVERYTHING, "x.msim")
    assert (p.start, p.stop) == (60.0, 7200.0)
    assert (p.max_size, p.min_size, p.fall_back_size) == (0.5, 1e-3, 0.01)
    assert (p.first_size, p.output_size, p.time_unit) == (0.25, 0.5, "h")
    assert (p.adjust, p.hit_end, p.atol, p.rtol) == (True, False, 1e-7, 1e-6)
    assert (p.algorithm, p.error_mode, p.max_iterations) == ("NEWTON", "STEP_DOUBLING", 7)
    assert (p.internals, p.unconnected) == (True, True)
    road, car = p.simulators
    assert (road.priority, road.cycle, road.name) == (0, 1, "road")
    assert road.path == "tables/road 1.csv"
    assert car.path == "car.fmu"
    first, second = p.edges
    assert (first.offset, first.scale) == (0, 1)
    assert second.source == "road.left side"
    assert (second.offset, second.scale) == (273.15, -2)
    assert p.parameters[0].value == "a text  with blanks \n and \\ more"
    assert p.only == ["car.speed"]
    assert p.comment == ["Created: Monday", "a comment"]


def test_defaults_are_mastersims():
    p = parse("", "x.msim")
    assert (p.start, p.stop, p.first_size, p.max_size) == (0, 365 * 86400, 600, 1800)
    assert (p.min_size, p.fall_back_size, p.output_size) == (1e-5, 1e-3, 600)
    assert (p.time_unit, p.adjust, p.hit_end) == ("s", False, True)
    assert (p.atol, p.rtol, p.max_iterations) == (1e-6, 1e-5, 1)
    assert (p.algorithm, p.error_mode) == ("GAUSS_SEIDEL", "NONE")
    assert (p.internals, p.unconnected) == (False, False)


@pytest.mark.parametrize("unit", UNITS)
def test_units_of_time(unit):
    assert parse(f"tEnd 3 {unit}", "x").stop == 3 * UNITS[unit]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("hStrat 3 s", r"unknown keyword 'hStrat'\. Did you mean 'hStart'\?"),
        ("tEnd 3 weeks", "'weeks' is no unit of time; there are ms, s, min, h, d, a"),
        ("tEnd soon", "'tEnd' must be a number, not 'soon'"),
        ("tEnd inf s", "must be a finite number"),
        ("tEnd 3 s s", "takes a number and a unit"),
        ("tEnd", "'tEnd' needs a value"),
        ("adjustStepSize perhaps", "must be yes or no, not 'perhaps'"),
        ("maxIterations 0", "must be a whole number above zero"),
        ("maxIterations 2.5", "must be a whole number above zero"),
        ("MasterMode EULER", "must be one of GAUSS_JACOBI, GAUSS_SEIDEL, NEWTON"),
        ("ErrorControlMode STRICT", "must be one of NONE, CHECK, STEP_DOUBLING"),
        ("simulator 0 0 prey", "expected 'simulator <priority> <cycle> <name>"),
        ('simulator a 0 prey #000000 "x.fmu"', "must be whole numbers"),
        ('simulator 0 0 prey red "x.fmu"', "a color is written as #rrggbb"),
        ("graph a.x", "expected 'graph <part>.<output>"),
        ("graph a b.x", "'a' names no variable"),
        ("graph a.x b.y much 2", "must be a number, not 'much'"),
        ("parameter a.x", "expected 'parameter <part>.<variable> <value>'"),
        ("parameter x 3", "expected 'parameter"),
        ("outputOnly", "expected 'outputOnly"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(line, complaint):
    with pytest.raises(dv.FileError, match=r"x\.msim:3: .*" + complaint):
        parse(f"tStart 0 s\n\n{line}\n", "x.msim")


@pytest.fixture
def folder(tmp_path):
    rows = "\n".join(f"{t}\t{t * t}\t{t > 1:d}" for t in (0, 1, 2, 2, 3))
    (tmp_path / "road.tsv").write_text(f"time [min]\theight [mm]\tflag [-]\n{rows}\n")
    return tmp_path


def project(folder, *lines):
    path = folder / "x.msim"
    path.write_text('simulator 0 0 road #000000 "road.tsv"\n' + "\n".join(lines) + "\n")
    return path


SETTINGS = [
    ([], dv.GaussSeidel, dv.FixedStep(600)),
    (["hStart 2 s", "MasterMode GAUSS_JACOBI"], dv.Jacobi, dv.FixedStep(2)),
    (["hStart 2 s", "ErrorControlMode CHECK"], dv.GaussSeidel, dv.ErrorCheck(2.0, 1e-5, 1e-6)),
    (
        ["hStart 2 s", "hMax 4 s", "adjustStepSize yes", "maxIterations 5", "MasterMode NEWTON"],
        dv.Newton,
        dv.Adaptive(2, 1e-5, 4),
    ),
    (
        ["hStart 2 s", "hMin 1 s", "adjustStepSize yes", "ErrorControlMode ADAPT_STEP"],
        dv.GaussSeidel,
        dv.StepDoubling(1e-5, 1e-6, 2, 1, 1800),
    ),
]


@pytest.mark.parametrize(("lines", "algorithm", "controller"), SETTINGS)
def test_settings_become_algorithm_and_controller(folder, lines, algorithm, controller):
    run = formats.read(project(folder, *lines)).run_settings
    assert isinstance(run.algorithm, algorithm)
    assert run.controller == controller
    assert run.algorithm.fall_back_size == 1e-3
    assert run.algorithm.on_limit == ("stop" if "adjustStepSize yes" in lines else "accept")


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["ErrorControlMode STEP_DOUBLING"], r"x\.msim:2: ErrorControlMode: .*adjustStepSize yes"),
        (["adjustStepSize yes"], r"x\.msim:2: adjustStepSize: without iteration"),
        (["tEnd 0 s"], r"x\.msim:2: tEnd: the end must lie behind the start"),
        (["hOutputMin 0 s"], r"x\.msim:2: hOutputMin: must be above zero"),
        (["graph road.high car.x"], r"x\.msim:2: 'road.high' is not an output of 'road'"),
        (['simulator 1 0 road #000000 "road.tsv"'], r"x\.msim:2: there is a part 'road' already"),
        (['simulator 1 0 car #000000 "car.exe"'], r"x\.msim:2: part 'car': .*is not a part"),
        (
            ['simulator 1 0 car #000000 "car.fmu"'],
            r"x\.msim:2: part 'car': .*there is no such file",
        ),
        (["parameter car.x 2"], r"x\.msim:2: there is no part 'car' to set 'x' of"),
        (["parameter road.x 2"], r"x\.msim:2: 'road.x' is not a parameter"),
        (["outputOnly road.depth"], r"outputOnly names 'road.depth'"),
    ],
)
def test_what_does_not_fit_is_told(folder, lines, complaint):
    with pytest.raises(dv.InputError, match=complaint):
        formats.read(project(folder, *lines))


def test_a_table_has_its_time_in_seconds_and_its_later_rows_win(folder):
    road = formats.read(project(folder)).parts["road"].model
    assert road.times == pytest.approx([0, 60, 120, 180])
    assert road.units == {"height": "mm"}
    assert road.data["height"] == pytest.approx([0, 1, 4, 9])


def test_unconnected_columns_are_recorded_only_when_asked_for(folder):
    assert formats.read(project(folder)).run_settings.record == ()
    everything = formats.read(project(folder, "writeUnconnectedFileReaderVars yes"))
    assert everything.run_settings.record == ("road.height", "road.flag")
    one = project(folder, "writeUnconnectedFileReaderVars yes", "outputOnly road.flag")
    assert formats.read(one).run_settings.record == ("road.flag",)


def test_the_last_window_may_go_beyond_the_end_if_the_project_says_so(folder):
    lines = ["hStart 2 s", "tEnd 5 s"]
    assert formats.read(project(folder, *lines)).run_settings.stop == 5
    assert (
        formats.read(project(folder, *lines, "preventOversteppingOfEndTime no")).run_settings.stop
        == 6
    )
    exact = ["hStart 0.1 s", "tEnd 0.3 s", "preventOversteppingOfEndTime no"]
    assert formats.read(project(folder, *exact)).run_settings.stop == pytest.approx(0.3)


def test_a_first_size_of_zero_means_a_thousandth_of_the_run(folder):
    assert (
        formats.read(project(folder, "hStart 0 s", "tEnd 5 s")).run_settings.controller.size
        == 0.005
    )


def test_rows_lie_on_the_output_grid(folder):
    lines = ["hStart 0.1 s", "hOutputMin 0.3 s", "tEnd 2 s", "writeUnconnectedFileReaderVars yes"]
    drawing = formats.read(project(folder, *lines))
    result = dv.simulate(drawing)
    assert result.time == pytest.approx([0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.0])


@pytest.mark.parametrize("lines", [s[0] for s in SETTINGS])
def test_what_is_written_is_what_was_read(folder, lines):
    options = ["outputTimeUnit h", "writeUnconnectedFileReaderVars yes", "tEnd 3 d", *lines]
    drawing = formats.read(project(folder, *options))
    drawing.save(folder / "y.msim")
    again = formats.read(folder / "y.msim")
    assert again.run_settings == drawing.run_settings
    assert again.fingerprint() == drawing.fingerprint()


def test_a_system_is_saved_with_mastersims_defaults(folder):
    system = dv.System("x")
    system.add("road", dv.load(folder / "road.tsv"))
    with pytest.warns(UserWarning, match="has no stop time and no step, so MasterSim's default"):
        system.save(folder / "y.msim")
    run = formats.read(folder / "y.msim").run_settings
    assert (run.start, run.stop, run.record) == (0, 365 * 86400, ("road.height", "road.flag"))
    assert run.controller == dv.FixedStep(600)


@pytest.mark.parametrize(
    "run",
    [
        {"algorithm": dv.Iterative()},
        {"algorithm": dv.GaussSeidel(20, solver=dv.rootfinders.Aitken())},
        {"algorithm": dv.Jacobi(5)},
        {"algorithm": dv.GaussSeidel(inputs="ramp")},
        {"controller": dv.InputDefect()},
        {"controller": dv.StepDoubling(extrapolate=True)},
        {"controller": dv.FixedStep(1.0, min_size=0.1)},
    ],
)
def test_what_mastersim_does_not_have_is_not_written(folder, run):
    system = formats.read(project(folder))
    system.run_settings = formats.RunSettings(**run)
    with pytest.raises(dv.FileError, match=r"MasterSim has nothing like .*; save it as YAML"):
        system.save(folder / "y.msim")
    assert not (folder / "y.msim").exists()


def test_what_a_project_does_not_keep_is_said(folder):
    system = dv.open(project(folder))
    run = formats.RunSettings(
        stop=5.0,
        algorithm=dv.GaussSeidel(20),
        controller=dv.StepDoubling(order=2),
        estimators={"road": dv.Direct()},
        recorder=dv.Sampling(0.5, interpolate=True),
    )
    system.run_settings = run
    with pytest.warns(UserWarning) as said:
        system.save(folder / "y.msim")
    (only,) = said
    assert str(only.message) == (
        f"{folder / 'y.msim'}: a MasterSim project does not keep estimators, order=2, rows that "
        "are interpolated or at events; save it as .yaml as well"
    )


def test_a_limit_that_mastersim_does_not_have_is_said(folder):
    system = dv.open(project(folder))
    run = formats.RunSettings(0.0, 5.0, dv.GaussSeidel(20), dv.FixedStep(0.1))
    system.run_settings = run
    with pytest.warns(UserWarning, match=r"does not keep on_limit='stop'; save it as \.yaml"):
        system.save(folder / "y.msim")


def test_what_was_read_is_saved_without_a_word(folder):
    """A system that came from a file carries its run settings."""
    dv.open(project(folder, "tEnd 5 s", "hStart 0.1 s")).save(folder / "two.msim")
    run = dv.open(folder / "two.msim").run_settings
    assert (run.stop, run.controller) == (5.0, dv.FixedStep(0.1))


def test_a_junction_is_not_lost_in_silence(tmp_path):
    """Three capacitors that meet have no plain connections between them."""
    model = dv.Dynamic(
        states={"v": 0.0},
        inputs={"i": 0.0},
        outputs=["v"],
        derivatives=lambda t, x, u, p: [u.i],
        ports={"pin": dv.Port("electrical", effort="v", flow="i")},
    )
    system = dv.System("x")
    for name in ("a", "b", "c"):
        system.add(name, model)
    system.join("a.pin", "b.pin", "c.pin")
    with pytest.raises(dv.DrawingError, match="is more than plain connections, which is all a"):
        system.save(tmp_path / "x.msim")


def test_a_part_with_a_wrong_value_is_still_there(folder):
    """The first problem must not bring a second one about that is none."""
    path = project(folder, "parameter road.speed 3", "graph road.height road.side")
    with pytest.raises(dv.DrawingError) as caught:
        dv.open(path)
    assert [p.what for p in caught.value.problems] == [
        f"{path}:2: 'road.speed' is not a parameter, start value or input of 'road'.",
        f"{path}:3: 'road.side' is not an input of 'road'. It has: none.",
    ]


def test_parts_made_in_python_are_not_written(tmp_path):
    system = dv.System("x")
    system.add("wave", dv.Source(outputs=["y"], function=lambda t, p: [np.sin(t)]))
    with pytest.raises(dv.DrawingError, match="part 'wave' is neither a plain FMU nor a table"):
        system.save(tmp_path / "x.msim")


def test_every_field_with_a_keyword_has_a_reader():
    keywords = Project.settings()
    assert len(keywords) == 17
