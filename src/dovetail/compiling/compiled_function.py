"""A traced function in C, called from Python."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from functools import lru_cache
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

    __slots__ = ("_call", "_empty", "_place", "address", "name", "shapes", "size", "text", "titles")

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
        self._place = place
        self._empty: list[Any] = [_NONE for _ in GROUPS]
        if place is None:
            self._call = c.CFUNCTYPE(None, c.c_double, *[c.c_void_p] * 4)(self.address)
        else:
            self._call = library[f"{name}_of_arrays"]
            self._call.restype = None
            self._call.argtypes = (c.c_int64, c.c_double, *[c.py_object] * 4)

    def __call__(self, t: float, *groups: Vector) -> Any:
        """What it gives there."""
        found = np.empty(self.size)
        given = self._empty.copy()
        for title, values in zip(self.titles, groups, strict=True):
            whole = values.strides == _WHOLE and values.dtype is _DOUBLE
            plain = values if whole else np.ascontiguousarray(values, dtype=_DOUBLE)
            given[GROUPS.index(title)] = plain
        if self._place is None:
            self._call(t, *(a.ctypes.data for a in (*given, found)))
        else:
            self._call(self._place, t, *given, found)
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


@lru_cache(maxsize=256)
def loaded(text: str) -> Any:
    """The library of this text; it stays in memory."""
    folder, name = built(text)
    return c.CDLL(str(library_in(folder, name)))
