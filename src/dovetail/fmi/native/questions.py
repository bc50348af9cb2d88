"""Whom the kernel is to ask, as it wants to be told."""

from __future__ import annotations

import ctypes as c
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.signals import Vector
from ..kernel import NativeQuestion


class Questions:
    """The sets of members of one batch that were asked so far, and the `last` of them."""

    def __init__(self, batch: Any, place: Mapping[int, int], data_at: int) -> None:
        self._batch, self._place, self._data_at = batch, place, data_at
        self._known: dict[tuple[int, ...], tuple[Any, NativeQuestion]] = {}
        self._alive: list[Any] = []
        self.last: tuple[tuple[int, ...] | None, Any] = None, None

    def about(self, parts: Sequence[int]) -> tuple[Any, NativeQuestion]:
        """Where the kernel finds whom to ask, and what it finds; made once for each set."""
        key = parts if isinstance(parts, tuple) else tuple(parts)
        found = self._known.get(key)
        if found is None:
            places = np.array([self._place[i] for i in key], dtype=np.int32)
            self._alive.append(places)
            about = self._batch.value, places.ctypes.data, places.size, self._data_at
            question = NativeQuestion(*about)
            found = c.c_void_p(c.addressof(question)), question
            self._known[key] = found  # as C wants it: converting takes its time too
        if key is parts:
            self.last = key, found[0]  # hashing a thousand numbers takes longer than asking
        return found


def address_of(array: Vector) -> int:
    """Where the numbers of an array are, in the way that always works."""
    found: int = array.__array_interface__["data"][0]  # half the time of .ctypes.data
    return found
