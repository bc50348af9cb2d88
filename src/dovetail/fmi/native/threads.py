"""How many threads are worth it: they pay for long steps and hurt short ones."""

from __future__ import annotations

import os
from ctypes import Array

from ..kernel import NativeMember

_TIMED = 3  # steps of each, to know what they cost
_WORTH_A_THREAD = 3e-5  # seconds of a step, below which threads cost more than they give


def worthwhile(members: Array[NativeMember]) -> int:
    """Threads to step these members on; zero while too few steps were timed to say."""
    if any(m.timed < _TIMED for m in members):
        return 0
    timed = [m.quickest for m in members]  # a step that was interrupted says nothing
    mean = sum(timed) / len(timed)
    if mean <= _WORTH_A_THREAD or len(timed) == 1:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, len(timed))
