"""Where things are kept that can be made again, and how they get there whole."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..core.errors import FileError

_PARTIAL = ".partial"
_ABANDONED_AFTER = 24 * 3600.0  # seconds


def folder() -> Path:
    """`DOVETAIL_CACHE` if it is set, else a folder among the user's caches."""
    chosen = os.environ.get("DOVETAIL_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    return _user_caches() / "dovetail"


def made_once(
    target: Path, make: Callable[[Path], None], is_whole: Callable[[Path], bool] = Path.is_dir
) -> Path:
    """The folder `target`, filled by `make` if it is not there yet, or not whole any more.

    It is made under another name beside and moved into place when it is complete. So a half made
    one is never used, and where several processes make the same one, the first to finish wins.
    """
    if target.is_dir():
        if is_whole(target):
            return target
        _put_away(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target.parent)
        partial = Path(tempfile.mkdtemp(prefix="", suffix=_PARTIAL, dir=target.parent))
    except OSError as error:
        what = f"the cache cannot be written: {error.strerror or error}"
        raise FileError(target.parent, what, "set DOVETAIL_CACHE to another folder") from error
    try:
        make(partial)
        with suppress(OSError):  # another process was first
            partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    if not is_whole(target):
        what = "files are missing in this cache, and it cannot be made anew"
        raise FileError(target, what, "delete it, or set DOVETAIL_CACHE to another folder")
    return target


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
        target.rename(aside / target.name)
        shutil.rmtree(aside, ignore_errors=True)


def _sweep(parent: Path) -> None:
    """Remove what processes left behind that were ended while making something."""
    for left in parent.glob(f"*{_PARTIAL}"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_AFTER:
                shutil.rmtree(left, ignore_errors=True)
