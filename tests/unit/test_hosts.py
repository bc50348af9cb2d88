"""Parts in processes of their own: the same bits, and what becomes of a run if one dies."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import threading
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import dovetail as dv
from dovetail.drawing.part import Part
from dovetail.formats import read
from dovetail.hosts import frames
from dovetail.hosts.answers import answer, failure, value_of
from dovetail.hosts.fork_server import ForkServer
from dovetail.hosts.frames import Garbled
from dovetail.hosts.homes import residences
from dovetail.hosts.life import HostLife
from dovetail.hosts.proxy import Hosted
from dovetail.hosts.worker import HostedParts

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")

AT = 0.5  # when things go wrong


def part(trouble=None, **more):
    """x' = u - x, until something happens."""

    def derivatives(t, x, u, p):
        if trouble is not None and t > AT:
            trouble()
        return [u.u - x.x]

    return dv.Dynamic(
        states={"x": 1.0}, inputs=["u"], outputs=["x"], derivatives=derivatives, **more
    )


def pair(trouble=None):
    """Two that push each other; one of them may be in trouble."""
    system = dv.System("pair")
    system.add("good", part())
    system.add("bad", part(trouble))
    system.connect("good.x", "bad.u")
    system.connect("bad.x", "good.u", gain=-2.0)
    return system


def run(system, placement=None, **more):
    given = {"stop": 1.0, "step": 0.05, "quiet": True, "verify": False, **more}
    return dv.simulate(system, placement=placement, **given)


def children(pid):
    """Processes that a process has started."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def nothing_is_left():
    server = ForkServer.current()
    until = time.monotonic() + 5.0
    while time.monotonic() < until:
        left = [p.name for p in server._folder.iterdir() if p.name != "held"]
        if not children(server._process.pid) and not left:
            return True
        time.sleep(0.01)
    return False


# The same bits -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "algorithm", [dv.Jacobi(), dv.GaussSeidel(5), dv.Newton(), dv.Iterative()], ids=str
)
@pytest.mark.parametrize(
    "placement",
    [dv.LocalHost("one"), {"*": dv.Isolated()}, {"bad": dv.LocalHost("one"), "good": None}],
    ids=["one host", "one each", "one of them"],
)
def test_bits_are_the_same_wherever_parts_live(algorithm, placement):
    here = run(pair(), algorithm=algorithm)
    there = run(pair(), placement, algorithm=algorithm)
    assert np.array_equal(here["bad.x"], there["bad.x"])
    assert here.statistics.evaluations_by_part == there.statistics.evaluations_by_part
    assert nothing_is_left()


def test_estimators_and_step_doubling_find_the_same():
    ways = {"algorithm": dv.Newton(), "controller": dv.StepDoubling(rtol=1e-4), "step": None}
    ways["estimators"] = {"bad": dv.Costarica()}
    here, there = (run(pair(), where, **ways) for where in (None, dv.LocalHost()))
    assert np.array_equal(here.time, there.time)
    assert np.array_equal(here["bad.x"], there["bad.x"])


def test_a_nested_system_lives_in_a_host_whole():
    system = dv.System("outer")
    system.add("inner", dv.Nested(pair(), controller=dv.FixedStep(0.01)))
    here, there = run(system), run(system, {"inner": dv.Isolated()})
    assert np.array_equal(here["inner.bad.x"], there["inner.bad.x"])


def test_capabilities_are_those_of_the_part():
    with dv.Session(pair(), stop=1.0, quiet=True, placement=dv.LocalHost()) as session:
        proxies = [live.subsystem for live in session.assembly.subsystems]
        assert all(isinstance(p, Hosted) for p in proxies)
        real = part().instantiate("bad")
        shown = {n for n in dir(proxies[1]) if n[0] != "_"}
        more = {"name", "model", "host", "number", "committed", "description"}
        more |= {"kept", "call", "demand", "lost"}  # what native code asks of a stand-in
        more |= {"post_step", "post_call", "forget_steps", "send", "takes_posts", "seconds"}
        more |= {"leave", "outputs_at"}
        more |= {"failure", "failed"}  # of what was posted
        more |= {"deed", "shown", "is_tried"}  # for classes of stand-ins
        assert shown - more <= set(dir(real)) | {"initialize"}
        assert {"snapshot", "restore", "dump", "load", "linearize"} <= shown
        assert "update" not in shown and "next_event" not in shown


def test_a_part_that_hands_its_calls_on_can_do_what_the_other_can():
    class Shy:
        def __init__(self, inner):
            self._inner = inner

        def __getattr__(self, name):
            if name == "_inner":  # while it is unpickled
                raise AttributeError(name)
            return getattr(self._inner, name)

    class ShyModel(Shy):
        def instantiate(self, name):
            return Shy(self._inner.instantiate(name))

    system = pair()
    system.remove("bad")
    system.add("bad", ShyModel(part()))
    system.connect("good.x", "bad.u")
    system.connect("bad.x", "good.u", gain=-2.0)
    here, there = run(pair()), run(system, dv.LocalHost())
    assert np.array_equal(here["bad.x"], there["bad.x"])


def test_a_checkpoint_from_hosts_goes_on_here_and_the_other_way_round(tmp_path):
    system = pair()
    whole = run(system)
    for first, second in ((dv.LocalHost(), None), (None, dv.LocalHost())):
        given = {"controller": dv.FixedStep(0.05), "quiet": True}
        with dv.Session(system, stop=0.5, placement=first, **given) as session:
            session.run(checkpoint=tmp_path / "half")
        resumed = dv.simulate(
            system,
            stop=1.0,
            placement=second,
            resume=tmp_path / "half",
            step=0.05,
            quiet=True,
        )
        assert resumed["bad.x"][-1] == whole["bad.x"][-1]


def test_what_is_set_by_hand_arrives():
    def rates(t, x, u, p):
        return [p.k]

    model = dv.Dynamic(states={"x": 0.0}, parameters={"k": 1.0}, outputs=["x"], derivatives=rates)
    system = dv.System("s")
    system.add("it", model)
    found = []
    for placement in (None, dv.LocalHost(restart=1)):
        with dv.Session(
            system, stop=1.0, controller=dv.FixedStep(0.1), quiet=True, placement=placement
        ) as session:
            while session.time < 0.45:
                session.advance()
            session.set("it.k", -1.0)
            found.append(session.run()["it.x"])
    assert np.array_equal(*found)


# Faults --------------------------------------------------------------------------------------


def overflow():
    faulthandler._stack_overflow()


def hang():
    while True:
        pass


def grow():
    held = []
    while True:
        held.append(bytearray(2**20))


def garbage():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                os.write(fd, b"what is this?" * 10)
        except OSError:
            pass


def close_all():
    os.closerange(0, 1024)


def talk_and_die():
    os.write(2, b"the oil is gone\n")
    os.kill(os.getpid(), signal.SIGSEGV)


def leave():
    ctypes.CDLL(None).exit(0)


FAULTS = {
    "segmentation fault": (faulthandler._sigsegv, "ended by a segmentation fault (SIGSEGV)"),
    "abort": (faulthandler._sigabrt, "ended by abort() (SIGABRT)"),
    "kill": (lambda: os.kill(os.getpid(), 9), "ended by SIGKILL"),
    "_exit": (lambda: os._exit(0), "left with exit code 0"),
    "exit": (leave, "left with exit code 0"),
    "stack": (overflow, "ended by a segmentation fault (SIGSEGV)"),
    "hang": (hang, "did not answer within 2 s"),
    "memory": (grow, "it took more memory than its host may, 100 MB"),
    "garbage": (garbage, "answered with what is no answer"),
    "closed": (close_all, "its process closed the connection to it"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_costs_its_host_only(fault):
    trouble, said = FAULTS[fault]
    options = {"timeout": 2.0} if fault == "hang" else {}
    options |= {"memory": "100 MB"} if fault == "memory" else {}
    placement = {"bad": dv.Isolated(**options), "good": dv.LocalHost("other")}
    begin = time.monotonic()
    with pytest.raises(dv.HostFailed, match="part 'bad' failed while advancing at t = ") as caught:
        run(pair(trouble), placement)
    assert time.monotonic() - begin < 20.0
    error = caught.value
    assert said in str(error)
    assert error.window is not None and error.window.stop > AT
    assert set(error.inputs) == {"u"}
    assert error.result.time[-1] == pytest.approx(error.window.start)
    assert nothing_is_left()


def test_the_last_lines_are_told(capfd):
    with pytest.raises(dv.HostFailed, match="it said last: the oil is gone") as caught:
        run(pair(talk_and_die), dv.LocalHost())
    assert caught.value.lines[-1] == "the oil is gone"
    assert caught.value.signal == "SIGSEGV" and caught.value.exit_code is None
    assert "the oil is gone" in capfd.readouterr().err


def test_a_copy_that_a_part_makes_of_its_process_does_no_harm():
    forked = []

    def fork():
        if not forked:
            forked.append(os.getpid())
            os.fork()

    here, there = run(pair()), run(pair(fork), {"bad": dv.Isolated()})
    assert np.array_equal(here["bad.x"], there["bad.x"])
    assert nothing_is_left()


def test_standard_output_that_a_part_closes_is_its_own():
    def close():
        if os.path.exists("/proc/self/fd/1"):
            print("the last of it")
            os.close(1)

    run(pair(close), dv.LocalHost())
    print("here it is open")


def test_what_a_python_part_raises_is_what_it_raises_here():
    def trouble():
        raise ZeroDivisionError("no way")

    said = []
    for placement in (None, dv.LocalHost()):
        with pytest.raises(dv.PartFailed) as caught:
            run(pair(trouble), placement)
        said.append(str(caught.value))
    assert said[0] == said[1]
    with pytest.raises(dv.PartFailed, match="SystemExit: 3"):
        run(pair(lambda: sys.exit(3)), dv.LocalHost())
    assert nothing_is_left()


def test_an_fmu_that_crashes_tells_its_last_messages(archive):
    system = dv.System("s")
    system.add("it", dv.load(archive("crash", 2)))
    with pytest.raises(dv.HostFailed, match="ended by a segmentation fault") as caught:
        run(system, dv.Isolated())
    assert caught.value.result["it.y"][-1] == pytest.approx(0.5)
    quits = dv.System("s")
    quits.add("it", dv.load(archive("quits", 3)))
    with pytest.raises(dv.HostFailed, match="left with exit code 0"):
        run(quits, dv.Isolated())


def test_an_initialization_that_does_not_end_is_ended(archive):
    system = dv.System("s")
    system.add("it", dv.load(archive("dazed", 2)))
    with pytest.raises(dv.HostFailed, match="failed while starting at t = 0 s: it did not answer"):
        run(system, dv.Isolated(timeout=2.0))
    stillborn = dv.System("s")
    stillborn.add("it", dv.load(archive("stillborn", 2)))
    with pytest.raises(dv.HostFailed, match="segmentation fault"):
        run(stillborn, dv.Isolated())
    assert nothing_is_left()


def test_a_death_is_seen_at_once():
    given = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.01), "quiet": True}
    with dv.Session(pair(), stop=1e6, placement=dv.LocalHost(), **given) as session:
        host = session.assembly.subsystems[0].subsystem.host
        killed = []

        def kill():
            killed.append(time.monotonic())
            os.kill(host._life.pid, signal.SIGKILL)

        timer = threading.Timer(0.3, kill)
        timer.start()
        with pytest.raises(dv.HostFailed, match="SIGKILL"):
            session.run()
        timer.join()
    assert killed


def test_ctrl_c_does_not_wait_for_a_part_that_hangs():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    master = os.getpid()

    def press_and_hang():
        os.kill(master, signal.SIGINT)
        hang()

    try:
        with pytest.raises(dv.Interrupted) as caught:
            run(pair(press_and_hang), {"bad": dv.Isolated()})
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught.value.result.time[-1] == pytest.approx(AT)
    assert nothing_is_left()


def is_answered(life, number, hangs):
    """Whether this request is answered; not, if the part hangs first."""
    head = frames._HEAD
    while not hangs.exists():
        held = bytes(life._line._reader._had)
        with suppress(BlockingIOError):
            held += life._talk.recv(2**20, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        while len(held) >= head.size:
            _, _, answered, size, _ = head.unpack(held[: head.size])
            held = held[head.size + size :]
            if answered == number:
                return True
        time.sleep(0.001)
    return False


def test_nor_does_ctrl_c_right_behind_a_request(monkeypatch, tmp_path):
    usual, pressed, hangs = HostLife.answer, [], tmp_path / "hangs"

    def hang_with_a_mark():
        hangs.touch()
        hang()

    def answer(life, number):
        if not pressed and not is_answered(life, number, hangs):
            pressed.append(life)
            raise KeyboardInterrupt
        return usual(life, number)

    monkeypatch.setattr(HostLife, "answer", answer)
    with pytest.raises(dv.Interrupted):
        run(pair(hang_with_a_mark), {"bad": dv.Isolated()})
    assert pressed
    assert nothing_is_left()


def test_hosts_leave_when_their_master_is_killed(tmp_path):
    script = tmp_path / "master.py"
    script.write_text(
        textwrap.dedent(
            """
            import time
            import dovetail as dv
            def slow(t, x, u, p):
                time.sleep(0.02)
                return [-x.x]
            system = dv.System("s")
            system.add("it", dv.Dynamic(states={"x": 1.0}, outputs=["x"], derivatives=slow))
            with dv.Session(system, stop=1e3, controller=dv.FixedStep(0.1), quiet=True,
                            placement=dv.LocalHost()) as session:
                session.advance()
                print(session.assembly.subsystems[0].subsystem.host._life.pid, flush=True)
                session.run()
            """
        )
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, env=environment)
    host = int(process.stdout.readline())
    assert list(tmp_path.glob("dovetail-hosts-*"))
    process.kill()
    process.wait()
    process.stdout.close()
    until = time.monotonic() + 10.0
    while time.monotonic() < until:
        if not Path(f"/proc/{host}").exists() and not list(tmp_path.glob("dovetail-hosts-*")):
            return
        time.sleep(0.02)
    pytest.fail("the host outlived its master, or left something behind")


@pytest.mark.parametrize("heard", [b"", b'["json"]\n'])
def test_a_fork_server_whose_master_is_gone_before_it_is_ready_leaves_nothing(tmp_path, heard):
    """As after Ctrl-C while the first host starts."""
    here, there = socket.socketpair()
    here.sendall(heard)
    here.close()
    folder = tmp_path / "hosts"
    folder.mkdir()
    code = f"from dovetail.hosts.server import main; main({there.fileno()}, {str(folder)!r})"
    given = {"pass_fds": [there.fileno()], "capture_output": True, "timeout": 60}
    done = subprocess.run([sys.executable, "-c", code], check=False, **given)
    there.close()
    assert (done.returncode, done.stderr) == (0, b"") and not folder.exists()


def test_a_fork_server_that_is_killed_is_replaced():
    run(pair(), dv.LocalHost())
    first = ForkServer.current()
    with pytest.raises(dv.HostFailed, match="the process that makes hosts was ended"):
        run(pair(lambda: os.kill(os.getppid(), signal.SIGKILL)), dv.LocalHost())
    run(pair(), dv.LocalHost())
    assert ForkServer.current() is not first
    assert not first._folder.exists()


# Restarts ------------------------------------------------------------------------------------


def once(flag):
    """Die, but only the first time."""

    def trouble():
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    return trouble


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(5), dv.Newton()], ids=str)
def test_a_host_that_is_started_again_goes_on_with_the_same_bits(tmp_path, algorithm):
    here = run(pair(), algorithm=algorithm)
    placement = dv.LocalHost("both", restart=1)
    there = run(pair(once(tmp_path / "flag")), placement, algorithm=algorithm)
    assert np.array_equal(here["bad.x"], there["bad.x"])
    assert there.statistics.restarts_by_host == {"both": 1}
    assert "The host 'both' died and was started again once" in str(there.verdict)


def test_restarts_come_to_an_end():
    with pytest.raises(dv.HostFailed, match="ended by SIGKILL"):
        run(pair(lambda: os.kill(os.getpid(), 9)), dv.LocalHost(restart=2))
    assert nothing_is_left()


def test_restarts_need_states_that_can_be_serialized(archive):
    system = dv.System("s")
    system.add("it", dv.load(archive("linear", 1)))
    with pytest.raises(dv.CapabilityError, match="'it' cannot serialize its state; leave restart="):
        run(system, dv.Isolated(restart=1))


# Placements ----------------------------------------------------------------------------------


def test_what_does_not_travel_is_refused_by_name():
    lock = threading.Lock()
    with pytest.raises(dv.ModelError, match="part 'bad' cannot live in a process of its own: its"):
        run(pair(lock.locked), dv.LocalHost())
    assert nothing_is_left()


def test_isolated_is_for_compiled_code_and_patterns_for_what_they_name(archive):
    system = pair()
    system.add("fmu", dv.load(archive("linear", 2)))
    assert list(residences(system.parts, dv.Isolated())) == ["fmu"]
    assert list(residences(system.parts, {"*": dv.Isolated()})) == ["good", "bad", "fmu"]
    found = residences(system.parts, {"bad": None, "*d": dv.LocalHost("x")})
    assert {name: r.host for name, r in found.items()} == {"good": "x"}


def test_what_may_live_once_lives_elsewhere_the_second_time(archive, monkeypatch, capsys):
    def once(xml):
        plain = re.sub(r' canBeInstantiatedOnlyOncePerProcess="\w+"', "", xml)
        word = 'canBeInstantiatedOnlyOncePerProcess="true"'
        return re.sub("<CoSimulation ", f"<CoSimulation {word} ", plain)

    path = archive("linear", 2, edit=once)
    alone = dv.System("s")
    alone.add("a", dv.load(path), x=2.0)
    monkeypatch.setattr("dovetail.fmi.foreign_code.may_live_twice", lambda model: False)
    system = dv.System("s")
    for name in "ab":
        system.add(name, dv.load(path), x=2.0)
    found = run(system, quiet=False, progress=False)
    note = "'b' runs in a process of its own: it can be instantiated only once in a process"
    assert note in capsys.readouterr().err
    assert np.array_equal(found["a.y"], found["b.y"])
    assert np.array_equal(found["a.y"], run(alone)["a.y"])


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
def test_what_brings_a_python_lives_elsewhere(archive, tmp_path):
    path = tmp_path / "with-python.fmu"
    with zipfile.ZipFile(archive("linear", 2)) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():  # a content, and a place in the cache, of its own
            new.writestr(name, old.read(name))
        new.writestr("documentation/python.txt", "with a Python")
    assert not residences({"a": Part("a", dv.load(path))}, None)
    binary = dv.load(path).archive.binary("linear", "2.0").path
    other = f"libpython{sys.version_info.major}.{sys.version_info.minor}.so.1.0"
    (tmp_path / "nothing.c").write_text("int nothing(void) { return 0; }\n")
    made = ["cc", "-shared", "-fPIC", str(tmp_path / "nothing.c"), "-o", str(tmp_path / other)]
    subprocess.run([*made, f"-Wl,-soname,{other}"], check=True)
    inner = ["cc", "-shared", "-fPIC", str(tmp_path / "nothing.c"), "-Wl,--no-as-needed"]
    beside = binary.with_name("libinner.so")
    subprocess.run([*inner, "-o", str(beside), f"-L{tmp_path}", f"-l:{other}"], check=True)
    found = residences({"a": Part("a", dv.load(path))}, None)
    assert found["a"].why == "brings a Python of its own"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: run(pair(), "bad"), "placement='bad' is no placement; give dv.Isolated"),
        (lambda: run(pair(), {"bad": 1}), "is no placement; give a pattern of parts with"),
        (lambda: run(pair(), {"ugly": dv.Isolated()}), "no part is called so; there are 'good'"),
        (lambda: dv.LocalHost(""), "group='' is no name of a host"),
        (lambda: dv.LocalHost(restart=-1), "restart must be at least 0"),
        (lambda: dv.Isolated(timeout=0), "timeout must be above zero"),
        (lambda: dv.Isolated(memory="much"), "memory='much' is no size"),
        (lambda: dv.Isolated(environment={"A": 1}), "names and values are texts"),
        (lambda: dv.Isolated(sandbox="yes"), "sandbox='yes' must be True or False"),
        (lambda: dv.LocalHost(directory=3), "directory=3 is no path of a folder, a text"),
        (
            lambda: run(pair(), dv.LocalHost(directory="nowhere")),
            "directory='nowhere' of a host is no folder; make it before the run",
        ),
        (lambda: dv.LocalHost(sandboxed=True), "Did you mean 'sandbox'"),
        (
            lambda: run(pair(), {"g*": dv.LocalHost("x"), "b*": dv.LocalHost("x", timeout=1)}),
            "the host 'x' is given two sets of options",
        ),
    ],
)
def test_what_places_nothing_is_refused(made, said):
    with pytest.raises(dv.OptionError, match=said.replace("(", r"\(")):
        made()


def test_environment_and_temporary_files_are_the_hosts_own():
    def seen(t, u, p):
        import tempfile

        with tempfile.NamedTemporaryFile() as file:
            inside = "dovetail-hosts-" in file.name
        return [float(os.environ["WHO"]) + inside]

    system = dv.System("s")
    system.add("it", dv.Algebraic(inputs=["u"], outputs=["y"], function=seen))
    found = run(system, dv.LocalHost(environment={"WHO": "3"}))
    assert found["it.y"][-1] == 4.0


def test_what_became_of_environment_variables_here_is_so_in_the_next_host(monkeypatch):
    """Hosts come from a process that was started before."""

    def seen(t, u, p):
        return [float(os.environ.get("WHO", "0")) + ("GONE" in os.environ)]

    system = dv.System("s")
    system.add("it", dv.Algebraic(inputs=["u"], outputs=["y"], function=seen))
    monkeypatch.setenv("GONE", "x" * 200_000)  # a request may be long
    assert run(system, dv.LocalHost())["it.y"][-1] == 1.0
    monkeypatch.setenv("WHO", "3")
    monkeypatch.delenv("GONE")
    assert run(system, dv.LocalHost())["it.y"][-1] == 3.0


def test_a_snapshot_that_could_not_be_made_says_so_again():
    """Nobody waits for it when it is made, but for what is set back by it."""

    class Full:
        def snapshot(self):
            raise RuntimeError("no memory")

    parts = HostedParts(0, None)
    parts._parts[0] = Full()
    for deed in (parts.snapshot, parts.restore):
        with pytest.raises(RuntimeError, match="no memory"):
            deed(0, 1)


def test_placement_travels_with_a_file(tmp_path, archive):
    fmu = archive("linear", 2)
    text = f"""
    dovetail: 1
    parts:
      a: {{model: {fmu}}}
      b: {{model: {fmu}}}
      c: {{model: {fmu}}}
    run:
      stop: 0.2
      step: 0.1
      placement:
        a: {{host: pumps, timeout: 5, memory: 1 GB, environment: {{A: b}}}}
        b: isolated
        c: here
    """
    path = tmp_path / "s.yaml"
    path.write_text(textwrap.dedent(text))
    system = read(path)
    wanted = {
        "a": dv.LocalHost("pumps", timeout=5, memory="1 GB", environment={"A": "b"}),
        "b": dv.Isolated(),
        "c": None,
    }
    assert system.run_settings.placement == wanted
    system.save(tmp_path / "again.yaml")
    assert read(tmp_path / "again.yaml").run_settings.placement == wanted
    assert len(dv.simulate(path, quiet=True)) == 3
    system.rename("a", "d")
    assert "d" in system.run_settings.placement


# Answers -------------------------------------------------------------------------------------


def test_answers_carry_errors_with_their_facts():
    sent = dv.PartFailed("a", "b", 1.0, "c")
    with pytest.raises(dv.PartFailed) as caught:
        value_of(*failure(sent))
    assert str(caught.value) == str(sent)
    with pytest.raises(dv.InputError, match="no such"):
        value_of(*failure(dv.ModelError("no such")))


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 4, 9])
def test_no_bytes_are_more_than_no_answer(kind):
    rng = np.random.default_rng(kind)
    good = answer([1.0, {"a": (np.zeros(3), None)}])[1]
    for size in range(0, 200, 3):
        cut = bytearray(good[: size % (len(good) + 1)])
        if cut:
            cut[int(rng.integers(len(cut)))] ^= 1 << int(rng.integers(8))
        for data in (rng.bytes(size), bytes(cut)):
            try:
                value_of(kind, data)
            except Garbled:
                continue
            except Exception:
                assert kind == 4  # an error that it is
