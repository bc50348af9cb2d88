"""A shared library of an FMU, with the functions of its FMI version bound once."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...core.errors import FileError
from .abi.types import Signature
from .loading import LoadedLibrary

_SHOWN = 4  # missing functions


class Library:
    """Functions by their plain name; those the binary lacks are None.

    Where a version puts the model identifier before each name, so does `prefix`. A library
    may export plain names nevertheless, as static linking asks.
    """

    def __init__(
        self,
        loaded: LoadedLibrary,
        signatures: Mapping[str, Signature],
        required: Sequence[str],
        prefix: str = "",
        owner: str | Path | None = None,
    ) -> None:
        self.loaded, self.path = loaded, loaded.path
        owner = self.path if owner is None else owner  # what messages are about
        self._handle = loaded.handle
        self._functions = {n: self._bound(n, s, prefix) for n, s in signatures.items()}
        missing = [name for name in required if self._functions[name] is None]
        if missing:
            listed = ", ".join(missing[:_SHOWN])
            listed += (
                f" and {len(missing) - _SHOWN} more functions" if len(missing) > _SHOWN else ""
            )
            raise FileError(
                owner,
                f"its binary {self.path.name} does not export {listed}",
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
