"""Optional libraries."""

from __future__ import annotations

import importlib.util

from ...core.errors import DovetailError


class LibraryMissing(DovetailError, ImportError):
    """A library that this needs is not installed."""

    def __init__(self, library: str, extra: str, otherwise: str = "") -> None:
        super().__init__()
        self.name, self.extra, self.otherwise = library, extra, otherwise

    @property
    def way(self) -> str:
        """What to type."""
        return f"pip install 'dovetail[{self.extra}]'"

    def __str__(self) -> str:
        otherwise = self.otherwise and f"; {self.otherwise}"
        return f"this needs {self.name}, which is not installed: {self.way}{otherwise}"


def need(library: str, extra: str, otherwise: str = "") -> None:
    """Say how to get a library, if it is missing: the extra that brings it, or another way."""
    try:
        found = importlib.util.find_spec(library) is not None
    except (ImportError, ValueError):  # None in sys.modules: it is blocked
        found = False
    if not found:
        raise LibraryMissing(library, extra, otherwise)
