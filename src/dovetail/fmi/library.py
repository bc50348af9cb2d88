"""A shared library of an FMU, with the functions of its FMI version bound once."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import FileError
from .abi.types import Signature


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
    ) -> None:
        self.path = path
        self._handle = _loaded(path)
        self._functions = {n: self._bound(n, s, prefix) for n, s in signatures.items()}
        missing = [name for name in required if self._functions[name] is None]
        if missing:
            raise FileError(
                path,
                f"the binary does not export {', '.join(missing)}",
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


def _loaded(path: Path) -> Any:
    """The library, loaded once per process and file."""
    stat = path.stat()
    key = str(path.resolve()), stat.st_mtime_ns, stat.st_size
    if key not in _HANDLES:
        try:
            _HANDLES[key] = ctypes.CDLL(str(path), mode=_MODE)
        except OSError as error:
            raise FileError(
                path, f"the binary cannot be loaded: {error}", _remedy(error)
            ) from error
    return _HANDLES[key]


_MODE = getattr(os, "RTLD_NOW", 2) | getattr(os, "RTLD_LOCAL", 0) if sys.platform != "win32" else 0


def _remedy(error: OSError) -> str:
    text = str(error)
    if "cannot open shared object file" in text and ":" in text:
        return f"install the library {text.partition(':')[0]!r} that it needs"
    if "wrong ELF class" in text or "invalid ELF header" in text:
        return "it is built for another machine"
    return "it may need other libraries or another machine"
