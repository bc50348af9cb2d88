"""Equations that native code evaluates: what it has to know of them."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Why native steps return, and where a call failed; the same as in native/integrate.c.
ARRIVED, PAUSED, LOOK, WISHED, TOO_MANY, REFUSED, FAILED = range(7)
IN_RATES, IN_STATES, IN_INDICATORS, IN_COMPLETED, IN_DERIVATIVES, NO_NUMBERS, IN_INPUTS = range(
    1, 8
)


def _fields(names: str, kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((name, kind) for name in names.split())


class Inlet(c.Structure):
    """Inputs of one type that move; the same order as `dt_inlet`."""

    _fields_ = (
        *_fields("set refs places factors values", c.c_void_p),
        *_fields("n_refs n single padding", c.c_int32),
    )


class Matrix(c.Structure):
    """How df/dx is found, colour by colour; the same order as `dt_matrix`."""

    _fields_ = (
        *_fields("function unknowns knowns seed result moves moved nominal", c.c_void_p),
        *_fields("colour_at colours entry_at found rows columns", c.c_void_p),
        *_fields("n_unknowns n_knowns n_colours whole", c.c_int32),
        *_fields("data_of rows_of begins_of indices begins places", c.c_void_p),
        *_fields("n_indices n_begins", c.c_int64),
    )


class NativeFlow(c.Structure):
    """A CVODE and the equations it solves; the same order as `dt_flow`."""

    _fields_ = (
        *_fields("mem y between", c.c_void_p),
        *_fields("cvode interpolate set_stop clear_stop numbers columns_of", c.c_void_p),
        *_fields("fmu inlets coefficients matrix armed x z row", c.c_void_p),
        *_fields("began time end failed_at", c.c_double),
        *_fields("evaluations bad steps most", c.c_int64),
        *_fields("n_inlets columns n_indicators watches_steps", c.c_int32),
        *_fields("failed status flag ending", c.c_int32),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Equations for native code, with the functions that walk along them.

    `rates` and `matrix` are addresses of what CVODE calls, 0 for a Jacobian that it finds itself.
    `begin`, `steps` and `glance` take the address of `known`. `failed` raises what a call that
    failed means. `signs` is the array behind `known.armed`; `state`, `crossings` and `row` are
    those behind `known.x`, `known.z` and `known.row`.
    """

    known: NativeFlow
    rates: int
    matrix: int
    begin: Callable[[int, float], int]
    steps: Callable[[int, float, float], int]
    glance: Callable[[int, float], int]
    failed: Callable[[int, int], None]
    signs: Any
    state: Any
    crossings: Any
    row: Any
