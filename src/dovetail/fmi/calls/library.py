"""A shared library of an FMU, with the functions of its FMI version bound once."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...core.errors import FileError
from .abi.types import Signature

_SHOWN = 4  # missing functions


class Library:
    """Functions by their plain name; those the binary lacks are None.

    Where a version puts the model identifier before each name, so does `prefix`. A library
    may export plain names nevertheless, as static linking asks.
    """

    def __init__(
        self,
        path: Path,
        signatures: Mapping[str, Signature],
        required: Sequence[str],
        prefix: str = "",
        owner: str | Path | None = None,
    ) -> None:
        self.path = path
        owner = path if owner is None else owner  # what messages are about
        self._handle = _loaded(path, owner)
        self._functions = {n: self._bound(n, s, prefix) for n, s in signatures.items()}
        missing = [name for name in required if self._functions[name] is None]
        if missing:
            listed = ", ".join(missing[:_SHOWN])
            listed += (
                f" and {len(missing) - _SHOWN} more functions" if len(missing) > _SHOWN else ""
            )
            raise FileError(
                owner,
                f"its binary {path.name} does not export {listed}",
                "it is not built for this kind of FMI; ask its supplier",
            )

    def __getattr__(self, name: str) -> Any:
        try:
            return self._functions[name]
        except KeyError:
            raise AttributeError(name) from None

    def address(self, name: str) -> int:
        """Where a function is, for the native kernel; 0 if it is missing."""
        function = self._functions.get(name)
        if function is None:
            return 0
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    def _bound(self, name: str, signature: Signature, prefix: str) -> Any:
        for candidate in (prefix + name, name) if prefix else (name,):
            function = getattr(self._handle, candidate, None)
            if function is not None:
                function.restype, function.argtypes = signature[0], list(signature[1:])
                return function
        return None


_HANDLES: dict[tuple[str, int, int], Any] = {}


def _loaded(path: Path, owner: str | Path) -> Any:
    """The library, loaded once per process and file."""
    stat = path.stat()
    key = str(path.resolve()), stat.st_mtime_ns, stat.st_size
    if key not in _HANDLES:
        try:
            _HANDLES[key] = ctypes.CDLL(str(path), mode=_MODE)
        except OSError as error:
            reason = str(error).replace(f"{path.parent}{os.sep}", "").removeprefix(f"{path.name}: ")
            what = f"its binary {path.name} cannot be loaded: {reason}"
            raise FileError(owner, what, _remedy(reason)) from error
    return _HANDLES[key]


_MODE = getattr(os, "RTLD_NOW", 2) | getattr(os, "RTLD_LOCAL", 0) if sys.platform != "win32" else 0


def _remedy(reason: str) -> str:
    if "cannot open shared object file" in reason and ":" in reason:
        needed = reason.partition(":")[0]
        return f"install the library '{needed}' that it needs, or name its folder in {_SEARCHED}"
    if any(sign in reason for sign in _FOREIGN):
        return "it is built for another machine"
    if "Library not loaded: " in reason:  # macOS
        needed = reason.partition("Library not loaded: ")[2].split()[0]
        return f"install the library '{needed}' that it needs, or name its folder in {_SEARCHED}"
    if "Could not find module" in reason:  # Windows, which does not say what it needs
        return (
            "it may need other libraries, often those of Microsoft Visual C++: install them, or "
            "put them beside it"
        )
    if "code signature" in reason:
        return "macOS does not trust it; ask its supplier for a signed one"
    if "file too short" in reason:
        return "copy or export it again"
    if "version `" in reason and "not found" in reason:
        return "it is built on a newer system; ask for one that is built on an older one"
    if "undefined symbol" in reason:
        return "it was linked without a library that it needs; ask its supplier"
    return "it may need other libraries or another machine"


_SEARCHED = "DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"
_FOREIGN = (
    *("wrong ELF class", "invalid ELF header"),
    *("WinError 193", "not a valid Win32 application"),
    *("incompatible architecture", "wrong architecture", "not a mach-o file"),
)
