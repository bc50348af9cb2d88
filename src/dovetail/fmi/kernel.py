"""The native kernel, if it is there."""

from __future__ import annotations

import ctypes as c
import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

NAME = {"win32": "_kernel.dll", "darwin": "_kernel.dylib"}.get(sys.platform, "_kernel.so")


class Member(c.Structure):
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
        ("saved", c.c_void_p),
        ("inputs", c.c_void_p),
        ("outputs", c.c_void_p),
        ("scratch", c.c_void_p),
        ("stepped", c.c_int32),
        ("columns", c.c_int32),
        ("evaluations", c.c_int64),
        ("timed", c.c_int64),
        ("timed_seconds", c.c_double),
    )


class Plan(c.Structure):
    """A fused run; the same order as `dt_plan` in kernel.c."""

    _fields_ = (
        ("sequential", c.c_int32),
        ("n_inputs", c.c_int32),
        ("n_outputs", c.c_int32),
        ("n_recorded", c.c_int32),
        ("n_wires", c.c_int32),
        ("plain", c.c_int32),
        ("order", c.c_void_p),
        ("recorded", c.c_void_p),
        ("inputs", c.c_void_p),
        ("outputs", c.c_void_p),
        ("used", c.c_void_p),
        ("worst", c.c_void_p),
        ("when", c.c_void_p),
        ("low", c.c_void_p),
        ("high", c.c_void_p),
    )


_P, _I, _D = c.c_void_p, c.c_int32, c.c_double
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "dt_log_new": (_P, c.c_char_p),
    "dt_log_free": (None, _P),
    "dt_log_take": (c.c_size_t, _P, _P, c.c_size_t),
    "dt_batch_new": (_P, _I, _P, _P, _P, _P, _P, _P),
    "dt_batch_free": (None, _P),
    "dt_threads": (c.c_int, _P, c.c_int),
    "dt_open": (c.c_int, _P, _D, _D),
    "dt_abandon": (c.c_int, _P),
    "dt_shorten": (None, _P, _D),
    "dt_ask": (c.c_int, _P, _P, _I, _P, _I, _P),
    "dt_sweep": (c.c_int, _P, _P, _I, _P, _P, _I, _P),
    "dt_columns": (c.c_int, _P, _P, _I, _P, _P, _P, _P, _I, _P),
    "dt_failure": (None, _P, _P, _P, _P, _P),
    "dt_layout": (_I,),
    "dt_ending": (_I, _P),
    "dt_run": (c.c_int64, _P, _P, c.c_int64, _P, _P, _P, _P, _D),
}


@lru_cache(maxsize=1)
def kernel() -> Any:
    """The native library, or None: not built, or `DOVETAIL_KERNEL=python` says not to use it."""
    if os.environ.get("DOVETAIL_KERNEL", "").lower() == "python":
        return None
    path = Path(__file__).parents[1] / NAME
    if not path.is_file():
        return None
    library = c.CDLL(str(path))
    for name, (result, *arguments) in SIGNATURES.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError(f"{path} lacks {name}; reinstall Dovetail")
        function.restype, function.argtypes = result, arguments
    if library.dt_layout() != 1000 * c.sizeof(Member) + c.sizeof(Plan):
        raise ImportError(f"{path} belongs to another version; reinstall Dovetail")
    return library


def address(name: str) -> int:
    """Where a function of the kernel is."""
    return c.cast(getattr(kernel(), name), c.c_void_p).value or 0
