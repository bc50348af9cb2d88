"""What a folder of the cache held when it was made: a list of sizes and checksums in it.

A power cut leaves files that are there and empty, programs that tidy up remove some, and where
others may write, they may have put in something else. So nothing is believed because it exists.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path

NAME = ".dovetail-manifest.json"
_LIBRARIES = (".so", ".dll", ".dylib")
_seen: dict[Path, dict[str, tuple[int, int, int]]] = {}  # files that were compared, by folder


def write_manifest(folder: Path) -> None:
    """List what is in a folder, and see that all of it is on the disk."""
    found: dict[str, tuple[int, int]] = {}
    for name, path in _files(folder):
        found[name] = path.stat().st_size, _checksum(path)
        _flush(path)
    folders = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_dir())
    (folder / NAME).write_text(json.dumps({"files": found, "folders": folders}), "utf-8")
    _flush(folder / NAME)
    for path in [folder, *(folder / name for name in folders)]:
        _flush(path)


def is_as_made(folder: Path) -> bool:
    """Whether all of it is there as it was made, and was made by this user.

    Each file is read once in a process, and again when its size or time has changed. An FMU may
    write to its resources, so that of those only libraries must be the same to the bit; the
    others may not have become shorter.
    """
    try:
        if not _is_own(folder):
            return False
        listed = json.loads((folder / NAME).read_text("utf-8"))
        if not all((folder / name).is_dir() for name in listed["folders"]):
            return False
        seen = _seen.setdefault(folder, {})
        return all(_is_same(folder, n, s, c, seen) for n, (s, c) in listed["files"].items())
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return False


def is_foreign(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to another user."""
    return hasattr(os, "geteuid") and status.st_uid != os.geteuid()


def _is_own(folder: Path) -> bool:
    status = folder.lstat()
    open_to_others = os.name == "posix" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(status.st_mode) and not open_to_others and not is_foreign(status)


def _is_same(
    folder: Path, name: str, size: int, checksum: int, seen: dict[str, tuple[int, int, int]]
) -> bool:
    path = folder / name
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) or is_foreign(status):
        return False
    if name.startswith("resources/") and not any(end in path.suffixes for end in _LIBRARIES):
        return status.st_size >= size
    stamp = status.st_ino, status.st_size, status.st_mtime_ns
    if seen.get(name) != stamp:
        if status.st_size != size or _checksum(path) != checksum:
            return False
        seen[name] = stamp
    return True


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path


def _checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while block := file.read(2**20):
            found = zlib.crc32(block, found)
    return found


def _flush(path: Path) -> None:
    """Wait until a file or folder is on the disk, where that can be asked for."""
    if path.is_dir() and os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
