"""Windows that a controller sizes, as the kernel makes them."""

from __future__ import annotations

import ctypes as c
from dataclasses import dataclass
from typing import Any

from ...core.signals import Vector
from ...core.window import Grid, Window
from ...subsystems.control import MEMORY, Control, ControlProgress

FAILED, NO_NUMBER, HANDED_OVER, GAVE_UP, INTERRUPTED = 1, 2, 3, 6, 7
_OPTIONS = ("order", "ranged", "rejects", "stops")
_SIZES = ("rtol", "atol", "first_size", "min_size", "max_size", "safety")
_VECTORS = ("low", "high", "past")
COUNTS = {
    "windows": "windows",
    "by_error": "rejected_by_error",
    "by_convergence": "rejected_by_convergence",
    "beyond": "beyond_tolerance",
    "iterations": "iterations",
    "doubtful": "iteration_limit_reached",
}


class NativeControl(c.Structure):
    """A controller; the same order as `dt_control` in control.c."""

    _fields_ = (
        *((name, c.c_int32) for name in ("kind", *_OPTIONS, "outcome")),
        *((name, c.c_double) for name in _SIZES),
        *((name, c.c_double) for name in ("origin", "size", "stop", "time", "course_size")),
        *((name, c.c_double) for name in ("tried_start", "tried_size", "tried_stop")),
        ("memory", c.c_double * MEMORY),
        *((name, c.c_void_p) for name in (*_VECTORS, "ends", "found")),
        *((name, c.c_int64) for name in ("n_ends", "all_told")),
        *((name, c.c_int64) for name in COUNTS),
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended: its progress so far, why, and over which window."""

    progress: ControlProgress
    why: int
    window: Window


def controlled(
    kernel: Any, batch: Any, plan: Any, control: Control, lines: Vector, seconds: float
) -> Outcome:
    """One call; the control stands where the run does then."""
    memory, grid = control.memory, control.grid
    native = NativeControl()  # what is asked for is in the plan
    native.origin, native.size, native.stop = grid.origin, grid.size, grid.stop
    native.time, native.course_size = control.time, control.course_size
    native.memory[:] = memory.numbers.tolist()
    for name in (*_VECTORS, "ends"):
        setattr(native, name, getattr(memory, name).ctypes.data)
    native.n_ends, native.all_told = memory.ends.size, memory.all_told
    native.found = control.found.ctypes.data
    where, width = lines.ctypes.data, lines.strides[0] // lines.itemsize
    room = c.byref(plan), c.byref(native), where, len(lines), width
    rows = kernel.dt_controlled(batch, *room, seconds)
    control.time, control.course_size = native.time, native.course_size
    control.grid = Grid(native.origin, native.size, native.stop)
    memory.numbers[:] = native.memory[:]
    counts = {told: getattr(native, name) for name, told in COUNTS.items()}
    tried = Window(native.tried_start, native.tried_size, native.tried_stop)
    why = native.outcome
    given_up = tried if why == GAVE_UP else None
    return Outcome(ControlProgress(rows, counts, why == HANDED_OVER, given_up=given_up), why, tried)
