"""The two files of a run in progress, beside the file it will become.

`run.parquet.rows` holds batches of rows, `run.parquet.tail` the rows since.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from ...core.errors import FileError

STREAM, TAIL = ".rows", ".tail"
_AS_IS = getattr(os, "O_BINARY", 0)  # Windows makes two bytes of a line end otherwise


def stream_of(path: Path) -> Path:
    """Where the batches of a run go."""
    return path.with_name(path.name + STREAM)


def tail_of(path: Path) -> Path:
    """Where the rows since the last batch go."""
    return path.with_name(path.name + TAIL)


def check_place(path: Path) -> None:
    """Refuse a place where no file can come to be."""
    folder = path.parent
    if not folder.is_dir():
        raise FileError(path, f"there is no folder '{folder}'", "create it first")
    if path.is_dir():
        raise FileError(path, "is a folder", "give the name of a file")
    if not os.access(folder, os.W_OK):
        raise FileError(path, f"the folder '{folder}' cannot be written to", "choose another one")


def create(path: Path) -> tuple[int, int]:
    """Both files, new and empty, as file descriptors: stream and tail."""
    check_place(path)
    stream = stream_of(path)
    if stream.exists():
        _set_aside(path)
    try:
        descriptor = os.open(stream, os.O_RDWR | os.O_CREAT | os.O_EXCL | _AS_IS, 0o666)
    except OSError as error:
        raise FileError(path, f"cannot be written: {reason(error)}") from error
    return _with_tail(path, descriptor)


def take_up(path: Path) -> tuple[int, int]:
    """Both files of a run that has ended, to go on: the stream as it is, the tail empty."""
    try:
        descriptor = os.open(stream_of(path), os.O_RDWR | _AS_IS)
    except OSError as error:
        raise FileError(path, f"cannot be written: {reason(error)}") from error
    return _with_tail(path, descriptor)


def delete(path: Path) -> None:
    """Remove both files: the stream first, since a tail alone is worth nothing."""
    stream_of(path).unlink(missing_ok=True)
    tail_of(path).unlink(missing_ok=True)


def write_all(descriptor: int, data: Any) -> None:
    """Write all of it, or leave the file as it was and raise."""
    begin = os.fstat(descriptor).st_size
    view = memoryview(data).cast("B")
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except BaseException:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, begin)
            os.lseek(descriptor, begin, os.SEEK_SET)
        raise


def reason(error: OSError) -> str:
    """What the operating system says, without numbers and names."""
    return (error.strerror or str(error) or type(error).__name__).lower()


def _with_tail(path: Path, stream: int) -> tuple[int, int]:
    if not _lock(stream):
        os.close(stream)
        raise _busy(path)
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | _AS_IS  # read: to be mapped
        return stream, os.open(tail_of(path), flags, 0o666)
    except OSError as error:
        os.close(stream)
        raise FileError(path, f"cannot be written: {reason(error)}") from error


def _set_aside(path: Path) -> None:
    """Rename what a run left that never finished, unless that run is alive."""
    try:
        descriptor = os.open(stream_of(path), os.O_RDWR | _AS_IS)
    except OSError as error:
        raise FileError(path, f"cannot be written: {reason(error)}") from error
    if sys.platform == "win32":
        os.close(descriptor)  # an open file cannot be renamed there, whoever opened it
    try:
        if sys.platform != "win32" and not _lock(descriptor):
            raise _busy(path)
        if not _holds_rows(path):
            delete(path)
            return
        number, aside = 1, _aside(path, 1)
        while stream_of(aside).exists() or aside.exists():
            number += 1
            aside = _aside(path, number)
        os.rename(stream_of(path), stream_of(aside))
        with contextlib.suppress(FileNotFoundError):
            os.rename(tail_of(path), tail_of(aside))
    except PermissionError as error:
        if sys.platform == "win32":  # the other run has it open
            raise _busy(path) from error
        raise FileError(path, f"cannot be written: {reason(error)}") from error
    finally:
        if sys.platform != "win32":
            os.close(descriptor)
    warnings.warn(
        f"an earlier run to '{path}' never finished; what it recorded is kept and can be read "
        f"as '{aside}'",
        stacklevel=5,
    )


def _busy(path: Path) -> FileError:
    return FileError(path, "another run is recording there right now", "choose another name")


def _holds_rows(path: Path) -> bool:
    from .remains import Remains

    try:
        return Remains(path).rows > 0
    except FileError:
        return True  # unreadable for us is no reason to throw it away


def _aside(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.unfinished-{number}{path.suffix}")


def _lock(descriptor: int) -> bool:
    """Take the file for this process, until it ends in whatever way."""
    if sys.platform == "win32":
        return True  # an open file cannot be renamed there, which says the same
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True
