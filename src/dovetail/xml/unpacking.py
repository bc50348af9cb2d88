"""An archive on disk: unpacked once, into a cache, under the hash of its content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from ..core.guard import check_file, guarded
from . import cache
from .extraction import ArchiveMember, Content, inspected, opened, unpack


def unpacked(
    path: Path, shelf: str, check: Callable[[Sequence[ArchiveMember]], None]
) -> tuple[Path, Content]:
    """The folder on a shelf of the cache, filled now or earlier, and what the archive holds.

    Only what was hashed is unpacked, and only if `check` has nothing to say about its files.
    """
    check_file(path)
    with guarded(path, "it is damaged, or no zip archive"), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        with opened(path, file) as archive:
            content = inspected(path, archive)
            check(content.members)
            folder = cache.made_once(
                cache.folder() / shelf / digest,
                lambda partial: unpack(path, archive, content, partial),
            )
    return folder.resolve(), content
