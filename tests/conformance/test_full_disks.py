"""Disks that fill up, files that disappear during a run: what is lost is told, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fmus.build import build

import dovetail as dv

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no limits on files there")

PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


# No file may grow beyond this: for whoever writes it the disk is full then.
LIMITED = """
import resource, runpy
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
runpy.run_module("dovetail", run_name="__main__")
"""


def run(folder, fmu, *words, room=None):
    """The command in a process of its own, where files may have so many bytes."""
    environment = {**os.environ, "DOVETAIL_CACHE": str(folder / "cache")}
    subprocess.run(
        [sys.executable, "-m", "dovetail", "describe", str(fmu)],
        env=environment,
        check=True,
        capture_output=True,
    )  # what is unpacked is larger than the room
    way = ["-m", "dovetail"] if room is None else ["-c", LIMITED.format(size=room)]
    command = [sys.executable, *way, "run", str(fmu), *map(str, words)]
    return subprocess.Popen(command, env=environment, cwd=folder, **PIPES)


@pytest.fixture
def tiny(tmp_path):
    """A disk of 256 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a file system cannot be mounted here (no permission)")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def told(process):
    said, wrong = process.communicate(timeout=120)
    assert "Traceback" not in wrong
    return process.returncode, said, wrong


@pytest.mark.parametrize("disk", ["limit", "tmpfs"])
def test_a_full_disk_is_told_with_the_time_that_was_reached(tmp_path, disk, request):
    """Some 65 kB for 2,700 rows of 24 bytes; of a native run that would have a million."""
    place = request.getfixturevalue("tiny") if disk == "tmpfs" else tmp_path
    output = place / "run.parquet"
    words = "-o", output, "--step", "1e-6", "--stop", "1", "-q"
    room = 300_000 if disk == "limit" else None
    code, _, wrong = told(run(tmp_path, build("linear", 2, tmp_path), *words, room=room))
    assert code == 1
    full = "file too large" if disk == "limit" else "no space left on device"
    assert full in wrong
    assert f"every row up to then is safe: read them with dovetail.read('{output}.rows')" in wrong
    left = dv.read(f"{output}.rows")
    assert len(left) > 1000
    assert f"at t = {left.time[-1]:g} s: " in wrong  # where it is, not where it began


@pytest.mark.parametrize("disk", ["limit", "tmpfs"])
def test_a_full_disk_for_checkpoints_does_not_end_the_run(tmp_path, disk, request):
    """The rows are in the checkpoint, so that it grows; the run itself is sound."""
    place = request.getfixturevalue("tiny") if disk == "tmpfs" else tmp_path
    file = place / "run.checkpoint"
    words = "--step", "1e-5", "--stop", "1", "--checkpoint", file, "--checkpoint-every", "0.01"
    room = 200_000 if disk == "limit" else None
    code, said, wrong = told(run(tmp_path, build("linear", 2, tmp_path), *words, room=room))
    assert code == 0, wrong
    assert wrong.count("the checkpoint cannot be written") == 1
    assert "; the run goes on" in wrong
    assert f"the run went on without checkpoints; {file} stands at t = " in wrong
    assert "100000 windows (all natively)" in said
    assert not list(place.glob("*.writing"))


def test_no_room_for_the_first_checkpoint_is_told_before_the_run(tmp_path):
    words = "--step", "1e-3", "--stop", "1", "--checkpoint", "nowhere/run.checkpoint"
    code, _, wrong = told(run(tmp_path, build("linear", 2, tmp_path), *words))
    assert code == 2
    assert "the checkpoint cannot be written: No such file or directory" in wrong


def test_checkpoints_leave_windows_native(tmp_path):
    """And a run that goes on from one ends in the same bits."""
    system = dv.System("linear")
    system.add("it", dv.load(build("linear", 2, tmp_path)))
    file, fixed = tmp_path / "run.checkpoint", dv.FixedStep(1e-4)
    plain = dv.simulate(system, stop=2.0, controller=fixed, quiet=True)
    options = {"stop": 2.0, "controller": fixed, "quiet": True}
    with dv.Session(system, **{**options, "stop": 1.0}) as session:
        first = session.run(checkpoint=file, every=1e-6)
    assert first.statistics.native_windows == first.statistics.windows == 10_000
    second = dv.simulate(system, **options, resume=file)
    assert (second["it.y"] == plain["it.y"]).all()
    assert (second.time == plain.time).all()


MEDDLING = """
import os, sys
import dovetail as dv
from dovetail.results.recorders.watched import WatchedRecording
system = dv.System("linear")
system.add("it", dv.load({fmu!r}))
class Meddler:
    rows = 0
    def row(self, time, reals, discrete):
        self.rows += 1
    def block(self, times, reals, discrete):
        before, self.rows = self.rows, self.rows + len(times)
        if before <= 50_000 < self.rows:
            {meddle}
class Recorder(dv.File):
    def open(self, columns):
        return WatchedRecording(super().open(columns), 1 + len(columns), Meddler())
try:
    result = dv.simulate(
        system, stop=1.0, controller=dv.FixedStep(1e-5), recorder=Recorder("run.csv"), quiet=True
    )
    print(len(result))
except dv.RecordingFailed as error:
    print(error)
"""


def meddled(folder, fmu, meddle):
    code = MEDDLING.format(fmu=str(fmu), meddle=meddle)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, check=False, timeout=120, **PIPES)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_stream_that_is_deleted_during_the_run_is_no_loss(tmp_path):
    """The process still has it open."""
    fmu = build("linear", 2, tmp_path)
    assert meddled(tmp_path, fmu, "os.unlink('run.csv.rows')") == "100001\n"
    assert len(dv.read(tmp_path / "run.csv")) == 100_001


def test_a_stream_that_is_truncated_during_the_run_is_told_as_a_loss(tmp_path):
    said = meddled(tmp_path, build("linear", 2, tmp_path), "os.truncate('run.csv.rows', 0)")
    assert said.startswith("the result can no longer be written at t = 0.")
    assert "run.csv: something else truncated 'run.csv.rows' during the run; " in said
    assert said.endswith("the rows of this run are lost\n")
    assert not Path(tmp_path / "run.csv").exists()


def test_what_is_left_of_a_truncated_stream_is_counted(tmp_path):
    said = meddled(tmp_path, build("linear", 2, tmp_path), "os.truncate('run.csv.rows', 300_000)")
    left = dv.read(tmp_path / "run.csv.rows")
    assert f" rows {len(left)} are left: read them with dovetail.read(" in said
    assert 0 < len(left) < 50_000


def test_a_tail_that_is_truncated_in_the_midst_of_windows_is_no_crash(tmp_path):
    """The FMU does it, in the midst of a native call; the command says what has happened."""
    fmu = build("truncates", 2, tmp_path)
    code, _, wrong = told(run(tmp_path, fmu, "-o", "run.csv", "--step", "1e-6", "-q"))
    assert code == 1
    assert "something else truncated 'run.csv.tail' during the run" in wrong
    assert "bus error" not in wrong


NEIGHBOURS = """
import ctypes, mmap
import dovetail as dv
from dovetail.cli.watch import watched
from dovetail.results.files import chunk, streaming
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
READ_AND_WRITE, SHARED, PRIVATE, FIXED, ANONYMOUS = 3, 1, 2, 16, 32
canaries = []
class Mapped:
    PAGESIZE = mmap.PAGESIZE
    @staticmethod
    def mmap(descriptor, size):
        assert size % mmap.PAGESIZE == 0  # lines to the last byte of the last page
        whole = size + mmap.PAGESIZE
        at = libc.mmap(None, whole, READ_AND_WRITE, PRIVATE | ANONYMOUS, -1, 0)
        file = libc.mmap(at, size, READ_AND_WRITE, SHARED | FIXED, descriptor, 0)
        assert file == at
        canary = (ctypes.c_char * mmap.PAGESIZE).from_address(at + size)
        canary.raw = mmap.PAGESIZE * b"x"
        canaries.append(canary)
        return (ctypes.c_char * size).from_address(at)
chunk.mmap = Mapped
streaming.FIRST_BYTES = streaming.CHUNK_BYTES = 10 * mmap.PAGESIZE  # 1,024 lines of 40 bytes
system = dv.System("one")
system.add("it", dv.load({fmu!r}))
try:
    with watched():
        dv.simulate(system, stop=1.0, {how}, recorder=dv.File("run.csv"), quiet=True)
except dv.RecordingFailed as error:
    print(error)
assert canaries and all(c.raw == mmap.PAGESIZE * b"x" for c in canaries)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks for memory at a place")
@pytest.mark.parametrize(
    "how",
    [
        "controller=dv.FixedStep(1e-5)",
        'algorithm="jacobi", controller=dv.StepDoubling(rtol=1e-3, first_size=1e-5, max_size=1e-4)',
    ],
)
def test_memory_behind_a_tail_that_is_truncated_stays_as_it_is(tmp_path, how):
    """What is missing is made up for to the end of the last line, and not beyond."""
    code = NEIGHBOURS.format(fmu=str(build("truncates", 2, tmp_path)), how=how)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, check=False, timeout=120, **PIPES)
    assert done.returncode == 0, done.stderr
    assert "something else truncated 'run.csv.tail' during the run" in done.stdout
