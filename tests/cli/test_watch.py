"""Parts that crash, leave or hang: what can be said is said, and the exit code is no success."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fmus.build import build

import dovetail as dv

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
HINT = "; --isolate gives each FMU a process of its own, and names the one that crashes"
CRASH = "dovetail: an FMU caused a segmentation fault and ended the process; alive were "


def begun(tmp_path, *words):
    """The command in a process of its own."""
    environment = {**os.environ, "DOVETAIL_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "dovetail", *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=environment, cwd=tmp_path, **pipes)


def busy(process):
    """Seconds that it has computed so far: the inner process of the two that a command is."""
    inner = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    if not inner:
        return 0.0
    fields = Path(f"/proc/{inner[0]}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("version", [2, 3])
def test_a_crash_is_told_with_who_was_alive(tmp_path, version):
    fmu = build("crash", version, tmp_path)
    process = begun(tmp_path, "run", fmu, "-o", "run.csv", "-q")
    _, said = process.communicate(timeout=60)
    kept = "dv.read('run.csv') reads what was recorded until then"
    assert said == f"{CRASH}'{fmu.stem}'; {kept}{HINT}\n"
    assert process.returncode == -signal.SIGSEGV
    assert dv.read(tmp_path / "run.csv")[f"{fmu.stem}.y"][0] == 0.0


def test_isolated_it_is_named_and_the_command_lives(tmp_path):
    fmu = build("crash", 2, tmp_path)
    process = begun(tmp_path, "run", fmu, "-o", "run.csv", "-q", "--isolate")
    _, said = process.communicate(timeout=60)
    assert said.startswith(f"dovetail: part '{fmu.stem}' failed while advancing at t = 0.5 s: its")
    assert "ended by a segmentation fault (SIGSEGV)" in said
    assert process.returncode == 1
    assert dv.read(tmp_path / "run.csv").time[-1] == pytest.approx(0.5)


def test_validate_isolates(tmp_path):
    for name, how in (("crash", "a segmentation fault (SIGSEGV)"), ("stillborn", "(SIGSEGV)")):
        process = begun(tmp_path, "validate", build(name, 2, tmp_path))
        told, _ = process.communicate(timeout=60)
        assert "it does not run: part" in told and how in told
        assert process.returncode == 1


@pytest.mark.parametrize("command", ["check", "analyze"])
def test_a_crash_before_any_run_is_told_as_well(tmp_path, command):
    exchange = command == "analyze"
    process = begun(tmp_path, command, build("stillborn", 2, tmp_path, model_exchange=exchange))
    _, said = process.communicate(timeout=60)
    assert said.startswith(CRASH)
    assert process.returncode == -signal.SIGSEGV


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_a_check_that_hangs_is_ended_by_the_second_ctrl_c(tmp_path):
    process = begun(tmp_path, "check", build("dazed", 2, tmp_path))
    threading.Timer(60, process.kill).start()
    while busy(process) < 3.0:  # long after all was loaded
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.stderr.readline().startswith("dovetail: waiting for the call that is running")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert said == "dovetail: ended inside a call that was running\n"
    assert process.returncode == 1


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
        "dovetail: waiting for the call that is running; press Ctrl-C again to end at once\n"
    )
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    kept = "dv.read('run.csv') reads what was recorded until then"
    assert said == f"dovetail: ended inside a call that was running; {kept}\n"
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


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_an_fmu_that_becomes_slow_is_interrupted_within_a_window_or_two(tmp_path):
    """Half a million quick windows let foresee a thousand more; but each now takes 200 ms."""
    fmu = build("slows", 2, tmp_path)
    words = "--step", "1e-6", "--stop", "1", "-o", "run.parquet", "-q"
    process = begun(tmp_path, "run", fmu, *words)
    tail, spent, calm = tmp_path / "run.parquet.tail", 0.0, 0
    deadline = time.monotonic() + 60
    while calm < 10 and time.monotonic() < deadline:  # until it sleeps more than it computes
        time.sleep(0.1)
        calm = calm + 1 if tail.exists() and busy(process) - spent < 0.03 else 0
        spent = busy(process)
    assert calm == 10
    rows = len(dv.read(tmp_path / "run.parquet"))
    assert rows > 500_001, "rows of slow windows reach the disk as they come"
    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - pressed < 10  # a window, and the file of half a million rows
    assert "interrupted at t = 0.5" in said
    assert "part" not in said
    assert process.returncode == 1
    assert len(dv.read(tmp_path / "run.parquet")) >= rows
