"""What Linux offers for processes that belong together."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from ..core.errors import OptionError

_DIE, _SUBREAPER = 1, 36  # of prctl
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def can_isolate() -> bool:
    """Whether parts can live in processes of their own here."""
    return sys.platform == "linux" and hasattr(os, "pidfd_open")


def check_platform() -> None:
    """OptionError where parts cannot live in processes of their own."""
    if not can_isolate():
        raise OptionError(
            "parts can be placed in processes of their own on Linux only; leave placement= out"
        )


def die_with_parent(parent: int) -> None:
    """Be killed when the process that made this one is gone; also if it is gone already."""
    ctypes.CDLL(None).prctl(_DIE, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def become_subreaper() -> None:
    """Processes left behind by children come to this one."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1)


def threads(pid: int) -> int:
    """How many threads a process has."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[17])
    except (OSError, ValueError):
        return 0


def resident(pid: int) -> int:
    """Bytes of memory that a process alone has, and none other shares."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            _, held, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0
    return (held - shared) * _PAGE
