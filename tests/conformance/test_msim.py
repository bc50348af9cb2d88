"""MasterSim projects with FMUs: found, connected, run, and counted."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import dovetail as dv
from dovetail import formats

WINDOWS = {  # accepted windows and iterations by tolerance, see tests/papers
    1e-3: {
        ("GAUSS_JACOBI", 1): (257, 771),
        ("GAUSS_SEIDEL", 1): (277, 831),
        ("GAUSS_SEIDEL", 5): (272, 1768),
        ("NEWTON", 5): (272, 1630),
    },
    1e-5: {
        ("GAUSS_JACOBI", 1): (2523, 7569),
        ("GAUSS_SEIDEL", 1): (2733, 8199),
        ("GAUSS_SEIDEL", 5): (2801, None),
        ("NEWTON", 5): (2801, None),
    },
}


@pytest.fixture
def folder(tmp_path, archive):
    for name in ("prey", "predator", "reporter", "types"):
        os.symlink(archive(name, 2), tmp_path / f"{name}.fmu")
    return tmp_path


def project(folder, text, name="x"):
    path = folder / f"{name}.msim"
    path.write_text(text)
    return path


def predation(mode, iterations, tolerance=1e-3):
    return f"""
        tEnd 100 s
        hStart 0.01 s
        hMax 10 s
        hMin 1e-8 s
        hFallBackLimit 1e-10 s
        hOutputMin 1 s
        adjustStepSize yes
        absTol {tolerance}
        relTol {tolerance}
        MasterMode {mode}
        ErrorControlMode STEP_DOUBLING
        maxIterations {iterations}
        simulator 0 0 prey #ff0000 "prey.fmu"
        simulator 1 0 predator #00ff00 "predator.fmu"
        graph prey.x predator.u
        graph predator.x prey.u
        parameter prey.x 10
        parameter predator.x 10
    """


@pytest.mark.parametrize("tolerance", WINDOWS)
@pytest.mark.parametrize(("mode", "iterations"), WINDOWS[1e-3])
def test_step_counts_are_those_of_the_reference(folder, mode, iterations, tolerance):
    drawing = formats.read(project(folder, predation(mode, iterations, tolerance)))
    statistics = dv.simulate(drawing).statistics
    windows, passes = WINDOWS[tolerance][mode, iterations]
    assert statistics.windows == pytest.approx(windows, rel=0.01)
    if passes is not None:
        assert statistics.iterations == pytest.approx(passes, rel=0.01)


def test_parts_with_a_folder_and_a_date_get_them(folder):
    text = """
        tEnd 1 s
        hStart 0.5 s
        simulator 0 0 one #000000 "reporter.fmu"
        simulator 1 0 two #000000 "reporter.fmu"
        simulator 2 0 three #000000 "reporter.fmu"
        parameter three.ResultsRootDir {own}
    """
    own = folder / "elsewhere"
    own.mkdir()
    path = project(folder, text.format(own=own))
    drawing = formats.read(path, reference="2026-01-01T00:00:00")
    assert not (folder / "x").exists()  # opening makes nothing
    result = dv.simulate(drawing)
    for name in ("one", "two"):
        place = folder / "x" / "slaves" / name
        assert result.final[f"{name}.folder"] == str(place)
        assert (place / "steps.txt").read_text().split() == ["0.5", "0.5"]
    assert result.final["three.folder"] == str(own)
    assert (own / "steps.txt").exists()
    assert {result.final[f"{n}.date"] for n in ("one", "two", "three")} == {"2026-01-01T00:00:00"}


def test_a_date_of_one_part_is_the_date_of_all(folder):
    text = """
        tEnd 1 s
        hStart 0.5 s
        simulator 0 0 one #000000 "reporter.fmu"
        simulator 1 0 two #000000 "reporter.fmu"
        parameter one.ReferenceTimeStamp 2020-02-02T00:00:00
    """
    drawing = formats.read(project(folder, text))
    assert drawing.run_settings.calendar.reference == "2020-02-02T00:00:00"
    assert drawing.parts["two"].values["ReferenceTimeStamp"] == "2020-02-02T00:00:00"
    commented = "# Reference date: 2021-01-01\n" + text.replace("parameter", "# parameter")
    assert formats.read(project(folder, commented)).run_settings.calendar.reference == "2021-01-01"
    different = text + "parameter two.ReferenceTimeStamp 2020-02-03T00:00:00\n"
    with pytest.raises(dv.FileError, match="parts have different dates"):
        formats.read(project(folder, different))
    with pytest.raises(dv.FileError, match="a reference date is written as"):
        formats.read(project(folder, "# Reference date: tomorrow\n" + text))


def test_columns_of_a_table_have_the_types_of_the_inputs_they_feed(folder):
    (folder / "in.csv").write_text(
        "time [s],a [-],b,c,d [---]\n0,1,0,1.5,7\n1,3,1,2.5,8\n1,4,1,2.5,8\n2,5,0,4.5,9\n"
    )
    text = """
        tEnd 2.5 s
        hStart 0.5 s
        hOutputMin 0.5 s
        simulator 0 0 table #000000 "in.csv"
        simulator 1 0 part #000000 "types.fmu"
        graph table.a part.int32_in
        graph table.b part.boolean_in
        graph table.c part.float64_in 10 2
        graph table.d part.string_in
    """
    drawing = formats.read(project(folder, text))
    result = dv.simulate(drawing)
    assert result.final["part.int32_out"] == 5
    assert result.final["part.boolean_out"] is False
    assert result.final["part.float64_out"] == pytest.approx(10 + 2 * 4.5)
    assert result.final["part.string_out"] == "9"
    held = result.at([0.25, 0.75, 1.5], "table.a")
    assert held.tolist() == [1, 1, 4]  # the last row of equal times, held
    assert result.at([0.5, 1.5], "table.c") == pytest.approx([2.0, 3.5])


def test_units_do_not_convert_as_mastersim_has_none(folder, archive):
    """What a project scales by hand must not be scaled twice."""
    os.symlink(archive("body", 2), folder / "body.fmu")
    (folder / "push.csv").write_text("time [s],force [kN]\n0,1\n1,1\n")
    text = """
        tEnd 0.1 s
        hStart 0.1 s
        simulator 0 0 push #000000 "push.csv"
        simulator 1 0 body #000000 "body.fmu"
        graph push.force body.force 0 1000
    """
    drawing = formats.read(project(folder, text))
    assert drawing.connections[0].total == (1000, 0)
    drawing.save(folder / "y.msim")
    again = formats.read(folder / "y.msim")
    assert again.connections[0].total == (1000, 0)
    again.save(folder / "y.yaml")
    assert dv.open(folder / "y.yaml").connections[0].total == (1000, 0)


def test_internal_variables_are_recorded_when_the_project_says_so(folder):
    text = predation("GAUSS_SEIDEL", 1).replace("tEnd 100 s", "tEnd 1 s")
    drawing = formats.read(project(folder, text + "writeInternalVariables yes\n"))
    result = dv.simulate(drawing)
    assert {"prey.der(x)", "prey.u", "predator.u", "prey.x"} <= set(result.names)
    expected = (0.1 - 0.02 * result["prey.u"][-1]) * result["prey.x"][-1]
    assert result["prey.der(x)"][-1] == pytest.approx(expected, rel=1e-2)


def test_the_working_folder_is_that_of_mastersim(folder, capsys):
    from dovetail.cli.main import main

    text = predation("GAUSS_SEIDEL", 5).replace("tEnd 100 s", "tEnd 2 h\noutputTimeUnit min")
    text = text.replace("STEP_DOUBLING", "NONE").replace("hStart 0.01 s", "hStart 6 s")
    text = text.replace("hMax 10 s", "hMax 20 s").replace("tEnd 2 h", "tEnd 2 min")
    text = text.replace("relTol 0.001", "relTol 0.1").replace("hOutputMin 1 s", "hOutputMin 20 s")
    path = project(folder, text)
    work = folder / "work"
    assert main(["run", str(path), "--working-dir", str(work), "--json"]) == 3  # a coarse run
    told = json.loads(capsys.readouterr().out)
    values = (work / "results" / "values.csv").read_text().splitlines()
    assert values[0] == "Time [min] \tprey.x [-] \tpredator.x [-]"
    times = [float(line.split("\t")[0]) for line in values[1:]]
    assert times[0] == 0
    assert times[-1] == 2
    assert np.all(np.diff(times) > 0)
    summary = dict(
        line.split("=") for line in (work / "log" / "summary.txt").read_text().splitlines()
    )
    assert int(summary["MasterAlgorithmSteps"]) == told["windows"]
    assert int(summary["ConvergenceFails"]) == told["rejected_by_convergence"]
    assert {"WallClockTime", "ErrorTestFails", "Slave[1]Time", "Slave[2]Time"} <= set(summary)
    steps = (work / "log" / "stepstats.tsv").read_text().splitlines()
    assert steps[0].split("\t")[:3] == ["Time [s]", "Steps", "StepSize [s]"]
    assert len(steps) == 1 + told["windows"]
    assert sum(float(s.split("\t")[2]) for s in steps[1:]) == pytest.approx(120)


def test_times_in_messages_have_the_unit_and_the_date_of_the_project(folder, archive, capsys):
    from dovetail.cli.main import main

    os.symlink(archive("error", 2), folder / "error.fmu")
    text = """
        tEnd 3 h
        hStart 30 min
        outputTimeUnit h
        simulator 0 0 bad #000000 "error.fmu"
        parameter bad.at 5400
    """
    path = project(folder, text)
    assert main(["run", str(path), "--reference-date", "2026-03-01T12:00:00"]) == 1
    told = capsys.readouterr().err
    assert "at t = 1 h (2026-03-01 13:00:00)" in told or "t = 1.5 h (2026-03-01 13:30:00)" in told


@pytest.mark.parametrize("mode", ["GAUSS_JACOBI", "GAUSS_SEIDEL", "NEWTON"])
def test_what_is_written_is_what_was_read(folder, mode):
    drawing = formats.read(project(folder, predation(mode, 1)))
    drawing.save(folder / "y.msim")
    again = formats.read(folder / "y.msim")
    assert again.run_settings == drawing.run_settings
    assert again.fingerprint() == drawing.fingerprint()


def test_fmus_are_asked_for_their_inputs_once_whatever_the_number_of_tables(folder, monkeypatch):
    """Each of 3,000 tables asked for them anew, and went through all simulators to do so."""
    asked = []

    def counted(path, **options):
        asked.append(os.path.basename(path))
        return dv.load(path, **options)

    monkeypatch.setattr("dovetail.formats.msim_reading.Fmu", counted)
    (folder / "t.csv").write_text("time,n\n0,1\n1,2\n")
    tables = "\n".join(f'simulator 0 {k} t{k} #000000 "t.csv"' for k in range(20))
    drawn = dv.open(project(folder, f'{tables}\nsimulator 0 99 prey #000000 "prey.fmu"\n'))
    assert len(drawn.parts) == 21
    assert asked == ["prey.fmu", "prey.fmu"]  # as a part, and for the types of its inputs
