"""Whether the Python that files refer to may run: it may, unless somebody forbids it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from ..core.errors import FileError


@contextmanager
def python_forbidden(*, wanted: bool = True) -> Iterator[list[str]]:
    """No Python of users is executed or imported in here; what would have been is listed."""
    outer = _FORBIDDEN.get()
    refused: list[str] = [] if outer is None else outer
    token = _FORBIDDEN.set(refused if wanted else outer)
    try:
        yield refused
    finally:
        _FORBIDDEN.reset(token)


def check_permitted(place: str | Path) -> None:
    """Refuse to run the code of this file or module, where that is forbidden."""
    refused = _FORBIDDEN.get()
    if refused is not None:
        refused.append(str(place))
        raise FileError(place, "this is Python code, which runs only in a folder that you trust")


_FORBIDDEN: ContextVar[list[str] | None] = ContextVar("_FORBIDDEN", default=None)
