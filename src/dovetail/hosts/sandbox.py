"""A sandbox for code of strangers: what the kernel has to offer, and how a host gets into it.

Landlock says which files may be opened, a filter of system calls refuses connections, other
processes and the rest. Both hold for every thread of the process until its end, need no rights,
and work inside containers. User namespaces would add nothing, and many systems do not grant them.
"""

from __future__ import annotations

import ctypes
import os
import platform
import site
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from ..core.errors import OptionError
from ..xml import cache
from . import landlock, system_calls

THREADS = 256  # of a sandboxed host; looked at as memory is
STRANGERS_MOST = 2**28  # bytes of one of its answers
_NO_NEW_RIGHTS, _SECCOMP, _FILTER = 38, 22, 2  # of prctl
_DROP, _CAPABILITIES, _LAST_CAPABILITY = 24, 0x20080522, 63
_CAPSET, _ASK = 126, 317  # system calls of x86-64
_READ = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/opt", "/nix/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/timezone", "/etc/nsswitch.conf", "/etc/fonts", "/etc/alternatives"),
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/filesystems", "/sys/devices/system/cpu"),
    *("/dev/urandom", "/dev/random"),
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
_VARIABLES = ("PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DOVETAIL_KERNEL")
_FAMILIES = ("LC_", "OMP_", "OPENBLAS_", "MKL_", "BLIS_", "PYTHON")


class _Program(ctypes.Structure):
    _fields_ = [("size", ctypes.c_ushort), ("lines", ctypes.c_void_p)]


def missing() -> str:
    """What a sandbox needs and this machine has not, as a sentence; empty if it has all."""
    machine = platform.machine()
    if sys.platform != "linux" or machine != system_calls.MACHINE:
        return f"it is made for Linux on {system_calls.MACHINE}, and this is {machine}"
    found = landlock.version()
    if found < 0:
        return "Landlock is switched off in its kernel; add it to lsm= where the kernel is booted"
    if found == 0:
        return "its kernel has no Landlock, or a container forbids it; Linux 5.13 and newer have it"
    refuses = ctypes.c_uint32(system_calls.FAIL)
    if ctypes.CDLL(None).syscall(_ASK, 2, 0, ctypes.byref(refuses)):
        return "its kernel has no filters of system calls (seccomp), or a container forbids them"
    return ""


def check_sandbox() -> None:
    """OptionError where there can be no sandbox: never a weaker one."""
    if found := missing():
        raise OptionError(f"there can be no sandbox on this machine: {found}; leave sandbox= out")


def readable(folders: Iterable[Path]) -> list[str]:
    """What a sandbox may read: the system, this Python with its libraries, and these folders."""
    here = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    here += [*sysconfig.get_paths().values(), *site.getsitepackages(), str(_package())]
    here += [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    here += os.environ.get("LD_LIBRARY_PATH", "").split(":")
    given = [Path(p).resolve() for p in here if p and os.path.isabs(p)]
    home = Path.home().resolve()
    kept = [p for p in given if p not in (home, *home.parents)]  # never all of what is private
    return [*_READ, *dict.fromkeys(str(p) for p in [*kept, *(f.resolve() for f in folders)])]


def enter(reads: Iterable[str], writes: Iterable[str]) -> None:
    """Never do more again than a sandbox may; OSError if the kernel refuses."""
    if len(os.listdir("/proc/self/task")) != 1:
        raise OSError("a thread is running already, which would stay outside")
    _drop_rights()
    _prctl(_NO_NEW_RIGHTS, 1)
    landlock.restrict([*reads, f"/proc/{os.getpid()}"], writes, _DEVICES)
    made = system_calls.program(os.getpid(), truncation_is_a_right=landlock.version() >= 3)
    lines = ctypes.create_string_buffer(system_calls.packed(made))
    filtering = _Program(len(made), ctypes.addressof(lines))
    _prctl(_SECCOMP, _FILTER, ctypes.addressof(filtering))


def scrub(environment: dict[str, str], home: str) -> None:
    """Leave only what a program needs to run among the environment variables, and what is given."""
    kept = {n: v for n, v in os.environ.items() if n in _VARIABLES or n.startswith(_FAMILIES)}
    kept["DOVETAIL_CACHE"] = str(cache.folder())  # which lies in another home
    os.environ.clear()
    os.environ.update(kept | {"HOME": home} | environment)


def _package() -> Path:
    return Path(__file__).resolve().parents[1]


def _prctl(option: int, *given: int) -> None:
    more = [ctypes.c_ulong(g) for g in (*given, 0, 0, 0, 0)[:4]]
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(ctypes.c_int(option), *more):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _drop_rights() -> None:
    """Those of root, where it is root."""
    if os.geteuid() == 0:
        for right in range(_LAST_CAPABILITY + 1):
            try:
                _prctl(_DROP, right)
            except OSError:
                break  # there are no more
    head = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0)
    if ctypes.CDLL(None, use_errno=True).syscall(_CAPSET, head, (ctypes.c_uint32 * 6)()):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
