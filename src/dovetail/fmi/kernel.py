"""The native kernel, if it is there."""
# Over 250 lines: one library, with every function and structure of it.

from __future__ import annotations

import atexit
import ctypes as c
import os
import sys
import threading
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..integrators.flow import Inlet, Matrix, NativeFlow

NAME = {"win32": "_kernel.dll", "darwin": "_kernel.dylib"}.get(sys.platform, "_kernel.so")
MAX_COLUMNS = 4  # of inputs over a window: powers of time, up to the third


class NativeMember(c.Structure):
    """One instance as the kernel sees it; the same order as `dt_member` in member.c."""

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
        ("n_set", c.c_int32),
        ("padding", c.c_int32),
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
        ("until_check", c.c_int32),
        ("answered", c.c_int32),
        ("ahead", c.c_int32),
        ("highest", c.c_int32),
        ("refused", c.c_int32),
        ("evaluations", c.c_int64),
        ("timed", c.c_int64),
        ("timed_seconds", c.c_double),
        ("quickest", c.c_double),
        ("refused_until", c.c_double),
        ("solved", c.c_void_p),
        ("early", c.c_int64),
        ("remote", c.c_void_p),
        ("get_slopes", c.c_void_p),
        ("cubic", c.c_void_p),
        ("events", c.c_void_p),
        ("known", c.c_void_p),
        ("tuned", c.c_void_p),
        ("unusual", c.c_int64),
    )


def fields_of(numbers: str, kind: Any) -> tuple[tuple[str, Any], ...]:
    """Fields of a structure that have one type, from their names in one text."""
    return tuple((name, kind) for name in numbers.split())


class NativeQuestion(c.Structure):
    """Members that are asked together; the same order as `dt_question` in ask.c."""

    _fields_ = (*fields_of("batch members", c.c_void_p), *fields_of("count data_at", c.c_int32))


class NativeMemory(c.Structure):
    """What changes as a run goes on; the same order as `dt_memory` in plan.c."""

    _fields_ = (
        *fields_of("inputs outputs worst when low high bend bend_time", c.c_void_p),
        *fields_of("off way turn moved turned trial past slopes bonds known", c.c_void_p),
        ("times", c.c_double * MAX_COLUMNS),
        ("rows", c.c_int32 * MAX_COLUMNS),
        *fields_of("points handed_over", c.c_int32),
        *fields_of("iterations doubtful", c.c_int64),
    )


class NativeStretch(c.Structure):
    """Windows along the grid of a plan; the same order as `dt_stretch` in plan.c."""

    _fields_ = (
        *fields_of("start size stop", c.c_double),
        *fields_of("line count width", c.c_int64),
    )


class NativeSolved(c.Structure):
    """A member whose equations are solved here; the same order as `dt_solved` in solved.c."""

    _fields_ = (
        *fields_of("flow start_anew x u held x0 u0 held0 x1 u1 there tested room", c.c_void_p),
        *fields_of("time time0 there_at next_event size left_start left_stop", c.c_double),
        *fields_of("next_size next_size0 next_size1 span span0 span1 time1", c.c_double),
        *fields_of("rtol longest", c.c_double),
        ("atol", c.c_void_p),
        *fields_of("most evaluations steps evaluations0 steps0", c.c_int64),
        *fields_of("stiff_steps stiff_steps0 evaluations1 steps1 stiff_steps1", c.c_int64),
        *fields_of("method locate n_inlets tight is_held was_held is_tested", c.c_int32),
        *fields_of("ending ended ended1 why left leaves padding", c.c_int32),
    )


class NativeExchange(c.Structure):
    """A model-exchange instance; the same order as `dt_exchange` in exchange.c."""

    _fields_ = (
        *fields_of("instance set_time set_states get_rates completed get_indicators", c.c_void_p),
        ("floor", c.c_double),
        *fields_of("n version no_way_back data_at n_indicators padding", c.c_int32),
    )


WANTED, ENDING = 256, 512  # what dt_completed adds to a status
ENDLESS = 1024  # what dt_rates adds to it
UNPLACED = 256  # what dt_indicators adds to it
_P, _I, _D = c.c_void_p, c.c_int32, c.c_double
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "dt_log_new": (_P, c.c_char_p),
    "dt_log_free": (None, _P),
    "dt_log_echo": (None, c.c_int),
    "dt_watch": (None, c.c_char_p),
    "dt_guard": (None, c.c_int),
    "dt_leave": (None,),
    "dt_watch_board": (None, _P),
    "dt_watch_library": (None, c.c_char_p, c.c_char_p),
    "dt_log_take": (c.c_size_t, _P, _P, c.c_size_t),
    "dt_follow": (None, _P, _P, _P, _P, c.c_size_t, _P, c.c_size_t),
    "dt_course": (None, _P, _P, c.c_int, _D),
    "dt_followed": (c.c_int, _P),
    "dt_intermediate": (None, _P, _D, *[c.c_bool] * 4, _P, _P),
    "dt_batch_new": (_P, c.c_char_p, c.c_uint64, _P, _I, _P, c.c_size_t),
    "dt_hold": (None, _P, _P),
    "dt_lessons": (c.c_int64, _P, _P),
    "dt_learn": (c.c_int, _P, _P, c.c_int64),
    "dt_batch_free": (None, _P),
    "dt_threads": (c.c_int, _P, c.c_int),
    "dt_open": (c.c_int, _P, _D, _D),
    "dt_abandon": (c.c_int, _P),
    "dt_shorten": (None, _P, _D),
    "dt_look_ahead": (c.c_int, _P, _I),
    "dt_check": (c.c_int, _P, _I),
    "dt_ask": (c.c_int, _P, _P, _I, _P),
    "dt_sweep": (c.c_int, _P, _P, _P, _I, _P),
    "dt_columns": (c.c_int, _P, _P, _I, _P, _P, _P, _P, _I, _P),
    "dt_failure": (None, _P, _P, _P, _P, _P),
    "dt_layout": (c.c_int64,),
    "dt_combine": (None, _I, c.py_object, c.py_object, _I, _I, c.py_object),
    "dt_rates": (c.c_int, _P, _D, c.py_object, c.py_object),
    "dt_indicators": (c.c_int, _P, _D, c.py_object, c.py_object),
    "dt_completed": (c.c_int, _P, _D, c.py_object),
    "dt_ending": (_I, _P),
    "dt_heed": (None, _P),
    "dt_flow_layout": (c.c_int64,),
    "dt_solved_layout": (c.c_int64,),
    "dt_eventful_layout": (c.c_int64,),
    "dt_traced_layout": (c.c_int64,),
    "dt_flow_begin": (c.c_int, _P, _D),
    "dt_flow_steps": (c.c_int, _P, _D, _D),
    "dt_flow_glance": (c.c_int, _P, _D),
    "dt_flow_rates": (c.c_int, _D, _P, _P, _P),
    "dt_flow_matrix": (c.c_int, _D, _P, _P, _P, _P, _P, _P, _P),
    "dt_run": (c.c_int64, _P, _P, _P, _P, _D),
    "dt_controlled": (c.c_int64, _P, _P, _P, _P, c.c_int64, c.c_int64, _D),
    "dt_again": (c.c_int, _P),
    "dt_again_layout": (c.c_int64,),
}

if sys.platform == "linux":
    SIGNATURES |= {
        "dt_hosted_size": (c.c_uint64, _I, _I, _I),
        "dt_host_new": (_P, _P, _I, _I, _I, _P, _D, _D),
        "dt_host_free": (None, _P),
        "dt_host_tell": (None, _P, _P),
        "dt_host_bind": (None, _P, _I, _P, _I, _I, _I),
        "dt_host_flush": (_I, _P, _D, _P, _P),
        "dt_host_waits": (_I, _P),
        "dt_host_dead": (_I, _P),
        "dt_host_inputs": (None, _P, _P),
        "dt_served_new": (_P, _P, _P, _I, _I, _I, _P),
        "dt_served_free": (None, _P),
        "dt_serve": (c.c_int, _P),
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
    sizes = [c.sizeof(kind) for kind in (NativeMember, NativeMemory, NativeStretch)]
    if library.dt_layout() != sum(size * 1000**k for k, size in enumerate(sizes)):
        raise ImportError(f"{path} belongs to another version; reinstall Dovetail")
    if library.dt_solved_layout() != c.sizeof(NativeSolved):
        raise ImportError(f"{path} belongs to another version; reinstall Dovetail")
    if library.dt_flow_layout() != sum(c.sizeof(kind) for kind in (Inlet, Matrix, NativeFlow)):
        raise ImportError(f"{path} belongs to another version; reinstall Dovetail")
    library.dt_guard(sys.platform == "linux" and threading.get_native_id() == os.getpid())
    atexit.register(library.dt_leave)  # before exit(), when Python itself is the one that ends
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
