"""Parts that crash, leave or hang: what can be said is said, and the exit code is no success."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fmus.build import build

import dovetail as dv

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
CRASH = "dovetail: an FMU caused a segmentation fault and ended the process; alive were "


def begun(tmp_path, *words):
    """The command in a process of its own."""
    environment = {**os.environ, "DOVETAIL_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "dovetail", *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=environment, cwd=tmp_path, **pipes)


def busy(process):
    """Seconds that it has computed so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("version", [2, 3])
def test_a_crash_is_told_with_who_was_alive(tmp_path, version):
    fmu = build("crash", version, tmp_path)
    process = begun(tmp_path, "run", fmu, "-o", "run.csv", "-q")
    _, said = process.communicate(timeout=60)
    kept = "dv.read('run.csv') reads what was recorded until then"
    assert said == f"{CRASH}'{fmu.stem}'; {kept}\n"
    assert process.returncode == -signal.SIGSEGV
    assert dv.read(tmp_path / "run.csv")[f"{fmu.stem}.y"][0] == 0.0


def test_validate_tells_a_crash_as_well(tmp_path):
    process = begun(tmp_path, "validate", build("crash", 2, tmp_path))
    _, said = process.communicate(timeout=60)
    assert said == f"{CRASH}'crash-fmi2'; nothing was recorded to a file\n"
    assert process.returncode == -signal.SIGSEGV


def test_an_exit_is_no_success(tmp_path):
    """Not even exit(0)."""
    process = begun(tmp_path, "run", build("quits", 2, tmp_path), "-q")
    _, said = process.communicate(timeout=60)
    assert "an FMU called exit() and ended the process; alive were 'quits-fmi2'" in said
    assert process.returncode == 1


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_the_second_ctrl_c_ends_what_hangs(tmp_path):
    process = begun(tmp_path, "run", build("hang", 2, tmp_path), "-o", "run.csv", "-q")
    while not (tmp_path / "run.csv.rows").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    begun_at = busy(process)
    while busy(process) < begun_at + 0.5:  # it does nothing else any more
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)  # in a hurry: that is no second one
    hint = process.stderr.readline()
    assert hint == (
        "dovetail: a part does not return from its step; press Ctrl-C again to end at once\n"
    )
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    kept = "dv.read('run.csv') reads what was recorded until then"
    assert said == f"dovetail: ended inside a part's step; {kept}\n"
    assert process.returncode == 1


def test_files_go_where_they_were_meant_to(tmp_path):
    """Though the FMU goes elsewhere on the way."""
    fmu = build("wanders", 2, tmp_path)
    words = ["run", fmu, "-o", "run.csv", "--checkpoint", "run.checkpoint"]
    process = begun(tmp_path, *words)
    said, wrong = process.communicate(timeout=60)
    assert process.returncode == 0, wrong
    assert "Written: run.csv" in said
    assert {"run.csv", "run.checkpoint"} <= {path.name for path in tmp_path.iterdir()}
