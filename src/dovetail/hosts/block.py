"""A block of memory that a host and its master share, with a bell for each side."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Sequence

from ..core.errors import RunError

_SEALS = 0x1 | 0x2 | 0x4  # of fcntl.h: no further seals, no shrinking, no growing
_ADD_SEALS = 1033


class SharedBlock:
    """Memory without a name: when both sides are gone it is gone. Its size cannot be changed.

    `bells`: descriptors that wake the host, and the master.
    """

    def __init__(self, memory: int, size: int, bells: Sequence[int]) -> None:
        self.size, self.bells = size, tuple(bells)
        self._map = mmap.mmap(memory, size)
        os.close(memory)
        held = (ctypes.c_char * size).from_buffer(self._map)
        self.address = ctypes.addressof(held)
        self._held: ctypes.Array[ctypes.c_char] | None = held

    @classmethod
    def new(cls, size: int) -> tuple[SharedBlock, list[int]]:
        """One of at least so many bytes, and what another process needs to see it, to be closed."""
        import fcntl  # POSIX only

        whole, made = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE, list[int]()
        try:
            made.append(os.memfd_create("dovetail", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
            os.ftruncate(made[0], whole)
            fcntl.fcntl(made[0], _ADD_SEALS, _SEALS)
            for _ in range(2):
                made.append(os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK))
            for k in range(3):
                made.append(os.dup(made[k]))
        except OSError as error:
            for file in made:
                os.close(file)
            way_out = "put several parts into one host, dv.LocalHost('name')"
            raise RunError(
                f"no memory can be shared with a host: {error.strerror}; {way_out}"
            ) from None
        return cls(made[0], whole, made[1:3]), made[3:]

    def close(self) -> None:
        """Give it back."""
        if self._held is None:
            return
        self._held = None
        self._map.close()
        for bell in self.bells:
            os.close(bell)
