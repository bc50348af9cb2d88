"""A file of HDF5 read by a process that may fail.

The library that reads such files can hang or crash on a damaged one, and then takes its process
with it. So a file that comes from elsewhere is tried first, in a child with limits.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ...core.errors import FileError

_REFUSED = 3  # the child's exit code for a file that it could not read
_SECONDS, _SPEED = 5.0, 20e6  # of computing; bytes that are read in one more
_MEMORY = 2**30  # bytes beyond those of the file, four times
_CHILD = f"""
import sys
import h5py
path, seconds, memory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
try:
    import resource
    with open("/proc/self/statm") as file:
        memory += int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
except (ImportError, OSError, ValueError):
    pass
try:
    with h5py.File(path, "r", locking=False) as file:
        for key in file:
            found = file[key]
            if isinstance(found, h5py.Dataset) and found.shape:
                if found.dtype.hasobject or found.nbytes <= {2**26}:
                    found[()]
                else:
                    found[:1], found[-1:]
            elif isinstance(found, h5py.Dataset):
                found[()]
except Exception:
    sys.exit({_REFUSED})
"""


def try_out(path: Path) -> None:
    """Refuse a file that cannot be read to its end, in time and within a bearable memory."""
    if not sys.executable or hasattr(sys, "frozen"):
        return  # no Python to start
    size = os.stat(path).st_size
    seconds = _SECONDS + size / _SPEED
    limits = str(int(seconds)), str(_MEMORY + 4 * size)
    command = [sys.executable, "-c", _CHILD, str(path), *limits]
    quiet = subprocess.DEVNULL
    try:
        done = subprocess.run(
            command, stdin=quiet, stdout=quiet, stderr=quiet, timeout=20 * seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise _damaged(path) from None
    except OSError:
        return  # a system that starts no processes
    if done.returncode == _REFUSED or done.returncode < 0:
        raise _damaged(path)


def _damaged(path: Path) -> FileError:
    what = "is not an HDF5 file, or not a whole one: a trial to read all of it failed"
    return FileError(path, what, "make it again")
