"""The native kernel, if it is there."""

from __future__ import annotations

import ctypes as c
import os
import sys
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..integrators.flow import Inlet, Matrix, NativeFlow

NAME = {"win32": "_kernel.dll", "darwin": "_kernel.dylib"}.get(sys.platform, "_kernel.so")
MAX_COLUMNS = 4  # of inputs over a window: powers of time, up to the third


class NativeMember(c.Structure):
    """One instance as the kernel sees it; the same order as `dt_member` in kernel.c."""

    _fields_ = (
        ("instance", c.c_void_p),
        ("set_real", c.c_void_p),
        ("do_step", c.c_void_p),
        ("get_real", c.c_void_p),
        ("in_refs", c.c_void_p),
        ("out_refs", c.c_void_p),
        ("version", c.c_int32),
        ("no_set_prior", c.c_int32),
        ("n_in_refs", c.c_int32),
        ("n_out_refs", c.c_int32),
        ("n_in", c.c_int32),
        ("n_out", c.c_int32),
        ("in_at", c.c_int32),
        ("out_at", c.c_int32),
        ("first_wire", c.c_int32),
        ("last_wire", c.c_int32),
        ("plain", c.c_int32),
        ("rollback", c.c_int32),
        ("get_state", c.c_void_p),
        ("set_state", c.c_void_p),
        ("free_state", c.c_void_p),
        ("set_derivatives", c.c_void_p),
        ("get_real_status", c.c_void_p),
        ("get_boolean_status", c.c_void_p),
        ("log", c.c_void_p),
        ("saved", c.c_void_p),
        ("inputs", c.c_void_p),
        ("outputs", c.c_void_p),
        ("scratch", c.c_void_p),
        ("stepped", c.c_int32),
        ("columns", c.c_int32),
        ("again", c.c_int32),
        ("padding", c.c_int32),
        ("evaluations", c.c_int64),
        ("timed", c.c_int64),
        ("timed_seconds", c.c_double),
        ("quickest", c.c_double),
    )


def _fields(numbers: str, kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((name, kind) for name in numbers.split())


class NativeQuestion(c.Structure):
    """Members that are asked together; the same order as `dt_question` in ask.c."""

    _fields_ = (*_fields("batch members", c.c_void_p), *_fields("count data_at", c.c_int32))


class NativeGroup(c.Structure):
    """Parts that depend on each other; the same order as `dt_group` in iterated.c."""

    _fields_ = (
        *_fields("n_parts cyclic n_targets n_coupling", c.c_int32),
        *_fields("parts targets sources coupling gains offsets counts places", c.c_void_p),
        *_fields("n_terms n_values n_factor n_forward n_backward padding", c.c_int32),
        *_fields("term_row term_column term_change term_slot", c.c_void_p),
        *_fields("diagonal row column factor forward backward", c.c_void_p),
    )


class NativeIteration(c.Structure):
    """An iterated algorithm; the same order as `dt_iteration` in iterated.c."""

    _fields_ = (
        *_fields("method limit accept columns n_groups doubted", c.c_int32),
        *_fields("rtol atol fall_back_size", c.c_double),
        ("counted", c.c_int64),
        *_fields("groups begin before coefficients", c.c_void_p),
        *_fields("v old r shift moves changes jacobian values evaluations", c.c_void_p),
    )


class NativeCurves(c.Structure):
    """Inputs that follow curves; the same order as `dt_curves` in extrapolated.c."""

    _fields_ = (
        *_fields("columns ramps points", c.c_int32),
        ("rows", c.c_int32 * MAX_COLUMNS),
        ("padding", c.c_int32),
        ("times", c.c_double * MAX_COLUMNS),
        ("since", c.c_double * MAX_COLUMNS),
        ("powers", c.c_double * MAX_COLUMNS),
        *_fields("values order projection", c.c_void_p),
    )


class NativePlan(c.Structure):
    """A fused run; the same order as `dt_plan` in fused.c."""

    _fields_ = (
        *_fields("sequential n_inputs n_outputs n_recorded n_wires plain", c.c_int32),
        *_fields("order recorded inputs outputs", c.c_void_p),
        *_fields("worst when low high jump_size jump_time iteration curves", c.c_void_p),
        *_fields("iterations doubtful", c.c_int64),
        *_fields("straight handed_over", c.c_int32),
        ("trial", c.c_void_p),
    )


class NativeStretch(c.Structure):
    """Windows along a grid; the same order as `dt_stretch` in fused.c."""

    _fields_ = (*_fields("start size stop origin", c.c_double), *_fields("line count", c.c_int64))


class NativeExchange(c.Structure):
    """A model-exchange instance; the same order as `dt_exchange` in exchange.c."""

    _fields_ = (
        *_fields("instance set_time set_states get_rates completed get_indicators", c.c_void_p),
        ("floor", c.c_double),
        *_fields("n version no_way_back data_at n_indicators padding", c.c_int32),
    )


WANTED, ENDING = 256, 512  # what dt_completed adds to a status
ENDLESS = 1024  # what dt_rates adds to it
UNPLACED = 256  # what dt_indicators adds to it
_P, _I, _D = c.c_void_p, c.c_int32, c.c_double
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "dt_log_new": (_P, c.c_char_p),
    "dt_log_free": (None, _P),
    "dt_watch": (None, c.c_char_p),
    "dt_log_take": (c.c_size_t, _P, _P, c.c_size_t),
    "dt_follow": (None, _P, _P, _P, _P, c.c_size_t, _P, c.c_size_t),
    "dt_course": (None, _P, _P, c.c_int, _D),
    "dt_followed": (c.c_int, _P),
    "dt_intermediate": (None, _P, _D, *[c.c_bool] * 4, _P, _P),
    "dt_batch_new": (_P, _I, _P, _P, _P, _P, _P, _P),
    "dt_batch_free": (None, _P),
    "dt_threads": (c.c_int, _P, c.c_int),
    "dt_open": (c.c_int, _P, _D, _D),
    "dt_abandon": (c.c_int, _P),
    "dt_shorten": (None, _P, _D),
    "dt_ask": (c.c_int, _P, _P, _I, _P),
    "dt_sweep": (c.c_int, _P, _P, _P, _I, _P),
    "dt_columns": (c.c_int, _P, _P, _I, _P, _P, _P, _P, _I, _P),
    "dt_failure": (None, _P, _P, _P, _P, _P),
    "dt_layout": (c.c_int64,),
    "dt_rates": (c.c_int, _P, _D, c.py_object, c.py_object),
    "dt_indicators": (c.c_int, _P, _D, c.py_object, c.py_object),
    "dt_completed": (c.c_int, _P, _D, c.py_object),
    "dt_ending": (_I, _P),
    "dt_flow_layout": (c.c_int64,),
    "dt_flow_begin": (c.c_int, _P, _D),
    "dt_flow_steps": (c.c_int, _P, _D, _D),
    "dt_flow_glance": (c.c_int, _P, _D),
    "dt_flow_rates": (c.c_int, _D, _P, _P, _P),
    "dt_flow_matrix": (c.c_int, _D, _P, _P, _P, _P, _P, _P, _P),
    "dt_run": (c.c_int64, _P, _P, _P, _P, _D),
}


@lru_cache(maxsize=1)
def kernel() -> Any:
    """The native library, or None: not there, or `DOVETAIL_KERNEL=python` says not to use it."""
    if os.environ.get("DOVETAIL_KERNEL", "").lower() == "python":
        return None
    path = Path(__file__).parents[1] / NAME
    try:
        library = c.CDLL(str(path))
    except OSError as error:
        warnings.warn(_without(str(error) if path.is_file() else ""), stacklevel=2)
        return None
    for name, (result, *arguments) in SIGNATURES.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError(f"{path} lacks {name}; reinstall Dovetail")
        function.restype, function.argtypes = result, arguments
    sizes = [
        c.sizeof(kind)
        for kind in (NativeMember, NativePlan, NativeIteration, NativeGroup, NativeCurves)
    ]
    if library.dt_layout() != sum(size * 1000**k for k, size in enumerate(sizes)):
        raise ImportError(f"{path} belongs to another version; reinstall Dovetail")
    if library.dt_flow_layout() != sum(c.sizeof(kind) for kind in (Inlet, Matrix, NativeFlow)):
        raise ImportError(f"{path} belongs to another version; reinstall Dovetail")
    return library


@lru_cache(maxsize=1)
def data_at() -> int | None:
    """Where NumPy arrays keep the address of their numbers; None where that is not as usual."""
    array, place = np.arange(3.0), object.__basicsize__
    found = c.c_void_p.from_address(id(array) + place).value
    return place if found == array.ctypes.data else None


def _without(problem: str) -> str:
    """What to say, once in a process, where there is no library."""
    why = f"cannot be loaded ({problem})" if problem else "was not built when it was installed"
    return (
        f"Dovetail's native kernel {why}, so FMUs are stepped from Python: the same results, "
        "slower; install a C compiler, or `pip install ziglang`, and install Dovetail again, or "
        "set DOVETAIL_KERNEL=python to do without"
    )


def address(name: str) -> int:
    """Where a function of the kernel is."""
    return c.cast(getattr(kernel(), name), c.c_void_p).value or 0
