"""What newcomers write: one sentence each, with what, where, and the way out; never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.calling import Command

FILES = {
    "null.yaml": "dovetail: 1\nparts:\n",
    "list.yaml": "dovetail: 1\nparts:\n  - prey: models.py:prey\n",
    "mapping.yaml": "dovetail: 1\nparts: {prey: models.py:prey}\nconnections: {a: b}\n",
    "conect.yaml": "dovetail: 1\nparts: {prey: models.py:prey}\nconect: [prey.preys -> prey.x]\n",
    "wrong_way.yaml": "dovetail: 1\nparts: {a: models.py:prey, b: models.py:prey}\n"
    "connections: [a.preys -> b.preys]\n",
    "case.yaml": "dovetail: 1\nparts: {prey: models.py:prey}\n"
    "connections: [Prey.preys -> prey.Predators]\n",
    "hands.yaml": "dovetail: 1\nparts: {a: engine.fmu}\n",
    "text.fmu": "this is no archive",
    "empty.yaml": "",
    "raises.py": "import dovetail as dv\nx = 1 / 0\n",
    "nothing.py": "import dovetail as dv\n",
    "open.py": "import dovetail as dv\nsystem = dv.System('x'\n",
    "other.csv": "time,zz\n0,1\n1,2\n",
    "run.csv": "time,prey.preys\n0,1\n1,2\n",
}
CASES = [
    ("run predaton.yaml", "predaton.yaml: there is no such file. Did you mean 'predation.yaml'?"),
    ("run predation.yml", "predation.yml: there is no such file. Did you mean 'predation.yaml'?"),
    ("run predation", "predation: there is no such file. Did you mean 'predation.yaml'?"),
    ("run .", ".: is a folder; name a file in it"),
    ("run notes.doc", "notes.doc: '.doc' is not a kind of system; a system is a .yaml, .yml, "),
    ("run notes.txt", "notes.txt: this is a table, not a system; load it with dv.load(...)"),
    ("run empty.yaml", "empty.yaml: the file is empty; a drawing begins with 'dovetail: 1'"),
    ("run null.yaml", "null.yaml:2: 'parts' is empty; it must be a mapping such as {name: value}."),
    ("run list.yaml", "; write it without the dashes and brackets of a list."),
    ("run mapping.yaml", "'connections' must be a list, not {'a': 'b'}; begin each of its lines"),
    ("run conect.yaml", "conect.yaml:3: 'conect' means nothing. Did you mean 'connections'?"),
    ("run wrong_way.yaml", "is not an input of 'b'. It is an output; connect outputs to inputs."),
    ("run case.yaml", "there is no part 'Prey'. Did you mean 'prey'?"),
    ("run case.yaml", "'prey.Predators' is not an input of 'prey'. Did you mean 'prey.predators'?"),
    ("run hands.yaml", "engine.fmu: there is no such file"),
    ("run text.fmu", "this is not a zip archive, as FMUs and SSPs are; check the file name"),
    ("run raises.py", "raises.py:2: executing it failed: ZeroDivisionError: division by zero"),
    ("run nothing.py", "nothing.py: there is no 'system' in it; write system = dv.System(...)"),
    ("run open.py", "open.py:2: this is not Python: '(' was never closed"),
    ("run models.py", "there is no 'system' in it; write system = dv.System(...), or describe a"),
    ("run predation.yaml --algorithm runge_kutta", "there is no algorithm 'runge_kutta'. Known: "),
    ("run predation.yaml --integrator rk54", "'rk54' is not a solver. There are auto, rk45, radau"),
    ("run predation.yaml --integrator rk54", "Did you mean 'rk45'?"),
    ("run predation.yaml --step -0.1", "the window size must be above zero, not -0.1"),
    ("run predation.yaml --record preys", "Did you mean 'prey.preys'?"),
    ("run predation.yaml -o gone/run.csv", "there is no folder 'gone'; create it first"),
    ("run predation.yaml -o run", "run: has no suffix; use one of .parquet, .arrow, .csv"),
    ("run predation.yaml --unsupported no", "unsupported must be 'error' or 'warn', not 'no'"),
    ("run predation.yaml --reference-date now", "a reference date is for a MasterSim project"),
    ("run predation.yaml --resume run.csv", "run.csv: it is not a checkpoint of Dovetail"),
    ("plot run.csv prays", "'prays' was not recorded. There are 'prey.preys'."),
    ("plot run.csv Prey.*", "'Prey.*' was not recorded. Did you mean 'prey.preys'?"),
    ("plot predation.yaml", "this is not a result; make one with 'dovetail run predation.yaml --"),
    ("plot run.csv -o picture", "picture: is no picture by its name; use one of .png"),
    ("compare run.csv run.csv --rtol -1", "--rtol must be at least zero, not -1"),
    ("compare run.csv", "Missing argument 'B'. Try 'dovetail compare --help'."),
    (
        "validate predation.yaml",
        "predation.yaml: is not an FMU by its name (.fmu); look at systems",
    ),
    ("validate text.fmu", "text.fmu: this is not a zip archive"),
    ("analyze predation.yaml", "predation.yaml: this is a system, not a model"),
    ("describe models.py:Prey", "models.py: there is no 'Prey' in it. Did you mean 'prey'?"),
    ("--helpp", "There is no option '--helpp'. Did you mean '--help'?"),
]


@pytest.mark.parametrize(("words", "sentence"), CASES, ids=lambda text: text[:40])
def test_what_a_newcomer_writes_is_answered_in_a_sentence(
    dovetail: Command, folder: Path, words: str, sentence: str
) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text)
    answer = dovetail(*words.split())
    assert answer.code == 2
    assert answer.out == ""
    assert sentence in answer.err
    assert answer.err.startswith("dovetail: ")
    assert "Traceback" not in answer.err and "bug in Dovetail" not in answer.err


def test_results_with_nothing_in_common_are_apart(dovetail: Command, folder: Path) -> None:
    for name in ("run.csv", "other.csv"):
        (folder / name).write_text(FILES[name])
    answer = dovetail("compare", "run.csv", "other.csv")
    assert answer.code == 1
    assert answer.out.splitlines() == [
        "The two have no variable in common.",
        "Only in the first: prey.preys.",
        "Only in the second: zz.",
    ]


def test_windows_longer_than_the_run_are_noted(dovetail: Command) -> None:
    answer = dovetail("run", "predation.yaml", "--step", "5")
    assert answer.code == 0
    assert answer.err == (
        "dovetail: note: the windows, 5 s, are longer than the run, 1 s: it has only one\n"
    )


@pytest.mark.parametrize(
    "name", ["gauss-seidel", "gauss_seidel", "GaussSeidel", "dv.GaussSeidel()"]
)
def test_an_algorithm_is_known_however_its_name_is_written(dovetail: Command, name: str) -> None:
    found = dovetail("run", "predation.yaml", "--json", "--algorithm", name).json
    assert found["algorithm"].startswith("GaussSeidel(")


def test_without_a_word_the_help_is_shown(dovetail: Command) -> None:
    answer = dovetail()
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("Usage: dovetail ")


def test_a_project_with_its_own_rows_is_described(dovetail: Command, folder: Path) -> None:
    (folder / "road.tsv").write_text("time [s]\tx [m]\n0\t0\n1\t1\n")
    (folder / "x.msim").write_text(
        "# Reference date: 2026-01-01\ntEnd 2 h\nhStart 0.1 s\nhOutputMin 0.5 s\n"
        'outputTimeUnit h\nsimulator 0 0 road #000000 "road.tsv"\n'
    )
    answer = dovetail("describe", "x.msim")
    assert (answer.code, answer.err) == (0, "")
    for line in (
        "x: 1 part",
        "  road  Table, 0 inputs, 1 output",
        "  stop        7200 s",
        "  controller  fixed_step(0.1)",
        "  rows        every 0.5 s or the window behind that",
        "  times       shown in h, and zero is 2026-01-01",
    ):
        assert line in answer.out.splitlines()


def test_what_has_no_name_in_files_is_described_as_python_shows_it(
    dovetail: Command, folder: Path
) -> None:
    (folder / "own.py").write_text(
        "import dovetail as dv\n"
        "system = dv.System('own')\n"
        "system.add('a', dv.Source(outputs=['y'], function=lambda t, p: [t]))\n"
        "run = {'stop': 1, 'estimators': {'a': 'direct'}, 'record': ['a.*', 'b.*']}\n"
    )
    answer = dovetail("describe", "own.py")
    assert "  estimators  direct for 'a'" in answer.out.splitlines()
    assert "  recorded    a.*, b.*" in answer.out.splitlines()
