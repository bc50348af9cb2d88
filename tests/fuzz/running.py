"""Attacks in a process of their own, with limits; what it does not survive is a finding.

A finding is an exception that is none of Dovetail's, the death of the process, more than ten
seconds of computing (or a minute of waiting), or more than a gigabyte of memory.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

LONGEST, WAITING = 10.0, 60.0  # seconds of computing; of silence
MEMORY = 2**30  # bytes beyond what the process has after loading everything
_CLEANED_AFTER = 200  # inputs
_LOOK = 1.0  # second


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that Dovetail did not answer with a result or a sentence."""

    target: str
    number: int
    kind: str
    what: str

    @property
    def place(self) -> str:
        """The same for inputs that fail in the same way."""
        return f"{self.target}: {self.kind}: {self.what.strip().splitlines()[-1][:160]}"


class TooLong(BaseException):
    """An input takes more than its time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """So many inputs of each of these targets, from a number on, for so many seconds each."""

    targets: tuple[str, ...]
    first: int
    count: int
    seconds: float

    def at(self, place: int) -> tuple[str, int]:
        """Target and number of an input, all of them counted through."""
        return self.targets[place // self.count], self.first + place % self.count

    @property
    def size(self) -> int:
        """How many inputs there are."""
        return len(self.targets) * self.count


def attack(plan: Plan) -> Iterator[Finding | tuple[str, int]]:
    """All inputs of a plan; yields findings, and how many inputs a target had.

    The process is a new one after each that died.
    """
    context = multiprocessing.get_context("spawn")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more wait for each other, computing
    place, left, began = 0, plan.seconds, monotonic()
    while place < plan.size:
        ours, theirs = context.Pipe()
        shared = context.Value("q", place)
        job = plan, place, left, theirs, shared
        worker = context.Process(target=_work, args=job, daemon=True)
        worker.start()
        theirs.close()
        silent = False
        with contextlib.suppress(EOFError, OSError):
            while not silent:
                silent = _is_silent(ours, worker.pid)
                if not silent and (message := ours.recv()) is not None:
                    began = began if isinstance(message, Finding) else monotonic()
                    yield message
        if silent:
            worker.kill()
        worker.join()
        if not silent and not worker.exitcode:
            return
        target, number = plan.at(shared.value)
        what = f"no word in {WAITING:g} s" if silent else f"exit code {worker.exitcode}"
        yield Finding(target, number, "hang" if silent else "crash", what)
        yield target, shared.value + 1 - max(place, shared.value // plan.count * plan.count)
        place, left = shared.value + 1, max(0.0, plan.seconds - (monotonic() - began))
        if place % plan.count == 0:
            left, began = plan.seconds, monotonic()


def _is_silent(pipe: Connection, pid: int | None) -> bool:
    """Whether nothing comes though the worker computes, or waits for something.

    On a busy machine it may get no share of it for a minute: then nothing is wrong.
    """
    before, slept = _computed(pid), 0.0
    while not pipe.poll(_LOOK):
        slept = 0.0 if _is_runnable(pid) else slept + _LOOK
        if slept >= WAITING or _computed(pid) - before >= 2 * LONGEST:
            return not pipe.poll(0)
    return False


def _computed(pid: int | None) -> float:
    """Seconds that a process has computed."""
    fields = _stat(pid)
    return sum(int(t) for t in fields[11:13]) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _is_runnable(pid: int | None) -> bool:
    return _stat(pid)[:1] == ["R"]


def _stat(pid: int | None) -> list[str]:
    """From the state on; empty where there is none."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return []


def _work(plan: Plan, place: int, left: float, pipe: Connection, shared: Any) -> None:
    signal.signal(signal.SIGPROF, _too_long)
    folder = Path(tempfile.mkdtemp())
    os.environ["DOVETAIL_CACHE"] = str(folder / "cache")
    warnings.simplefilter("ignore")
    from fuzz import targets

    try:
        while place < plan.size:
            begin, target = place, plan.at(place)[0]
            _lift_limit()
            _attempted(targets, target, 0, folder, whole=True)  # what it needs is loaded now
            _set_limit()
            ends, last = monotonic() + left, (place // plan.count + 1) * plan.count
            left = plan.seconds
            while place < last and monotonic() < ends:
                shared.value = place
                pipe.send(_attempted(targets, target, plan.at(place)[1], folder))
                place += 1
                if place % _CLEANED_AFTER == 0:
                    shutil.rmtree(folder / "cache", ignore_errors=True)
            pipe.send((target, place - begin))
            place = last
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        pipe.close()


def _lift_limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _set_limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_size() + MEMORY, resource.RLIM_INFINITY))


def _attempted(
    targets: Any, name: str, number: int, folder: Path, *, whole: bool = False
) -> Finding | None:
    from dovetail import DovetailError

    target = targets.TARGETS[name]
    home = folder / name.replace(" ", "-")
    path = home / target.file
    path.parent.mkdir(parents=True, exist_ok=True)
    for other, content in target.beside().items():
        if not (home / other).exists():
            (home / other).write_bytes(content)
    path.write_bytes(target.seeds()[0] if whole else targets.made(name, number))
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        target.attempt(path)
    except DovetailError as error:
        if len(str(error)) > 2**20:
            return Finding(name, number, "message", f"{len(str(error))} letters")
        if _of_memory(error):
            return Finding(name, number, "memory", traceback.format_exc())
    except TooLong:
        return Finding(name, number, "time", traceback.format_exc())
    except MemoryError:
        return Finding(name, number, "memory", traceback.format_exc())
    except BaseException:
        return Finding(name, number, "exception", traceback.format_exc())
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def _of_memory(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _too_long(*_: Any) -> None:
    raise TooLong


def _size() -> int:
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 2**33
