"""A traced function in C, called from Python."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..core.signals import Vector
from ..fmi.kernel import data_at
from .building import built, library_in
from .traced_model import GROUPS

_WHOLE, _DOUBLE = (8,), np.dtype(np.float64)
_NONE: Vector = np.zeros(0)


class CompiledFunction:
    """A function of (t, x, u, p), or of those of them that it is given, of plain vectors.

    `shapes`: of what it returns, one by one; without them it is a vector. It travels to other
    processes as its text, and is compiled there, or found in the cache.
    """

    __slots__ = ("_call", "_missing", "address", "name", "shapes", "size", "text", "titles")

    def __init__(
        self,
        text: str,
        name: str,
        titles: str,
        size: int,
        shapes: Sequence[tuple[int, ...]] | None = None,
    ) -> None:
        self.text, self.name, self.titles, self.size = text, name, titles, size
        self.shapes = None if shapes is None else tuple(shapes)
        library, place = loaded(text), data_at()
        self.address: int = c.cast(library[name], c.c_void_p).value or 0
        self._missing: tuple[Any, ...] = (_NONE,) * (len(GROUPS) - len(titles))  # those before
        if place is None:
            call = c.CFUNCTYPE(None, c.c_double, *[c.c_void_p] * 4)(self.address)
            self._call: Any = lambda t, *arrays: call(t, *(a.ctypes.data for a in arrays))
        else:
            self._call = partial(_of_arrays(library, name), place)

    def __call__(self, t: float, *groups: Vector) -> Any:
        """What it gives there."""
        for values in groups:
            if values.strides != _WHOLE or values.dtype is not _DOUBLE:
                groups = tuple(np.ascontiguousarray(v, dtype=_DOUBLE) for v in groups)
                break
        found = np.empty(self.size)
        self._call(t, *self._missing, *groups, found)
        return found if self.shapes is None else self._shaped(found)

    def __reduce__(self) -> Any:
        return CompiledFunction, (self.text, self.name, self.titles, self.size, self.shapes)

    def _shaped(self, found: Vector) -> list[Any]:
        values, at = list[Any](), 0
        for shape in self.shapes or ():
            count = int(np.prod(shape))
            values.append(found[at : at + count].reshape(shape) if shape else found[at])
            at += count
        return values


def _of_arrays(library: Any, name: str) -> Any:
    """The function that takes NumPy arrays as they are."""
    function = library[f"{name}_of_arrays"]
    function.restype = None
    function.argtypes = (c.c_int64, c.c_double, *[c.py_object] * (len(GROUPS) + 1))
    return function


@lru_cache(maxsize=256)
def loaded(text: str) -> Any:
    """The library of this text; it stays in memory."""
    folder, name = built(text)
    return c.PyDLL(str(library_in(folder, name)))  # they take less than to let others run
