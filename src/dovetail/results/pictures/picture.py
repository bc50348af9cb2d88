"""A sheet becomes a picture: a file by its suffix, a figure, or a panel on the user's axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...core.errors import FileError, OptionError
from ...core.options import check_path
from .sheet import Sheet

SUFFIXES = (".png", ".svg", ".pdf", ".html")


def picture(sheet: Sheet, path: str | Path | None, title: str | None = None, ax: Any = None) -> Any:
    """Draw: to a file by its suffix, onto axes, or as a matplotlib figure."""
    if ax is not None:
        return _on_axes(ax, sheet, path, title)
    if path is None:
        from .drawing import draw

        return draw(sheet)
    check_path("a picture", path)
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
        save(sheet, path)
    except OSError as error:
        from ..files.runfiles import reason

        raise FileError(path, f"cannot be written: {reason(error)}") from error
    return None


def _on_axes(ax: Any, sheet: Sheet, path: str | Path | None, title: str | None) -> Any:
    from .drawing import draw_on

    for name, given in (("path", path), ("size", sheet.size)):
        if given is not None:
            what = "the figure of the axes is yours to save and to size"
            raise OptionError(f"give ax or {name}, not both: {what}")
    return draw_on(ax, sheet, title)
