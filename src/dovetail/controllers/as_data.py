"""Controllers as data, and what they remember as numbers: for windows in native code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from ..core.signals import Waveform
from ..subsystems.control import MAX_COLUMNS, ControlMemory, ControlOptions
from .adaptive import Adaptive
from .base import Controller
from .covered_range import CoveredRange
from .error_check import ErrorCheck, ErrorCheckState
from .fixed_step import LEAST, CutWindows, FixedStep
from .for_system import Bound
from .input_defect import InputDefect, InputDefectState
from .shrinking import Shrinking
from .step_doubling import DoublingState, StepDoubling
from .unannounced_jumps import Suspicion, UnannouncedJumps

State = TypeVar("State")
Numbers = Sequence[float]


@dataclass(frozen=True, slots=True, eq=False)
class ControlData(Generic[State]):
    """A controller as native code takes it, with both ways between its memory and numbers."""

    options: ControlOptions
    write: Callable[[State | None, ControlMemory], None]
    read: Callable[[ControlMemory], State | None]
    waits: bool = False  # for what is told while the run goes on


@runtime_checkable
class SuppliesControlData(Protocol):
    """A controller from elsewhere that has a native twin."""

    def control_data(self) -> ControlData[Any]:
        """It as native code takes it."""


def as_data(controller: Controller) -> ControlData[Any] | None:
    """A controller as data; None where there is no native twin."""
    options: Any = controller.options if isinstance(controller, Bound) else controller
    if type(options) is StepDoubling and not options.extrapolate:
        return ControlData(_of_doubling(options), _write_doubling, _read_doubling)
    if type(options) is InputDefect:
        return ControlData(_of_input_defect(options), _write_input_defect, _read_input_defect)
    if type(options) is ErrorCheck and not options.doubling:
        return ControlData(_of_error_check(options), _write_check, _read_check)
    if type(options) is Adaptive:
        sizes = options.first_size, options.min_size, options.max_size
        adaptive = ControlOptions("adaptive", 1, False, True, False, 1.0, 1.0, *sizes)
        return ControlData(adaptive, _write_nothing, _read_nothing)
    if type(options) is FixedStep:
        least = LEAST * options.size if options.min_size is None else options.min_size
        stops, size = options.min_size is None, options.size
        cut = ControlOptions("cut", stops=stops, first_size=size, min_size=least)
        return ControlData(cut, _write_cuts, _read_cuts)
    if isinstance(options, SuppliesControlData):
        return options.control_data()
    return None


def _of_doubling(c: StepDoubling) -> ControlOptions:
    sizes = c.rtol, c.atol, c.first_size, c.min_size, c.max_size
    return ControlOptions("doubling", c.order or 1, c.scale == "range", True, False, *sizes)


def _of_input_defect(c: InputDefect) -> ControlOptions:
    sizes = c.rtol, c.atol, c.first_size, c.min_size, c.max_size, c.safety
    return ControlOptions("defect", c.order or 1, c.scale == "range", False, False, *sizes)


def _of_error_check(c: ErrorCheck) -> ControlOptions:
    stops = c.on_error == "stop"
    return ControlOptions("checked", 1, False, False, stops, c.rtol, c.atol, c.size)


def _write_nothing(state: None, memory: ControlMemory) -> None:
    pass


def _read_nothing(memory: ControlMemory) -> None:
    return None


def _put(memory: ControlMemory, numbers: Numbers) -> None:
    memory.numbers[: len(numbers)] = numbers


def _write_doubling(state: DoublingState | None, memory: ControlMemory) -> None:
    known = state or DoublingState()
    covered, jumps = known.covered, known.jumps
    stands = 0.0, inf, 0.0
    if covered is not None:
        memory.low[: covered.low.size], memory.high[: covered.high.size] = covered.low, covered.high
        stands = 1.0, covered.size, float(covered.failed)
    suspected = 0.0, 0.0, 0.0, 0.0
    if (s := jumps.suspicion) is not None:
        suspected = 1.0, s.until, s.size, s.error
    _put(memory, (*stands, jumps.count, jumps.least, jumps.when, jumps.row, *suspected))


def _read_doubling(memory: ControlMemory) -> DoublingState | None:
    covers, size, failed, count, least, when, row, suspects, *found = memory.numbers.tolist()[:11]
    suspicion = Suspicion(*found) if suspects else None
    jumps = UnannouncedJumps(int(count), least, when, int(row), suspicion)
    covered = None
    if covers:
        n = memory.outputs
        covered = CoveredRange(memory.low[:n].copy(), memory.high[:n].copy(), size, bool(failed))
    known = covered is not None or jumps != UnannouncedJumps()
    return DoublingState(covered, jumps) if known else None


def _write_input_defect(state: InputDefectState | None, memory: ControlMemory) -> None:
    s = state or InputDefectState()
    shrinks = (0.0, 0.0, 0.0) if s.shrinking is None else (1.0, s.shrinking.size, s.shrinking.error)
    covers, columns = s.covered is not None, 0
    if s.covered is not None:
        memory.low[: s.covered.low.size], memory.high[: s.covered.high.size] = (
            s.covered.low,
            s.covered.high,
        )
    if s.inputs is not None:
        past = s.inputs.coefficients
        memory.past[: past.size], columns = past.ravel(), past.shape[1]
    counted = s.error, s.windows, s.beyond, s.worst, s.when, s.wire
    _put(memory, (*counted, *shrinks, float(covers), columns, s.size))


def _read_input_defect(memory: ControlMemory) -> InputDefectState | None:
    numbers = memory.numbers.tolist()[:12]
    error, windows, beyond, worst, when, wire, shrinks, *small, covers, columns, size = numbers
    if not windows:
        return None
    wires, inputs = memory.wires, memory.past.size // MAX_COLUMNS
    covered = CoveredRange(memory.low[:wires].copy(), memory.high[:wires].copy())
    wave, powers = None, int(columns)
    if powers:
        wave = Waveform(memory.past[: inputs * powers].reshape(inputs, powers).copy())
    return InputDefectState(
        error,
        int(windows),
        int(beyond),
        worst,
        when,
        int(wire),
        Shrinking(*small) if shrinks else None,
        covered if covers else None,
        wave,
        size,
    )


def _write_check(state: ErrorCheckState | None, memory: ControlMemory) -> None:
    s = state or ErrorCheckState()
    known = s.start is not None and s.outputs is not None
    if s.outputs is not None:
        memory.low[: s.outputs.size] = s.outputs
    _put(memory, (float(known), s.start or 0.0, s.windows, s.beyond, s.worst, s.when))


def _read_check(memory: ControlMemory) -> ErrorCheckState | None:
    known, start, windows, *more = memory.numbers.tolist()[:6]
    if not windows:
        return None
    beyond, worst, when = more
    outputs = memory.low[: memory.outputs].copy()
    counted = int(windows), int(beyond), worst, when
    if not known:
        return ErrorCheckState(None, None, *counted)
    return ErrorCheckState(start, outputs, *counted)


def _write_cuts(state: CutWindows | None, memory: ControlMemory) -> None:
    s = state or CutWindows()
    _put(memory, (s.count, s.least, s.when, s.size, s.calm))


def _read_cuts(memory: ControlMemory) -> CutWindows | None:
    count, least, when, size, calm = memory.numbers.tolist()[:5]
    return CutWindows(int(count), least, when, size, int(calm)) if count else None
