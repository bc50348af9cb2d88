"""Landlock: which files a process may still open, by folders, and never more again."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from contextlib import suppress
from errno import EOPNOTSUPP
from stat import S_ISDIR

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls, the same on every processor
_VERSION, _BENEATH = 1, 1
_EXECUTE, _WRITE, _READ, _READ_FOLDER = 1, 2, 4, 8
_REMOVE, _MAKE_FOLDER, _MAKE_FILE = 0b110000, 1 << 7, 1 << 8
_MAKE_FIFO, _MAKE_LINK, _REFER, _TRUNCATE = 1 << 10, 1 << 12, 1 << 13, 1 << 14
_ALL = (
    (1, (1 << 13) - 1),
    (2, _REFER),
    (3, _TRUNCATE),
    (5, 1 << 15),
)  # since which version
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | 1 << 15
_READING = _READ | _READ_FOLDER
_WRITING = _READING | _WRITE | _REMOVE | _MAKE_FOLDER | _MAKE_FILE | _MAKE_FIFO | _MAKE_LINK
_WRITING |= _REFER | _TRUNCATE
_SIGNALS_AND_SOCKETS = 0b11


class _Rights(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def version() -> int:
    """Which Landlock the kernel has; 0 if none, below 0 if it is switched off."""
    found, number = _call(_CREATE, None, 0, _VERSION)
    return found if found >= 0 else -1 if number == EOPNOTSUPP else 0


def restrict(reads: Iterable[str], writes: Iterable[str], devices: Iterable[str]) -> None:
    """From now on this process opens nothing but what lies beneath these; OSError if not."""
    has = version()
    handled = sum(rights for since, rights in _ALL if has >= since)
    asked = _Rights(handled, 3 if has >= 4 else 0, _SIGNALS_AND_SOCKETS if has >= 6 else 0)
    size = 24 if has >= 6 else 16 if has >= 4 else 8
    rules = _checked(*_call(_CREATE, ctypes.byref(asked), size, 0))
    try:
        for paths, rights in ((reads, _READING), (writes, _WRITING), (devices, _READ | _WRITE)):
            for path in paths:
                with suppress(FileNotFoundError):
                    _allow(rules, path, rights & handled)
        _checked(*_call(_RESTRICT, rules, 0))
    finally:
        os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        inside = S_ISDIR(os.fstat(place).st_mode)
        beneath = _Beneath(rights if inside else rights & _OF_FILES, place)
        _checked(*_call(_ADD, rules, _BENEATH, ctypes.byref(beneath), 0))
    finally:
        os.close(place)


def _call(number: int, *given: object) -> tuple[int, int]:
    call = ctypes.CDLL(None, use_errno=True).syscall
    plain = [ctypes.c_long(g) if isinstance(g, int) else g for g in given]
    return call(ctypes.c_long(number), *plain), ctypes.get_errno()


def _checked(found: int, number: int) -> int:
    if found < 0:
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return found
