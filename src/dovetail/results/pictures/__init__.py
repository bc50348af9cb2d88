"""Results as pictures: drawn once as PNG, SVG or PDF, or as a page to look into by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import FileError, OptionError

if TYPE_CHECKING:
    from ..result import Result

__all__ = ["picture"]

SUFFIXES = (".png", ".svg", ".pdf", ".html")


def picture(
    result: Result, names: Sequence[str], path: str | Path | None, title: str | None
) -> Any:
    """Draw these variables: to a file by its suffix, or as a matplotlib figure."""
    if not names:
        raise OptionError("there is nothing to draw: no variable was recorded")
    if not len(result):
        raise OptionError("there is nothing to draw: the run ended before its first row")
    if path is None:
        from .drawing import draw

        return draw(result, names, title)
    path = Path(path)
    match path.suffix.lower():
        case ".html":
            from .page import save_page as save
        case ".png" | ".svg" | ".pdf":
            from .drawing import save_drawing as save
        case _:
            known = ", ".join(SUFFIXES)
            raise FileError(path, "is no picture by its name", f"use one of {known}")
    try:
        save(result, names, title, path)
    except OSError as error:
        from ..files.runfiles import reason

        raise FileError(path, f"cannot be written: {reason(error)}") from error
    return None
