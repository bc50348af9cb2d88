"""C types that the tables share."""

from __future__ import annotations

import ctypes as c

Status = c.c_int
Component = c.c_void_p
Reference = c.c_uint
Real = c.c_double
Size = c.c_size_t
Text = c.c_char_p
Reals = c.POINTER(Real)
Pointer = c.c_void_p  # arrays of any type go as addresses

Signature = tuple[object, ...]  # the result, then the arguments
OK, WARNING, DISCARD, ERROR, FATAL, PENDING = range(6)
STATUS = ("OK", "Warning", "Discard", "Error", "Fatal", "Pending")


def worst(*statuses: int) -> int:
    """The worst of some statuses; what is below OK is none, and counts as an error."""
    return max(status if status >= OK else ERROR for status in statuses)
