"""`check`, `describe`, `plot` and `compare` look at things without changing them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.calling import PREDATION, Command


def test_check_tells_what_a_system_can_be_run_with(dovetail: Command) -> None:
    answer = dovetail("check", "predation.yaml")
    assert answer.code == 0
    assert "System 'predation': fits together." in answer.out
    assert "cycle: prey, predator depend on each other" in answer.out
    assert "yes  any algorithm with FixedStep" in answer.out


def test_check_tells_every_problem(dovetail: Command, folder: Path) -> None:
    text = PREDATION.replace("prey.preys ->", "prey.prays ->").replace("-> prey.pred", "-> prey.p")
    (folder / "bad.yaml").write_text(text)
    answer = dovetail("check", "bad.yaml")
    assert answer.code == 2
    assert "bad.yaml:7: 'prey.prays' is not an output of 'prey'." in answer.err
    assert "bad.yaml:8: 'prey.pators' is not an input of 'prey'." in answer.err


def test_check_knows_what_the_file_wants(dovetail: Command, folder: Path) -> None:
    (folder / "held.py").write_text(
        "import dovetail as dv\n"
        "part = dv.Dynamic(states={'x': 0.0}, inputs={'u': 0.0}, outputs=['x'], input_order=0,\n"
        "    derivatives=lambda t, x, u, p: [u.u])\n"
        "system = dv.System('held')\n"
        "system.add('a', part)\n"
        "system.connect('a.x', 'a.u')\n"
        "run = {'stop': 1, 'algorithm': 'iterative'}\n"
    )
    answer = dovetail("check", "held.py")
    assert answer.code == 2
    assert "'a' cannot follow inputs that ramp over a window" in answer.out


def test_a_model_is_described(dovetail: Command) -> None:
    answer = dovetail("describe", "models.py:prey")
    assert answer.code == 0
    assert "models.py:prey: Dynamic" in answer.out
    assert "predators  real    = 1.0" in answer.out
    assert "yes  can roll back" in answer.out
    assert "Passed straight through: nothing." in answer.out


def test_a_table_is_described(dovetail: Command, folder: Path) -> None:
    (folder / "road.csv").write_text("time [s],height [mm]\n0,1\n1,2\n1,3\n")
    answer = dovetail("describe", "road.csv")
    assert "height  real  mm" in answer.out
    assert "It has events" in answer.out


def test_a_system_is_described(dovetail: Command) -> None:
    answer = dovetail("describe", "predation.yaml")
    assert "predation: 2 parts" in answer.out
    assert "prey.preys -> predator.preys" in answer.out
    assert "controller  fixed_step(0.1)" in answer.out


@pytest.mark.parametrize("what", ["models.py:pray", "gone.csv", "engine.fmu"])
def test_what_is_not_there_is_not_described(dovetail: Command, what: str) -> None:
    assert dovetail("describe", what).code == 2


def test_a_result_is_drawn_beside_itself(dovetail: Command, folder: Path) -> None:
    dovetail("run", "predation.yaml", "-o", "run.csv")
    answer = dovetail("plot", "run.csv", "prey.*")
    assert (answer.code, answer.out) == (0, "run.png\n")
    assert (folder / "run.png").read_bytes().startswith(b"\x89PNG")
    answer = dovetail("plot", "run.csv", "-o", "page.html")
    assert answer.out == "page.html\n"
    assert "predator.predators" in (folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gone.csv"], "gone.csv: there is no such file"),
        (["run.csv", "pray.*"], "'pray.*' was not recorded."),
        (["run.csv", "-o", "run.doc"], "run.doc: is no picture by its name"),
    ],
)
def test_what_cannot_be_drawn_is_told(dovetail: Command, words: list[str], sentence: str) -> None:
    dovetail("run", "predation.yaml", "-o", "run.csv")
    answer = dovetail("plot", *words)
    assert answer.code == 2
    assert sentence in answer.err


def test_results_are_drawn_over_each_other(dovetail: Command, folder: Path) -> None:
    dovetail("run", "predation.yaml", "-o", "a.csv")
    dovetail("run", "predation.yaml", "-o", "b.csv", "--step", "0.05")
    answer = dovetail("plot", "a.csv", "b.csv", "prey.*", "-o", "both.html")
    assert (answer.code, answer.out) == (0, "both.html\n")
    assert '"prey.preys, a"' in (folder / "both.html").read_text()
    answer = dovetail("plot", "a.csv", "b.csv", "--x", "prey.preys", "--size", "6x5")
    assert (answer.code, answer.out) == (0, "overlay.png\n")
    assert (folder / "overlay.png").read_bytes()[16:24] == bytes([0, 0, 3, 192, 0, 0, 3, 32])
    answer = dovetail("plot", "a.csv", "c.csv")
    assert answer.code == 2 and "c.csv: there is no such file" in answer.err


@pytest.mark.parametrize("size", ["10", "axb", "10x", "1200x800"])
def test_sizes_that_are_none_are_told(dovetail: Command, size: str) -> None:
    dovetail("run", "predation.yaml", "-o", "run.csv")
    answer = dovetail("plot", "run.csv", "--size", size)
    assert answer.code == 2 and "inches" in answer.err


@pytest.mark.parametrize("words", [["--live"], ["--live", "prey.*"], ["--live=prey.*", "-q"]])
def test_a_run_is_watched(dovetail: Command, words: list[str]) -> None:
    more = "--algorithm", "jacobi(20)", "--live-on", "terminal"
    answer = dovetail("run", "predation.yaml", *words, *more)
    assert answer.code == 0
    assert "prey.preys" in answer.err and "100%" in answer.err


def test_live_may_stand_before_the_file(dovetail: Command) -> None:
    words = "run", "--live", "predation.yaml", "--live-on", "terminal", "--algorithm", "jacobi(20)"
    assert dovetail(*words).code == 0
    answer = dovetail("run", "predation.yaml", "--live", "pray.*")
    assert answer.code == 2 and "live='pray.*' means no recorded variable" in answer.err
    answer = dovetail("run", "predation.yaml", "--live-on", "window")
    assert answer.code == 2 and "give --live as well" in answer.err


def test_results_are_compared(dovetail: Command) -> None:
    dovetail("run", "predation.yaml", "-o", "a.parquet")
    dovetail("run", "predation.yaml", "-o", "b.parquet", "--step", "0.05")
    assert dovetail("compare", "a.parquet", "a.parquet").code == 0
    apart = dovetail("compare", "a.parquet", "b.parquet")
    assert apart.code == 1
    assert "Beyond tolerance" in apart.out
    assert "predator.predators" in apart.out
    assert dovetail("compare", "a.parquet", "b.parquet", "--rtol", "0.5").code == 0
    gone = dovetail("compare", "a.parquet", "gone.parquet")
    assert gone.code == 2
    assert "gone.parquet: there is no such file" in gone.err
