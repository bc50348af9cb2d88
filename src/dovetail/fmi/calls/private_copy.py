"""A second file of a library, which the system loads with global variables of its own."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_LEFT: set[Path] = set()  # folders to remove at the end


def copy_of(path: Path, root: Path) -> Path:
    """A copy in a new folder that looks like the one it comes from: all else are links there.

    `root`: the folder of the FMU. Some look for their resources beside their library.
    """
    folder = Path(tempfile.mkdtemp(prefix="dovetail-"))
    _LEFT.add(folder)
    inside = path.relative_to(root).parts if path.is_relative_to(root) else (path.name,)
    here, there = root, folder
    for name in inside[:-1]:
        _link(here, there, name)
        here, there = here / name, there / name
        there.mkdir()
    _link(path.parent, there, path.name)
    shutil.copyfile(path, there / path.name)
    return there / path.name


def removed(copy: Path) -> None:
    """Remove a copy with its folder."""
    for folder in copy.parents:
        if folder in _LEFT:
            _LEFT.discard(folder)
            shutil.rmtree(folder, ignore_errors=True)


def _link(here: Path, there: Path, but: str) -> None:
    for entry in here.iterdir():
        if entry.name != but:
            with suppress(OSError):  # Windows asks for a right that few have
                (there / entry.name).symlink_to(entry)


@atexit.register
def _tidy() -> None:
    for folder in tuple(_LEFT):
        shutil.rmtree(folder, ignore_errors=True)
