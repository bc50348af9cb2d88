"""A sandbox for FMUs of strangers: what they try is in vain, and honest ones work."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import signal
import socket
import struct
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from fmus.culprit import culprit

import dovetail as dv
from dovetail.hosts import landlock, sandbox, system_calls
from dovetail.hosts.fork_server import ForkServer
from dovetail.hosts.system_calls import ABOVE, ALLOW, AND, ANY, EQUAL, FAIL, GIVE, KILL, LOAD

LACKS = sandbox.missing() if sys.platform == "linux" else "this is not Linux"
NEEDED = pytest.mark.skipif(bool(LACKS), reason=f"no sandbox on this machine: {LACKS}")
UNTRIED = -1


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    return culprit(tmp_path_factory.mktemp("stranger"))


def filled(folder):
    """A folder of the user's that no FMU is meant to see."""
    folder.mkdir()
    (folder / "key").write_text("secret")
    (folder / "kept").mkdir()
    return folder


def outcome(fmu, deed, **options):
    """What became of a deed at t = 0.5: 0, or an error number."""
    system = dv.System("s")
    system.add("it", dv.load(fmu))
    placement = {"it": dv.Isolated(environment={"CULPRIT": f"step {deed}"}, timeout=60, **options)}
    ways = {"step": 0.1, "quiet": True, "verify": False, "placement": placement}
    found = int(dv.simulate(system, stop=1.0, **ways)["it.outcome"][-1])
    assert found != UNTRIED
    return found


TRIED = {
    "reads a file of the user's": "read {private}/key",
    "reads it by a link in its own folder": "soft_link {private}/key",
    "reads it by a second name": "hard_link {private}/key",
    "reads it by way of /proc": "through_proc {private}/key",
    "lists a folder of the user's": "list {private}",
    "lists the processes": "list /proc",
    "reads what another process was started with": "read /proc/{me}/environ",
    "writes a new file": "write {private}/new",
    "writes into a file": "write {private}/key",
    "writes by a link in its own folder": "write_soft_link {private}/key",
    "empties a file that it opens to read": "empty {private}/key",
    "empties a file by its name": "truncate {private}/key",
    "removes a file": "unlink {private}/key",
    "takes a file away": "rename {private}/key",
    "makes a folder": "mkdir {private}/folder",
    "closes a file to its owner": "chmod {private}/key",
    "changes the times of a file": "utime {private}/key",
    "connects to a service of this machine": "tcp {port}",
    "connects to a service by a file": "unix {private}/service",
    "opens a way into the network": "udp",
    "signals another process": "kill {me}",
    "traces another process": "ptrace {child}",
    "looks at another process's limits": "limit_other {me}",
    "makes processes": "spawn",
    "runs a command": "system",
    "takes shared memory": "shared_memory",
    "stays when its master is gone": "outlive",
}


@pytest.fixture
def sleeping():
    """A process that does nothing."""
    child = os.fork()
    if child == 0:
        time.sleep(120)
        os._exit(0)
    yield child
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@contextlib.contextmanager
def services(folder):
    """Two that listen: the port of one on this machine, and a file."""
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as service:
        tcp.bind(("127.0.0.1", 0))
        service.bind(str(folder / "service"))
        for one in (tcp, service):
            one.listen()
        yield tcp.getsockname()[1]


def state(folder):
    found = {p: p.lstat() for p in folder.rglob("*")}
    return {p: (s.st_mode, s.st_mtime_ns, s.st_size, s.st_nlink) for p, s in found.items()}


@NEEDED
@pytest.mark.parametrize("deed", TRIED)
def test_what_an_fmu_in_a_sandbox_tries_does_not_get_through(stranger, tmp_path, sleeping, deed):
    """Each does in a host that is none, so that it is the sandbox which keeps it in."""
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    for is_sandbox in (True, False):
        private = filled(tmp_path / f"private-{is_sandbox}")
        with services(private) as port:
            given = {"private": private, "me": os.getpid(), "child": sleeping, "port": port}
            was = state(private)
            own = {} if is_sandbox else {"directory": str(tmp_path)}
            found = outcome(stranger, TRIED[deed].format(**given), sandbox=is_sandbox, **own)
            assert (found != 0) == is_sandbox
            assert not is_sandbox or state(private) == was
    signal.signal(signal.SIGUSR1, before)


@NEEDED
def test_environment_variables_are_only_those_that_programs_need(stranger, monkeypatch):
    monkeypatch.setenv("CULPRIT_SECRET", "1")
    monkeypatch.setattr(ForkServer, "_current", None)  # one that has them
    try:
        assert outcome(stranger, "secret") == 0
        assert outcome(stranger, "secret", sandbox=True) == errno.ENOENT
    finally:
        ForkServer.current()._control.close()
        ForkServer.current()._process.wait()


@NEEDED
def test_its_own_archive_is_not_changed(stranger):
    assert outcome(stranger, "write_resource", sandbox=True) == errno.EACCES


@NEEDED
def test_programs_cannot_be_started(stranger):
    assert outcome(stranger, "exec", sandbox=True) == errno.EPERM


@NEEDED
@pytest.mark.parametrize("deed", ["own_files", "resource", "thread", "read /dev/urandom"])
def test_what_honest_fmus_do_works_in_a_sandbox(stranger, deed):
    assert outcome(stranger, deed, sandbox=True) == 0


@NEEDED
def test_a_folder_that_is_given_may_be_written_and_nothing_beside_it(stranger, tmp_path):
    (tmp_path / "mine").mkdir()
    mine = str(tmp_path / "mine")
    assert outcome(stranger, "own_files", sandbox=True, directory=mine) == 0
    assert (tmp_path / "mine" / "kept.txt").read_text() == "hello"
    assert outcome(stranger, f"write {tmp_path}/other", sandbox=True, directory=mine) != 0


@NEEDED
def test_an_endless_number_of_threads_is_ended(stranger):
    with pytest.raises(dv.HostFailed, match="it started more threads than a sandbox may, 256"):
        outcome(stranger, "threads", sandbox=True)


@NEEDED
@pytest.mark.parametrize(("name", "version"), [("linear", 2), ("warning", 3), ("ball", 3)])
def test_fmus_in_a_sandbox_give_the_same_bits(archive, name, version):
    found = []
    for placement in (None, dv.Isolated(sandbox=True)):
        system = dv.System("s")
        system.add("a", dv.load(archive(name, version)))
        system.add("b", dv.load(archive(name, version)))  # a second one may need a copy
        ways = {"step": 0.1, "quiet": True, "verify": False, "placement": placement}
        found.append(dv.simulate(system, stop=1.0, **ways))
    assert found[0].names == found[1].names
    for column in found[0].names:
        assert np.array_equal(found[0][column], found[1][column])


@NEEDED
def test_a_python_model_lives_in_a_sandbox_too():
    def seen(t, u, p):
        try:
            os.listdir("/")
        except PermissionError:
            return [1.0]
        return [0.0]

    system = dv.System("s")
    system.add("it", dv.Algebraic(inputs=["u"], outputs=["y"], function=seen))
    ways = {"stop": 0.2, "step": 0.1, "quiet": True, "placement": dv.LocalHost(sandbox=True)}
    assert dv.simulate(system, **ways)["it.y"][-1] == 1.0


@NEEDED
def test_nothing_that_is_open_leads_outside():
    """The connection to its master, and pipes to the process that made it."""

    system = dv.System("s")
    system.add("it", dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [0.0]))
    with dv.Session(system, stop=0.1, quiet=True, placement=dv.LocalHost(sandbox=True)) as session:
        host = session.assembly.subsystems[0].subsystem.host._life
        folder = Path(f"/proc/{host.pid}/fd")
        kinds = sorted(os.readlink(p).partition(":")[0] for p in folder.iterdir())
    assert kinds == ["/dev/null", "pipe", "pipe", "pipe", "socket"]


@NEEDED
def test_an_answer_of_gigabytes_is_no_answer():
    def flood(t, u, p):
        for fd in range(3, 16):
            with contextlib.suppress(OSError):
                os.write(fd, struct.pack("<4sBQQ", b"dvt1", 1, 10**9, 2**30))
        return [0.0]

    system = dv.System("s")
    system.add("it", dv.Algebraic(inputs=["u"], outputs=["y"], function=flood))
    ways = {"stop": 0.1, "step": 0.1, "quiet": True}
    with pytest.raises(dv.HostFailed, match="answered with what is no answer"):
        dv.simulate(system, placement=dv.LocalHost(sandbox=True, timeout=20.0), **ways)


@NEEDED
def test_what_a_stranger_prints_steers_no_terminal(capfd):
    def speak(t, u, p):
        os.write(1, b"\x1b[2J gone\n")
        os.write(2, b"\x1b]0;title\x07 here\n")
        return [0.0]

    system = dv.System("s")
    system.add("it", dv.Algebraic(inputs=["u"], outputs=["y"], function=speak))
    ways = {"stop": 0.1, "step": 0.1, "quiet": True, "placement": dv.LocalHost(sandbox=True)}
    dv.simulate(system, **ways)
    out, err = capfd.readouterr()
    assert out == "" and "?[2J gone" in err and "?]0;title? here" in err and "\x1b" not in err


@pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")
@pytest.mark.parametrize(
    ("found", "said"),
    [
        (0, "its kernel has no Landlock, or a container forbids it; Linux 5.13 and newer have it"),
        (-1, "Landlock is switched off in its kernel; add it to lsm= where the kernel is booted"),
    ],
)
def test_what_the_kernel_lacks_is_said_and_nothing_weaker_is_made(monkeypatch, found, said):
    monkeypatch.setattr(landlock, "version", lambda: found)
    monkeypatch.setattr(sandbox.platform, "machine", lambda: "x86_64")
    system = dv.System("s")
    system.add("it", dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [0.0]))
    whole = f"there can be no sandbox on this machine: {said}; leave sandbox= out"
    with pytest.raises(dv.OptionError, match=re.escape(whole)):
        dv.simulate(system, stop=1.0, quiet=True, placement=dv.LocalHost(sandbox=True))


@pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")
def test_another_processor_is_refused(monkeypatch):
    monkeypatch.setattr(sandbox.platform, "machine", lambda: "riscv64")
    with pytest.raises(dv.OptionError, match="made for Linux on x86_64, and this is riscv64"):
        sandbox.check_sandbox()


@NEEDED
def test_home_is_never_readable_whole(monkeypatch, tmp_path):
    inside = tmp_path / "home" / "venv"
    inside.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path / 'home'}:{inside}:/:{tmp_path}")
    found = sandbox.readable([])
    assert str(inside) in found
    assert not {str(tmp_path / "home"), str(tmp_path), "/"} & set(found)


# The filter ----------------------------------------------------------------------------------


def verdict(made, number, *given, machine=0xC000003E):
    """What the kernel answers to a system call: this is its own machine, in Python."""
    data = struct.pack("<iIQ6Q", number, machine, 0, *given, *[0] * (6 - len(given)))
    at, held = 0, 0
    while True:
        code, yes, no, value = made[at]
        at += 1
        if code == LOAD:
            (held,) = struct.unpack_from("<I", data, value)
        elif code == AND:
            held &= value
        elif code == GIVE:
            return value
        else:
            true = {EQUAL: held == value, ABOVE: held > value, ANY: bool(held & value)}[code]
            at += yes if true else no


ME = 4242
FILTER = system_calls.program(ME, truncation_is_a_right=True)
OLD = system_calls.program(ME, truncation_is_a_right=False)


def refused(number, *given, made=FILTER):
    return verdict(made, number, *given) & 0xFFFF0000 == FAIL


def test_the_filter_knows_the_calls_by_the_kernels_numbers():
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not header.is_file():
        pytest.skip("the headers of the kernel are not installed")
    known = dict(re.findall(r"#define __NR_(\w+) (\d+)", header.read_text()))
    for calls in system_calls.REFUSED.values():
        for name, number in calls.items():
            assert int(known.get(name, number)) == number
            assert refused(number) and refused(number, made=OLD)


@pytest.mark.parametrize(
    ("call", "allowed", "not_allowed"),
    [
        (62, [(ME, 9), (0, 9)], [(1, 9), (2**32 - 1, 9), (ME + 1, 0)]),  # kill
        (234, [(ME, ME, 6)], [(ME + 1, ME + 1, 6)]),  # tgkill
        (56, [(0x3D0F00,)], [(0x11,), (0x4111,), (0x10000000 | 0x3D0F00,)]),  # clone
        (302, [(0,), (ME,)], [(1,)]),  # prlimit64
        (72, [(3, 1), (3, 3), (3, 6), (3, 1030)], [(3, 8), (3, 10), (3, 15), (3, 1026)]),  # fcntl
        (16, [(0, 0x5401)], [(0, 0x5412), (0, 0x541C), (0, 0x8901), (3, 0x40086602)]),  # ioctl
        (2, [(0, 0), (0, 0o1101)], [(0, 0o1000), (0, 0o3001000)]),  # open
        (257, [(0, 0, 0o1102)], [(0, 0, 0o1000)]),  # openat
        (157, [(15,), (38,)], [(1,), (35,)]),  # prctl
    ],
)
def test_arguments_decide_where_numbers_do_not(call, allowed, not_allowed):
    assert [verdict(FILTER, call, *given) for given in allowed] == [ALLOW] * len(allowed)
    assert all(refused(call, *given) for given in not_allowed)


def test_what_runs_a_program_goes_through_and_what_is_unknown_does_not():
    plain = (0, 1, 3, 5, 9, 10, 11, 12, 35, 39, 60, 202, 228, 231, 262)  # read, write, mmap, futex
    assert {verdict(FILTER, number) for number in plain} == {ALLOW}
    assert verdict(FILTER, 463) == verdict(FILTER, 100_000) == FAIL | errno.ENOSYS
    assert verdict(FILTER, 0x40000000) == verdict(FILTER, 0, machine=0x40000003) == KILL
    assert verdict(FILTER, 76) == ALLOW and refused(76, made=OLD)
    assert len(system_calls.packed(FILTER)) == 8 * len(FILTER) < 8 * 4096  # what kernels take
