"""The C library's own memory functions, for FMUs that want some."""

from __future__ import annotations

import ctypes as c
import sys
from functools import lru_cache


@lru_cache(maxsize=1)
def _c_library() -> c.CDLL:
    return c.CDLL("msvcrt" if sys.platform == "win32" else None)


def allocate() -> int:
    """Where calloc is."""
    return c.cast(_c_library().calloc, c.c_void_p).value or 0


def release() -> int:
    """Where free is."""
    return c.cast(_c_library().free, c.c_void_p).value or 0
