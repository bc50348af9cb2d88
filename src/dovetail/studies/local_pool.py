"""Runs in processes of one machine: one that dies takes only its own run along.

Why not a library: with a pipe for each process the run that ended it is known at once, nothing is
shared that a killed process could leave locked, and the time limit is that of a run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sized
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, Generic, TypeVar

from ..core.errors import OptionError
from .outcome import RunOutcome

_AHEAD = 0.1  # seconds of work that a process is given at a time
_MOST = 64  # runs of it

Task = TypeVar("Task", bound=Hashable)  # what a run is known by: the number of a point


@dataclass(slots=True, eq=False)
class Worker(Generic[Task]):
    """A process, the pipe to it, and the runs that it was given."""

    process: Any
    pipe: Connection
    given: deque[Task] = field(default_factory=deque)
    begun: float = 0.0  # when it began the first of them
    silent: bool = False  # it has died, and all that it said was heard


class LocalPool(Generic[Task]):
    """Processes that make runs; they stay until they are closed."""

    def __init__(
        self, run: Callable[[Task], RunOutcome], jobs: int, limit: float | None = None
    ) -> None:
        self._run, self._limit = run, limit
        self._context: Any = _context()
        self._workers: list[Worker[Task]] = []
        self._jobs, self._seconds, self._made, self._most = jobs, 0.0, 0, _MOST

    def outcomes(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, RunOutcome]]:
        """Every run, in the order in which they end."""
        waiting, again = iter(tasks), deque[Task]()
        if isinstance(tasks, Sized):  # so that the last ones are spread as well
            self._most = max(1, min(_MOST, len(tasks) // (2 * self._jobs)))
        tried: set[Task] = set()
        while True:
            self._hand_out(waiting, again)
            if not any(worker.given for worker in self._workers):
                return
            for worker in self._ready():
                yield from self._answers(worker)
                if worker.silent:
                    yield from self._bury(worker, again, tried)
            yield from self._overdue(again)

    def close(self) -> None:
        """End all processes, whatever they do."""
        for worker in self._workers:
            worker.pipe.close()
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
        self._workers.clear()

    # processes ------------------------------------------------------------------------------------

    def _hand_out(self, waiting: Iterator[Task], again: deque[Task]) -> None:
        while len(self._workers) < self._jobs:
            self._workers.append(self._worker())
        share = self._share()
        for worker in self._workers:
            if len(worker.given) > share // 2:
                continue
            runs = _taken(1, again) or _taken(share, waiting)
            if not runs:
                continue
            if not worker.given:
                worker.begun = monotonic()
            worker.given.extend(runs)
            with suppress(OSError):  # it is dead, which is seen when it is waited for
                worker.pipe.send(runs)

    def _share(self) -> int:
        """How many runs a process gets at a time."""
        if not self._made or self._limit is not None:
            return 1
        return max(1, min(self._most, int(_AHEAD * self._made / max(self._seconds, 1e-9))))

    def _worker(self) -> Worker[Task]:
        ours, theirs = self._context.Pipe()
        others = [ours, *(worker.pipe for worker in self._workers)]
        forked = self._context.get_start_method() == "fork"
        target, given = _serve, (theirs, self._run, others if forked else [])
        process = self._context.Process(target=target, args=given, daemon=True)
        try:
            process.start()
        except Exception as error:
            if forked:
                raise
            what = "this system cannot be sent to other processes"
            raise OptionError(f"{what} ({error}); run it in this one, jobs=0") from error
        finally:
            theirs.close()
        return Worker(process, ours)

    def _ready(self) -> list[Worker[Task]]:
        """Those that have answered or died; waits until one has, or may be overdue."""
        whose = {worker.pipe: worker for worker in self._workers}
        patience = None
        if self._limit is not None:
            begun = [worker.begun for worker in self._workers if worker.given]
            patience = max(0.0, min(begun) + self._limit - monotonic())
        found = wait(list(whose), patience)
        return [worker for pipe, worker in whose.items() if pipe in found]

    def _answers(self, worker: Worker[Task]) -> Iterator[tuple[Task, RunOutcome]]:
        while worker.pipe.poll():
            try:
                task, outcome = worker.pipe.recv()
            except (EOFError, OSError):  # also where it died in the middle of an answer
                worker.silent = True
                return
            worker.given.remove(task)
            worker.begun = monotonic()
            self._made += 1
            self._seconds += outcome.seconds
            yield task, outcome

    def _bury(
        self, worker: Worker[Task], again: deque[Task], tried: set[Task]
    ) -> Iterator[tuple[Task, RunOutcome]]:
        """A process has died: the run that it was at is tried once more, the rest is handed on."""
        self._dismiss(worker)
        if not worker.given:
            return
        culprit = worker.given.popleft()
        again.extend(worker.given)
        if culprit in tried:
            yield (
                culprit,
                RunOutcome("crashed", f"its process {_end(worker.process.exitcode)}, twice"),
            )
        else:
            tried.add(culprit)
            again.append(culprit)

    def _overdue(self, again: deque[Task]) -> Iterator[tuple[Task, RunOutcome]]:
        if self._limit is None:
            return
        for worker in list(self._workers):
            if worker.given and monotonic() - worker.begun > self._limit and not worker.pipe.poll():
                worker.process.kill()
                self._dismiss(worker)
                culprit = worker.given.popleft()
                again.extend(worker.given)
                reason = f"it took longer than {self._limit:g} s"
                yield culprit, RunOutcome("too long", reason, seconds=self._limit)

    def _dismiss(self, worker: Worker[Task]) -> None:
        worker.process.join()
        worker.pipe.close()
        self._workers.remove(worker)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _taken(n: int, source: deque[Task] | Iterator[Task]) -> list[Task]:
    """Up to so many from a queue or an iterator."""
    if isinstance(source, deque):
        return [source.popleft() for _ in range(min(n, len(source)))]
    return [task for _, task in zip(range(n), source, strict=False)]


def _context() -> Any:
    """Forked where that is possible: models with lambdas cannot be sent."""
    methods = multiprocessing.get_all_start_methods()
    linux = os.uname().sysname == "Linux" if hasattr(os, "uname") else False
    return multiprocessing.get_context("fork" if linux and "fork" in methods else "spawn")


def _serve(pipe: Connection, run: Callable[[Any], RunOutcome], others: list[Connection]) -> None:
    """In the process: make runs until nobody asks any more."""
    for other in others:  # or the end of the first process would not be noticed
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            for task in pipe.recv():
                pipe.send((task, run(task)))
    except (EOFError, OSError):
        return


def _end(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"was ended by signal {-code}"
    return f"ended with exit code {code}"
