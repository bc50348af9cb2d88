"""An archive on disk: unpacked once, into a cache, under the hash of its content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from ..core.errors import FileError, no_such_file
from . import cache
from .extraction import ArchiveMember, Content, inspected, opened, unpack


def unpacked(
    path: Path, shelf: str, check: Callable[[Sequence[ArchiveMember]], None]
) -> tuple[Path, Content]:
    """The folder on a shelf of the cache, filled now or earlier, and what the archive holds.

    Only what was hashed is unpacked, and only if `check` has nothing to say about its files.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe would keep us waiting, a device longer
            what = "this is a folder" if path.is_dir() else "this is a pipe or a device, not a file"
            raise FileError(path, what, "check the file name")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            with opened(path, file) as archive:
                content = inspected(path, archive)
                check(content.members)
                folder = cache.made_once(
                    cache.folder() / shelf / digest,
                    lambda partial: unpack(path, archive, content, partial),
                    lambda folder: _is_whole(folder, content),
                )
    except FileNotFoundError as error:
        raise no_such_file(path) from error
    except OSError as error:
        raise FileError(error.filename or path, error.strerror or str(error)) from error
    return folder.resolve(), content


def _is_whole(folder: Path, content: Content) -> bool:
    """Whether all files are still there: programs that tidy up old files may remove some."""
    files = all(folder.joinpath(*member.parts).is_file() for member in content.members)
    return files and all(folder.joinpath(*parts).is_dir() for parts in content.empty)
