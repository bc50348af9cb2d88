"""SUNDIALS' own functions, out of the library that scikit-sundae brings."""

from __future__ import annotations

import ctypes as c
import os
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# The versions with which the steps of the native path were compared with those of scikit-sundae.
TESTED = frozenset({(7, 3), (7, 5), (7, 9)})
_P, _PP, _I, _D = c.c_void_p, c.POINTER(c.c_void_p), c.c_int, c.c_double
_N = c.c_int64  # of 32 bits in some builds: the lower half of a register is the same number
_WORDS: dict[str, tuple[Any, ...]] = {
    "SUNContext_Create": (_I, _I, _PP),
    "SUNContext_ClearErrHandlers": (_I, _P),
    "SUNContext_Free": (_I, _PP),
    "N_VNew_Serial": (_P, _N, _P),
    "N_VGetArrayPointer": (_P, _P),
    "N_VConst": (None, _D, _P),
    "N_VDestroy": (None, _P),
    "SUNDenseMatrix": (_P, _N, _N, _P),
    "SUNDenseMatrix_Cols": (_P, _P),
    "SUNSparseMatrix": (_P, _N, _N, _N, _I, _P),
    "SUNSparseMatrix_Data": (_P, _P),
    "SUNSparseMatrix_IndexValues": (_P, _P),
    "SUNSparseMatrix_IndexPointers": (_P, _P),
    "SUNMatDestroy": (None, _P),
    "SUNLinSol_Dense": (_P, _P, _P, _P),
    "SUNLinSolFree": (_I, _P),
    "CVodeCreate": (_P, _I, _P),
    "CVodeInit": (_I, _P, _P, _D, _P),
    "CVodeReInit": (_I, _P, _D, _P),
    "CVodeGetNumLinSolvSetups": (_I, _P, c.POINTER(c.c_long)),
    "CVodeFree": (None, _PP),
    "CVodeSStolerances": (_I, _P, _D, _D),
    "CVodeSVtolerances": (_I, _P, _D, _P),
    "CVodeSetUserData": (_I, _P, _P),
    "CVodeSetLinearSolver": (_I, _P, _P, _P),
    "CVodeSetJacFn": (_I, _P, _P),
    "CVodeSetMaxNonlinIters": (_I, _P, _I),
    "CVodeSetMaxConvFails": (_I, _P, _I),
    "CVodeSetMinStep": (_I, _P, _D),
    "CVodeSetMaxStep": (_I, _P, _D),
    "CVodeSetMaxOrd": (_I, _P, _I),
    "CVodeSetMaxNumSteps": (_I, _P, c.c_long),
    "CVodeSetStopTime": (_I, _P, _D),
    "CVodeClearStopTime": (_I, _P),
    "CVode": (_I, _P, _D, _P, c.POINTER(_D), _I),
    "CVodeGetDky": (_I, _P, _D, _I, _P),
}


@lru_cache(maxsize=1)
def sparse_solver() -> Any:
    """What makes its solver for sparse matrices, SuperLU_MT; None where there is none."""
    function = getattr(sundials(), "SUNLinSol_SuperLUMT", None)
    if function is not None:
        function.restype, function.argtypes = _P, (_P, _P, _I, _P)
    return function


@lru_cache(maxsize=1)
def index_type() -> Any:
    """What it counts entries of sparse matrices in."""
    from sksundae._cy_common import INT_TYPE

    return INT_TYPE


@lru_cache(maxsize=1)
def sundials() -> Any:
    """The library with these functions bound; None where there is none that is known to fit.

    scikit-sundae's module for CVODE is linked with it, and a handle of that module finds the
    functions of everything it is linked with: those of a wheel, and those of the system. The
    module itself is not imported.
    """
    path = _module()
    if path is None:
        return None
    try:
        library = c.CDLL(str(path))
        for name, (result, *arguments) in _WORDS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        if _version(library) not in TESTED or hasattr(library, "MPI_Init"):
            return None  # a communicator of MPI is not the plain integer that we hand over
    except (OSError, AttributeError):
        return None
    os.environ.setdefault("SUNLOGGER_WARNING_FILENAME", os.devnull)  # else it fills stdout
    return library if _counts_in_doubles(library) else None


def _module() -> Path | None:
    found = find_spec("sksundae")
    for folder in (found and found.submodule_search_locations) or ():
        for suffix in EXTENSION_SUFFIXES:
            path = Path(folder) / f"_cy_cvode{suffix}"
            if path.is_file():
                return path
    return None


def _version(library: Any) -> tuple[int, int]:
    major, minor, patch = c.c_int(), c.c_int(), c.c_int()
    label = c.create_string_buffer(64)
    numbers = c.byref(major), c.byref(minor), c.byref(patch)
    library.SUNDIALSGetVersionNumber(*numbers, label, len(label))
    return major.value, minor.value


def _counts_in_doubles(library: Any) -> bool:
    """Whether a vector of this library is one of doubles."""
    context = c.c_void_p()
    if library.SUNContext_Create(0, c.byref(context)) < 0:
        return False
    vector = library.N_VNew_Serial(3, context)
    library.N_VConst(1.5, vector)
    found = list((c.c_double * 3).from_address(library.N_VGetArrayPointer(vector)))
    library.N_VDestroy(vector)
    library.SUNContext_Free(c.byref(context))
    return found == [1.5, 1.5, 1.5]
