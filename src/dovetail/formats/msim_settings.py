"""How a MasterSim project wants to be run."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from ..algorithms import Algorithm, GaussSeidel, Jacobi, Newton
from ..controllers import Adaptive, Controller, ErrorCheck, FixedStep, StepDoubling
from ..core.calendar import Calendar
from ..core.errors import FileError, OptionError
from ..drawing.run_settings import RunSettings
from ..results.recorders import Sampling
from .msim_project import Project


def run_settings(project: Project, path: Path, reference: str | None) -> RunSettings:
    """How a project is to be run; `reference` is the date at which time is zero."""
    return _Settings(project, path, reference).made()


@dataclass(frozen=True, slots=True)
class _Settings:
    project: Project
    path: Path
    reference: str | None

    def made(self) -> RunSettings:
        """All of them."""
        p = self.project
        if not p.stop > p.start:
            raise self._wrong("tEnd", "the end must lie behind the start")
        if not p.output_size > 0:
            raise self._wrong("hOutputMin", "must be above zero")
        first = p.first_size or (p.stop - p.start) / 1000
        stop = p.stop
        adjusting = p.adjust and p.error_mode != "CHECK"
        if not p.hit_end and not adjusting:  # the last window may go beyond the end
            stop = p.start + ceil((p.stop - p.start) / first - 1e-9) * first
        try:
            return RunSettings(
                start=p.start,
                stop=stop,
                algorithm=self._algorithm(adjusting),
                controller=self._controller(first),
                rtol=p.rtol,
                atol=p.atol,
                recorder=Sampling(p.output_size),
                calendar=Calendar(p.time_unit, self.reference),
            )
        except OptionError as error:
            raise FileError(self.path, str(error)) from None

    def _algorithm(self, adjusting: bool) -> Algorithm:
        p = self.project
        common: dict[str, Any] = {
            "max_iterations": p.max_iterations,
            "fall_back_size": p.fall_back_size,
            "on_limit": "stop" if adjusting else "accept",
        }
        if p.algorithm == "GAUSS_JACOBI":
            return Jacobi(**common)
        if p.algorithm == "NEWTON":
            return Newton(**common)
        turns = sorted(p.simulators, key=lambda s: (s.cycle, s.priority))
        return GaussSeidel(**common, order_of_parts=tuple(s.name for s in turns))

    def _controller(self, first: float) -> Controller:
        p = self.project
        if p.error_mode == "CHECK":
            return ErrorCheck(first, p.rtol, p.atol)
        if not p.adjust:
            if p.error_mode == "STEP_DOUBLING":
                what = "STEP_DOUBLING adjusts step sizes; write 'adjustStepSize yes' as well"
                raise self._wrong("ErrorControlMode", what)
            return FixedStep(first)
        first = min(first, p.max_size)
        least = min(p.min_size, first)
        if p.error_mode == "STEP_DOUBLING":
            return StepDoubling(p.rtol, p.atol, first, least, p.max_size)
        if p.max_iterations == 1:
            what = "without iteration or error control there is nothing to adjust sizes by"
            raise self._wrong("adjustStepSize", what)
        return Adaptive(first, least, p.max_size)

    def _wrong(self, keyword: str, what: str) -> FileError:
        line = self.project.lines.get(keyword)
        where = str(self.path) if line is None else f"{self.path}:{line}"
        return FileError(where, f"{keyword}: {what}")
