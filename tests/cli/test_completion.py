"""The tab key: what each shell is offered, quickly, and without running anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from dovetail.cli.completion import completers
from dovetail.cli.completion.protocol import answer
from dovetail.cli.completion.result_names import names_in
from dovetail.cli.completion.shells import SHELLS
from dovetail.cli.completion.system_names import parts_of
from dovetail.cli.main import app, main

BREAKS = " \t\n\"'><=;|&(:"  # those of bash
HEAVY = ("numpy", "pyarrow", "pydantic", "lxml", "rustworkx", "rich")


def asked(line: str, shell: str = "fish") -> list[str]:
    """The words that a shell is offered behind this line."""
    variables = {"_DOVETAIL_COMPLETE": shell, "_DOVETAIL_LINE": line, "_DOVETAIL_BREAKS": BREAKS}
    return [word.partition("\t")[0] for word in answer(app, variables).splitlines()]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("dovetail pl", ["plot"]),
        ("dovetail run --st", ["--stop", "--start", "--step"]),
        ("dovetail run --stop 1 --st", ["--start", "--step"]),
        ("dovetail run --record a --record", ["--record"]),
        ("dovetail run predation.yaml --set prey.al", ["prey.alpha="]),
        ("dovetail --install-completion ", ["bash", "zsh", "fish"]),
        ("dovetail run pre", ["predation.yaml"]),
        ("dovetail check ./pre", ["./predation.yaml"]),
        ("dovetail run predation.yaml --record ", ["prey.", "predator."]),
        ("dovetail run predation.yaml --record prey.", ["prey.preys", "prey.predators", "prey.*"]),
        ("dovetail run predation.yaml --record=prey.prey", ["--record=prey.preys"]),
        ("dovetail run predation.yaml --record 'predator.pred", ["predator.predators"]),
        ("dovetail run predation.yaml --algorithm ja", ["jacobi"]),
        ("dovetail run predation.yaml --controller f", ["fixed_step(0.01)"]),
        ("dovetail run predation.yaml --integrator rad", ["radau"]),
        ("dovetail run predation.yaml --stop ", []),
        ("dovetail describe models.py:pre", ["models.py:prey", "models.py:predator"]),
        ("dovetail plot run.c", ["run.csv"]),
        ("dovetail plot run.csv ", ["prey.", "predator."]),
        ("dovetail plot run.csv prey.preys predator.", ["predator.predators", "predator.*"]),
        ("dovetail compare run.csv r", ["run.csv"]),
        ("dovetail run gone.yaml --record ", []),
        ("dovetail run models.py --record ", []),
        ("dovetail frobnicate ", []),
        ("dovetail run 'predation.yaml", ["predation.yaml"]),
    ],
)
def test_what_fits_is_offered(folder: Path, line: str, words: list[str]) -> None:
    (folder / "run.csv").write_text("time [s],prey.preys [1],predator.predators\n0,1,2\n")
    assert asked(line) == words


def test_only_files_that_fit_are_offered(folder: Path) -> None:
    for name in ("notes.txt", "run.parquet", "car.fmu", ".hidden.yaml", "picture.png"):
        (folder / name).touch()
    (folder / "deeper").mkdir()
    (folder / "deeper" / "two words.ssp").touch()
    systems = ["car.fmu", "deeper/", "models.py", "predation.yaml", "shaft.yaml"]
    assert asked("dovetail run ") == systems
    assert asked("dovetail plot ") == ["deeper/", "run.parquet"]
    assert asked("dovetail validate ") == ["car.fmu", "deeper/"]
    assert asked("dovetail run deeper/") == ["deeper/two words.ssp"]
    assert asked("dovetail run deeper/", "bash") == [r"deeper/two\ words.ssp"]
    assert asked("dovetail demo --folder ") == ["deeper/"]


def test_names_to_be_set_are_known(folder: Path) -> None:
    import typer

    context = typer.Context(typer.main.get_command(app))
    context.params["system"] = "predation.yaml"
    found = completers.settable(context, "prey.")
    assert found == ["prey.alpha=", "prey.beta=", "prey.x=", "prey.predators="]
    assert completers.settable(context, "prey.alpha=3") == []


def test_bash_gets_what_is_behind_its_word_breaks(folder: Path) -> None:
    assert asked("dovetail describe models.py:pred", "bash") == ["predator"]
    assert asked("dovetail run predation.yaml --record=predator.", "bash") == [
        "predator.predators",
        "predator.preys",
        r"predator.\*",
    ]
    assert "prey.*" in asked("dovetail run predation.yaml --record 'prey.", "bash")


SSD = """<?xml version="1.0"?>
<s:SystemStructureDescription xmlns:s="http://ssp-standard.org/SSP1/SystemStructureDescription"
 version="1.0" name="car"><s:System name="car"><s:Elements><s:Component name="body"
 source="resources/body.fmu"><s:Connectors><s:Connector name="F" kind="input"/><s:Connector
 name="x" kind="output"/></s:Connectors></s:Component></s:Elements></s:System>
</s:SystemStructureDescription>"""
FMU = """<fmiModelDescription fmiVersion="2.0"><ModelVariables>
<ScalarVariable name="u" causality="input"/><ScalarVariable name="y" causality="output"/>
<ScalarVariable name="k" causality="parameter"/><ScalarVariable name="z"/>
</ModelVariables></fmiModelDescription>"""


def test_every_kind_of_system_is_looked_into(folder: Path) -> None:
    with zipfile.ZipFile(folder / "car.ssp", "w") as archive:
        archive.writestr("SystemStructure.ssd", SSD)
    with zipfile.ZipFile(folder / "eng.v2.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", FMU)
    (folder / "road.tsv").write_text("time [s]\theight [mm]\n0\t1\n")
    (folder / "x.msim").write_text(
        'tEnd 1 s\nsimulator 0 0 road #000000 "road.tsv"\nsimulator 0 0 eng #000000 "eng.v2.fmu"\n'
    )
    (folder / "made.py").write_text(
        "import dovetail as dv\n"
        "gain = dv.Algebraic(inputs=['a'], outputs=['b'], function=lambda t, u, p: [u.a])\n"
        "def system():\n    s = dv.System('x')\n    s.add('gain', gain)\n    return s\n"
    )
    (folder / "whole.yaml").write_text(
        "{dovetail: 1, parts: {road: road.tsv, inner: {system: predation.yaml}, bad: gone.fmu}}"
    )
    assert parts_of(folder / "car.ssp")["body"].recordable == ("x", "F")
    assert parts_of(folder / "eng.v2.fmu")["eng_v2"].settable == ("k", "u")
    found = parts_of(folder / "x.msim")
    assert (found["road"].outputs, found["eng"].outputs) == (("height",), ("y",))
    assert parts_of(folder / "made.py")["gain"].recordable == ("b", "a")
    whole = parts_of(folder / "whole.yaml")
    assert whole["inner"].outputs == ("prey.preys", "predator.predators")
    assert whole["bad"].recordable == ()


def test_the_names_in_a_parquet_file_are_those_that_were_recorded(folder: Path) -> None:
    import dovetail as dv

    names = {f"part{k}.variable_{k}": [0.0, 1.0] for k in range(200)}
    dv.Result.of([0.0, 1.0], {**names, "a.flag": [True, False]}).save("run.parquet")
    assert names_in(folder / "run.parquet") == [*names, "a.flag"]


def test_a_users_program_is_not_run_and_nothing_heavy_is_imported(folder: Path) -> None:
    (folder / "models.py").write_text(
        "open('run.txt', 'w')\nprey = dv.Dynamic(outputs=['y'])\npredator = prey\n"
    )
    program = (
        "import sys\nfrom dovetail.cli.main import main\ncode = main()\n"
        f"print(code, *(m for m in {HEAVY!r} if m in sys.modules))"
    )
    line = "dovetail run predation.yaml --record prey."
    variables = {**os.environ, "_DOVETAIL_COMPLETE": "fish", "_DOVETAIL_LINE": line}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["prey.y", "prey.*", "0"]
    assert not (folder / "run.txt").exists()


def test_what_goes_wrong_is_silent(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.yaml").write_text("a: b: c: [")
    (folder / "bad.fmu").write_bytes(b"PK no")
    (folder / "bad.parquet").write_bytes(b"PAR1" * 5)
    for line in (
        "dovetail run bad.yaml --record ",
        "dovetail run bad.fmu --record ",
        "dovetail plot bad.parquet ",
        "dovetail run /no/such/place/",
        "dovetail describe nowhere.py:x",
    ):
        assert asked(line) == []
    assert capfd.readouterr() == ("", "")


def test_the_words_that_are_known_are_those_that_there_are() -> None:
    from dovetail import integrators
    from dovetail.formats.families import ALGORITHMS, CONTROLLERS, required
    from dovetail.results.files import FORMATS

    assert list(completers.ALGORITHMS) == sorted(ALGORITHMS.classes)
    assert list(completers.CONTROLLERS) == sorted(CONTROLLERS.classes)
    needing = [name for name, cls in CONTROLLERS.classes.items() if required(cls)]
    assert list(completers.NEEDS_SIZE) == needing
    assert set(completers.RESULTS) == set(FORMATS)
    for name in completers.INTEGRATORS:
        integrators.named(name, step=0.1)


@pytest.fixture
def program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `dovetail` that shells find, and an empty home."""
    place = folder / "programs"
    place.mkdir()
    script = place / "dovetail"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dovetail "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")
    home = folder / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))


def needed(shell: str) -> str:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"there is no {shell} on this machine")
    return path


def test_a_real_bash_completes(program: None, folder: Path) -> None:
    assert main(["--install-completion", "bash"]) == 0
    ask = (
        'source "$HOME/.bashrc"\n'
        'COMP_LINE="dovetail run predation.yaml --record pre"; COMP_POINT=${#COMP_LINE}\n'
        "complete -p dovetail\n"
        '_dovetail_complete dovetail\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    line = [needed("bash"), "--norc", "-c", ask]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "complete -F _dovetail_complete dovetail",
        "prey.",
        "predator.",
    ]


def test_a_real_fish_completes(program: None) -> None:
    fish = needed("fish")
    assert main(["--install-completion", "fish"]) == 0
    ask = 'complete -C "dovetail run predation.yaml --record prey.pre"'
    done = subprocess.run([fish, "-c", ask], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == ["prey.predators", "prey.preys"]


def test_a_real_zsh_reads_the_script(program: None, folder: Path) -> None:
    zsh = needed("zsh")
    assert main(["--install-completion", "zsh"]) == 0
    ask = "source $HOME/.zshrc; whence -w _dovetail; echo $_comps[dovetail]"
    done = subprocess.run([zsh, "-f", "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["_dovetail:", "function", "_dovetail"]


@pytest.mark.parametrize("shell", SHELLS)
def test_installing_twice_changes_nothing(
    program: None, folder: Path, shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = folder / "home" / (SHELLS[shell].settings or ".none")
    settings.write_text("alias ll='ls -l'")
    for _ in range(2):
        assert main(["--install-completion", shell]) == 0
        assert (folder / "home" / SHELLS[shell].place).read_text() == SHELLS[shell].script
    text = settings.read_text()
    assert text.startswith("alias ll='ls -l'")
    assert text.count("completion of dovetail") == (1 if SHELLS[shell].lines else 0)
    assert "Open a new terminal, and press the tab key." in capsys.readouterr().out


def test_the_shell_in_use_is_found(
    program: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("zsh", "/bin/zsh"), raising=False)
    assert main(["--show-completion"]) == 0
    assert capsys.readouterr().out == SHELLS["zsh"].script
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("tcsh", "/bin/tcsh"), raising=False)
    assert main(["--install-completion"]) == 2
    assert "there is no completion for the shell 'tcsh'; name one of bash, zsh, fish" in (
        capsys.readouterr().err
    )
