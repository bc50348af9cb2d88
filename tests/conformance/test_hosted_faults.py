"""What goes wrong in the midst of native windows, where FMUs are in hosts."""

from __future__ import annotations

import mmap
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from conformance.fleet import ring

import dovetail as dv
from dovetail.hosts.host import Host

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")

OPEN = Path("/proc/self/fd")


def beside(bad, good):
    """One that misbehaves from t = 0.5 s on, and two others, each in a host."""
    system = dv.System("s")
    system.add("it", bad, u=0.25)
    system.add("a", good)
    system.add("b", good)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    return system


def run(system, placement, **options):
    options = {"stop": 1.0, "algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), **options}
    with dv.Session(system, placement=placement, quiet=True, **options) as session:
        assert session.native.level == "windows"
        return session.run()


@pytest.mark.parametrize(
    ("fault", "version", "said"),
    [
        ("crash", 2, "segmentation fault"),
        ("crash", 3, "segmentation fault"),
        ("killed", 2, "SIGKILL"),
        ("quits", 2, "left with exit code 0"),
        ("quits", 3, "left with exit code 0"),
        ("hang", 3, "did not answer within 0.3 s"),
    ],
)
def test_a_fault_in_native_windows_costs_its_host_only(fmu, archive, fault, version, said):
    bad = dv.load(archive(fault, version))
    before = len(list(OPEN.iterdir()))
    where = {"it": dv.LocalHost("bad", timeout=0.3), "*": dv.Isolated()}
    with pytest.raises(dv.HostFailed, match=said) as caught:
        run(beside(bad, fmu("linear", 2)), where)
    error = caught.value
    assert (error.part, error.host, error.doing) == ("it", "bad", "advancing")
    assert error.window.start == pytest.approx(0.5)
    assert error.inputs == {"u": 0.25}
    assert error.result.time[-1] == pytest.approx(0.5)  # whole windows before it
    assert len(error.result["a.y"]) == len(error.result.time) == 6
    assert len(list(OPEN.iterdir())) <= before + 2  # those of the fork server, if it is new


def test_who_is_waited_for_is_said_in_native_windows_too(fmu, archive, capsys):
    system, where = (
        beside(dv.load(archive("hang", 3)), fmu("linear", 2)),
        dv.LocalHost("bad", timeout=1.2),
    )
    ways = {"stop": 1.0, "algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1)}
    with (
        pytest.raises(dv.HostFailed, match=r"did not answer within 1\.2 s"),
        dv.Session(system, placement={"it": where}, progress=False, **ways) as session,
    ):
        assert session.native.level == "windows"
        session.run()
    lines = [line for line in capsys.readouterr().err.splitlines() if "waiting" in line]
    assert lines == ["dovetail: waiting for 'it' at host 'bad', for 1 s so far"]


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.GaussSeidel(20), dv.Newton()], ids=repr)
def test_the_part_that_died_is_named_among_others_of_its_host(fmu, archive, algorithm):
    system = beside(dv.load(archive("crash", 2)), fmu("linear", 2))
    with pytest.raises(dv.HostFailed, match="part 'it'") as caught:
        run(system, dv.LocalHost(), algorithm=algorithm)
    assert caught.value.result.time[-1] == pytest.approx(0.5)


def test_a_window_that_is_tried_again_ends_with_the_same_error(fmu, archive):
    system = beside(dv.load(archive("crash", 2)), fmu("linear", 2))
    pilot = dv.StepDoubling(1e-3, 1e-3, first_size=0.05, max_size=0.1)
    with pytest.raises(dv.HostFailed, match="segmentation fault"):
        run(system, dv.Isolated(), controller=pilot)


@pytest.mark.parametrize("fault", ["error", "fatal", "discard", "nan"])
def test_failures_that_an_fmu_tells_are_told_as_in_one_process(fmu, archive, fault):
    said = []
    for where in ({"*": dv.LocalHost()}, {"*": None}):
        system = beside(dv.load(archive(fault, 2)), fmu("linear", 2))
        with pytest.raises(dv.PartFailed) as caught:
            run(system, where)
        error = caught.value
        said.append((str(error), list(error.result.time), error.result.statistics.evaluations))
    assert said[0] == said[1]


def test_a_death_between_two_calls_is_seen_at_once(fmu):
    """Whatever the master waits for: the end of a process wakes it."""
    system, killed = ring(fmu("linear", 2)), []
    ways = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(1e-3), "quiet": True}
    with dv.Session(system, stop=1e5, placement=dv.Isolated(), **ways) as session:
        host = session.assembly.subsystems[1].subsystem.host

        def kill():
            killed.append(time.monotonic())
            os.kill(host.life.pid, signal.SIGKILL)

        timer = threading.Timer(0.3, kill)
        timer.start()
        with pytest.raises(dv.HostFailed, match="SIGKILL"):
            session.run()
        assert time.monotonic() - killed[0] < 5.0  # 50 ms on a quiet machine: benchmarks/hosts.py
        timer.join()


def test_ctrl_c_does_not_wait_for_an_fmu_that_hangs(archive):
    system = dv.System("s")
    system.add("it", dv.load(archive("hang", 2)))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    try:
        timer.start()
        with pytest.raises(dv.Interrupted) as caught:
            run(system, dv.Isolated())
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught.value.result.time[-1] == pytest.approx(0.5)
    assert time.monotonic() - begin < 10.0  # it has a second


def test_ctrl_c_in_a_run_that_goes_well_keeps_whole_rows(fmu):
    system = ring(fmu("linear", 2))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(dv.Interrupted) as caught:
            run(system, dv.LocalHost(), stop=1e6, controller=dv.FixedStep(1e-3))
    finally:
        signal.signal(signal.SIGINT, before)
    rows = caught.value.result
    assert rows.statistics.native_windows == rows.statistics.windows == len(rows.time) - 1 > 10


@pytest.mark.parametrize("seed", range(3))
def test_nonsense_in_the_shared_block_harms_nobody(archive, tmp_path, seed):
    """A host may write anything there, at any time: an error, or wrong numbers, and no more."""
    chance = random.Random(seed)
    system = ring(dv.load(archive("linear", 2)))
    findings = {"DOVETAIL_CACHE": str(tmp_path)}  # such as that it does not roll back
    where = dv.LocalHost(timeout=0.3, environment=findings)
    ways = {"algorithm": dv.GaussSeidel(20), "controller": dv.FixedStep(1e-3), "quiet": True}
    with dv.Session(system, stop=20.0, placement=where, **ways) as session:
        links = {p: os.readlink(p) for p in OPEN.iterdir() if p.exists() or p.is_symlink()}
        (memory,) = [p for p, name in links.items() if "memfd:dovetail" in name]
        with open(memory, "r+b") as opened:
            room = mmap.mmap(opened.fileno(), 0)  # our own view of it
        done = threading.Event()

        def scribble():
            while not done.wait(0.001):
                at = chance.randrange(len(room))
                for k in range(at, min(at + chance.choice((1, 4, 64, 4096)), len(room))):
                    room[k] = chance.randrange(256)

        writer = threading.Thread(target=scribble)
        writer.start()
        try:
            with suppress(dv.DovetailError):
                session.run()
        finally:
            done.set()
            writer.join()
            room.close()


def test_a_master_that_is_killed_in_native_windows_leaves_nothing(archive, tmp_path):
    script = tmp_path / "master.py"
    text = """
        import dovetail as dv
        system = dv.System("s")
        for name in "abc":
            system.add(name, dv.load({!r}))
        with dv.Session(system, stop=1e6, controller=dv.FixedStep(1e-3), algorithm=dv.Jacobi(),
                        quiet=True, recorder=dv.File("run.csv"), placement=dv.Isolated()) as s:
            s.advance()
            assert s.statistics.native_windows == 1
            print(*[p.subsystem.host.life.pid for p in s.assembly.subsystems], flush=True)
            s.run()
        """
    script.write_text(textwrap.dedent(text.format(str(archive("linear", 2)))))
    kinds = {"env": {**os.environ, "TMPDIR": str(tmp_path)}, "cwd": tmp_path}
    process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, **kinds)
    hosts = [int(pid) for pid in process.stdout.readline().split()]
    assert len(hosts) == 3
    time.sleep(0.2)
    process.kill()
    process.wait()
    process.stdout.close()
    until = time.monotonic() + 10.0
    while time.monotonic() < until:
        alive = [pid for pid in hosts if Path(f"/proc/{pid}").exists()]
        if not alive and not list(tmp_path.glob("dovetail-hosts-*")):
            break
        time.sleep(0.02)
    else:
        pytest.fail("a host outlived its master, or left something behind")
    assert not [p for p in Path("/dev/shm").iterdir() if "dovetail" in p.name]


def test_a_host_that_dies_as_native_code_takes_over_is_told(fmu, monkeypatch):
    """Between its initialization and the first window."""
    attach = Host.attach

    def killed(self, *given):
        os.kill(self.life.pid, signal.SIGKILL)
        return attach(self, *given)

    monkeypatch.setattr(Host, "attach", killed)
    with pytest.raises(dv.HostFailed, match=r"part 'p0' failed while starting .* SIGKILL"):
        run(ring(fmu("linear", 2)), dv.LocalHost())


def test_too_many_open_files_are_told_in_a_sentence(fmu, monkeypatch):
    def refused(*given):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "eventfd", refused)
    with pytest.raises(dv.RunError, match="no memory can be shared with a host: Too many open"):
        run(ring(fmu("linear", 2)), dv.LocalHost())
