"""Everything this package raises on purpose.

DovetailError
├── UnknownVariable       a result was asked for what it does not hold (in `result`)
├── LibraryMissing        an optional library is not installed (in `results.files.needs`)
├── InputError            what was given is wrong; nothing was run (exit code 2)
│   ├── DrawingError      a system does not fit together; every problem is listed
│   ├── ModelError        a model's definition is wrong
│   ├── OptionError       an option has a value it cannot have
│   ├── FileError         a file cannot be read or written, or is not what it should be
│   ├── CapabilityError   a run was asked of subsystems that cannot follow it
│   └── ExportRefused     a system cannot be written as an FMU (in `exporting`)
└── RunError              a run failed; `result` holds everything up to then (exit code 1)
    ├── PartFailed        a part's own code failed, or returned NaN or Inf (`HostFailed` in `hosts`)
    ├── StartFailed       no consistent start values were found
    ├── StepFailed        no controller could save a window
    ├── JunctionFailed    power ports that meet could not be made to agree
    ├── EndlessEvents     event after event without time moving on
    ├── RecordingFailed   what was computed can no longer be written, as on a full disk
    ├── CannotRollBack    a subsystem without rollback was asked to repeat or undo a window
    └── Interrupted       the user pressed Ctrl-C

Each carries facts as attributes; the sentence is made in `__str__`.
"""
# Over 250 lines: every error of the package in one list.

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .bearable import bearable
from .seconds import Seconds
from .spelling import nearest

if TYPE_CHECKING:
    from ..results.result import Result
    from .window import Window


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """' Did you mean ...?' with the nearest known name, or nothing."""
    near = nearest(name, known)
    return f" Did you mean '{near}'?" if near is not None else ""


class DovetailError(Exception):
    """Base of every error raised on purpose by this package."""

    def __str__(self) -> str:
        return bearable(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:  # from process to process: facts, not arguments
        return _again, (type(self), self.args), *super().__reduce__()[2:]


def _again(kind: type[DovetailError], args: tuple[Any, ...]) -> DovetailError:
    return kind.__new__(kind, *args)


class InputError(DovetailError):
    """What was given is wrong; nothing was run."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a drawing, and where. A warning does not stop a run."""

    where: str
    what: str
    warning: bool = False

    def __str__(self) -> str:
        return bearable(self.what)


class DrawingError(InputError):
    """A system does not fit together."""

    def __init__(self, problems: Sequence[Problem], system: str = "") -> None:
        super().__init__()
        self.problems = tuple(problems)
        self.system = system

    def __str__(self) -> str:
        if len(self.problems) == 1:
            return str(self.problems[0])
        lines = "\n".join(f"  - {p}" for p in self.problems)
        of = bearable(f"system '{self.system}'") if self.system else "this system"
        return f"{of} has {len(self.problems)} problems:\n{lines}"


class ModelError(InputError):
    """A model's definition is wrong."""


class OptionError(InputError, ValueError):
    """An option has a value it cannot have."""


class FileError(InputError):
    """A file cannot be read or written, or is not what it should be."""

    def __init__(self, path: str | Path, what: str, remedy: str = "") -> None:
        super().__init__()
        self.path, self.what, self.remedy = str(path), what, remedy

    def __str__(self) -> str:
        return bearable(f"{self.path}: {self.what}" + (f"; {self.remedy}" if self.remedy else ""))


def no_such_file(path: str | Path) -> FileError:
    """The error for a file that is not there, with a file of a similar name that is."""
    path = Path(path)
    try:
        beside = sorted(path.parent.iterdir())
    except OSError:
        beside = []
    near = nearest(path.stem, [one.stem for one in beside if one.suffix == path.suffix])
    twins = [one.name for one in beside if one.stem == path.stem and one.suffix]
    meant = f"{near}{path.suffix}" if near is not None else next(iter(twins), None)
    hint = f". Did you mean '{meant}'?" if meant is not None else ""
    return FileError(path, f"there is no such file{hint}")


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One subsystem that lacks one capability."""

    subsystem: str
    lacks: str
    remedy: str


class CapabilityError(InputError):
    """A run was asked of subsystems that cannot follow it."""

    def __init__(self, wanted: str, shortfalls: Sequence[Shortfall]) -> None:
        super().__init__()
        self.wanted = wanted
        self.shortfalls = tuple(shortfalls)

    def __str__(self) -> str:
        lines = [f"  '{s.subsystem}' {s.lacks}; {s.remedy}" for s in self.shortfalls]
        return f"{self.wanted} cannot run on this system:\n" + "\n".join(lines)


class RunError(DovetailError):
    """A run failed. `result` holds everything up to then, where there is anything."""

    result: Result | None = None
    clock: Seconds = Seconds()  # how the run shows times


class PartFailed(RunError):
    """A part's own code failed, or returned NaN or Inf.

    `learned`: what was found out about its model by that, if anything; a further run goes by it.
    """

    def __init__(self, part: str, doing: str, time: float, reason: str) -> None:
        super().__init__()
        self.learned: dict[str, Any] = {}
        self.part, self.doing, self.time, self.reason = part, doing, time, reason

    def __str__(self) -> str:
        at = self.clock.at(self.time)
        return f"part '{self.part}' failed while {self.doing} at {at}: {self.reason}"


class StartFailed(RunError):
    """No consistent start values were found, or none right of an event."""

    def __init__(self, variables: Sequence[str], reason: str, time: float | None = None) -> None:
        super().__init__()
        self.variables, self.reason, self.time = tuple(variables), reason, time  # of an event

    def __str__(self) -> str:
        if self.time is not None:
            return (
                f"no consistent values for {_listed(self.variables)} at the event at "
                f"{self.clock.at(self.time)}: {self.reason}; the loop may have no solution there, "
                "break it with a part that has a state"
            )
        return (
            f"no consistent start values for {_listed(self.variables)}: {self.reason}; give start "
            "values near a solution, or break the loop with a part that has a state"
        )


class StepFailed(RunError):
    """A window could not be completed, however the controller cut it."""

    def __init__(self, window: Window, reason: str, remedy: str = "") -> None:
        super().__init__()
        self.window, self.reason, self.remedy = window, reason, remedy

    def __str__(self) -> str:
        at, size = self.clock.at(self.window.start), self.clock.lasting(self.window.size)
        way_out = f"; {self.remedy}" if self.remedy else ""
        return f"stopped at {at} with a window of {size}: {self.reason}{way_out}"


class JunctionFailed(RunError):
    """Power ports that meet could not be made to agree; `time` is None before the start."""

    def __init__(self, junction: str, time: float | None, reason: str, remedy: str = "") -> None:
        super().__init__()
        self.junction, self.time, self.reason, self.remedy = junction, time, reason, remedy

    def __str__(self) -> str:
        at = "" if self.time is None else f" at t = {self.time:g} s"
        way_out = f"; {self.remedy}" if self.remedy else ""
        return f"the junction {self.junction} cannot be solved{at}: {self.reason}{way_out}"


class EndlessEvents(RunError):
    """Event after event without time moving on."""

    def __init__(self, time: float, parts: Sequence[str], rounds: int) -> None:
        super().__init__()
        self.time, self.parts, self.rounds = time, tuple(parts), rounds

    def __str__(self) -> str:
        at, parts = self.clock.at(self.time), _listed(self.parts)
        rest = "still change; give the switching a hysteresis or a delay"
        return (
            f"events at {at} do not end: after {self.rounds} rounds the outputs of {parts} {rest}"
        )


class RecordingFailed(RunError):
    """What was computed can no longer be written, as on a full disk."""

    def __init__(self, time: float, reason: str) -> None:
        super().__init__()
        self.time, self.reason = time, reason

    def __str__(self) -> str:
        return f"the result can no longer be written at {self.clock.at(self.time)}: {self.reason}"


class CannotRollBack(RunError):
    """A subsystem without rollback was asked to repeat or undo a window."""

    def __init__(self, subsystem: str, window: Window, found: str = "") -> None:
        super().__init__()
        self.subsystem, self.window = subsystem, window
        self.found = found  # what shows that its rollback is not to be trusted

    @staticmethod
    def twice(part: str, window: Window, output: str, first: float, again: float) -> CannotRollBack:
        """A step that was repeated from its saved state gave something else."""
        said = f"gave {again:.9g} for '{output}' instead of {first:.9g}"
        return CannotRollBack(part, window, said)

    @staticmethod
    def afterwards(part: str, window: Window, output: str, *both: float) -> CannotRollBack:
        """It gave the same, but the step after it did not."""
        first, again = both
        said = f"was followed by one that gave {again:.9g} for '{output}' instead of {first:.9g}"
        return CannotRollBack(part, window, said)

    def __str__(self) -> str:
        if self.found:
            return (
                f"'{self.subsystem}' says that it can roll back, and does not: its step from "
                f"{self.clock.at(self.window.start)}, made again from the saved state, "
                f"{self.found}; give it an estimator, estimators={{'{self.subsystem}': "
                "dv.Identified()}, or use an algorithm and a controller that evaluate each window "
                "once, such as dv.Jacobi() and dv.FixedStep(...)"
            )
        return (
            f"'{self.subsystem}' has already stepped from {self.clock.at(self.window.start)} and "
            "cannot roll back; give it an estimator, or use an algorithm that evaluates each "
            "window once"
        )


class Interrupted(RunError, KeyboardInterrupt):
    """The user pressed Ctrl-C; `left`: what there is of a result that was just being written."""

    def __init__(self, time: float, stop: float, left: str = "") -> None:
        super().__init__()
        self.time, self.stop, self.left = time, stop, left

    def __str__(self) -> str:
        at, stop = self.clock.at(self.time), self.clock.lasting(self.stop)
        if self.left:
            return f"interrupted while the result was written, at {at} of {stop}; {self.left}"
        return f"interrupted at {at} of {stop}; what was computed is kept"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{n}'" for n in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")
