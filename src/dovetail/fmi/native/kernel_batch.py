"""From the block of a plan to what the kernel made of it."""

from __future__ import annotations

import ctypes as c
from typing import Any

from ...core.errors import InputError

_ROOM = 512  # letters of a refusal


def batch_of(kernel: Any, block: bytes, members: Any) -> c.c_void_p:
    """The batch of these members, a `NativeMember` each; InputError where the plan is refused."""
    why = c.create_string_buffer(_ROOM)
    found = kernel.dt_batch_new(block, len(block), members, len(members), why, _ROOM)
    if not found:
        raise InputError(why.value.decode("ascii", "replace"))
    return c.c_void_p(found)
