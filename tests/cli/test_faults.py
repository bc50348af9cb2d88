"""FMUs that disturb or end the process they are in: no command ends with 0 without its answer.

Each fault in this process, by the command, and in a host. What is done about it is said there.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from fmus.culprit import culprit

import dovetail as dv

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guard is for Linux")
CULPRIT = "--isolate gives each FMU a process of its own, and names the one that crashes"
ALIVE = "an FMU {} and ended the process; alive were 'culprit'"
LOADED = "an FMU {} and ended the process while the library of 'culprit.fmu' was being loaded"
ENDED = "the process was ended by {} before it had an answer"
LEFT = "the process left with exit code 0 before it had an answer"
SEGV, ABORT = "caused a segmentation fault", "called abort()"


@pytest.fixture(scope="module")
def fmu(tmp_path_factory):
    return culprit(tmp_path_factory.mktemp("culprit"))


def begun(fmu, deed, *words, command="run"):
    environment = {**os.environ, "CULPRIT": deed, "OPENBLAS_NUM_THREADS": "1"}
    call = [sys.executable, "-m", "dovetail", command, str(fmu), *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(call, env=environment, cwd=fmu.parent, **pipes)


def ended(fmu, deed, *words, command="run"):
    """How the command ends: its code, and what it says."""
    process = begun(fmu, deed, *words, command=command)
    out, said = process.communicate(timeout=60)
    return process.returncode, out, said


HERE = {
    "step segfault": (-signal.SIGSEGV, ALIVE.format(SEGV)),
    "init segfault": (-signal.SIGSEGV, ALIVE.format(SEGV)),
    "terminate segfault": (-signal.SIGSEGV, ALIVE.format(SEGV)),
    "free segfault": (-signal.SIGSEGV, ALIVE.format(SEGV)),
    "ctor segfault": (-signal.SIGSEGV, LOADED.format(SEGV)),
    "step abort": (-signal.SIGABRT, ALIVE.format(ABORT)),
    "step stack": (-signal.SIGSEGV, ALIVE.format(SEGV)),
    "step heap": (None, "ended"),  # by what the allocator finds, and when
    "step double_free": (-signal.SIGABRT, ALIVE.format(ABORT)),
    "step exit": (1, ALIVE.format("called exit()")),
    "ctor exit": (1, LOADED.format("called exit()")),
    "step _exit": (1, LEFT),
    "ctor _exit": (1, LEFT),
    "step quick_exit": (1, ALIVE.format("called quick_exit()")),
    "step pthread_exit": (1, ALIVE.format("called pthread_exit()")),
    "step kill9": (-signal.SIGKILL, ENDED.format("SIGKILL")),
    "dtor segfault": (
        -signal.SIGSEGV,
        "the process was ended by SIGSEGV on its way out, after the answer",
    ),
}


@pytest.mark.parametrize("deed", HERE)
def test_in_this_process_it_is_said_and_no_success(fmu, deed):
    code, said = HERE[deed]
    found, _, told = ended(fmu, deed, "--step", "0.1", "-q")
    assert found != 0 and (code is None or found == code), told
    assert said in told and told.rstrip().endswith(CULPRIT), told
    assert "Traceback" not in told


WITHOUT_ANSWER = ("step close_all", 1), ("step close_stdout", 1)


@pytest.mark.parametrize(("deed", "code"), WITHOUT_ANSWER)
def test_an_answer_that_nobody_can_read_is_no_success(fmu, deed, code):
    found, out, told = ended(fmu, deed, "--step", "0.1")
    assert (found, out) == (code, "") and "Traceback" not in told


@pytest.mark.parametrize("deed", ["step close", "step surroundings", "ctor fork"])
def test_what_can_be_borne_is_borne(fmu, deed):
    """All descriptors closed, or the working directory, signals, locale changed, or a copy made."""
    found, out, told = ended(fmu, deed, "--step", "0.1")
    assert found == 0 and "Traceback" not in told, told
    assert out.count("culprit.y") == 1, out


def test_a_copy_of_the_process_adds_no_rows(fmu, tmp_path):
    path = tmp_path / "run.parquet"
    found, _, told = ended(fmu, "step fork", "--step", "0.01", "-o", str(path), "-q")
    assert found == 0, told
    rows = dv.read(path)
    assert len(rows) == 101 and rows.finished


@pytest.mark.parametrize("deed", ["make _exit", "init segfault", "ctor abort"])
def test_check_is_watched_as_well(fmu, deed):
    found, out, told = ended(fmu, deed, command="check")
    assert found != 0 and out == "" and told.rstrip().endswith(CULPRIT), told


@pytest.mark.parametrize("deed", ["init segfault"])
def test_check_names_the_culprit_if_it_is_isolated(fmu, deed):
    found, out, told = ended(fmu, deed, "--isolate", command="check")
    said = r"No advice: part 'culprit' failed while (starting|being made) at t = 0 s: its process "
    assert re.search(said, out), told
    assert found == 0 and "Recommended:" in out  # that is the answer


@pytest.mark.parametrize("words", [("run", "--stop", "1", "--step", "0.1"), ("check",)])
def test_a_hang_in_a_constructor_is_ended_by_the_second_ctrl_c(fmu, words):
    process = begun(fmu, "ctor hang", *words[1:], command=words[0])
    try:
        deadline = time.monotonic() + 50
        while "culprit" not in mapped(process):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        told = ""
        while "press Ctrl-C again" not in told:  # after notes
            told = process.stderr.readline()
            assert told
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert "ended inside a call that was running" in told
    assert process.returncode == 1


def children(process):
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


def mapped(process):
    """Files in the memory of the command's inner process."""
    try:
        inner = children(process)
        return Path(f"/proc/{inner[0]}/maps").read_text() if inner else ""
    except OSError:
        return ""


def test_signals_to_the_command_reach_it_and_nothing_outlives_it(fmu):
    process = begun(fmu, "step hang", "--step", "0.1", "-q")
    try:
        deadline = time.monotonic() + 50
        while "culprit" not in mapped(process):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        (inner,) = children(process)
    finally:
        process.kill()
        process.communicate()
    deadline = time.monotonic() + 10
    while os.path.exists(f"/proc/{inner}") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not os.path.exists(f"/proc/{inner}")
    process = begun(fmu, "step hang", "--step", "0.1", "-q")
    while "culprit" not in mapped(process):
        time.sleep(0.05)
    process.terminate()
    _, told = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGTERM and told == ""


PYTHON = """
import sys
import dovetail as dv
system = dv.System("s")
system.add("culprit", dv.load(sys.argv[1]))
dv.simulate(system, stop=1.0, step=0.1, quiet=True, verify=False)
print("done")
"""


@pytest.mark.parametrize(
    ("deed", "did", "code"),
    [
        ("step exit", ALIVE.format("called exit()"), 1),
        ("ctor exit", LOADED.format("called exit()"), 1),
        ("step quick_exit", ALIVE.format("called quick_exit()"), 1),
        ("step pthread_exit", ALIVE.format("called pthread_exit()"), 1),
        ("step stack", ALIVE.format(SEGV), -signal.SIGSEGV),
        ("ctor abort", LOADED.format(ABORT), -signal.SIGABRT),
    ],
)
def test_in_python_the_end_of_the_process_is_said_and_no_success(fmu, deed, did, code):
    words = [sys.executable, "-c", PYTHON, str(fmu)]
    given = {"capture_output": True, "text": True, "timeout": 60}
    found = subprocess.run(words, env={**os.environ, "CULPRIT": deed}, check=False, **given)
    assert found.returncode == code and found.stdout == "" and did in found.stderr
    assert found.stderr.rstrip().endswith(f"placement=dv.Isolated(){CULPRIT[9:]}")


def test_a_handler_that_is_there_already_is_left_there(fmu):
    """Others may live by it, as virtual machines do."""
    text = PYTHON.replace("import sys\n", "import faulthandler, sys\nfaulthandler.enable()\n")
    given = {"capture_output": True, "text": True, "timeout": 60}
    environment = {**os.environ, "CULPRIT": "step segfault"}
    words = [sys.executable, "-c", text, str(fmu)]
    found = subprocess.run(words, env=environment, check=False, **given)
    assert found.returncode == -signal.SIGSEGV
    assert "Fatal Python error" in found.stderr and "dovetail: an FMU" not in found.stderr


def test_a_script_that_leaves_while_fmus_are_alive_leaves_as_it_says(fmu):
    text = PYTHON.replace("dv.simulate(", "session = dv.Session(").replace("step=0.1, ", "")
    text = text.replace(", verify=False", "") + "sys.exit(0)\n"
    given = {"capture_output": True, "text": True, "timeout": 60}
    found = subprocess.run([sys.executable, "-c", text, str(fmu)], check=False, **given)
    assert (found.returncode, found.stdout) == (0, "done\n"), found.stderr
    assert "called exit()" not in found.stderr


# In hosts ------------------------------------------------------------------------------------

THERE = {
    "step segfault": "ended by a segmentation fault (SIGSEGV)",
    "init segfault": "ended by a segmentation fault (SIGSEGV)",
    "make segfault": "ended by a segmentation fault (SIGSEGV)",
    "ctor segfault": "ended by a segmentation fault (SIGSEGV)",
    "step abort": "ended by abort() (SIGABRT)",
    "step stack": "ended by a segmentation fault (SIGSEGV)",
    "step double_free": "ended by abort() (SIGABRT)",
    "step exit": "left with exit code 0",
    "ctor exit": "left with exit code 0",
    "step _exit": "left with exit code 0",
    "step quick_exit": "left with exit code 0",
    "step pthread_exit": "an FMU called pthread_exit()",
    "step kill9": "ended by SIGKILL",
    "step hang": "it did not answer within 1 s",
    "init hang": "it did not answer within 1 s",
    "ctor hang": "it did not answer within 1 s",
    "step garbage": "answered with what is no answer",
    "step close": "closed the connection to it",
    "step close_all": "closed the connection to it",
    "step leak": "it took more memory than its host may, 50 MB",
    "step die_talking": "it said last: the oil is gone",
}
TALKING = ("step garbage", "step close", "step close_all")  # native windows go by shared memory
WHEN = {"make": "starting", "ctor": "being made", "init": "starting", "step": "advancing"}


def hosted(fmu, deed, **options):
    system = dv.System("s")
    system.add("culprit", dv.load(fmu))
    placement = dv.Isolated(environment={"CULPRIT": deed}, **options)
    ways = {"step": 0.1, "quiet": True, "verify": False}
    return dv.simulate(system, stop=1.0, placement=placement, **ways)


@pytest.mark.parametrize("deed", THERE)
def test_in_a_host_it_is_a_sentence_and_the_process_lives(fmu, deed, monkeypatch):
    if deed in TALKING:
        monkeypatch.setattr("dovetail.fmi.native.obstacles.kernel", lambda: None)
    options = {"timeout": 1.0} if "hang" in deed else {}
    options |= {"memory": "50 MB"} if "leak" in deed else {}
    with pytest.raises(dv.HostFailed, match=re.escape(THERE[deed])) as caught:
        hosted(fmu, deed, **options)
    error = caught.value
    assert f"part 'culprit' failed while {WHEN[deed.partition(' ')[0]]} at t = " in str(error)
    if deed.startswith("step"):
        assert error.result.time[-1] == pytest.approx(0.5) and error.inputs == {"u": 0.0}


@pytest.mark.parametrize("deed", TALKING)
def test_native_windows_are_right_up_to_where_a_broken_connection_is_seen(fmu, deed):
    here = hosted(fmu, "none")
    try:
        there = hosted(fmu, deed)
        assert there.finished
    except dv.HostFailed as error:
        there = error.result
        assert THERE[deed] in str(error) and there.time[-1] >= 0.5 - 1e-9
    assert np.array_equal(here["culprit.y"][: len(there)], there["culprit.y"])


@pytest.mark.parametrize(
    "deed",
    [
        *("free segfault", "dtor segfault", "terminate abort", "step surroundings"),
        *("step fork", "ctor fork", "step close_stdout"),
    ],
)
def test_in_a_host_what_comes_too_late_or_does_no_harm_costs_nothing(fmu, deed):
    here, there = hosted(fmu, "none"), hosted(fmu, deed)
    assert np.array_equal(here["culprit.y"], there["culprit.y"]) and there.finished
    if deed.startswith(("free", "terminate")):
        assert any("failed while terminating" in note for note in there.facts["messages"])


def test_in_a_host_heap_damage_is_seen_or_costs_nothing(fmu):
    """When it is seen is a matter of the allocator; the process lives, whatever comes."""
    try:
        found = hosted(fmu, "step heap")
        assert found.finished
    except dv.HostFailed as error:
        assert "ended by" in str(error)
