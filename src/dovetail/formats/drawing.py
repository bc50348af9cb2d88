"""What a file holds: a system, and how it is meant to be run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..algorithms import Algorithm
    from ..controllers import Controller
    from ..core.calendar import Calendar
    from ..drawing.system import System
    from ..estimators import Estimator
    from ..results.recorders import Recorder


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a system is meant to be run; None where nothing is said."""

    start: float | None = None
    stop: float | None = None
    algorithm: Algorithm | None = None
    controller: Controller | None = None
    estimators: Mapping[str, Estimator] | None = None  # by part; None: from capabilities
    rtol: float | None = None
    atol: float | None = None
    record: Sequence[str] | None = None
    recorder: Recorder | None = None
    calendar: Calendar | None = None

    def options(self) -> dict[str, Any]:
        """What is said, as keywords of `simulate`."""
        every = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in every.items() if value is not None}

    def over(self, other: RunSettings) -> RunSettings:
        """These settings, and those of `other` where nothing is said here."""
        return RunSettings(**{**other.options(), **self.options()})


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A system with its run settings: what one file holds."""

    system: System
    run: RunSettings = RunSettings()
