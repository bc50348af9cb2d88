"""Libraries in memory: who uses them, which instance gets one of its own, when they leave."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any, Literal

from ...core.errors import FileError
from ..archive.elf import SharedLibrary, inspect
from ..kernel import kernel
from .private_copy import copy_of, removed
from .remedies import remedy

_MODE = getattr(os, "RTLD_NOW", 2) | getattr(os, "RTLD_LOCAL", 0) if sys.platform != "win32" else 0
_FEW = 128  # bytes of global variables that compilers put in by themselves, about
_MUCH = 2**16  # bytes of them that are the memory of a model, whatever its description says
_COPIES = 16  # of one library, where it does not say that it needs them
# libraries that others share, and that stay where they are
_COMMON = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.\d+$|ld-linux-.*")
# what may outlive an instance and would then call code that is gone
_LASTING = frozenset(
    ["pthread_key_create", "tss_create", "signal", "sigaction", "on_exit", "dlopen"]
)
_THREADS = ("pthread_create", "thrd_create", "_ZNSt6thread")

Sharing = Literal["shared", "unless global", "alone"]


class LoadedLibrary:
    """One library in memory. `path`: its file, `origin`: the file that it is a copy of."""

    def __init__(self, origin: Path, path: Path, owner: str | Path) -> None:
        self.origin, self.path = origin, path
        self.handle = _opened(path, owner)
        self.users, self.is_used = 0, False  # live instances; whether there was one
        self.is_held = False  # it is looked at, besides being used
        self.pinned = not _may_unload(inspect(origin))  # it stays, once it is there
        self.bound: dict[Any, Any] = {}  # its functions, by the table that names them

    @property
    def is_copy(self) -> bool:
        """Whether it is one instance's own."""
        return self.path != self.origin


_LOCK = RLock()
_Key = tuple[int, int, int, int]
_LOADED: dict[_Key, list[LoadedLibrary]] = {}  # the first is the file itself


def shared_library(path: Path, owner: str | Path) -> LoadedLibrary:
    """The library of a file, loaded if it is not."""
    with _LOCK:
        known = _LOADED.setdefault(_key(path), [])
        if not known:
            known.append(LoadedLibrary(path, path, owner))
        return known[0]


def borrow(path: Path, owner: str | Path, root: Path, sharing: Sharing) -> LoadedLibrary:
    """A library for one instance, which gives it back. `root`: the folder of the FMU.

    Instances share a library. One that may live only once in a process gets one of its own
    beside another, or after it where the library could not leave; so does one that does not say
    how often it may, if it has global variables, and one that has very many of them.
    """
    with _LOCK:
        found = shared_library(path, owner)
        stale = found.is_used and not found.is_held
        if (found.users or stale) and wants_copy(path, sharing):
            found = _own(path, owner, root, sharing)
        found.users, found.is_used = found.users + 1, True
        return found


def _own(path: Path, owner: str | Path, root: Path, sharing: Sharing) -> LoadedLibrary:
    """A library that no other instance uses, nor has used; not for ever: copies take memory."""
    known = _LOADED[_key(path)]
    idle = [k for k in known if not k.users]
    must = sharing == "alone" and not idle
    if must or (len(known) < _COPIES and can_be_alone(path)):
        known.append(LoadedLibrary(path, _copied(path, root, owner), owner))
        return known[-1]
    return idle[-1] if idle else known[0]


def give_back(library: LoadedLibrary, *, cleanly: bool) -> None:
    """An instance is gone; the last one takes its library along, so that the next starts afresh.

    `cleanly`: it was freed. Where it was not, or where something in the library may outlive it,
    the library stays.
    """
    with _LOCK:
        library.users -= 1
        library.pinned = library.pinned or not cleanly
        known = _LOADED.get(_key_of(library), [])
        if library.users or library.pinned or library.is_held or library not in known:
            return
        if library is known[0] and len(known) > 1:
            return  # the first stays at its place until its copies are gone
        known.remove(library)
        _unload(library)
        if len(known) == 1 and not (known[0].users or known[0].pinned or known[0].is_held):
            _unload(known.pop())


def can_be_alone(path: Path) -> bool:
    """Whether a copy of this library has all of its global variables for itself."""
    beside = {p.name for p in path.parent.iterdir()}
    return not any(n in beside or n.startswith("libpython") for n in inspect(path).needed)


def wants_copy(path: Path, sharing: Sharing) -> bool:
    """Whether a second instance, or one after another, is to have a library of its own."""
    if sharing == "alone":
        return True
    limit = _FEW if sharing == "unless global" else _MUCH
    return inspect(path).global_bytes > limit and can_be_alone(path)


def _copied(path: Path, root: Path, owner: str | Path) -> Path:
    if not can_be_alone(path):
        what = "this FMU can be instantiated only once in a process"
        raise FileError(owner, what, "run its parts in separate processes")
    try:
        return copy_of(path, root)
    except OSError as error:
        what = f"its binary {path.name} cannot be copied: {error.strerror or error}"
        raise FileError(owner, what, "make room for temporary files") from error


def _may_unload(facts: SharedLibrary) -> bool:
    if sys.platform != "linux" or not facts.needed:
        return False
    if not all(_COMMON.match(n) for n in facts.needed) or facts.names & _LASTING:
        return False
    return not any(n.startswith(_THREADS) for n in facts.names)


def _unload(library: LoadedLibrary) -> None:
    library.bound.clear()
    with _named(library.origin, "unloaded"):
        _closed(library.handle._handle)
    if library.is_copy:
        removed(library.path)


def _opened(path: Path, owner: str | Path) -> Any:
    _refuse_other_python(path, owner)
    try:
        with _named(owner, "loaded"):
            return _loaded(path)
    except OSError as error:
        reason = str(error).replace(f"{path.parent}{os.sep}", "").removeprefix(f"{path.name}: ")
        what = f"its binary {path.name} cannot be loaded: {reason}"
        raise FileError(owner, what, remedy(reason)) from error


@contextmanager
def _named(owner: str | Path, what: str) -> Iterator[None]:
    """If the process ends in here, it is said at which library."""
    native = kernel()
    if native is None:
        yield
        return
    native.dt_watch_library(Path(owner).name.encode(errors="replace"), what.encode())
    try:
        yield
    finally:
        native.dt_watch_library(None, None)


def _loaded(path: Path) -> Any:
    """The library of this file. Its constructors run: other threads go on meanwhile."""
    if sys.platform == "win32":
        return ctypes.CDLL(str(path), mode=_MODE)
    found = _system().dlopen(os.fsencode(path), _MODE | getattr(os, "RTLD_NOW", 2))
    if not found:
        said = _system().dlerror()
        raise OSError(os.fsdecode(said) if said else "it cannot be loaded")
    return ctypes.CDLL(str(path), handle=found)


def _closed(handle: int) -> None:
    """Give a library back; its destructors run if it was the last time."""
    _system().dlclose(ctypes.c_void_p(handle))


@cache
def _system() -> Any:
    """What loads libraries, as functions that let other threads of Python run, unlike its own."""
    found = ctypes.CDLL(None)
    found.dlopen.restype, found.dlopen.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int]
    found.dlerror.restype, found.dlerror.argtypes = ctypes.c_char_p, []
    return found


def _refuse_other_python(path: Path, owner: str | Path) -> None:
    """Two Pythons in one process end it."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    for name in inspect(path).needed:
        found = re.match(r"libpython(\d+\.\d+)", name)
        if found and found[1] != here:
            what = f"its binary {path.name} needs Python {found[1]}, and this process is {here}"
            remedy = f"run Dovetail with Python {found[1]}, or export it for {here}"
            raise FileError(owner, what, remedy)


def _key(path: Path) -> _Key:
    """The file itself, whatever the way to it, as it is now."""
    stat = os.stat(path)
    return stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size


def _key_of(library: LoadedLibrary) -> _Key:
    return next((k for k, known in _LOADED.items() if library in known), (0, 0, 0, 0))
