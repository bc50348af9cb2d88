"""Where things are kept that can be made again, and how they get there whole."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..core.errors import FileError
from .manifest import is_as_made, is_foreign, write_manifest

_PARTIAL = ".partial"
_ABANDONED_AFTER = 24 * 3600.0  # seconds
_ELSEWHERE = "set DOVETAIL_CACHE to another folder"


def folder() -> Path:
    """`DOVETAIL_CACHE` if it is set, else a folder among the user's caches."""
    chosen = os.environ.get("DOVETAIL_CACHE")
    try:
        if chosen:
            return Path(chosen).expanduser().absolute()
        return _user_caches() / "dovetail"
    except RuntimeError as error:  # no HOME, and a user that the system does not know
        what = "there is no home folder, so there is no place for a cache"
        raise FileError(chosen or "~", what, "set DOVETAIL_CACHE to a folder") from error


def made_once(target: Path, make: Callable[[Path], None]) -> Path:
    """The folder `target`, filled by `make` if it is not there yet, or not as it was made.

    It is made under another name beside and moved into place when it is complete and on the
    disk. So a half made one is never used, and where several processes make the same one, the
    first to finish wins. It can be written by its user alone, who must own all of it.
    """
    for place in (target.parent.parent, target.parent):
        _claim(place)
    if os.path.lexists(target):
        if is_as_made(target):
            return target
        _put_away(target)
    try:
        _sweep(target.parent)
        partial = Path(tempfile.mkdtemp(prefix="", suffix=_PARTIAL, dir=target.parent))
    except OSError as error:
        what = f"the cache cannot be written: {error.strerror or error}"
        raise FileError(target.parent, what, _ELSEWHERE) from error
    try:
        make(partial)
        _written(partial)
        with suppress(OSError):  # another process was first
            partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    if not is_as_made(target):
        what = "this folder of the cache is not as it was made, and cannot be made anew"
        raise FileError(target, what, f"delete it, or {_ELSEWHERE}")
    return target


def _claim(place: Path) -> None:
    """A folder that only this user can write to; one of another user is refused."""
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = place.stat()
        if is_foreign(status):
            what = "this cache belongs to another user, who may have put anything into it"
            raise FileError(place, what, "set DOVETAIL_CACHE to a folder of your own")
        if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o022:
            place.chmod(0o700)
    except OSError as error:
        what = f"the cache cannot be written: {error.strerror or error}"
        raise FileError(place, what, _ELSEWHERE) from error


def _written(partial: Path) -> None:
    try:
        write_manifest(partial)
    except OSError as error:
        what = f"the cache cannot be written: {error.strerror or error}"
        raise FileError(partial.parent, what, _ELSEWHERE) from error


def _user_caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    return Path(chosen) if os.path.isabs(chosen) else Path.home() / ".cache"


def _put_away(target: Path) -> None:
    """Make room for a new one. Files of the old one that are open stay usable."""
    with suppress(OSError):
        aside = Path(tempfile.mkdtemp(prefix="", suffix=_PARTIAL, dir=target.parent))
        target.rename(aside / target.name)  # a link is moved, not what it leads to
        shutil.rmtree(aside, ignore_errors=True)


def _sweep(parent: Path) -> None:
    """Remove what processes left behind that were ended while making something."""
    for left in parent.glob(f"*{_PARTIAL}"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_AFTER:
                shutil.rmtree(left, ignore_errors=True)
