"""Kills at any moment, of hosts and of their master: nothing is left, and runs go on from there.

A sample here; two hundred by `pytest -m kills`.
"""

from __future__ import annotations

import math
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import dovetail as dv
from dovetail.hosts.fork_server import ForkServer
from dovetail.run.checkpoint import Checkpoint

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")

KILLS, SAMPLE = 200, 4
SEEDS = [pytest.param(k, marks=[] if k < SAMPLE else pytest.mark.kills) for k in range(KILLS)]
STOP, STEP = 0.5, 0.01
VICTIMS = ("master", "one host", "the other host", "the process that makes hosts")
WAYS = {"algorithm": dv.GaussSeidel(5), "controller": dv.FixedStep(STEP), "quiet": True}
PLACEMENT = {"a": dv.Isolated(), "b": dv.LocalHost("b")}
SEEN = {"kills": 0, "in the midst": 0, "resumed from a checkpoint": 0}


def rates(t, x, u, p):
    return [math.sin(3 * t) - u.u - 0.1 * x.x]


def system():
    drawn = dv.System("killed")
    for name in ("a", "b"):
        model = dv.Dynamic(states={"x": 1.0}, inputs=["u"], outputs=["x"], derivatives=rates)
        drawn.add(name, model)
    drawn.connect("a.x", "b.u")
    drawn.connect("b.x", "a.u", gain=-1.0)
    return drawn


class Master:
    """A copy of this process that makes the run; it and its hosts have their files in a folder."""

    def __init__(self, folder):
        self.folder, (self._heard, says) = folder, os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                os.close(self._heard)
                self._run(says)
                code = 0
            except BaseException:
                (folder / "said").write_text(traceback.format_exc())
            finally:
                os._exit(code)
        os.close(says)
        self.pids = {}

    def _run(self, says):
        os.chdir(self.folder)
        os.environ["TMPDIR"] = tempfile.tempdir = str(self.folder)
        ways = {**WAYS, "recorder": dv.File("run.parquet"), "placement": PLACEMENT}
        with dv.Session(system(), stop=STOP, **ways) as session:
            hosts = [p.subsystem.host._life.pid for p in session.assembly.subsystems]
            pids = [os.getpid(), *hosts, ForkServer.current()._process.pid]
            os.write(says, " ".join(map(str, pids)).encode())
            session.run(checkpoint="half", every=0.02)

    def begun(self):
        """Wait until it runs."""
        found = os.read(self._heard, 1000).split()
        assert found, self.said()
        self.pids = dict(zip(VICTIMS, map(int, found), strict=True))

    def ended(self):
        """How it ended."""
        os.close(self._heard)
        return os.waitpid(self.pid, 0)[1]

    def said(self):
        path = self.folder / "said"
        return path.read_text() if path.exists() else ""


def alive(pid):
    """Whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def left_by(master):
    """What is there that should be gone: processes, temporary files, shared memory."""
    made = ("run.parquet", "half", "said")
    until = time.monotonic() + 10.0
    while True:
        found = [f"process {n}" for n, pid in master.pids.items() if alive(pid)]
        found += [p.name for p in master.folder.iterdir() if not p.name.startswith(made)]
        shared = Path("/dev/shm")
        found += [p.name for p in shared.glob("*dovetail*")] if shared.is_dir() else []
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.01)


@pytest.fixture(scope="module")
def whole():
    """The run that nobody disturbs, in one process."""
    return dv.simulate(system(), stop=STOP, verify=False, **WAYS)


@pytest.fixture(scope="module")
def duration(tmp_path_factory):
    """How long a run takes here, in s."""
    master = Master(tmp_path_factory.mktemp("undisturbed"))
    master.begun()
    begin = time.monotonic()
    assert master.ended() == 0, master.said()
    return time.monotonic() - begin


@pytest.mark.parametrize("seed", SEEDS)
def test_a_kill_leaves_nothing_behind_and_loses_no_row(
    tmp_path, monkeypatch, whole, duration, seed
):
    rng, victim = random.Random(seed), VICTIMS[seed % len(VICTIMS)]
    master = Master(tmp_path)
    master.begun()
    time.sleep(rng.uniform(0.0, duration))
    with suppress(ProcessLookupError):  # it may be at its end
        os.kill(master.pids[victim], signal.SIGKILL)
    status = master.ended()
    assert left_by(master) == []
    if status and victim != "master":
        assert "HostFailed" in master.said(), master.said()
    monkeypatch.chdir(tmp_path)
    checkpoint = Path("half")
    rows = dv.read("run.parquet")
    assert len(rows) and np.array_equal(rows["a.x"], whole["a.x"][: len(rows)])
    resumed = {}
    if checkpoint.exists():  # what it says is done is in the file
        assert len(rows) > round(Checkpoint.read(checkpoint).start / STEP)
        resumed = {"resume": checkpoint, "recorder": dv.File("run.parquet")}
    ways = {**WAYS, "placement": PLACEMENT if seed % 2 else None, "verify": False}
    again = dv.simulate(system(), stop=STOP, **resumed, **ways)
    assert np.array_equal(again.time, whole.time)
    assert np.array_equal(again["a.x"], whole["a.x"])
    SEEN["kills"] += 1
    SEEN["in the midst"] += status != 0
    SEEN["resumed from a checkpoint"] += bool(resumed) and status != 0


@pytest.mark.kills
def test_enough_of_them_were_in_the_midst_and_resumed():
    print(SEEN)
    assert SEEN["kills"] == KILLS
    assert SEEN["resumed from a checkpoint"] >= KILLS // 2
