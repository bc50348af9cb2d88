"""Optional libraries."""

from __future__ import annotations

import importlib.util

from ...core.errors import DovetailError


class LibraryMissing(DovetailError, ImportError):
    """A library that this needs is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__()
        self.name, self.extra = library, extra

    def __str__(self) -> str:
        package = f"dovetail[{self.extra}]" if self.extra else str(self.name)
        return f"this needs {self.name}, which is not installed: pip install '{package}'"


def need(library: str, extra: str = "") -> None:
    """Say how to get a library, if it is missing."""
    try:
        found = importlib.util.find_spec(library) is not None
    except (ImportError, ValueError):  # None in sys.modules: it is blocked
        found = False
    if not found:
        raise LibraryMissing(library, extra)
