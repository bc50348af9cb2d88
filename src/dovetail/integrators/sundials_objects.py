"""The objects of SUNDIALS behind one CVODE: made as scikit-sundae makes them, and given back."""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from ..core.signals import Vector
from .base import Problem
from .flow import Flow, Matrix
from .sundials import index_type, sparse_solver

if TYPE_CHECKING:
    from .cvode import Cvode

_METHODS = {"Adams": (1, 12), "BDF": (2, 5)}  # CVODE's number for it, and the highest order
_SPARSE = {
    "data_of": "SUNSparseMatrix_Data",
    "rows_of": "SUNSparseMatrix_IndexValues",
    "begins_of": "SUNSparseMatrix_IndexPointers",
}
_BY_COLUMNS, _THREADS = 0, 1  # CSC_MAT of SUNDIALS; of SuperLU_MT


class SundialsObjects:
    """A CVODE with its vectors, its matrix and what solves with it.

    `pattern`: the entries of its matrix, if that is to be sparse.
    """

    def __init__(self, library: Any, size: int, pattern: Any) -> None:
        self._sparse: tuple[Any, Any] | None = None  # rows, and where columns begin
        if pattern is not None:
            kind = index_type()
            self._sparse = pattern.indices.astype(kind), pattern.indptr.astype(kind)
        self.library = library
        self.made: dict[str, c.c_void_p] = {}
        self._freed = finalize(self, _free, library, self.made)
        context = self.made["context"] = c.c_void_p()
        check("SUNContext_Create", library.SUNContext_Create(0, c.byref(context)))
        library.SUNContext_ClearErrHandlers(context)
        self._size = size
        self.y, self.between = self.vector("y"), self.vector("between")

    def bind_matrix(self, matrix: Matrix) -> None:
        """Let native code know how a sparse matrix is filled in."""
        for field, name in _SPARSE.items():
            setattr(matrix, field, self.place(name) if self._sparse else None)
        if self._sparse is not None:
            rows, begins = self._sparse
            matrix.indices, matrix.n_indices = rows.ctypes.data, rows.nbytes
            matrix.begins, matrix.n_begins = begins.ctypes.data, begins.nbytes

    def place(self, name: str) -> int | None:
        """Where a function of SUNDIALS is."""
        return c.cast(getattr(self.library, name), c.c_void_p).value

    def vector(self, name: str) -> Vector:
        """A vector of SUNDIALS, as an array."""
        found = self.library.N_VNew_Serial(self._size, self.made["context"])
        self.made[name] = c.c_void_p(_there("N_VNew_Serial", found))
        place = self.library.N_VGetArrayPointer(found)
        return np.ctypeslib.as_array((c.c_double * self._size).from_address(place))

    def _linear_solver(self, n: int) -> tuple[int, int]:
        """A matrix, and what solves with it."""
        library, made = self.library, self.made
        y, context = made["y"], made["context"]
        if self._sparse is None:
            matrix = _there("SUNDenseMatrix", library.SUNDenseMatrix(n, n, context))
            solver = _there("SUNLinSol_Dense", library.SUNLinSol_Dense(y, matrix, context))
        else:
            entries = self._sparse[0].size
            found = library.SUNSparseMatrix(n, n, entries, _BY_COLUMNS, context)
            matrix = _there("SUNSparseMatrix", found)
            found = sparse_solver()(y, matrix, _THREADS, context)
            solver = _there("SUNLinSol_SuperLUMT", found)
            made["sparse"] = c.c_void_p(1)
        made["matrix"], made["solver"] = c.c_void_p(matrix), c.c_void_p(solver)
        return matrix, solver

    def set_up(self, start: float, o: Cvode, problem: Problem, flow: Flow, shortest: float) -> None:
        """What scikit-sundae does, in the same order."""
        library, made, n = self.library, self.made, self._size
        context, y = made["context"], made["y"]
        method, order = _METHODS[o.method]
        mem = c.c_void_p(_there("CVodeCreate", library.CVodeCreate(method, context)))
        made["mem"] = mem

        def have(name: str, *arguments: Any) -> None:
            check(name, getattr(library, name)(mem, *arguments))

        have("CVodeSetUserData", c.addressof(flow.known))
        have("CVodeInit", flow.rates, start, y)
        if problem.nominal is None:
            have("CVodeSStolerances", o.rtol, o.atol)
        else:
            self.vector("atol")[:] = problem.absolute(o.atol)
            have("CVodeSVtolerances", o.rtol, made["atol"])
        matrix, solver = self._linear_solver(n)
        have("CVodeSetLinearSolver", solver, matrix)
        if flow.matrix:
            have("CVodeSetJacFn", flow.matrix)
        have("CVodeSetMaxNonlinIters", 3)
        have("CVodeSetMaxConvFails", 100)
        have("CVodeSetMinStep", shortest)
        have("CVodeSetMaxStep", max(min(o.max_size, 1e300), shortest))
        have("CVodeSetMaxOrd", order)
        have("CVodeSetMaxNumSteps", o.max_steps)


def _there(name: str, pointer: int | None) -> int:
    if not pointer:
        raise MemoryError(f"{name} of SUNDIALS returned nothing")
    return pointer


def check(name: str, flag: int) -> None:
    """Raise if a function of SUNDIALS returned a failure."""
    if flag < 0:
        raise RuntimeError(f"{name} of SUNDIALS returned {flag}")


def _free(library: Any, made: dict[str, c.c_void_p]) -> None:
    """Give everything back, the context last."""
    factored = c.c_long()
    if "mem" in made:
        library.CVodeGetNumLinSolvSetups(made["mem"], c.byref(factored))
        library.CVodeFree(c.byref(made["mem"]))
    for name, function in (("solver", "SUNLinSolFree"), ("matrix", "SUNMatDestroy")):
        if "sparse" in made and not factored.value:
            break  # one that never factored cannot be freed: the process would crash
        if name in made:
            getattr(library, function)(made[name])
    for name in ("atol", "between", "y"):
        if name in made:
            library.N_VDestroy(made[name])
    if made["context"]:
        library.SUNContext_Free(c.byref(made["context"]))
