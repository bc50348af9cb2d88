"""What one peer is to us: who it is, whether it is here, and how it runs a case."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import metadata
from typing import ClassVar

from .case import Case

ENOUGH = 0.04  # seconds of a stretch of windows that are measured together
STRETCHES = 5


class Run(ABC):
    """A system that stands at some time and can be moved on."""

    @abstractmethod
    def advance(self, windows: int) -> None:
        """Moves on by so many windows."""

    @abstractmethod
    def watched(self) -> list[float]:
        """The watched outputs now."""

    def close(self) -> None:  # noqa: B027
        """Lets go of everything."""


class Peer(ABC):
    """One way to run a case. Those that can be stepped are told by `open` alone."""

    name: ClassVar[str]
    distribution: ClassVar[str] = ""  # on the package index
    versions: ClassVar[tuple[int, ...]] = (2,)  # of FMI
    is_program: ClassVar[bool] = False  # that runs as a child of the worker

    @abstractmethod
    def missing(self) -> str | None:
        """Why it cannot be run here."""

    @abstractmethod
    def open(self, case: Case, record: str | None = None) -> Run:
        """Everything that comes before the first window. `record`: a folder to record into."""

    def release(self) -> str:
        """Which release this is."""
        return metadata.version(self.distribution)

    def series(self, case: Case, windows: int) -> list[list[float]]:
        """The watched outputs at the start and after every window."""
        run = self.open(case)
        rows = [run.watched()]
        for _ in range(windows):
            run.advance(1)
            rows.append(run.watched())
        run.close()
        return rows

    def cost(self, case: Case, record: str | None = None) -> tuple[float, float]:
        """Seconds of process time: the whole set-up, and a window.

        The least of several stretches, each long enough for the clock. What recording puts off
        to the end is not in it.
        """
        begin = time.process_time()
        run = self.open(case, record)
        setup = time.process_time() - begin
        windows, spent = 1, 0.0
        while True:
            spent = _timed(run, windows)
            if spent >= ENOUGH:
                break
            windows = max(
                2 * windows, min(100 * windows, round(1.2 * windows * ENOUGH / max(spent, 1e-6)))
            )
        least = min([spent, *(_timed(run, windows) for _ in range(STRETCHES - 1))])
        run.close()
        return setup, least / windows


def _timed(run: Run, windows: int) -> float:
    begin = time.process_time()
    run.advance(windows)
    return time.process_time() - begin


def slope(seconds: Callable[[int], float], windows: int, repeats: int = STRETCHES) -> float:
    """Seconds per window between a run and one three times as long, from the least of each.

    In turns: a machine that is slow for a while is so for both.
    """
    short = long = float("inf")
    for _ in range(repeats):
        short, long = min(short, seconds(windows)), min(long, seconds(3 * windows))
    return max(long - short, 0.0) / (2 * windows)


def importable(distribution: str, module: str) -> str | None:
    """Why a package cannot be used, if it cannot."""
    import importlib

    try:
        importlib.import_module(module)
    except ModuleNotFoundError:
        return f"{distribution} is not installed"
    except (ImportError, OSError) as error:
        return f"{distribution} does not load: {error}"
    return None
