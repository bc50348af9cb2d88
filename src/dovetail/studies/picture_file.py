"""A picture of a study, as a file where one is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.errors import FileError
from ..core.options import check_path
from ..results.pictures.canvas import save


def saved(figure: Any, path: str | Path | None) -> Any:
    """The figure; with a path it is written there as well."""
    if path is None:
        return figure
    check_path("a picture", path)
    place = Path(path)
    if place.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise FileError(place, "a picture of a study is a .png, .svg or .pdf file")
    try:
        save(figure, place)
    except OSError as error:
        raise FileError(place, f"cannot be written: {error.strerror or error}") from error
    return figure
