"""`dovetail run` does what it is told, and says how it went."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cli.calling import COARSE, PREDATION, Command

import dovetail as dv

FIELDS = [
    "system",
    "start",
    "stop",
    "algorithm",
    "controller",
    "windows",
    "native_windows",
    "evaluations",
    "iterations",
    "iteration_limit_reached",
    "rejected_by_convergence",
    "rejected_by_error",
    "wall_seconds",
    "final",
    "output",
    "verdict",
]


def test_a_summary_is_printed(dovetail: Command) -> None:
    answer = dovetail("run", "predation.yaml", "--algorithm", "jacobi(20)")
    assert answer.code == 0
    for word in (
        "predation: 0 s to 1 s",
        "algorithm   jacobi(max_iterations=20, rtol=1e-05, atol=1e-06)",
        "controller  fixed_step(0.1)",
        "prey.preys",
        "10 windows, 96 evaluations, 50 iterations",
        "How far to believe it",
    ):
        assert word in answer.out
    assert answer.err == ""


def test_json_is_one_object_with_every_field(dovetail: Command, folder: Path) -> None:
    answer = dovetail("run", "predation.yaml", "--json", "--output", "run.parquet")
    assert answer.code == COARSE
    assert list(answer.json) == FIELDS
    result = dv.read("run.parquet")
    assert answer.json["final"] == result.final
    assert answer.json["output"] == "run.parquet"
    assert answer.json["windows"] == 10
    assert answer.json["verdict"]["finished"] is True


def test_json_stands_alone_whatever_a_model_prints(process: Command, folder: Path) -> None:
    (folder / "talk.yaml").write_text(
        "{dovetail: 1, parts: {talker: models.py:talker}, run: {stop: 1, step: 0.5}}"
    )
    answer = process("run", "talk.yaml", "--json")
    assert answer.json["final"] == {"talker.y": 1.0}
    assert "blah" in answer.err
    assert "no algorithm given" in answer.err


def test_the_command_line_goes_before_the_file(dovetail: Command) -> None:
    words = ["--stop", "0.5", "--step", "0.05", "--algorithm", "gauss_seidel(max_iterations=20)"]
    more = ["--rtol", "1e-9", "--atol", "1e-9", "--record", "prey.preys", "--record", "pred*"]
    found = dovetail("run", "predation.yaml", "--json", *words, *more).json
    assert found["stop"] == 0.5
    assert found["windows"] == 10
    algorithm = dv.GaussSeidel(max_iterations=20, rtol=1e-9, atol=1e-9)
    assert found["algorithm"] == repr(algorithm)
    assert list(found["final"]) == ["prey.preys", "predator.predators", "predator.preys"]


@pytest.mark.parametrize(
    ("option", "algorithm"),
    [
        ("gauss_seidel(20, solver=aitken)", dv.GaussSeidel(20, solver=dv.rootfinders.Aitken())),
        ("jacobi(solver=iqn_ils)", dv.Jacobi(solver=dv.rootfinders.IqnIls())),
        (
            "{gauss_seidel: {inputs: ramp, solver: {iqn_ils: {reused_windows: 2}}}}",
            dv.GaussSeidel(inputs="ramp", solver=dv.rootfinders.IqnIls(2)),
        ),
    ],
)
def test_solvers_are_named_as_in_files(dovetail: Command, option: str, algorithm: object) -> None:
    found = dovetail("run", "predation.yaml", "--json", "--algorithm", option).json
    assert found["algorithm"] == repr(replace(algorithm, rtol=1e-5, atol=1e-6))
    assert found["iterations"] > found["windows"]


@pytest.mark.parametrize(
    ("option", "controller"),
    [
        ("fixed_step(0.25)", "FixedStep(size=0.25, min_size=None)"),
        ("fixed_step: 0.25", "FixedStep(size=0.25, min_size=None)"),
        ("step_doubling(rtol=1e-3, max_size=0.5)", "StepDoubling(rtol=0.001,"),
    ],
)
def test_controllers_are_named_as_in_files(dovetail: Command, option: str, controller: str) -> None:
    found = dovetail("run", "predation.yaml", "--json", "--controller", option).json
    assert found["controller"].startswith(controller)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "mat"])
def test_results_go_to_a_file(dovetail: Command, suffix: str) -> None:
    answer = dovetail("run", "predation.yaml", "-o", f"run.{suffix}")
    assert f"Written: run.{suffix} (11 rows, 4 variables)" in answer.out
    assert len(dv.read(f"run.{suffix}")) == 11


def test_quiet_is_quiet(dovetail: Command, folder: Path) -> None:
    (folder / "bare.yaml").write_text(PREDATION.partition("run:")[0])
    loud = dovetail("run", "bare.yaml", "--stop", "1")
    assert "nothing given" in loud.err
    answer = dovetail("run", "bare.yaml", "--stop", "1", "--quiet")
    assert (answer.code, answer.out, answer.err) == (0, "", "")


@pytest.mark.parametrize("more", [["--quiet"], ["-q"], ["--json"], ["-q", "--json"], []])
def test_a_doubtful_run_says_so_and_has_a_code_of_its_own(
    dovetail: Command, more: list[str]
) -> None:
    answer = dovetail("run", "predation.yaml", *more)
    assert answer.code == 3
    assert answer.err.startswith("dovetail: the result is doubtful: ")
    assert "windows are too long" in answer.err + answer.out
    if "--json" in more:
        assert answer.json["verdict"]["doubtful"] is True
        assert "error" not in answer.json
    elif more:
        assert answer.out == ""


def test_only_the_start_values(dovetail: Command, folder: Path) -> None:
    answer = dovetail("run", "predation.yaml", "--test-init", "-o", "run.parquet")
    assert answer.code == 0
    assert "predation: start values at 0 s" in answer.out
    assert "predator.preys      1" in answer.out
    assert not (folder / "run.parquet").exists()
    found = dovetail("run", "predation.yaml", "--test-init", "--json").json
    assert found["windows"] == 0
    assert found["final"]["prey.preys"] == 1.0


def test_a_python_file_runs_as_well(dovetail: Command, folder: Path) -> None:
    (folder / "made.py").write_text(
        "import dovetail as dv\n"
        "system = dv.System('made')\n"
        "system.add('a', dv.Source(outputs=['y'], function=lambda t, p: [t]))\n"
        "run = {'stop': 2, 'step': 0.5, 'algorithm': dv.Jacobi()}\n"
    )
    assert dovetail("run", "made.py", "--json").json["final"] == {"a.y": 2.0}


def test_a_run_goes_on_from_a_checkpoint(dovetail: Command) -> None:
    first = ["--checkpoint", "half.checkpoint", "--checkpoint-every", "0", "--stop", "0.5"]
    assert dovetail("run", "predation.yaml", "-o", "run.parquet", *first).code == COARSE
    resumed = dovetail("run", "predation.yaml", "-o", "run.parquet", "--resume", "half.checkpoint")
    assert resumed.code == COARSE
    assert dovetail("run", "predation.yaml", "-o", "whole.parquet").code == COARSE
    assert dovetail("compare", "run.parquet", "whole.parquet", "--rtol", "0").code == 0


def test_values_that_are_no_json_become_null(
    dovetail: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dovetail.cli.outcome import fields

    result = dv.Result.of([0.0], {"a": [float("inf")], "b": [b"xy"]})
    found = json.loads(json.dumps(fields(result), allow_nan=False))
    assert found["final"] == {"a": None, "b": "eHk="}


# how it goes wrong --------------------------------------------------------------------------------


def test_a_run_that_fails_keeps_what_it_has(dovetail: Command) -> None:
    answer = dovetail("run", "shaft.yaml", "-o", "run.parquet")
    assert answer.code == 1
    assert "part 'shaft' failed" in answer.err
    assert "the shaft broke (models.py, line 22)" in answer.err
    assert "Traceback" not in answer.err
    assert "Written: run.parquet" in answer.out
    result = dv.read("run.parquet")
    assert not result.finished
    assert result.time[-1] == pytest.approx(0.5)


def test_a_run_that_fails_answers_in_json(dovetail: Command) -> None:
    answer = dovetail("run", "shaft.yaml", "--json", "--quiet")
    assert answer.code == 1
    assert list(answer.json) == [*FIELDS, "error"]
    assert "the shaft broke" in answer.json["error"]
    assert answer.json["final"]["shaft.x"] == pytest.approx(0.5)
    assert answer.json["verdict"]["finished"] is False


def test_no_start_values_is_a_failed_run(dovetail: Command, folder: Path) -> None:
    (folder / "never.py").write_text(
        "import dovetail as dv\n"
        "system = dv.System('never')\n"
        "one = dv.Algebraic(inputs=['a'], outputs=['b'], function=lambda t, u, p: [u.a])\n"
        "more = dv.Algebraic(inputs=['a'], outputs=['b'], function=lambda t, u, p: [u.a**2 + 1])\n"
        "system.add('one', one)\n"
        "system.add('more', more)\n"
        "system.connect('one.b', 'more.a')\n"
        "system.connect('more.b', 'one.a')\n"
        "run = {'stop': 1}\n"
    )
    answer = dovetail("run", "never.py", "--json")
    assert answer.code == 1
    assert "no consistent start values" in answer.json["error"]
    assert answer.json["windows"] is None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gone.yaml"], "gone.yaml: there is no such file"),
        (
            ["predation.yaml", "--algorithm", "jacoby"],
            "--algorithm: there is no algorithm",
        ),
        (["predation.yaml", "--controller", "jacobi"], "--controller: there is no controller"),
        (
            ["predation.yaml", "--controller", "fixed_step"],
            "--controller: 'fixed_step' needs 'size', a number such as 0.01",
        ),
        (["predation.yaml", "--step", "0"], "the window size must be above zero"),
        (["predation.yaml", "--step", "1", "--controller", "x"], "give --step or --controller"),
        (["predation.yaml", "--rtol", "-1"], "--rtol must be above zero, not -1"),
        (["predation.yaml", "--stop", "-1"], "the stop time, -1 s, must lie behind the"),
        (["predation.yaml", "--stop", "0"], "the stop time, 0 s, must lie behind the start, 0 s"),
        (["predation.yaml", "--stop", "soon"], "Invalid value for '--stop'"),
        (["predation.yaml", "--sotp", "1"], "There is no option '--sotp'. Did you mean '--stop'?"),
        (["predation.yaml", "--setp", "1"], "There is no option '--setp'. Did you mean '--step'?"),
        (["predation.yaml", "--stpe", "1"], "There is no option '--stpe'. Did you mean '--step'?"),
        (["predation.yaml", "-stop", "1"], "words have two dashes, as in '--stop'"),
        (["predation.yaml", "--version"], "belongs before the command: 'dovetail --version'"),
        (["predation.yaml", "--record", "pray.*"], "record='pray.*' means no output"),
        (["predation.yaml", "-o", "run.txt"], "'.txt' is no format for results"),
        (["predation.yaml", "-o", "gone/run.csv"], "there is no folder 'gone'"),
        (["predation.yaml", "--resume", "gone"], "gone: there is no such file"),
        (["bare.yaml"], "no stop time: give --stop, or write 'run: {stop: ...}' in bare.yaml"),
        ([], "Missing argument 'SYSTEM'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_input_is_told_and_nothing_is_run(
    dovetail: Command, folder: Path, words: list[str], sentence: str
) -> None:
    (folder / "bare.yaml").write_text(PREDATION.partition("run:")[0])
    before = sorted(folder.iterdir())
    answer = dovetail("run", *words)
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith("dovetail: ")
    assert sentence in answer.err
    assert sorted(folder.iterdir()) == before
    in_json = dovetail("run", *words, "--json")
    assert in_json.code == 2
    assert sentence in in_json.json["error"]


def test_rows_are_kept_along_a_grid_or_within_a_bound(dovetail: Command, tmp_path: Path) -> None:
    """--every, --interpolate and --thin, alone and together."""
    common = ("run", "predation.yaml", "--stop", "2", "--step", "0.01", "--quiet", "--output")
    assert dovetail(*common, "all.csv").code == 0
    assert dovetail(*common, "some.csv", "--every", "0.5").code == 0
    assert dovetail(*common, "lines.csv", "--every", "0.3", "--interpolate").code == 0
    assert dovetail(*common, "thin.parquet", "--thin", "1e-2").code == 0
    rows = [len(dv.read(n)) for n in ("all.csv", "some.csv", "lines.csv", "thin.parquet")]
    assert rows[:3] == [201, 5, 8]
    assert rows[3] < 100
    assert dv.read("thin.parquet").facts["thinned"]["rtol"] == 1e-2
    wrong = dovetail(*common, "x.csv", "--interpolate")
    assert wrong.code == 2
    assert "--interpolate needs lines to interpolate to: give --every" in wrong.err


def test_check_tells_why_a_combination_does_not_go(dovetail: Command) -> None:
    """Every algorithm with every controller: yes, or no and why."""
    told = dovetail("check", "predation.yaml").out
    assert "  yes  Jacobi or GaussSeidel with InputDefect" in told
    assert "  yes  any iterated algorithm with Adaptive" in told
    assert "with Adaptive: dv.Adaptive goes by the convergence of an iteration" in told
    assert "with Energy: dv.Energy found no bonds" in told
