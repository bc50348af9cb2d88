"""Runs in processes of one machine: one that dies takes only its own run along.

Why not a library: with a pipe for each process the run that ended it is known at once, nothing is
shared that a killed process could leave locked, and the time limit is that of a run.

Where runs are short, a process makes a block of them before it says a word. If it dies or hangs
then, each of its runs is made alone, in the ordinary way, and so the one that is to blame is found;
if none is, it was the way of making blocks, which is given up when that happens again and again.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import suppress
from multiprocessing.connection import wait
from time import monotonic
from typing import Generic

from .outcome import RunOutcome
from .worker import Answer, Many, Run, Task, Worker, started

_AHEAD = 0.1  # seconds of work that a process is given at a time
_MOST = 64  # runs of it
_BLOCK = 100  # the same where they are made in blocks, one of them twice
_HANGS = 60.0  # seconds of a block, which was to take a tenth of one
_DEATHS = 3  # in blocks that none of their runs explains, until no more are made


class LocalPool(Generic[Task]):
    """Processes that make runs; they stay until they are closed.

    `many` makes several runs at once, and may say of those that it made that they are in doubt:
    then all that were made so are made once more by `run`, and come a second time.
    """

    def __init__(
        self, run: Run, jobs: int, limit: float | None = None, many: Many | None = None
    ) -> None:
        self._run, self._limit, self._many = run, limit, many
        self._workers: list[Worker[Task]] = []
        self._jobs, self._each = jobs, 0.0  # seconds of a run, of late
        self._most = _MOST if many is None else _BLOCK
        self._deaths = self._explained = 0  # in blocks; and of those, by a run
        self._in_blocks: list[Task] = []  # what was made so
        self.doubt = ""  # why blocks were given up

    def outcomes(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, RunOutcome]]:
        """Every run, in the order in which they end."""
        waiting, again = iter(tasks), deque[Task]()
        if isinstance(tasks, Sized):  # so that the last ones are spread as well
            self._most = max(1, min(self._most, len(tasks) // (2 * self._jobs)))
        tried: set[Task] = set()
        while True:
            self._hand_out(waiting, again)
            if not any(worker.given for worker in self._workers):
                return
            for worker in self._ready():
                yield from self._answers(worker, again)
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
            pipes = [worker.pipe for worker in self._workers]
            self._workers.append(started(self._run, self._many, pipes))
        share = self._share()
        for worker in self._workers:
            if len(worker.given) > share // 2 or (worker.given and again):
                continue
            runs, in_block = _taken(1, again), False
            if not runs:
                runs, in_block = _taken(share, waiting), self._makes_blocks
            if not runs:
                continue
            if not worker.given:
                worker.begun, worker.in_blocks = monotonic(), False
            worker.in_blocks |= in_block and share > 1
            worker.given.extend(runs)
            with suppress(OSError):  # it is dead, which is seen when it is waited for
                worker.pipe.send((runs, in_block))

    @property
    def _makes_blocks(self) -> bool:
        if self._many is None or self.doubt:
            return False
        if self._limit is not None and self._limit < 10 * _AHEAD:
            return False
        return self._deaths - self._explained < _DEATHS

    def _note_pace(self, outcomes: Sequence[RunOutcome]) -> None:
        """How long runs take now; the first ones are slow, and soon count no more."""
        took = sum(outcome.seconds for outcome in outcomes) / len(outcomes)
        self._each = (self._each + took) / 2 if self._each else took

    def _share(self) -> int:
        """How many runs a process gets at a time."""
        if not self._each or (self._limit is not None and not self._makes_blocks):
            return 1
        return max(1, min(self._most, int(_AHEAD / self._each)))

    def _patience(self, worker: Worker[Task]) -> float | None:
        """How long it may be silent."""
        if not worker.in_blocks:
            return self._limit
        return _HANGS if self._limit is None else min(_HANGS, self._limit)

    def _ready(self) -> list[Worker[Task]]:
        """Those that have answered or died; waits until one has, or may be overdue."""
        whose = {worker.pipe: worker for worker in self._workers}
        patience = None
        for worker in self._workers:
            allowed = self._patience(worker)
            if worker.given and allowed is not None:
                left = max(0.0, worker.begun + allowed - monotonic())
                patience = left if patience is None else min(patience, left)
        found = wait(list(whose), patience)
        return [worker for pipe, worker in whose.items() if pipe in found]

    def _answers(
        self, worker: Worker[Task], again: deque[Task]
    ) -> Iterator[tuple[Task, RunOutcome]]:
        while worker.pipe.poll():
            try:
                answer: Answer[Task] = worker.pipe.recv()
            except (EOFError, OSError):  # also where it died in the middle of an answer
                worker.silent = True
                return
            for task, _ in answer.pairs:
                worker.given.remove(task)
            worker.begun = monotonic()
            worker.in_blocks &= bool(worker.given)
            self._note_pace([outcome for _, outcome in answer.pairs])
            if answer.in_block and not answer.doubt:
                self._in_blocks += [task for task, _ in answer.pairs]
            if answer.doubt or self.doubt:
                self._give_up(answer.doubt or self.doubt, again)
            yield from answer.pairs

    def _give_up(self, doubt: str, again: deque[Task]) -> None:
        """No more blocks; what they have made is made once more."""
        self.doubt = doubt
        again.extend(self._in_blocks)
        self._in_blocks.clear()

    def _bury(
        self, worker: Worker[Task], again: deque[Task], tried: set[Task]
    ) -> Iterator[tuple[Task, RunOutcome]]:
        """A process has died: the run that it was at is tried once more, the rest is handed on."""
        self._dismiss(worker)
        if not worker.given:
            return
        if worker.in_blocks:  # any of them may have ended it, or none
            self._fell(worker, again)
            return
        culprit = worker.given.popleft()
        again.extend(worker.given)
        if culprit in tried:
            self._explained = min(self._explained + 1, self._deaths)
            yield culprit, RunOutcome("crashed", f"its process {worker.end()}, twice")
        else:
            tried.add(culprit)
            again.append(culprit)

    def _fell(self, worker: Worker[Task], again: deque[Task]) -> None:
        """A block came to nothing: its runs are made one by one."""
        self._deaths += 1
        again.extend(worker.given)

    def _overdue(self, again: deque[Task]) -> Iterator[tuple[Task, RunOutcome]]:
        for worker in list(self._workers):
            allowed = self._patience(worker)
            if allowed is None or not worker.given or worker.pipe.poll():
                continue
            if monotonic() - worker.begun <= allowed:
                continue
            worker.process.kill()
            self._dismiss(worker)
            if worker.in_blocks:
                self._fell(worker, again)
                continue
            culprit = worker.given.popleft()
            again.extend(worker.given)
            self._explained = min(self._explained + 1, self._deaths)
            reason = f"it took longer than {allowed:g} s"
            yield culprit, RunOutcome("too long", reason, seconds=allowed)

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
