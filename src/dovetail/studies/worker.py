"""A process that makes runs, seen from both ends of its pipe."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Generic, Protocol, TypeVar

from ..core.errors import OptionError
from .outcome import RunOutcome

Task = TypeVar("Task", bound=Hashable)  # what a run is known by: the number of a point


class BlockOutcomes(Protocol):
    """What came of several runs; `doubt`: why those that were made so are to be made one by one."""

    @property
    def outcomes(self) -> Sequence[RunOutcome]:
        """In the order of the runs."""

    @property
    def doubt(self) -> str:
        """Empty where there is none."""


Run = Callable[[Any], RunOutcome]
Many = Callable[[Any], BlockOutcomes | None]  # several runs at once; None: one by one


@dataclass(slots=True, eq=False)
class Worker(Generic[Task]):
    """A process, the pipe to it, and the runs that it was given."""

    process: Any
    pipe: Connection
    given: deque[Task] = field(default_factory=deque)
    begun: float = 0.0  # when it began the first of them
    silent: bool = False  # it has died, and all that it said was heard
    in_blocks: bool = False  # what it was given may be answered at once, at the end

    def end(self) -> str:
        """How its process ended."""
        code = self.process.exitcode
        if code is not None and code < 0:
            try:
                return f"was ended by {signal.Signals(-code).name}"
            except ValueError:
                return f"was ended by signal {-code}"
        return f"ended with exit code {code}"


@dataclass(frozen=True, slots=True, eq=False)
class Answer(Generic[Task]):
    """What a process says: runs with their outcomes, and whether they were made as a block."""

    pairs: Sequence[tuple[Task, RunOutcome]]
    in_block: bool = False
    doubt: str = ""


def started(run: Run, many: Many | None, others: Sequence[Connection]) -> Worker[Any]:
    """A new process; `others` are our ends of the pipes to those that are there."""
    context = _context()
    ours, theirs = context.Pipe()
    forked = context.get_start_method() == "fork"
    given = (theirs, run, many, [ours, *others] if forked else [])
    process = context.Process(target=_serve, args=given, daemon=True)
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


def _context() -> Any:
    """Forked where that is possible: models with lambdas cannot be sent."""
    methods = multiprocessing.get_all_start_methods()
    linux = os.uname().sysname == "Linux" if hasattr(os, "uname") else False
    return multiprocessing.get_context("fork" if linux and "fork" in methods else "spawn")


def _serve(pipe: Connection, run: Run, many: Many | None, others: list[Connection]) -> None:
    """In the process: make runs until nobody asks any more."""
    for other in others:  # or the end of the first process would not be noticed
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            tasks, in_block = pipe.recv()
            block = many(tasks) if in_block and many is not None else None
            if block is not None:
                pairs = list(zip(tasks, block.outcomes, strict=True))
                pipe.send(Answer(pairs, in_block=True, doubt=block.doubt))
                continue
            for task in tasks:
                pipe.send(Answer([(task, run(task))]))
    except (EOFError, OSError):
        return
