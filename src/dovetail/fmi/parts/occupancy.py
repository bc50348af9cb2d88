"""What is in use: instances by library, FMUs by folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import FileError

if TYPE_CHECKING:
    from ..model import Fmu

_LIVE: dict[str, int] = {}  # instances by library
_HOMES: dict[Path, str] = {}  # folders that were named, and the FMU that lives there


def claim(model: Fmu, library: Path) -> None:
    """Count an instance; two FMUs cannot live in one folder."""
    key = str(library)
    if model.unpacked is not None:
        other = _HOMES.setdefault(model.archive.directory, model.path)
        if other != model.path and _LIVE.get(key, 0) > 0:
            what = shared(other, model.path)
            raise FileError(model.unpacked, what, "extract each into a folder of its own")
        _HOMES[model.archive.directory] = model.path
    _LIVE[key] = _LIVE.get(key, 0) + 1


def release(library: Path) -> None:
    """An instance is gone."""
    key = str(library)
    _LIVE[key] = max(_LIVE.get(key, 0) - 1, 0)


def shared(first: str, second: str) -> str:
    """What is wrong if two FMUs are said to lie in one folder."""
    names = [Path(path).name for path in (first, second)]
    if names[0] == names[1]:
        names = [first, second]
    return f"'{names[0]}' and '{names[1]}' cannot both be extracted in this folder"
