"""Processes that end in the midst of many native windows: what was committed is on disk."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from fmus.build import build
from hearing import hearing

import dovetail as dv

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")

RUN = """
import dovetail as dv
system = dv.System("run")
for k in range({count}):
    system.add(f"it{{k}}", dv.load({fmu!r}){values})
for k in range({count}):
    system.connect(f"it{{k}}.y", f"it{{(k + 1) % {count}}}.u")
print("running", flush=True)
try:
    dv.simulate(
        system, stop=1.0, algorithm={algorithm}, controller=dv.FixedStep({step}),
        recorder=dv.File("run.parquet"), quiet=True,
    )
except dv.Interrupted as error:
    print(error, error.result.time[-1], len(error.result), flush=True)
"""


def started(folder, fmu, count=2, *, algorithm="dv.Jacobi()", step=1e-4, values=""):
    """A run in a process of its own, by Python: nothing watches over it."""
    script = folder / "run.py"
    named = {"fmu": str(fmu), "count": count, "algorithm": algorithm}
    script.write_text(textwrap.dedent(RUN.format(**named, step=step, values=values)))
    environment = {**os.environ, "DOVETAIL_CACHE": str(folder / "cache")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with hearing():
        return subprocess.Popen([sys.executable, script], cwd=folder, env=environment, **pipes)


@pytest.mark.parametrize("algorithm", ["dv.Jacobi()", "dv.GaussSeidel(max_iterations=3)"])
@pytest.mark.parametrize(
    ("name", "code"), [("crash", -signal.SIGSEGV), ("quits", 1), ("killed", -signal.SIGKILL)]
)
def test_every_committed_window_is_on_disk(tmp_path, name, code, algorithm):
    """5,000 windows of some 100 ns, and then the end of the process: within one native call."""
    process = started(tmp_path, build(name, 2, tmp_path), algorithm=algorithm)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code, said
    left = dv.read(tmp_path / "run.parquet")
    assert len(left) == 5001  # t = 0, and every window up to t = 0.5
    assert left.time[-1] == pytest.approx(0.5)
    assert left["it0.y"][-1] > 0
    assert not left.finished


def test_rows_that_outgrow_their_room_are_kept_too(tmp_path):
    """A hundred thousand rows of 40 bytes: the room that is lent is taken again and again."""
    process = started(tmp_path, build("crash", 2, tmp_path), step=5e-6)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGSEGV
    left = dv.read(tmp_path / "run.parquet")
    assert len(left) == 100_001
    assert (left.time == [*(k * 5e-6 for k in range(100_001))]).all()


@pytest.mark.parametrize("algorithm", ["dv.GaussSeidel(1)", "dv.GaussSeidel(max_iterations=9)"])
def test_ctrl_c_is_answered_after_the_step_that_is_running(tmp_path, algorithm):
    """Thirty parts of 200 ms: a window lasts 6 s, a step does not."""
    fmu = build("slows", 2, tmp_path)
    values = ", at=0.002"
    process = started(tmp_path, fmu, 30, algorithm=algorithm, step=1e-3, values=values)
    assert process.stdout.readline() == "running\n"
    tail = tmp_path / "run.parquet.tail"
    while not tail.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    time.sleep(1.0)  # in the midst of the first slow window
    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    said, wrong = process.communicate(timeout=60)
    assert time.monotonic() - pressed < 4.5  # the window has five seconds left
    assert said == "interrupted at t = 0.002 s of 1 s; what was computed is kept 0.002 3\n", wrong
