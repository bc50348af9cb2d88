"""What a run is asked for: what was given, else what the drawing says, else what is usual."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..algorithms.base import Algorithm
from ..assembly.consistent import Consistent
from ..controllers.base import Controller
from ..core.calendar import Calendar
from ..core.errors import OptionError
from ..core.options import check_number
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..estimators.base import Estimator
from ..hosts.placement import Placement, check_placement
from ..results.recorders import Memory, Recorder
from ..topology.components import Structure
from .requests import check_drawing, check_estimators, check_kinds, check_system, check_times

_WINDOWS, _USUAL = 500, 10.0  # a stop time that is proposed: so many windows, or so many seconds


@dataclass(frozen=True, slots=True, eq=False)
class RunRequest:
    """A run of a system, checked; what is None is decided from the parts."""

    start: float
    stop: float
    algorithm: Algorithm | None
    controller: Controller | None
    estimators: Mapping[str, Estimator] | None
    tolerances: tuple[float, float]
    record: str | Iterable[str]
    recorder: Recorder
    calendar: Calendar
    placement: Placement | None
    structure: Structure | None = None  # of the drawing, where it was checked for this
    compile: bool = False

    @staticmethod
    def of(
        system: System, given: RunSettings, initialization: Consistent, *, checked: bool = False
    ) -> RunRequest:
        """What was given goes before what the drawing says; `checked`: the drawing was, before."""
        check_system(system)
        asked = given.over(system.run_settings)
        start = 0.0 if asked.start is None else asked.start
        if asked.stop is None:
            check_drawing(system)
            raise no_stop(system, asked, "stop=%g")
        check_times(start, asked.stop)
        structure = None if checked else check_drawing(system, (start, asked.stop))
        recorder = Memory() if asked.recorder is None else asked.recorder
        calendar = Calendar() if asked.calendar is None else asked.calendar
        check_kinds(asked.algorithm, asked.controller, recorder, initialization, calendar)
        check_estimators(asked.estimators)
        check_placement(asked.placement)
        rtol = 1e-5 if asked.rtol is None else asked.rtol
        atol = 1e-6 if asked.atol is None else asked.atol
        check_number("rtol", rtol, above=0)
        check_number("atol", atol, above=0)
        return RunRequest(
            start,
            asked.stop,
            asked.algorithm,
            asked.controller,
            asked.estimators,
            (rtol, atol),
            "*" if asked.record is None else asked.record,
            recorder,
            calendar,
            asked.placement,
            structure,
            bool(asked.compile),
        )

    @property
    def span(self) -> float:
        """How long it lasts."""
        return self.stop - self.start


def usual_stop(asked: RunSettings) -> float:
    """A stop time to propose where none is known."""
    windows = asked.controller
    after = _USUAL if windows is None else _WINDOWS * windows.first_size
    return (asked.start or 0.0) + after


def no_stop(system: System, asked: RunSettings, option: str) -> OptionError:
    """The error where no stop time is known; `option` is how one is given."""
    way_out = option % usual_stop(asked)
    return OptionError(f"no stop time: '{system.name}' names none; give one, such as {way_out}")
