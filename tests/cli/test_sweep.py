"""`dovetail sweep`: what a person types, and what comes back."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from cli.calling import COARSE, Command
from fmus import build

import dovetail as dv


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "runs" / "runs.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_grid_is_run_and_kept(dovetail: Command, folder: Path) -> None:
    words = ("--set", "prey.alpha=0.6,0.7", "--set", "step=0.1,0.2", "--stop", "1")
    answer = dovetail("sweep", "predation.yaml", *words, "-o", "runs", "--jobs", "2")
    assert answer.code == COARSE, answer.err
    assert "doubtful: look at study.doubtful" in answer.out
    assert "4 runs (2 prey.alpha x 2 step), 4 done" in answer.out and "runs/runs.csv" in answer.out
    table = rows(folder)
    assert [row["prey.alpha"] for row in table] == ["0.6", "0.6", "0.7", "0.7"]
    assert [row["windows"] for row in table] == ["10", "5", "10", "5"]
    study = dv.studies.open(folder / "runs")
    assert float(table[3]["final prey.preys"]) == study["prey.preys"][1, 1, -1]
    again = dovetail("sweep", "predation.yaml", *words, "-o", "runs", "--quiet")
    assert (again.code, again.out) == (COARSE, "")


def test_points_of_a_file_are_varied_together(dovetail: Command, folder: Path) -> None:
    (folder / "points.csv").write_text("prey.alpha,prey.beta\n0.6,1.2\n0.7,1.3\n")
    words = ("sweep", "predation.yaml", "--points", "points.csv", "--set", "step=0.1,0.2")
    answer = dovetail(*words, "--stop", "1", "-o", "runs", "--jobs", "0")
    assert answer.code == COARSE, answer.err
    values = [(row["prey.alpha"], row["prey.beta"], row["step"]) for row in rows(folder)]
    assert values[:2] == [("0.6", "1.2", "0.1"), ("0.6", "1.2", "0.2")]
    assert values[2:] == [("0.7", "1.3", "0.1"), ("0.7", "1.3", "0.2")]


def test_parts_are_varied_over_fmus(dovetail: Command, folder: Path) -> None:
    paths = [build.build("linear", version, folder).name for version in (2, 3)]
    (folder / "one.yaml").write_text(f"dovetail: 1\nparts:\n  a: {paths[0]}\n")
    words = ("sweep", "one.yaml", "--set", f"a={','.join(paths)}", "--stop", "1", "--step", "0.1")
    answer = dovetail(*words, "-o", "runs", "--jobs", "0", "--json")
    assert answer.json["status"] == {"done": 2}, answer.err
    assert len({row["final a.y"] for row in rows(folder)}) == 1


def test_ranges_are_drawn(dovetail: Command, folder: Path) -> None:
    given = ("--set", "prey.alpha=0.5:0.7", "--set", "prey.beta=normal(1.3, 0.1)")
    words = ("sweep", "predation.yaml", *given, "--samples", "5", "--stop", "1", "-o", "runs")
    answer = dovetail(*words, "--json", "--jobs", "1")
    assert answer.code == COARSE, answer.err
    assert answer.json["runs"] == 5 and answer.json["status"] == {"done": 5}
    drawn = [float(row["prey.alpha"]) for row in rows(folder)]
    assert all(0.5 < alpha < 0.7 for alpha in drawn) and len(set(drawn)) == 5


def test_runs_that_fail_are_told_by_the_exit_code(dovetail: Command, folder: Path) -> None:
    words = ("sweep", "predation.yaml", "--stop", "1", "-o", "runs", "--jobs", "1")
    some = dovetail(
        *words, "--set", "algorithm=jacobi,newton(max_iterations=1)", "--set", "step=0.1"
    )
    assert some.code == 3, some.out
    assert "1 done, 1 failed" in some.out and "run 1 (algorithm=newton" in some.out
    none = dovetail(*words, "--set", "algorithm=newton(max_iterations=1)", "--set", "step=0.1")
    assert none.code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "prey.alpha"), "write part.name=values, such as car.m=900,1200"),
        (("--set", "prey.alpha=0.5,,0.6"), "a value is missing between two commas"),
        (("--set", "prey.alpha=0.7:0.5"), "must rise: 0.7 is not below 0.5"),
        (("--set", "prey.alpha=1", "--set", "prey.alpha=2"), "'prey.alpha' is varied already"),
        (("--set", "prey.alpha=0.5:0.7"), "say how often, samples=100"),
        (("--set", "prey.alpha=normal(1)"), "normal takes two numbers, as in normal(300,10)"),
        (("--set", "prey=0.5"), "'prey' is a part: its values are FMUs, as in prey=a.fmu,b.fmu"),
        (("--set", "prey=no.fmu"), "no.fmu"),
        (("--points", "no.csv"), "no.csv"),
        ((), "say what is varied: --set car.m=900,1200, or --points with a CSV file"),
        (("--set", "prey.alhpa=1"), "Did you mean 'alpha'"),
        (("--set", "prey.alpha=1", "--method", "latn"), "method is 'latin', 'sobol' or 'random'"),
    ],
)
def test_what_cannot_be_varied_is_refused(
    words: tuple[str, ...], said: str, dovetail: Command, folder: Path
) -> None:
    answer = dovetail("sweep", "predation.yaml", *words, "--stop", "1", "-o", "runs")
    assert (answer.code, answer.out) == (2, "") and said in answer.err


def test_without_a_stop_time_one_is_asked_for(dovetail: Command, folder: Path) -> None:
    (folder / "open.yaml").write_text("{dovetail: 1, parts: {shaft: models.py:shaft}}")
    answer = dovetail("sweep", "open.yaml", "--set", "step=0.1", "-o", "runs")
    assert answer.code == 2 and "--stop" in answer.err
