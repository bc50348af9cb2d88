"""Ctrl-C before a run, while its result is written, and behind it: a sentence that is true."""

import subprocess
import sys

import pytest
from fmus.build import build
from hearing import hearing

import dovetail as dv

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")

PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}

# Ctrl-C comes just when a module of this name is imported.
AT_IMPORT = """
import os, signal, sys
when = sys.argv[1]
class Presses:
    def find_spec(self, name, *_):
        if name == when:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Presses())
from dovetail.cli.starting import main
sys.argv = ["dovetail", "run", "nothing.yaml"]
sys.exit(main())
"""


@pytest.mark.parametrize("module", ["typer", "dovetail.core.errors", "dovetail.cli.run"])
def test_while_the_command_is_loaded(module, tmp_path):
    with hearing():
        done = subprocess.run(
            [sys.executable, "-c", AT_IMPORT, module],
            cwd=tmp_path,
            timeout=60,
            check=False,
            **PIPES,
        )
    assert done.stderr == "dovetail: interrupted; nothing was computed\n"
    assert done.returncode == 1


WRITING = """
import os, signal, sys
import dovetail.results.files as files
import dovetail as dv
from dovetail.results.files import text
usual = text.write
def write(table, path, suffix):
    usual(table, path, suffix)
    os.kill(os.getpid(), signal.SIGINT)
    for k in range(10**7):
        pass
text.write = write
"""
SYSTEM = """
system = dv.System("decay")
decay = lambda t, x, u, p: [-x.x]
system.add("it", dv.Dynamic(states={"x": 1.0}, outputs=["x"], derivatives=decay))
try:
    dv.simulate(system, stop=1.0, controller=dv.FixedStep(0.1), recorder=dv.File("run.csv"))
except dv.Interrupted as error:
    print(error, "|", error.result)
"""


def test_while_the_result_is_written(tmp_path):
    """All rows are there, in the files that it is made from."""
    with hearing():
        done = subprocess.run(
            [sys.executable, "-c", WRITING + SYSTEM], cwd=tmp_path, timeout=60, check=False, **PIPES
        )
    stream = "run.csv.rows"
    assert done.stdout == (
        "interrupted while the result was written, at t = 1 s of 1 s; every row up to then is "
        f"safe: read them with dovetail.read('{tmp_path / stream}') | None\n"
    ), done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {stream, "run.csv.tail"}
    assert len(dv.read(tmp_path / stream)) == 11


def test_while_the_command_writes_the_result(tmp_path):
    fmu = build("linear", 2, tmp_path)
    call = f"sys.argv = ['dovetail', 'run', {str(fmu)!r}, '-o', 'run.csv', '--stop', '1', '-q']\n"
    code = WRITING + call + "from dovetail.cli.starting import main\nsys.exit(main())\n"
    with hearing():
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, timeout=60, check=False, **PIPES
        )
    assert "interrupted while the result was written, at t = 1 s of 1 s; every row" in done.stderr
    assert "nothing was computed" not in done.stderr
    assert done.returncode == 1
    assert dv.read(tmp_path / "run.csv.rows").time[-1] == 1.0


def test_after_the_run(tmp_path, dovetail, monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("dovetail.cli.outcome.summary", pressed)
    answer = dovetail("run", "predation.yaml", "--output", "run.csv")
    assert answer.err == (
        "dovetail: interrupted after the run had ended; its result is in run.csv\n"
    )
    assert answer.code == 1
